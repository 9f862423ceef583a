/* SPDX-License-Identifier: Apache-2.0 */
/* What the types of profiles mean, and the plugin path. */
#include "config.h"
#include "factory.h"
#include "module.h"
#include "plugin-tools.h"
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static struct module_path *path;

static int
make_path (void **state)
{
  (void) state;
  unsetenv ("AKSANDBOX_PLUGIN_PATH");
  return ak_module_path_new_at (NULL, tools_make_folder (), &path, NULL) != AK_STATUS_OK;
}

static int
free_path (void **state)
{
  (void) state;
  ak_module_path_free (path);
  path = NULL;
  return 0;
}

static void
means (const char *type, const char *file, const char *module, const char *provider, int builtin)
{
  struct type_name name;
  struct ak_error *error = NULL;
  if (ak_type_parse (path, type, 0, &name, &error) != AK_STATUS_OK)
    fail_msg ("'%s' refused: %s", type, ak_error_text (error));
  assert_string_equal (name.file ? name.file : "-", file);
  assert_string_equal (name.module ? name.module : "-", module);
  assert_string_equal (name.provider, provider);
  assert_int_equal (name.builtin, builtin);
  ak_type_clear (&name);
  assert_null (name.provider);
}

static void
refused (const char *type, const char *text)
{
  struct type_name name;
  struct ak_error *error = NULL;
  assert_int_equal (ak_type_parse (path, type, 0, &name, &error), AK_STATUS_CONFIG);
  assert_int_equal (ak_error_status (error), AK_STATUS_CONFIG);
  assert_string_equal (ak_error_text (error), text);
  assert_non_null (ak_error_hint (error));
  ak_error_free (error);
}

static void
the_table_of_names_holds (void **state)
{
  (void) state;
  means ("docker", "-", "docker", "docker", 1);
  means ("acme.cloud:fly", "-", "acme.cloud", "fly", 0);
  means ("acme.cloud.fly", "-", "acme.cloud", "fly", 0);
  means ("/opt/acme/fly.so:fly", "/opt/acme/fly.so", "-", "fly", 0);
}

static void
a_module_needs_no_dot_when_there_is_a_colon (void **state)
{
  (void) state;
  means ("fly:fly", "-", "fly", "fly", 0);
  means ("docker:docker", "-", "docker", "docker", 0);
  means ("a-b_C.4:x9_", "-", "a-b_C.4", "x9_", 0);
}

static void
the_last_colon_separates_in_a_file (void **state)
{
  (void) state;
  means ("/opt/a:b/fly.so:fly", "/opt/a:b/fly.so", "-", "fly", 0);
  means ("/opt/fly.so:x:fly", "/opt/fly.so:x", "-", "fly", 0);
  means ("/opt/odd name:fly", "/opt/odd name", "-", "fly", 0);
}

static void
every_built_in_name_is_known (void **state)
{
  static const char *const names[] = {
    "local_subprocess", "bubblewrap", "docker", "kubernetes", "e2b", "daytona", "ec2_ssm", "bedrock_agentcore"
  };
  (void) state;
  for (size_t i = 0; i < 8; i++) {
    means (names[i], "-", names[i], names[i], 1);
    unsigned flags = ak_builtin_find (names[i])->flags;
    assert_int_equal (flags & BUILTIN_DEFAULT, strcmp (names[i], "bubblewrap") ? 0 : BUILTIN_DEFAULT);
    assert_int_equal (flags & BUILTIN_UNCONFINED,
                      strcmp (names[i], "local_subprocess") ? 0 : BUILTIN_UNCONFINED);
  }
  assert_null (ak_builtins[8].name);
  assert_string_equal (ak_builtin_find ("ec2_ssm")->package, "aksandbox-provider-ec2-ssm");
  assert_string_equal (ak_builtin_find ("bedrock_agentcore")->package,
                       "aksandbox-provider-bedrock-agentcore");
  assert_null (ak_builtin_find ("fly"));
}

static void
names_outside_the_grammar_are_refused (void **state)
{
  (void) state;
  refused ("", "type '': names no provider");
  refused ("opt/fly.so:fly", "type 'opt/fly.so:fly': a name with a slash must be an absolute path");
  refused ("./fly.so:fly", "type './fly.so:fly': a name with a slash must be an absolute path");
  refused ("/opt/fly.so", "type '/opt/fly.so': names a file and no provider in it: write FILE:PROVIDER");
  refused ("/opt/a:b/fly.so",
           "type '/opt/a:b/fly.so': names a file and no provider in it: write FILE:PROVIDER");
  refused ("/opt/fly.so:", "type '/opt/fly.so:': '' is not the name of a provider");
  refused ("/opt/fly.so:Fly", "type '/opt/fly.so:Fly': 'Fly' is not the name of a provider");
  refused ("agentkernel.sandbox:Fly", "type 'agentkernel.sandbox:Fly': 'Fly' is not the name of a provider");
  refused ("agentkernel.sandbox.Fly", "type 'agentkernel.sandbox.Fly': 'Fly' is not the name of a provider");
  refused (":fly", "type ':fly': '' is not the name of a module");
  refused (".fly", "type '.fly': '' is not the name of a module");
  refused ("a..fly", "type 'a..fly': 'a.' is not the name of a module");
  refused ("..:fly", "type '..:fly': '..' is not the name of a module");
  refused (".a:fly", "type '.a:fly': '.a' is not the name of a module");
  refused ("a.:fly", "type 'a.:fly': 'a.' is not the name of a module");
  refused ("-a:fly", "type '-a:fly': '-a' is not the name of a module");
  refused ("a b:fly", "type 'a b:fly': 'a b' is not the name of a module");
  refused ("a:b:fly", "type 'a:b:fly': 'a:b' is not the name of a module");
  refused ("a:f-y", "type 'a:f-y': 'f-y' is not the name of a provider");
}

static void
a_long_name_is_cut_in_the_message (void **state)
{
  char type[5000];
  struct type_name name;
  struct ak_error *error = NULL;
  (void) state;
  memset (type, 'x', sizeof type);
  type[1] = ':';
  type[sizeof type - 1] = 0;
  assert_int_equal (ak_type_parse (path, type, 0, &name, &error), AK_STATUS_CONFIG);
  assert_in_range (strlen (ak_error_text (error)), 100, 400);
  ak_error_free (error);
}

static void
a_file_may_stand_alone_where_all_are_meant (void **state)
{
  struct type_name name;
  (void) state;
  assert_int_equal (ak_type_parse (NULL, "/opt/a:b/fly.so", 1, &name, NULL), AK_STATUS_OK);
  assert_string_equal (name.file, "/opt/a:b/fly.so");
  assert_null (name.provider);
  ak_type_clear (&name);
}

static void
an_unknown_short_name_lists_what_there_is (void **state)
{
  struct type_name name;
  struct ak_error *error = NULL;
  (void) state;
  refused (
    "nothing",
    "type 'nothing': no such provider; built in: local_subprocess, bubblewrap, docker, kubernetes, e2b,"
    " daytona, ec2_ssm, bedrock_agentcore");
  if (!tools_can_compile ()) {
    print_message ("# SKIP: no compiler\n");
    skip ();
  }
  assert_int_equal (tools_compile ("acme.park.so", "-DZOO_TWO"), 0);
  tools_write (tools_path ("text.so"), "text", 4);
  assert_int_equal (ak_type_parse (path, "zebra", 0, &name, &error), AK_STATUS_CONFIG);
  assert_string_equal (
    ak_error_text (error),
    "type 'zebra': no such provider; built in: local_subprocess, bubblewrap, docker, kubernetes, e2b,"
    " daytona, ec2_ssm, bedrock_agentcore; installed modules: acme.park:zebra, acme.park:zoo");
  assert_string_equal (ak_error_hint (error), "Write 'acme.park:zebra'.");
  ak_error_free (error);
}

static void
a_misspelt_short_name_is_answered_with_the_nearest (void **state)
{
  static const char *const misspelt[] = { "local-subprocess", "local_subproces", "dokcer", "kube", NULL };
  static const char *const hints[]
    = { "Did you mean 'local_subprocess'?", "Did you mean 'local_subprocess'?", "Did you mean 'docker'?",
        "Did you mean 'kubernetes'?" };
  (void) state;
  for (size_t i = 0; misspelt[i]; i++) {
    struct type_name name;
    struct ak_error *error = NULL;
    assert_int_equal (ak_type_parse (path, misspelt[i], 0, &name, &error), AK_STATUS_CONFIG);
    assert_string_equal (ak_error_hint (error), hints[i]);
    ak_error_free (error);
  }
}

static void
path_refused (const char *variable, const char *const *configured, const char *text)
{
  struct module_path *made = NULL;
  struct ak_error *error = NULL;
  if (variable)
    setenv ("AKSANDBOX_PLUGIN_PATH", variable, 1);
  else
    unsetenv ("AKSANDBOX_PLUGIN_PATH");
  assert_int_equal (ak_module_path_new_at (configured, "/installed", &made, &error), AK_STATUS_CONFIG);
  assert_string_equal (ak_error_text (error), text);
  assert_null (made);
  ak_error_free (error);
  unsetenv ("AKSANDBOX_PLUGIN_PATH");
}

static void
empty_and_relative_folders_are_refused (void **state)
{
  static const char *const relative[] = { "/a", "b", NULL }, *const empty[] = { "", NULL };
  (void) state;
  path_refused ("", NULL, "AKSANDBOX_PLUGIN_PATH: an entry is empty");
  path_refused (":/a", NULL, "AKSANDBOX_PLUGIN_PATH: an entry is empty");
  path_refused ("/a:", NULL, "AKSANDBOX_PLUGIN_PATH: an entry is empty");
  path_refused ("/a::/b", NULL, "AKSANDBOX_PLUGIN_PATH: an entry is empty");
  path_refused ("/a:.:/b", NULL, "AKSANDBOX_PLUGIN_PATH: '.' is not an absolute path");
  path_refused ("~/plugins", NULL, "AKSANDBOX_PLUGIN_PATH: '~/plugins' is not an absolute path");
  path_refused (NULL, relative, "plugin_path: 'b' is not an absolute path");
  path_refused (NULL, empty, "plugin_path: an entry is empty");
}

static void
folders_are_searched_in_order (void **state)
{
  static const char *const configured[] = { "/c", "/d", NULL };
  struct type_name name;
  struct module_path *made;
  struct ak_error *error = NULL;
  (void) state;
  setenv ("AKSANDBOX_PLUGIN_PATH", "/a:/b", 1);
  assert_int_equal (ak_module_path_new_at (configured, "/installed", &made, NULL), AK_STATUS_OK);
  unsetenv ("AKSANDBOX_PLUGIN_PATH");
  assert_string_equal (ak_module_path_installed (made), "/installed");
  assert_int_equal (ak_type_parse (made, "acme.fly", 0, &name, NULL), AK_STATUS_OK);
  struct manifest_file file;
  assert_int_equal (ak_module_find (made, &name, &file, NULL, &error), AK_STATUS_CONFIG);
  assert_string_equal (ak_error_text (error),
                       "provider 'fly' is not installed: looked for acme.so in /a, /b, /c, /d, /installed");
  ak_error_free (error);
  ak_type_clear (&name);
  ak_module_path_free (made);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (the_table_of_names_holds),
    cmocka_unit_test (a_module_needs_no_dot_when_there_is_a_colon),
    cmocka_unit_test (the_last_colon_separates_in_a_file),
    cmocka_unit_test (every_built_in_name_is_known),
    cmocka_unit_test (names_outside_the_grammar_are_refused),
    cmocka_unit_test (a_long_name_is_cut_in_the_message),
    cmocka_unit_test (a_file_may_stand_alone_where_all_are_meant),
    cmocka_unit_test (an_unknown_short_name_lists_what_there_is),
    cmocka_unit_test (a_misspelt_short_name_is_answered_with_the_nearest),
    cmocka_unit_test (empty_and_relative_folders_are_refused),
    cmocka_unit_test (folders_are_searched_in_order),
  };
  return cmocka_run_group_tests_name ("typename", tests, make_path, free_path);
}
