/* SPDX-License-Identifier: Apache-2.0 */
/* The folders that providers are looked up in. */
#ifndef AKSANDBOX_CORE_MODULE_PATH_H
#define AKSANDBOX_CORE_MODULE_PATH_H
#include "module.h"

struct module_path {
  char **folders;               /* in the order of the search, without the installed one; ended by NULL */
  char *installed;
};

/* The i-th folder of the search, the installed one last; NULL past it. */
const char *ak_module_path_folder (const struct module_path *path, size_t i);

/* Whether there is a file that the type means, whatever that file is. */
int ak_module_is_there (const struct module_path *path, const struct type_name *type);

/* Parts of letters, digits, '_' and '-', separated by dots: what may become NAME.so. */
int ak_module_is_name (const char *text, size_t length);
int ak_provider_is_name (const char *text);

#endif
