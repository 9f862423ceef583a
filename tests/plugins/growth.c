/* SPDX-License-Identifier: Apache-2.0 */
/* A host of another version of the contract, made of the core's objects and compiled against that version's
 * header: loads FILE:NAME, runs it, and tells what it found. */
#include "config.h"
#include <stdio.h>
#include <string.h>
#include "module.h"

static int32_t
tell (struct ak_call *call, uint32_t stream, const void *data, uint64_t size)
{
  (void) call, (void) stream;
  printf ("%.*s", (int) size, (const char *) data);
  return AK_OK;
}

static int32_t
report (struct ak_call *call, uint32_t what, const char *key, const char *value)
{
  (void) call, (void) what, (void) key, (void) value;
  return AK_OK;
}

static int
run (const struct module *m)
{
  static const struct ak_host host = {
    .struct_size = sizeof host, .minor = AK_PROVIDER_MINOR, .write = tell, .report = report
  };
  struct ak_call call = { .struct_size = sizeof call, .host = &host };
  struct ak_spec spec = { .struct_size = sizeof spec, .profile = "p" };
  struct ak_exec exec = { .struct_size = sizeof exec };
  struct ak_outcome outcome = { .struct_size = sizeof outcome };
  void *instance, *sandbox;
  printf ("host 1.%d, provider 1.%u, operations %s\n", AK_PROVIDER_MINOR, (unsigned) m->manifest.minor,
          m->ops.struct_size == sizeof m->ops ? "whole" : "cut");
#ifdef GROWN
  printf ("snapshot: %s\n", m->ops.snapshot ? "there" : "absent");
#endif
  return m->ops.open (&call, NULL, &instance) || m->ops.create (instance, &call, &spec, &sandbox)
         || m->ops.execute_code (sandbox, &call, &exec, &outcome) || outcome.how != AK_EXITED;
}

int
main (int argc, char **argv)
{
  struct module_path *path = NULL;
  struct type_name type;
  const struct module *module = NULL;
  struct ak_error *error = NULL;
  if (argc != 2 || ak_module_path_new_at (NULL, "/nonexistent", &path, &error) != AK_STATUS_OK
      || ak_type_parse (path, argv[1], 0, &type, &error) != AK_STATUS_OK)
    return 99;
  enum ak_status status = ak_module_load (path, &type, &module, &error);
  ak_type_clear (&type);
  ak_module_path_free (path);
  if (status == AK_STATUS_OK)
    return run (module);
  printf ("%s\n", ak_error_text (error));
  ak_error_free (error);
  return 1;
}
