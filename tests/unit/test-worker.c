/* SPDX-License-Identifier: Apache-2.0 */
/* The worker's rules: fail closed, one sandbox a session, healing, attached environments, outcomes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "fake-module.h"

#define MANAGED (AK_CAP_PROVISIONS | AK_CAP_ATTACH)

static char a_path[] = "/data", a_domain[] = "example.test", a_cidr[] = "10.0.0.0/8";
static char *paths[] = { a_path, NULL }, *domains[] = { a_domain, NULL }, *cidrs[] = { a_cidr, NULL }, *nothing[] = { NULL };

static struct fake_session *
started (uint32_t caps)
{
  struct ak_error *e = NULL;
  struct fake_session *fs = fake_session_new (caps, AK_PARALLEL);
  assert_int_equal (fake_session_start (fs, &e), AK_STATUS_OK);
  return fs;
}

static void
run_ok (struct fake_session *fs, const char *notice)
{
  struct ak_result *r;
  struct ak_error *e = NULL;
  enum ak_status status = fake_run (fs, "x", &r, &e);
  if (status != AK_STATUS_OK)
    fail_msg ("%s", ak_error_text (e));
  assert_int_equal (ak_result_how (r), AK_HOW_EXITED);
  if (notice)
    assert_non_null (strstr (ak_result_notice (r), notice));
  else
    assert_null (ak_result_notice (r));
  ak_result_free (r);
}

static void
run_fails (struct fake_session *fs, enum ak_status expected, const char *text)
{
  struct ak_result *r;
  struct ak_error *e = NULL;
  assert_int_equal (fake_run (fs, "x", &r, &e), expected);
  assert_int_equal (ak_error_status (e), expected);
  assert_string_equal (ak_error_provider (e), "fake");
  if (!strstr (ak_error_text (e), text))
    fail_msg ("'%s' does not say '%s'", ak_error_text (e), text);
  ak_error_free (e);
  ak_result_free (r);
}

static void
two_operations_share_one_sandbox (void **state)
{
  (void) state;
  struct fake_session *fs = started (MANAGED);
  run_ok (fs, NULL);
  run_ok (fs, NULL);
  assert_int_equal (fake.creates, 1);
  assert_int_equal (fake.attaches, 0);
  assert_int_equal (fake.executes, 2);
  assert_int_equal (fake.opens, 1);
  assert_int_equal (fake.probes, 1);
  assert_string_equal (fs->session.sandbox_id, "fake-1");
  fake_session_free (fs);
  assert_int_equal (fake.releases, 1);
  assert_int_equal (fake.closes, 1);
  assert_int_equal (fake.destroys, 0);
}

static void
a_session_ends_although_its_provider_cannot_be_opened (void **state)
{
  (void) state;
  struct fake_session *fs = started (MANAGED);
  struct ak_error *e = NULL;
  fake.open_code = AK_E_CONFIG;
  run_fails (fs, AK_STATUS_CONFIG, "open failed");
  assert_int_equal (ak_session_destroy (&fs->session, &e), AK_STATUS_OK);
  assert_null (e);
  assert_int_equal (fake.destroys, 0);
  fake_session_free (fs);
  assert_int_equal (fake.closes, 0);
}

static void *
one_call (void *data)
{
  struct ak_result *r;
  enum ak_status status = fake_run (data, "x", &r, NULL);
  ak_result_free (r);
  return (void *) (uintptr_t) status;
}

static void
thirty_two_first_calls_make_one_sandbox (void **state)
{
  (void) state;
  struct fake_session *fs = started (MANAGED);
  pthread_t threads[32];
  void *status;
  fake.create_takes_ms = 30;
  fake.execute_takes_ms = 20;
  for (int i = 0; i < 32; i++)
    assert_int_equal (pthread_create (&threads[i], NULL, one_call, fs), 0);
  for (int i = 0; i < 32; i++) {
    pthread_join (threads[i], &status);
    assert_int_equal ((uintptr_t) status, AK_STATUS_OK);
  }
  assert_int_equal (fake.creates, 1);
  assert_int_equal (fake.executes, 32);
  assert_true (fake.most_at_once > 1);
  fake_session_free (fs);
}

static int
most_at_once (uint32_t threads)
{
  struct ak_error *e = NULL;
  struct fake_session *fs = fake_session_new (MANAGED, threads);
  pthread_t t[4];
  assert_int_equal (fake_session_start (fs, &e), AK_STATUS_OK);
  fake.execute_takes_ms = 10;
  for (int i = 0; i < 4; i++)
    assert_int_equal (pthread_create (&t[i], NULL, one_call, fs), 0);
  for (int i = 0; i < 4; i++)
    pthread_join (t[i], NULL);
  int most = fake.most_at_once;
  fake_session_free (fs);
  return most;
}

static void
the_thread_model_is_enforced (void **state)
{
  (void) state;
  assert_int_equal (most_at_once (AK_SERIAL), 1);
  assert_int_equal (most_at_once (AK_PER_SANDBOX), 1);
}

static void
nobody_waits_for_a_turn_beyond_its_deadline (void **state)
{
  (void) state;
  static const uint32_t models[] = { AK_SERIAL, AK_PER_SANDBOX };
  for (int i = 0; i < 4; i++) {
    struct fake_session *fs = fake_session_new (MANAGED, models[i % 2]);
    struct ak_result *r = ak_result_new (0);
    struct ak_error *e = NULL;
    struct ak_cancel *cancel = ak_cancel_new ();
    pthread_t t;
    assert_int_equal (fake_session_start (fs, &e), AK_STATUS_OK);
    run_ok (fs, NULL);
    fake.execute_takes_ms = 2500;
    assert_int_equal (pthread_create (&t, NULL, one_call, fs), 0);
    while (!fake.at_once)
      usleep (1000);
    struct job job = {
      .operation = OP_EXECUTE_CODE, .exec = { .language = "python", .code = "x", .code_size = 1 },
      .timeout_ns = i < 2 ? 100000000 : 0, .cancel = cancel,
    };
    if (i >= 2)
      ak_cancel_fire (cancel);
    assert_int_equal (ak_worker_run (&fs->session, &job, r, &e), i < 2 ? AK_STATUS_TIMEOUT : AK_STATUS_CANCELLED);
    assert_non_null (strstr (ak_error_text (e), "while another operation of it was under way"));
    assert_int_equal (fake.at_once, 1);
    ak_error_free (e);
    ak_result_free (r);
    pthread_join (t, NULL);
    ak_cancel_free (cancel);
    fake_session_free (fs);
  }
}

static void
a_vanished_sandbox_is_made_anew_with_a_notice (void **state)
{
  (void) state;
  struct fake_session *fs = started (MANAGED);
  run_ok (fs, NULL);
  fs->session.stale = 1;
  fake.gone_once = 1;
  run_ok (fs, "recreated empty");
  assert_int_equal (fake.creates, 2);
  assert_string_equal (fs->session.sandbox_id, "fake-2");
  run_ok (fs, NULL);
  fake_session_free (fs);
}

static void
only_gone_heals (void **state)
{
  (void) state;
  struct fake_session *fs = started (MANAGED);
  run_ok (fs, NULL);
  fs->session.stale = 1;
  fake.attach_code = AK_E_UNAVAILABLE;
  run_fails (fs, AK_STATUS_UNAVAILABLE, "attach failed");
  assert_int_equal (fake.creates, 1);
  assert_string_equal (fs->session.sandbox_id, "fake-1");
  fake.attach_code = AK_OK;
  run_ok (fs, NULL);
  assert_int_equal (fake.creates, 1);
  fake_session_free (fs);
}

static void
a_lost_program_is_an_outcome_and_is_not_run_again (void **state)
{
  (void) state;
  struct fake_session *fs = started (MANAGED);
  struct ak_result *r;
  fake.how = AK_LOST;
  assert_int_equal (fake_run (fs, "x", &r, NULL), AK_STATUS_OK);
  assert_int_equal (ak_result_how (r), AK_HOW_LOST);
  ak_result_free (r);
  assert_int_equal (fake.executes, 1);
  fake.how = AK_EXITED;
  run_ok (fs, "processes of this session's sandbox had ended");
  assert_int_equal (fake.attaches, 1);
  fake_session_free (fs);
}

static void
a_provider_without_attach_serves_a_second_call (void **state)
{
  (void) state;
  struct fake_session *fs = started (AK_CAP_PROVISIONS);
  run_ok (fs, NULL);
  run_ok (fs, NULL);
  assert_int_equal (fake.creates, 1);
  fs->session.stale = 1;
  run_ok (fs, "recreated empty");
  assert_int_equal (fake.destroys, 1);
  assert_string_equal (fake.last_destroyed, "fake-1");
  fake_session_free (fs);
}

static void
a_failed_create_is_undone_and_reported (void **state)
{
  (void) state;
  struct fake_session *fs = started (MANAGED);
  fake.create_code = AK_E_PROVISION;
  run_fails (fs, AK_STATUS_PROVISION, "fake: create failed");
  assert_int_equal (fake.destroys, 1);
  assert_string_equal (fake.last_destroyed, "fake-1");
  assert_null (fs->session.sandbox_id);
  assert_int_equal (fake.executes, 0);
  fake_session_free (fs);
}

static void
what_a_failed_create_left_is_remembered (void **state)
{
  (void) state;
  struct fake_session *fs = started (MANAGED);
  fake.create_code = AK_E_PROVISION;
  fake.destroy_code = AK_E_UNAVAILABLE;
  run_fails (fs, AK_STATUS_PROVISION, "create failed");
  assert_string_equal (fs->session.sandbox_id, "fake-1");
  assert_non_null (strstr (fs->log, "left over"));
  fake.destroy_code = AK_OK;
  assert_int_equal (ak_session_destroy (&fs->session, NULL), AK_STATUS_OK);
  assert_null (fs->session.sandbox_id);
  fake_session_free (fs);
}

static void
a_bad_id_is_a_broken_plugin (void **state)
{
  (void) state;
  static const char *const bad[] = { "", "has space", "new\nline", "caf\xc3\xa9" };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    struct fake_session *fs = started (MANAGED);
    fake.report_id = bad[i];
    run_fails (fs, AK_STATUS_PLUGIN, "id");
    assert_int_equal (fake.releases, 1);
    fake_session_free (fs);
  }
  struct fake_session *fs = started (MANAGED);
  fake.no_id = 1;
  run_fails (fs, AK_STATUS_PLUGIN, "no id");
  fake_session_free (fs);
}

static void
an_outcome_must_be_said (void **state)
{
  (void) state;
  static const struct { uint32_t how; int32_t code; } bad[] = {
    { 0, 0 }, { 7, 0 }, { AK_EXITED, 256 }, { AK_EXITED, -1 }, { AK_SIGNALLED, 0 }, { AK_SIGNALLED, 65 },
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    struct fake_session *fs = started (MANAGED);
    fake.how = bad[i].how;
    fake.exit_code = bad[i].code;
    run_fails (fs, AK_STATUS_PLUGIN, "did not say how the program ended");
    fake_session_free (fs);
  }
}

static void
an_undeclared_language_provisions_nothing (void **state)
{
  (void) state;
  struct fake_session *fs = started (MANAGED);
  struct ak_error *e = NULL;
  struct job job = { .operation = OP_EXECUTE_CODE, .exec = { .language = "cobol", .code = "x", .code_size = 1 } };
  struct ak_result *r = ak_result_new (0);
  assert_int_equal (ak_worker_run (&fs->session, &job, r, &e), AK_STATUS_CAPABILITY);
  assert_non_null (strstr (ak_error_text (e), "language:cobol"));
  assert_int_equal (fake.creates, 0);
  ak_error_free (e);
  ak_result_free (r);
  fake_session_free (fs);
}

static void
an_undeclared_operation_provisions_nothing (void **state)
{
  (void) state;
  static const enum operation operations[] = { OP_EXECUTE_COMMAND, OP_INSTALL_PACKAGES, OP_UPLOAD, OP_DOWNLOAD, OP_LIST_FILES };
  static const char *const names[] = { "shell", "package_install", "files", "files", "files" };
  struct fake_session *fs = started (MANAGED);      /* it has execute_command and does not declare shell */
  for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
    struct ak_error *e = NULL;
    struct job job = { .operation = operations[i], .path = "x" };
    struct ak_result *r = ak_result_new (0);
    assert_int_equal (ak_worker_run (&fs->session, &job, r, &e), AK_STATUS_CAPABILITY);
    assert_non_null (strstr (ak_error_text (e), names[i]));
    ak_error_free (e);
    ak_result_free (r);
  }
  assert_int_equal (fake.creates, 0);
  fake_session_free (fs);
}

static void
strict_policy_names_all_that_is_not_enforced (void **state)
{
  (void) state;
  struct fake_session *fs = fake_session_new (MANAGED, AK_PARALLEL);
  fs->profile.policy.network_egress = NETWORK_DENY;
  fs->profile.policy.fs_allow_read = paths;
  fs->profile.policy.cpu_milli = 500;
  fs->profile.policy.memory_bytes = 1 << 20;
  assert_int_equal (fake_session_start (fs, NULL), AK_STATUS_OK);
  run_fails (fs, AK_STATUS_POLICY, "network_egress: deny; fs_allow_read, fs_allow_write; cpu; memory_mb");
  assert_int_equal (fake.creates, 0);
  fake_session_free (fs);
}

static void
policy_without_strict_runs_with_one_warning (void **state)
{
  (void) state;
  struct fake_session *fs = fake_session_new (MANAGED, AK_PARALLEL);
  fs->profile.policy.network_egress = NETWORK_DENY;
  fs->profile.policy.strict = 0;
  assert_int_equal (fake_session_start (fs, NULL), AK_STATUS_OK);
  run_ok (fs, NULL);
  run_ok (fs, NULL);
  char *first = strstr (fs->log, "WITHOUT");
  assert_non_null (first);
  assert_null (strstr (first + 1, "WITHOUT"));
  fake_session_free (fs);
}

static enum ak_status
admitted (uint32_t caps, enum network network, char **allow)
{
  struct fake_session *fs = fake_session_new (MANAGED | caps, AK_PARALLEL);
  struct ak_result *r;
  fs->profile.policy.network_egress = network;
  fs->profile.policy.network_allow = allow;
  assert_int_equal (fake_session_start (fs, NULL), AK_STATUS_OK);
  enum ak_status status = fake_run (fs, "x", &r, NULL);
  ak_result_free (r);
  fake_session_free (fs);
  return status;
}

static void
each_kind_of_network_rule_needs_its_own_capability (void **state)
{
  (void) state;
  assert_int_equal (admitted (0, NETWORK_ALLOW, nothing), AK_STATUS_OK);
  assert_int_equal (admitted (AK_CAP_NET_DENY, NETWORK_DENY, nothing), AK_STATUS_OK);
  assert_int_equal (admitted (AK_CAP_NET_CIDR | AK_CAP_NET_DOMAIN, NETWORK_DENY, nothing), AK_STATUS_POLICY);
  assert_int_equal (admitted (AK_CAP_NET_CIDR, NETWORK_ALLOWLIST, cidrs), AK_STATUS_OK);
  assert_int_equal (admitted (AK_CAP_NET_CIDR, NETWORK_ALLOWLIST, domains), AK_STATUS_POLICY);
  assert_int_equal (admitted (AK_CAP_NET_DOMAIN, NETWORK_ALLOWLIST, domains), AK_STATUS_OK);
  assert_int_equal (admitted (AK_CAP_NET_DOMAIN, NETWORK_ALLOWLIST, cidrs), AK_STATUS_POLICY);
  assert_int_equal (admitted (AK_CAP_NET_DENY, NETWORK_ALLOWLIST, cidrs), AK_STATUS_POLICY);
  assert_int_equal (admitted (0, NETWORK_ALLOWLIST, nothing), AK_STATUS_POLICY);
}

static void
probe_takes_away_and_never_gives (void **state)
{
  (void) state;
  struct fake_session *fs = fake_session_new (MANAGED | AK_CAP_NET_DENY, AK_PARALLEL);
  fake.probe_removes = AK_CAP_NET_DENY;
  fs->profile.policy.network_egress = NETWORK_DENY;
  assert_int_equal (fake_session_start (fs, NULL), AK_STATUS_OK);
  run_fails (fs, AK_STATUS_POLICY, "network_egress: deny");
  assert_int_equal (fs->session.instance->caps & AK_CAP_PRINCIPAL_USER, 0);
  fake_session_free (fs);
}

static void
a_users_identity_is_never_downgraded (void **state)
{
  (void) state;
  struct fake_session *fs = fake_session_new (MANAGED, AK_PARALLEL);
  fs->profile.identity_user = 1;
  assert_int_equal (fake_session_start (fs, NULL), AK_STATUS_OK);
  run_fails (fs, AK_STATUS_CAPABILITY, "principal_user");
  fake_session_free (fs);
  fs = fake_session_new (MANAGED | AK_CAP_PRINCIPAL_USER, AK_PARALLEL);
  fs->profile.identity_user = 1;
  assert_int_equal (fake_session_start (fs, NULL), AK_STATUS_OK);
  run_fails (fs, AK_STATUS_POLICY, "user's identity");
  assert_int_equal (fake.creates, 0);
  fake_session_free (fs);
}

static void
lifecycle_rules_hold_in_both_directions (void **state)
{
  (void) state;
  struct ak_error *e = NULL;
  struct fake_session *fs = fake_session_new (MANAGED, AK_PARALLEL);
  fs->profile.attached = 1;
  assert_int_equal (fake_session_start (fs, &e), AK_STATUS_CONFIG);
  assert_non_null (strstr (ak_error_text (e), "environment: attached"));
  ak_error_free (e);
  fake_session_free (fs);
  e = NULL;
  fs = fake_session_new (AK_CAP_ATTACH | AK_CAP_EXTERNAL, AK_PARALLEL);
  assert_int_equal (fake_session_start (fs, &e), AK_STATUS_CONFIG);
  assert_non_null (strstr (ak_error_text (e), "attach-only"));
  ak_error_free (e);
  fake_session_free (fs);
  e = NULL;
  fs = fake_session_new (AK_CAP_ATTACH | AK_CAP_EXTERNAL, AK_PARALLEL);
  fs->profile.attached = 1;
  assert_int_equal (fake_session_start (fs, &e), AK_STATUS_CONFIG);
  assert_non_null (strstr (ak_error_text (e), "attach_to"));
  ak_error_free (e);
  fake_session_free (fs);
}

static struct fake_session *
attached_to (const char *yaml, struct value **block)
{
  struct fake_session *fs = fake_session_new (AK_CAP_ATTACH | AK_CAP_EXTERNAL | AK_CAP_PROVISIONS, AK_PARALLEL);
  fs->profile.attached = 1;
  assert_int_equal (ak_value_parse_yaml ("test", yaml, strlen (yaml), block, NULL), AK_STATUS_OK);
  fs->profile.options = *block;
  assert_int_equal (fake_session_start (fs, NULL), AK_STATUS_OK);
  return fs;
}

static void
an_attached_environment_is_never_made_nor_disposed (void **state)
{
  (void) state;
  struct value *block;
  struct fake_session *fs = attached_to ("attach_to: theirs", &block);
  run_ok (fs, NULL);
  assert_int_equal (fake.attaches, 1);
  assert_int_equal (fake.seen_external, 1);
  assert_int_equal (fake.creates, 0);
  assert_int_equal (ak_session_destroy (&fs->session, NULL), AK_STATUS_OK);
  assert_int_equal (fake.destroys, 0);
  assert_int_equal (fake.releases, 1);
  fake.gone_once = 1;
  run_fails (fs, AK_STATUS_GONE, "not being recreated");
  assert_int_equal (fake.creates, 0);
  fake_session_free (fs);
  ak_value_free (block);
}

static void
destroy_disposes_and_the_session_can_be_used_again (void **state)
{
  (void) state;
  struct fake_session *fs = started (MANAGED);
  assert_int_equal (ak_session_destroy (&fs->session, NULL), AK_STATUS_OK);
  assert_int_equal (fake.destroys, 0);
  run_ok (fs, NULL);
  assert_int_equal (ak_session_destroy (&fs->session, NULL), AK_STATUS_OK);
  assert_int_equal (fake.destroys, 1);
  assert_int_equal (fake.releases, 1);
  run_ok (fs, NULL);
  assert_int_equal (fake.creates, 2);
  fake_session_free (fs);
}

static void
an_id_that_was_told_outlives_its_sandbox (void **state)
{
  (void) state;
  struct fake_session *fs = started (MANAGED);
  run_ok (fs, NULL);
  const char *first = ak_session_sandbox_id (&fs->session);
  assert_ptr_equal (ak_session_sandbox_id (&fs->session), first);
  assert_int_equal (ak_session_destroy (&fs->session, NULL), AK_STATUS_OK);
  assert_null (ak_session_sandbox_id (&fs->session));
  run_ok (fs, NULL);
  assert_string_equal (ak_session_sandbox_id (&fs->session), "fake-2");
  assert_string_equal (first, "fake-1");
  fake_session_free (fs);
}

static void
what_never_opened_can_be_destroyed (void **state)
{
  (void) state;
  struct fake_session *fs = started (MANAGED);
  fake.open_code = AK_E_AUTH;
  assert_int_equal (ak_session_destroy (&fs->session, NULL), AK_STATUS_OK);
  run_fails (fs, AK_STATUS_AUTH, "open failed");
  assert_int_equal (ak_session_destroy (&fs->session, NULL), AK_STATUS_OK);
  assert_int_equal (fake.destroys, 0);
  fake_session_free (fs);
}

static void
the_deadline_is_the_smaller_of_policy_and_request (void **state)
{
  (void) state;
  struct fake_session *fs = fake_session_new (MANAGED, AK_PARALLEL);
  struct ak_result *r = ak_result_new (0);
  fs->profile.policy.timeout_ns = 5 * UINT64_C (1000000000);
  assert_int_equal (fake_session_start (fs, NULL), AK_STATUS_OK);
  struct job job = { .operation = OP_EXECUTE_CODE, .exec = { .language = "python", .code = "x", .code_size = 1 } };
  static const uint64_t asked[] = { 0, 2, 90 }, expected[] = { 5, 2, 5 };
  for (int i = 0; i < 3; i++) {
    job.timeout_ns = asked[i] * UINT64_C (1000000000);
    uint64_t before = ak_now_ns ();
    assert_int_equal (ak_worker_run (&fs->session, &job, r, NULL), AK_STATUS_OK);
    uint64_t limit = fake.seen_deadline_ns - before;
    assert_in_range (limit, expected[i] * UINT64_C (1000000000), expected[i] * UINT64_C (1000000000) + 900000000);
  }
  ak_result_free (r);
  fake_session_free (fs);
}

static void
labels_name_registry_profile_and_session (void **state)
{
  (void) state;
  struct fake_session *fs = started (MANAGED);
  char session[64];
  run_ok (fs, NULL);
  snprintf (session, sizeof session, "io.aksandbox.session=%s\n", fs->session.id);
  assert_non_null (strstr (fake.seen_labels, "io.aksandbox.registry=00000000-0000-4000-8000-000000000000\n"));
  assert_non_null (strstr (fake.seen_labels, "io.aksandbox.profile=default\n"));
  assert_non_null (strstr (fake.seen_labels, session));
  assert_non_null (strstr (fake.seen_labels, "io.aksandbox.created="));
  fake_session_free (fs);
}

static void
an_instance_is_not_used_in_a_forked_child (void **state)
{
  (void) state;
  struct fake_session *fs = started (MANAGED);
  run_ok (fs, NULL);
  pid_t pid = fork ();
  if (!pid) {
    struct ak_result *r;
    struct ak_error *e = NULL;
    enum ak_status status = fake_run (fs, "x", &r, &e);
    _exit (status == AK_STATUS_INTERNAL && strstr (ak_error_text (e), "forked child") ? 0 : 1);
  }
  int status;
  assert_int_equal (waitpid (pid, &status, 0), pid);
  assert_int_equal (status, 0);
  fake_session_free (fs);
}

static void
a_failed_open_is_tried_again_at_the_next_use (void **state)
{
  (void) state;
  struct fake_session *fs = started (MANAGED);
  fake.open_code = AK_E_AUTH;
  run_fails (fs, AK_STATUS_AUTH, "open failed");
  assert_int_equal (fake.closes, 0);
  fake.open_code = AK_OK;
  run_ok (fs, NULL);
  fake_session_free (fs);
  assert_int_equal (fake.closes, 1);
}

static void
where_the_provider_did_not_open_there_is_nothing_to_destroy (void **state)
{
  (void) state;
  struct fake_session *fs = started (MANAGED);
  struct ak_error *e = NULL;
  fake.open_code = AK_E_CONFIG;
  run_fails (fs, AK_STATUS_CONFIG, "open failed");
  assert_int_equal (ak_session_destroy (&fs->session, &e), AK_STATUS_OK);
  assert_null (e);
  assert_int_equal (fake.opens, 1);
  assert_int_equal (fake.destroys, 0);
  fake_session_free (fs);
}

static void
output_reaches_the_result (void **state)
{
  (void) state;
  struct fake_session *fs = started (MANAGED);
  struct ak_result *r;
  fake.prints = "hello\n";
  assert_int_equal (fake_run (fs, "x", &r, NULL), AK_STATUS_OK);
  assert_int_equal (ak_result_total (r, AK_STREAM_STDOUT), 6);
  assert_int_equal (ak_result_total (r, AK_STREAM_STDERR), 0);
  ak_result_free (r);
  fake_session_free (fs);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (two_operations_share_one_sandbox),
    cmocka_unit_test (a_session_ends_although_its_provider_cannot_be_opened),
    cmocka_unit_test (thirty_two_first_calls_make_one_sandbox),
    cmocka_unit_test (the_thread_model_is_enforced),
    cmocka_unit_test (nobody_waits_for_a_turn_beyond_its_deadline),
    cmocka_unit_test (a_vanished_sandbox_is_made_anew_with_a_notice),
    cmocka_unit_test (only_gone_heals),
    cmocka_unit_test (a_lost_program_is_an_outcome_and_is_not_run_again),
    cmocka_unit_test (a_provider_without_attach_serves_a_second_call),
    cmocka_unit_test (a_failed_create_is_undone_and_reported),
    cmocka_unit_test (what_a_failed_create_left_is_remembered),
    cmocka_unit_test (a_bad_id_is_a_broken_plugin),
    cmocka_unit_test (an_outcome_must_be_said),
    cmocka_unit_test (an_undeclared_language_provisions_nothing),
    cmocka_unit_test (an_undeclared_operation_provisions_nothing),
    cmocka_unit_test (strict_policy_names_all_that_is_not_enforced),
    cmocka_unit_test (policy_without_strict_runs_with_one_warning),
    cmocka_unit_test (each_kind_of_network_rule_needs_its_own_capability),
    cmocka_unit_test (probe_takes_away_and_never_gives),
    cmocka_unit_test (a_users_identity_is_never_downgraded),
    cmocka_unit_test (lifecycle_rules_hold_in_both_directions),
    cmocka_unit_test (an_attached_environment_is_never_made_nor_disposed),
    cmocka_unit_test (destroy_disposes_and_the_session_can_be_used_again),
    cmocka_unit_test (an_id_that_was_told_outlives_its_sandbox),
    cmocka_unit_test (what_never_opened_can_be_destroyed),
    cmocka_unit_test (the_deadline_is_the_smaller_of_policy_and_request),
    cmocka_unit_test (labels_name_registry_profile_and_session),
    cmocka_unit_test (an_instance_is_not_used_in_a_forked_child),
    cmocka_unit_test (a_failed_open_is_tried_again_at_the_next_use),
    cmocka_unit_test (where_the_provider_did_not_open_there_is_nothing_to_destroy),
    cmocka_unit_test (output_reaches_the_result),
  };
  return cmocka_run_group_tests_name ("worker", tests, NULL, NULL);
}
