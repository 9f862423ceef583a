/* SPDX-License-Identifier: Apache-2.0 */
/* The provider contract of the conformance kit, against the providers of the build tree.
 * Usage: test-contract TYPE [PLUGIN-PATH]; without arguments, all that the build tree has. */
#include "runtime.h"
#include "kit.h"
#include "strv.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct subject {
  struct ak_runtime *runtime;
  const char *type;
  struct ak_session *first;             /* its instance answers for the provider */
};

static int32_t
code_of (enum ak_status status)
{
  static const int32_t map[] = {
    [AK_STATUS_OK] = AK_OK, [AK_STATUS_CONFIG] = AK_E_CONFIG, [AK_STATUS_CAPABILITY] = AK_E_CAPABILITY,
    [AK_STATUS_POLICY] = AK_E_POLICY, [AK_STATUS_TIMEOUT] = AK_E_TIMEOUT, [AK_STATUS_PROVISION] = AK_E_PROVISION,
    [AK_STATUS_GONE] = AK_E_GONE, [AK_STATUS_SESSION_NOT_FOUND] = AK_E_INTERNAL, [AK_STATUS_BROKER] = AK_E_INTERNAL,
    [AK_STATUS_FILE_NOT_FOUND] = AK_E_NO_FILE, [AK_STATUS_UNAVAILABLE] = AK_E_UNAVAILABLE,
    [AK_STATUS_AUTH] = AK_E_AUTH, [AK_STATUS_CANCELLED] = AK_E_CANCELLED, [AK_STATUS_PLUGIN] = AK_E_INTERNAL,
    [AK_STATUS_INTERNAL] = AK_E_INTERNAL,
  };
  return map[status];
}

/* Verdict of the host, with its text where somebody debugs. */
static int32_t
verdict (enum ak_status status, struct ak_error *error)
{
  if (error && getenv ("V"))
    printf ("# %s\n", ak_error_text (error));
  ak_error_free (error);
  return code_of (status);
}

static int32_t
subject_create (void *data, void **sandbox, char id[256])
{
  struct subject *s = data;
  struct ak_session *session;
  struct ak_error *e = NULL;
  static const struct job job;
  enum ak_status status = ak_session_new_type (s->runtime, s->type, NULL, &session, &e);
  if (status != AK_STATUS_OK)
    return verdict (status, e);
  struct ak_result *r = ak_result_new (0);
  status = ak_instance_open (session->instance, NULL, &e);
  if (status == AK_STATUS_OK && (status = ak_acquire (session, &job, r, &e)) == AK_STATUS_OK) {
    ak_session_leave (session);
    snprintf (id, 256, "%s", session->sandbox_id);
    *sandbox = session;
  } else
    ak_session_free (session);
  ak_result_free (r);
  return verdict (status, e);
}

static int32_t
subject_attach (void *data, const char *id, void **sandbox)
{
  struct subject *s = data;
  struct ak_session *session;
  struct ak_error *e = NULL;
  enum ak_status status = ak_session_new_type (s->runtime, s->type, NULL, &session, &e);
  if (status != AK_STATUS_OK)
    return verdict (status, e);
  struct sandbox_spec spec = { 0 };
  struct ak_policy policy = { .struct_size = sizeof policy };
  struct ak_principal principal = { .struct_size = sizeof principal, .subject = "contract-agent" };
  struct stop stop;
  spec.policy = &policy;
  spec.principal = &principal;
  ak_stop_init (&stop, 0, NULL);
  status = ak_instance_open (session->instance, NULL, &e);
  if (status == AK_STATUS_OK)
    status = ak_sandbox_attach (session->instance, id, 0, &spec, &stop, &session->live, &e);
  ak_stop_done (&stop);
  if (status == AK_STATUS_OK) {
    session->sandbox_id = strdup (id);
    *sandbox = session;
  } else
    ak_session_free (session);
  return verdict (status, e);
}

static int32_t
subject_destroy (void *data, const char *id)
{
  struct subject *s = data;
  struct ak_error *e = NULL;
  struct stop stop;
  ak_stop_init (&stop, 0, NULL);
  enum ak_status status = ak_sandbox_destroy (s->first->instance, id, &stop, &e);
  ak_stop_done (&stop);
  return verdict (status, e);
}

static void
subject_release (void *data, void *sandbox)
{
  (void) data;
  ak_session_free (sandbox);
}

static int32_t
run (void *sandbox, const struct ak_request *request, struct kit_run *run)
{
  struct ak_result *r;
  struct ak_error *e = NULL;
  enum ak_status status = ak_execute (sandbox, request, &r, &e);
  if (status != AK_STATUS_OK)
    return verdict (status, e);
  run->how = (uint32_t) ak_result_how (r);
  run->code = ak_result_how (r) == AK_HOW_SIGNALLED ? ak_result_signal (r) : ak_result_exit_code (r);
  run->out.data = strdup (ak_result_output (r, AK_STREAM_STDOUT, &run->out.size));
  run->err.data = strdup (ak_result_output (r, AK_STREAM_STDERR, &run->err.size));
  ak_result_free (r);
  return AK_OK;
}

static int32_t
subject_code (void *data, void *sandbox, const char *language, const char *code, size_t size, struct kit_run *out)
{
  (void) data;
  struct ak_request request = { .struct_size = sizeof request, .language = language, .code = code, .code_size = size };
  return run (sandbox, &request, out);
}

static int32_t
subject_command (void *data, void *sandbox, const char *const *argv, struct kit_run *out)
{
  (void) data;
  struct ak_request request = { .struct_size = sizeof request, .argv = argv };
  return run (sandbox, &request, out);
}

static int64_t
read_bytes (void *data, void *buffer, size_t size)
{
  struct kit_bytes *from = data;
  size_t n = size < from->size ? size : from->size;
  memcpy (buffer, from->data, n);
  from->data += n;
  from->size -= n;
  return (int64_t) n;
}

static int32_t
subject_upload (void *data, void *sandbox, const char *path, const char *bytes, size_t size)
{
  (void) data;
  struct ak_error *e = NULL;
  char *copy = malloc (size + 1);
  memcpy (copy, bytes, size);
  struct kit_bytes from = { copy, size };
  enum ak_status status = ak_upload (sandbox, path, 0, read_bytes, &from, NULL, &e);
  free (copy);
  return verdict (status, e);
}

static int
append (void *data, const void *bytes, size_t size)
{
  struct kit_bytes *to = data;
  char *grown = realloc (to->data, to->size + size + 1);
  if (!grown)
    return -1;
  memcpy (grown + to->size, bytes, size);
  to->data = grown;
  to->size += size;
  to->data[to->size] = 0;
  return 0;
}

static int32_t
subject_download (void *data, void *sandbox, const char *path, struct kit_bytes *bytes)
{
  (void) data;
  struct ak_error *e = NULL;
  struct kit_bytes got = { NULL, 0 };
  enum ak_status status = ak_download (sandbox, path, append, &got, NULL, &e);
  if (status == AK_STATUS_OK)
    *bytes = got;
  else
    free (got.data);
  return verdict (status, e);
}

static int32_t
subject_install (void *data, void *sandbox, const char *const *packages, struct kit_run *out)
{
  (void) data;
  struct ak_error *e = NULL;
  struct job job = { .operation = OP_INSTALL_PACKAGES, .packages = packages };
  struct ak_result *r = ak_result_new (0);
  enum ak_status status = ak_worker_run (sandbox, &job, r, &e);
  out->how = r->outcome.how;
  out->code = r->outcome.code;
  ak_result_free (r);
  return verdict (status, e);
}

static int checks;

static void
report (void *data, const char *check, enum kit_verdict v, const char *detail)
{
  const char *type = ((struct subject *) data)->type;
  checks++;
  printf ("%sok %d - %s: %s%s%s\n", v == KIT_FAILED ? "not " : "", checks, type, check, v == KIT_SKIPPED ? " # SKIP " : "",
          v == KIT_SKIPPED ? detail : "");
  if (v == KIT_FAILED)
    printf ("# %s\n", detail);
}

static int
contract (const char *type)
{
  struct subject s = { .type = type };
  struct ak_error *e = NULL;
  struct ak_runtime_options options = { .struct_size = sizeof options, .config_file = "" };
  if (ak_runtime_new (&options, &s.runtime, &e) != AK_STATUS_OK
      || ak_session_new_type (s.runtime, type, NULL, &s.first, &e) != AK_STATUS_OK) {
    printf ("not ok %d - %s: it loads\n# %s\n", ++checks, type, ak_error_text (e));
    ak_error_free (e);
    ak_runtime_free (s.runtime);
    return 1;
  }
  int failed = ak_instance_open (s.first->instance, NULL, &e) != AK_STATUS_OK;
  struct kit_target target = {
    .data = &s,
    .caps = s.first->instance->caps,
    .languages = (const char *const *) s.first->instance->languages,
    .create = subject_create,
    .attach = subject_attach,
    .destroy = subject_destroy,
    .release = subject_release,
    .code = subject_code,
    .command = subject_command,
    .upload = subject_upload,
    .download = subject_download,
    .install = subject_install,
  };
  failed = failed ? 1 : kit_contract (&target, report, &s);
  ak_error_free (e);
  ak_session_free (s.first);
  ak_runtime_free (s.runtime);
  return failed;
}

int
main (int argc, char **argv)
{
  int failed = 0;
  if (argc < 2) {
    fprintf (stderr, "usage: %s TYPE...\n", argv[0]);
    return 2;
  }
  for (int i = 1; i < argc; i++)
    failed += contract (argv[i]);
  printf ("1..%d\n", checks);
  return failed != 0;
}
