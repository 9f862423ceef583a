/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a provider may be loaded, and is then what its note says. */
#include "config.h"
#include "module-check.h"
#include "elf-file.h"
#include "module.h"
#include <stdalign.h>
#include <string.h>

static enum ak_status
disagree (const struct manifest *m, const char *file, const char *reason, struct ak_error **error)
{
  return ak_fail (error, AK_STATUS_PLUGIN, "Install the package that has this file again.",
                  "%s: note and code of provider '%s' disagree: %s", file, m->name, reason);
}

static enum ak_status
check_version (const struct manifest *m, const char *file, struct ak_error **error)
{
  int newer = m->major > AK_PROVIDER_MAJOR || (m->major == AK_PROVIDER_MAJOR && m->minor > AK_PROVIDER_MINOR);
  if (!newer && m->major == AK_PROVIDER_MAJOR)
    return AK_STATUS_OK;
  return ak_fail (
    error, AK_STATUS_PLUGIN,
    newer ? "Install a newer aksandbox, or an older version of the provider."
          : "Install a newer version of the provider.",
    "%s: incompatible: provider '%s' needs version %u.%u of the plugin ABI, this aksandbox has %u.%u", file,
    m->name, (unsigned) m->major, (unsigned) m->minor, (unsigned) AK_PROVIDER_MAJOR,
    (unsigned) AK_PROVIDER_MINOR);
}

enum ak_status
ak_module_admit (const struct manifest *m, const char *file, int fd, struct ak_error **error)
{
  struct elf_file elf;
  struct elf_needs needs;
  enum ak_status status = check_version (m, file, error);
  if (status == AK_STATUS_OK)
    status = ak_elf_open (fd, file, &elf, error);
  if (status != AK_STATUS_OK)
    return status;
  status = ak_elf_needs (&elf, &needs, error);
  ak_elf_close (&elf);
  if (status != AK_STATUS_OK)
    return status;
  status = ak_elf_check_needs (&needs, file, error);
  ak_elf_needs_clear (&needs);
  return status;
}

static enum ak_status
check_numbers (const struct manifest *m, const char *file, const struct ak_provider *p,
               struct ak_error **error)
{
  const struct { const char *name; uint32_t noted, coded; } pairs[] = {
    { "major version", m->major, p->major },
    { "minor version", m->minor, p->minor },
    { "capabilities", m->caps, p->caps },
    { "isolation", m->tier, p->tier },
    { "thread model", m->threads, p->threads },
  };
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
    if (pairs[i].noted != pairs[i].coded)
      return ak_fail (error, AK_STATUS_PLUGIN, "Install the package that has this file again.",
                      "%s: note and code of provider '%s' disagree: %s %#x in the note, %#x in the code",
                      file, m->name, pairs[i].name, (unsigned) pairs[i].noted, (unsigned) pairs[i].coded);
  return AK_STATUS_OK;
}

/* A table of functions that ends within a pointer, or before what every provider has, is none. */
static enum ak_status
copy_ops (const struct manifest *m, const char *file, const struct ak_ops *ops, struct ak_ops *ret,
          struct ak_error **error)
{
  if (!ops || (uintptr_t) ops % alignof (struct ak_ops))
    return disagree (m, file, "it has no operations", error);
  uint32_t size = ops->struct_size;
  if (size < offsetof (struct ak_ops, execute_code) || size % alignof (struct ak_ops))
    return ak_fail (
      error, AK_STATUS_PLUGIN, "The provider's author must set struct_size to sizeof (struct ak_ops).",
      "%s: malformed: the operations of provider '%s' have %u bytes", file, m->name, (unsigned) size);
  memset (ret, 0, sizeof *ret);
  memcpy (ret, ops, size < sizeof *ret ? size : sizeof *ret);
  ret->struct_size = sizeof *ret;
  return AK_STATUS_OK;
}

static enum ak_status
missing (const struct manifest *m, const char *file, const char *operation, struct ak_error **error)
{
  return ak_fail (error, AK_STATUS_PLUGIN, "Report it to the provider's author.",
                  "%s: malformed: provider '%s' has no operation %s, which every provider has", file, m->name,
                  operation);
}

static enum ak_status
check_mandatory (const struct manifest *m, const char *file, const struct ak_ops *ops,
                 struct ak_error **error)
{
  if (!ops->open)
    return missing (m, file, "open", error);
  if (!ops->close)
    return missing (m, file, "close", error);
  if (!ops->release)
    return missing (m, file, "release", error);
  if (!ops->create && !ops->attach)
    return missing (m, file, "create or attach", error);
  if (!ops->execute_code && !ops->open_stream)
    return missing (m, file, "execute_code or open_stream", error);
  return AK_STATUS_OK;
}

/* With open_stream the host does the operations of programs and files by itself. Where only some functions
 * of a capability are there, declared or not, the provider is wrong about one of them; for those that the
 * host asks for by name (`exact`) an operation that is not declared is wrong, too. */
static enum ak_status
check_declared (const struct manifest *m, const char *file, const struct ak_ops *ops, struct ak_error **error)
{
  const struct { uint32_t cap; int exact, present; const char *cap_name, *operation; } rules[] = {
    { AK_CAP_PROVISIONS, 1, ops->create != NULL, "provisions", "create" },
    { AK_CAP_PROVISIONS, 1, ops->destroy != NULL, "provisions", "destroy" },
    { AK_CAP_PROVISIONS, 1, ops->kill != NULL, "provisions", "kill" },
    { AK_CAP_PROVISIONS, 1, ops->list != NULL, "provisions", "list" },
    { AK_CAP_ATTACH, 1, ops->attach != NULL, "attach", "attach" },
    { AK_CAP_EXTERNAL, 0, ops->attach != NULL, "attaches_external", "attach" },
    { AK_CAP_SHELL, 0, ops->execute_command || ops->open_stream, "shell", "execute_command" },
    { AK_CAP_FILES, 0, ops->upload || ops->open_stream, "files", "upload" },
    { AK_CAP_FILES, 0, ops->download || ops->open_stream, "files", "download" },
    { AK_CAP_FILES, 0, ops->list_files || ops->open_stream, "files", "list_files" },
    { AK_CAP_PACKAGES, 0, ops->install_packages || ops->open_stream, "package_install", "install_packages" },
  };
  for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
    int declared = (m->caps & rules[i].cap) != 0;
    if (declared && !rules[i].present)
      return ak_fail (error, AK_STATUS_PLUGIN, "Report it to the provider's author.",
                      "%s: note and code of provider '%s' disagree: it declares %s and has no operation %s",
                      file, m->name, rules[i].cap_name, rules[i].operation);
    if (!declared && rules[i].present && rules[i].exact)
      return ak_fail (
        error, AK_STATUS_PLUGIN, "Report it to the provider's author.",
        "%s: note and code of provider '%s' disagree: it has the operation %s and does not declare %s", file,
        m->name, rules[i].operation, rules[i].cap_name);
  }
  return AK_STATUS_OK;
}

enum ak_status
ak_module_check (const struct manifest *m, const char *file, const struct ak_provider *provider, size_t size,
                 struct ak_ops *ret, struct ak_error **error)
{
  struct ak_ops ops;
  if (size < sizeof *provider || (uintptr_t) provider % alignof (struct ak_provider)
      || provider->struct_size < sizeof *provider)
    return disagree (m, file, "its constant is too small", error);
  enum ak_status status = check_numbers (m, file, provider, error);
  if (status == AK_STATUS_OK)
    status = copy_ops (m, file, provider->ops, &ops, error);
  if (status == AK_STATUS_OK)
    status = check_mandatory (m, file, &ops, error);
  if (status == AK_STATUS_OK)
    status = check_declared (m, file, &ops, error);
  if (status == AK_STATUS_OK)
    *ret = ops;
  return status;
}
