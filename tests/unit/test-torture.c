/* SPDX-License-Identifier: Apache-2.0 */
/* Out of memory, at every allocation in turn, in the loader and the worker. */
#include "config.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "cleanup.h"
#include "fake-module.h"
#include "paths.h"
#include "plugin-tools.h"
#include "torture.h"

static struct module_path *path;
static struct type_name type_name;
static struct manifest_file manifests;
static int manifest_fd = -1;

static int
make_path (void **state)
{
  static const char *configured[2];
  (void) state;
  unsetenv ("AKSANDBOX_PLUGIN_PATH");
  mkdir (tools_path ("more"), 0755);
  mkdir (tools_path ("installed"), 0755);
  configured[0] = tools_path ("more");
  (void) ak_paths_plugins (); /* found out once a process */
  if (!tools_can_compile () || tools_compile ("more/two.so", "-DZOO_TWO")
      || tools_compile ("installed/yard.so", "")) {
    print_message ("1..0 # SKIP no compiler\n");
    exit (0);
  }
  return ak_module_path_new_at (configured, tools_path ("installed"), &path, NULL) != AK_STATUS_OK;
}

static int
free_path (void **state)
{
  (void) state;
  ak_module_path_free (path);
  return 0;
}

static struct module_path *path_made;

static enum ak_status
act_path (struct ak_error **error)
{
  const char *const configured[] = { "/a", "/b/c", NULL };
  return ak_module_path_new (configured, &path_made, error);
}

static void
undo_path (void)
{
  ak_module_path_free (TAKE_PTR (path_made));
}

static void
the_plugin_path_survives (void **state)
{
  const struct scene scene = { .act = act_path, .undo = undo_path };
  (void) state;
  setenv ("AKSANDBOX_PLUGIN_PATH", "/x:/y", 1);
  torture (&scene);
  unsetenv ("AKSANDBOX_PLUGIN_PATH");
}

static const char *wanted;

static enum ak_status
act_type (struct ak_error **error)
{
  return ak_type_parse (path, wanted, 0, &type_name, error);
}

static void
undo_type (void)
{
  ak_type_clear (&type_name);
  memset (&type_name, 0, sizeof type_name);
}

static void
names_of_providers_survive (void **state)
{
  const struct scene good = { .act = act_type, .undo = undo_type };
  const struct scene bad = { .act = act_type, .undo = undo_type, .expected = AK_STATUS_CONFIG };
  static const char *const goods[] = { "docker", "acme.cloud:fly", "acme.cloud.fly", "/opt/acme/fly.so:fly" };
  static const char *const bads[] = { "yard", "a/b", "a.b:C", "/opt/x.so" };
  (void) state;
  for (size_t i = 0; i < 4; i++) {
    wanted = goods[i];
    torture (&good);
    wanted = bads[i];
    torture (&bad);
  }
}

static int
prepare_find (void)
{
  return ak_type_parse (path, wanted, 0, &type_name, NULL) != AK_STATUS_OK;
}

static enum ak_status
act_find (struct ak_error **error)
{
  return ak_module_find (path, &type_name, &manifests, &manifest_fd, error);
}

static int
check_find (void)
{
  return manifests.n_providers && manifests.providers[0].version && manifest_fd >= 0;
}

static void
undo_find (void)
{
  undo_type ();
  ak_manifest_file_clear (&manifests);
  cleanup_close (&manifest_fd);
  manifest_fd = -1;
}

static void
the_search_for_a_provider_survives (void **state)
{
  struct scene scene = { .prepare = prepare_find, .act = act_find, .check = check_find, .undo = undo_find };
  (void) state;
  wanted = "two:zebra";
  torture (&scene);
  wanted = "yard:zoo";
  torture (&scene);
  scene.expected = AK_STATUS_CONFIG;
  wanted = "two:ape";
  torture (&scene);
  wanted = "none:ape";
  torture (&scene);
  wanted = "docker";
  torture (&scene);
  scene.expected = AK_STATUS_PLUGIN;
  tools_write (tools_path ("more/text.so"), "text", 4);
  wanted = "text:ape";
  torture (&scene);
  unlink (tools_path ("more/text.so"));
}

static int found;

static void
count (void *data, const char *module, const char *file, const struct manifest_file *all,
       const struct ak_error *error)
{
  (void) data, (void) module, (void) file, (void) error;
  found += all ? (int) all->n_providers : 0;
}

static enum ak_status
act_each (struct ak_error **error)
{
  found = 0;
  enum ak_status status = ak_module_each (path, count, NULL);
  return status == AK_STATUS_OK ? status : ak_fail_memory (error);
}

static int
check_each (void)
{
  return found == 3;
}

static void
the_list_of_modules_survives (void **state)
{
  const struct scene scene = { .act = act_each, .check = check_each };
  (void) state;
  torture (&scene);
}

/* What is loaded stays for the life of the process, so that each attempt has a file of its own, and is
 * followed by a good one: the two together keep no more than a good one alone. */
static void
loading_survives (void **state)
{
  size_t size, kept = 0, failed = 1;
  CLEANUP_FREE
  char *data = tools_read (tools_path ("more/two.so"), &size);
  (void) state;
  for (size_t n = 0, file = 10000; failed; n++) {
    for (int all = 0; all < 2; all++, file++) {
      char name[64], type[300];
      const struct module *module = NULL;
      struct ak_error *error = NULL;
      snprintf (name, sizeof name, "%zu.so", file);
      snprintf (type, sizeof type, "%s:zoo", tools_path (name));
      tools_write (tools_path (name), data, size);
      assert_int_equal (ak_type_parse (path, type, 0, &type_name, NULL), AK_STATUS_OK);
      size_t before = torture_live ();
      torture_arm (n, all);
      enum ak_status status = ak_module_load (path, &type_name, &module, &error);
      failed = torture_disarm ();
      assert_int_equal (status, failed ? AK_STATUS_INTERNAL : AK_STATUS_OK);
      assert_int_equal (ak_error_status (error), status);
      ak_error_free (error);
      assert_int_equal (ak_module_load (path, &type_name, &module, NULL), AK_STATUS_OK);
      assert_non_null (module->ops.open);
      if (!kept)
        kept = torture_live () - before;
      assert_int_equal (torture_live () - before, kept);
      undo_type ();
      unlink (tools_path (name));
    }
  }
}

/* ---- the worker ---- */

#define MANAGED (AK_CAP_PROVISIONS | AK_CAP_ATTACH)

static struct fake_session *session;
static struct ak_result *result;
static void (*arrange) (struct fake_session *fs); /* before the torture; or NULL */
static uint32_t caps = MANAGED;
static const char *notice; /* of a complete result */

static void
run_undisturbed (void)
{
  struct ak_result *r;
  assert_int_equal (fake_run (session, "x", &r, NULL), AK_STATUS_OK);
  ak_result_free (r);
}

static int
prepare_run (void)
{
  session = fake_session_new (caps, AK_PER_SANDBOX);
  session->profile.policy.cpu_milli = 0;
  fake.prints = "what a program prints";
  fake.reports = 1;
  if (arrange)
    arrange (session);
  return session->session.instance ? 0 : fake_session_start (session, NULL) != AK_STATUS_OK;
}

static enum ak_status
act_run (struct ak_error **error)
{
  const struct ak_request request = { .struct_size = sizeof request, .code = "x", .code_size = 1 };
  return ak_execute (&session->session, &request, &result, error);
}

static int
check_run (void)
{
  size_t size;
  const char *out = ak_result_output (result, AK_STREAM_STDOUT, &size);
  const char *json = ak_result_json (result);
  return size == strlen (fake.prints) && !memcmp (out, fake.prints, size) && json && strstr (json, "\"key\":")
         && ak_result_notice (result) && strstr (ak_result_notice (result), notice);
}

static void
arrange_gone (struct fake_session *fs)
{
  assert_int_equal (fake_session_start (fs, NULL), AK_STATUS_OK);
  run_undisturbed ();
  fs->session.stale = 1;
  fake.gone_once = 1;
}

/* Everything that was created is destroyed, or the session knows it; whatever was given out came back. */
static void
undo_run (void)
{
  ak_result_free (TAKE_PTR (result));
  int vanished = arrange == arrange_gone && !fake.gone_once;
  int sandboxes = fake.creates - fake.destroys - vanished, known = session->session.sandbox_id != NULL;
  if (caps == MANAGED && sandboxes > known)
    fail_msg ("%d sandboxes are left, and the session knows of %d", sandboxes, known);
  int handles = fake.handles;
  assert_int_equal (handles, session->session.live ? 1 : 0);
  int alive = fake.opens - fake.closes;
  assert_true (alive <= 1);
  fake_session_free (session);
  assert_int_equal (fake.opens, fake.closes);
  assert_int_equal (fake.handles, 0);
}

static const struct scene run = {
  .prepare = prepare_run, .act = act_run, .check = check_run, .undo = undo_run
};

static void
a_first_run_survives (void **state)
{
  (void) state;
  notice = "from create";
  torture (&run);
}

static void
healing_survives (void **state)
{
  (void) state;
  notice = "recreated empty";
  arrange = arrange_gone;
  torture (&run);
  arrange = NULL;
}

static void
arrange_restart (struct fake_session *fs)
{
  arrange_gone (fs);
  fake.gone_once = 0;
}

static void
attaching_again_survives (void **state)
{
  (void) state;
  notice = "";
  arrange = arrange_restart;
  torture (&run);
  arrange = NULL;
}

static void
arrange_policy (struct fake_session *fs)
{
  fs->profile.policy.cpu_milli = 500;
  fs->profile.policy.memory_bytes = 1;
  fs->profile.policy.network_egress = NETWORK_DENY;
}

static void
a_policy_is_refused_all_the_same (void **state)
{
  struct scene scene = run;
  (void) state;
  scene.expected = AK_STATUS_POLICY;
  arrange = arrange_policy;
  torture (&scene);
  assert_int_equal (fake.creates, 0);
  arrange = NULL;
}

static void
arrange_failure (struct fake_session *fs)
{
  (void) fs;
  fake.create_code = AK_E_PROVISION;
}

static void
a_failed_create_survives (void **state)
{
  struct scene scene = run;
  (void) state;
  scene.expected = AK_STATUS_PROVISION;
  arrange = arrange_failure;
  torture (&scene);
  arrange = NULL;
}

static enum ak_status
act_destroy (struct ak_error **error)
{
  return ak_session_destroy (&session->session, error);
}

static void
destroying_survives (void **state)
{
  const struct scene scene = { .prepare = prepare_run, .act = act_destroy, .undo = undo_run };
  (void) state;
  arrange = arrange_restart;
  torture (&scene);
  arrange = NULL;
}

static int
prepare_instance (void)
{
  session = fake_session_new (caps, AK_SERIAL);
  return 0;
}

static enum ak_status
act_instance (struct ak_error **error)
{
  return fake_session_start (session, error);
}

static void
undo_instance (void)
{
  fake_session_free (session);
}

static void
an_instance_survives (void **state)
{
  const struct scene scene = { .prepare = prepare_instance, .act = act_instance, .undo = undo_instance };
  (void) state;
  torture (&scene);
}

/* ---- all of it, as an application has it ---- */

static struct ak_runtime *runtime;
static struct ak_session *own;

static enum ak_status
act_runtime (struct ak_error **error)
{
  const struct ak_runtime_options o = { .struct_size = sizeof o, .config_file = tools_path ("config.yaml") };
  static const char *const settings[] = { "policy.timeout=5", NULL };
  enum ak_status status = ak_runtime_new (&o, &runtime, error);
  if (status == AK_STATUS_OK)
    status = ak_session_new_type (runtime, "two:zebra", settings, &own, error);
  return status;
}

static void
undo_runtime (void)
{
  ak_session_free (TAKE_PTR (own));
  ak_runtime_free (TAKE_PTR (runtime));
}

/* What is loaded stays, so that it is loaded before. */
static void
a_runtime_and_its_session_survive (void **state)
{
  const struct scene scene = { .act = act_runtime, .undo = undo_runtime };
  struct ak_error *error = NULL;
  char yaml[600];
  (void) state;
  setenv ("TORTURE", "a token", 1);
  snprintf (yaml, sizeof yaml,
            "plugin_path: [/x]\nsandbox:\n  enabled: true\n  plugin_path: [%s]\n"
            "  principal_resolver: static\n"
            "  principal: {mode: agent, subject: s, groups: [a, b], credentials: {token: TORTURE}}\n"
            "  profiles: {default: {type: \"two:zoo\", params: {cages: 4}}}\n",
            tools_path ("more"));
  tools_write (tools_path ("config.yaml"), yaml, strlen (yaml));
  if (act_runtime (&error) != AK_STATUS_OK)
    fail_msg ("%s", ak_error_text (error));
  undo_runtime ();
  torture (&scene);
}

static int
prepare_operation (void)
{
  return act_runtime (NULL) != AK_STATUS_OK;
}

static enum ak_status
act_operation (struct ak_error **error)
{
  static const char *const env[] = { "A=b", NULL };
  const struct ak_request request = {
    .struct_size = sizeof request, .language = "python", .code = "x", .code_size = 1, .env = env, .cwd = "/"
  };
  const struct ak_start start = { .struct_size = sizeof start, .buffer = 64 };
  struct ak_operation *operation = NULL;
  enum ak_status status = ak_operation_start (own, &request, &start, &operation, error);
  return status == AK_STATUS_OK ? ak_operation_finish (operation, &result, error) : status;
}

static int
check_operation (void)
{
  size_t size;
  return !strcmp (ak_result_output (result, AK_STREAM_STDOUT, &size), "zoo\n");
}

static void
undo_operation (void)
{
  ak_result_free (TAKE_PTR (result));
  undo_runtime ();
}

static void
an_operation_on_another_thread_survives (void **state)
{
  const struct scene scene = { prepare_operation, act_operation, check_operation, undo_operation, AK_STATUS_OK };
  (void) state;
  torture (&scene);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (the_plugin_path_survives),
    cmocka_unit_test (names_of_providers_survive),
    cmocka_unit_test (the_search_for_a_provider_survives),
    cmocka_unit_test (the_list_of_modules_survives),
    cmocka_unit_test (loading_survives),
    cmocka_unit_test (an_instance_survives),
    cmocka_unit_test (a_first_run_survives),
    cmocka_unit_test (healing_survives),
    cmocka_unit_test (attaching_again_survives),
    cmocka_unit_test (a_policy_is_refused_all_the_same),
    cmocka_unit_test (a_failed_create_survives),
    cmocka_unit_test (destroying_survives),
    cmocka_unit_test (a_runtime_and_its_session_survive),
    cmocka_unit_test (an_operation_on_another_thread_survives),
  };
  return cmocka_run_group_tests_name ("torture", tests, make_path, free_path);
}
