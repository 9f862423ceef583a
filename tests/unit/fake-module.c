/* SPDX-License-Identifier: Apache-2.0 */
/* A provider inside the test program that does what a test tells it, and counts. */
#include "fake-module.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "cleanup.h"

struct fake fake;

static void
take_ms (int ms)
{
  struct timespec t = { ms / 1000, (ms % 1000) * 1000000L };
  nanosleep (&t, NULL);
}

static int32_t
answer (struct ak_call *call, int32_t code, const char *what)
{
  return code ? call->host->fail (call, code, what, NULL) : AK_OK;
}

static int32_t
fake_open (struct ak_call *call, const struct ak_config *config, void **instance)
{
  fake.config = config;
  fake.opens++;
  *instance = &fake;
  return answer (call, fake.open_code, "open failed");
}

static void
fake_close (void *instance)
{
  (void) instance;
  fake.closes++;
}

static int32_t
fake_probe (void *instance, struct ak_call *call, struct ak_granted *granted)
{
  (void) instance;
  fake.probes++;
  granted->caps &= ~fake.probe_removes;
  granted->caps |= AK_CAP_PRINCIPAL_USER;       /* an attempt to give, which must have no effect */
  if (fake.reports) {
    call->host->report (call, AK_REPORT_FINDING, "ok", "all is there");
    call->host->report (call, AK_REPORT_LANGUAGES, NULL, "python sh");
  }
  return AK_OK;
}

static void
report_birth (struct ak_call *call, const char *notice)
{
  call->host->report (call, AK_REPORT_NOTICE, NULL, notice);
  call->host->report (call, AK_REPORT_DATA, "key", "{\"of\":\"birth\"}");
  call->host->report (call, AK_REPORT_LANGUAGES, NULL, "python sh");
  call->host->report (call, AK_REPORT_WORKSPACE, NULL, "/w");
  call->host->report (call, AK_REPORT_ENV, "A", "b");
  call->host->report (call, AK_REPORT_LIMIT, "nofile", "64");
}

static void
see (const char *format, const char *text)
{
  size_t n = strlen (fake.seen_principal);
  snprintf (fake.seen_principal + n, sizeof fake.seen_principal - n, format, text);
}

static void
see_principal (const struct ak_principal *p)
{
  snprintf (fake.seen_principal, sizeof fake.seen_principal, "%u %s [", p->user, p->subject);
  for (const char *const *g = p->groups; g && *g; g++)
    see ("%s,", *g);
  see ("%s", "] {");
  for (const char *const *c = p->credentials; c && *c; c += 2) {
    see ("%s=", c[0]);
    see ("%s,", c[1]);
  }
  see ("%s", "}");
}

static int32_t
fake_create (void *instance, struct ak_call *call, const struct ak_spec *spec, void **sandbox)
{
  char id[32];
  int n = ++fake.creates;
  size_t used = 0;
  for (const char *const *l = spec->labels; l && *l; l++)
    used += (size_t) snprintf (fake.seen_labels + used, sizeof fake.seen_labels - used, "%s\n", *l);
  snprintf (id, sizeof id, "fake-%d", n);
  see_principal (spec->principal);
  if (fake.says)
    call->host->log (fake.config, 4, fake.says);
  take_ms (fake.create_takes_ms);
  see_principal (spec->principal);
  if (!fake.no_id)
    call->host->report (call, AK_REPORT_ID, NULL, fake.report_id ? fake.report_id : id);
  if (fake.reports)
    report_birth (call, "from create");
  *sandbox = instance;
  fake.handles += !fake.create_code;
  return answer (call, fake.create_code, fake.says ? fake.says : "create failed");
}

static int32_t
fake_attach (void *instance, struct ak_call *call, const struct ak_spec *spec, void **sandbox)
{
  fake.attaches++;
  fake.seen_external = (int) spec->external;
  if (fake.gone_once) {
    fake.gone_once = 0;
    return call->host->fail (call, AK_E_GONE, "no such sandbox", NULL);
  }
  if (fake.reports)
    report_birth (call, "from attach");
  *sandbox = instance;
  fake.handles += !fake.attach_code;
  return answer (call, fake.attach_code, "attach failed");
}

static int32_t
fake_destroy (void *instance, struct ak_call *call, const char *id)
{
  (void) instance;
  fake.destroys++;
  snprintf (fake.last_destroyed, sizeof fake.last_destroyed, "%s", id);
  return answer (call, fake.destroy_code, "destroy failed");
}

static int32_t
fake_kill (void *instance, struct ak_call *call, const char *id)
{
  (void) instance, (void) call, (void) id;
  fake.kills++;
  return AK_OK;
}

static int32_t
fake_list (void *instance, struct ak_call *call)
{
  (void) instance, (void) call;
  return AK_OK;
}

static void
fake_release (void *sandbox)
{
  (void) sandbox;
  fake.releases++;
  fake.handles--;
}

static int32_t
fake_execute (void *sandbox, struct ak_call *call, const struct ak_exec *exec, struct ak_outcome *outcome)
{
  (void) sandbox, (void) exec;
  int now = ++fake.at_once;
  if (now > fake.most_at_once)
    fake.most_at_once = now;
  fake.executes++;
  fake.seen_deadline_ns = call->deadline_ns;
  take_ms (fake.execute_takes_ms);
  if (fake.prints)
    call->host->write (call, AK_STDOUT, fake.prints, strlen (fake.prints));
  if (fake.reports) {
    call->host->report (call, AK_REPORT_NOTICE, NULL, "from execute");
    call->host->report (call, AK_REPORT_DATA, "more", "1");
  }
  outcome->how = fake.how;
  outcome->code = fake.exit_code;
  fake.at_once--;
  return answer (call, fake.execute_code, "execute failed");
}

static const struct ak_ops ops = {
  .struct_size = sizeof ops,
  .open = fake_open,
  .close = fake_close,
  .probe = fake_probe,
  .create = fake_create,
  .attach = fake_attach,
  .destroy = fake_destroy,
  .kill = fake_kill,
  .list = fake_list,
  .release = fake_release,
  .execute_code = fake_execute,
  .execute_command = fake_execute,
};

static void
keep_log (void *data, int level, const char *text)
{
  struct fake_session *fs = data;
  size_t n = strlen (fs->log);
  snprintf (fs->log + n, sizeof fs->log - n, "%d %s\n", level, text);
}

static char *no_strings[] = { NULL };
static char python[] = "python", name[] = "fake", profile_name[] = "default", where[] = "test";
static char *languages[] = { python, NULL };

struct fake_session *
fake_session_new (uint32_t caps, uint32_t threads)
{
  memset (&fake, 0, sizeof fake);
  fake.how = AK_EXITED;
  struct fake_session *fs = calloc (1, sizeof *fs);
  fs->module.ops = ops;
  fs->module.manifest = (struct manifest) {
    .name = name, .major = AK_PROVIDER_MAJOR, .caps = caps, .threads = threads, .languages = languages, .env = no_strings,
  };
  fs->profile = (struct profile_config) {
    .name = profile_name,
    .type = name,
    .where = where,
    .idle_timeout_ns = 1800 * UINT64_C (1000000000),
    .create_timeout_ns = 120 * UINT64_C (1000000000),
    .policy = { .network_allow = no_strings, .fs_allow_read = no_strings, .fs_allow_write = no_strings,
                .timeout_ns = 120 * UINT64_C (1000000000), .strict = 1 },
  };
  fs->runtime.log = (struct log_sink) { keep_log, fs };
  fs->runtime.broker = &ak_broker_embedded;
  return fs;
}

enum ak_status
fake_session_start (struct fake_session *fs, struct ak_error **error)
{
  struct instance *instance;
  enum ak_status status = ak_instance_new (&fs->module, &fs->profile, &fs->runtime.log,
                                           "00000000-0000-4000-8000-000000000000", &instance, error);
  return status == AK_STATUS_OK ? ak_session_init (&fs->session, &fs->runtime, instance, error) : status;
}

void
fake_session_free (struct fake_session *fs)
{
  if (fs->session.instance) {
    struct instance *instance = fs->session.instance;
    ak_session_clear (&fs->session);
    ak_instance_free (instance);
  }
  free (fs);
}

enum ak_status
fake_run (struct fake_session *fs, const char *code, struct ak_result **result, struct ak_error **error)
{
  struct job job = {
    .operation = OP_EXECUTE_CODE,
    .exec = { .struct_size = sizeof job.exec, .language = "python", .code = code, .code_size = strlen (code) },
  };
  *result = ak_result_new (0);
  return fs->runtime.broker->submit (&fs->session, &job, *result, error);
}
