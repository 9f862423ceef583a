/* SPDX-License-Identifier: Apache-2.0 */
/* Loading: providers as they should be, and every way of being wrong. */
#include "config.h"
#include "module.h"
#include "cleanup.h"
#include "plugin-tools.h"
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static struct module_path *path;

static int
make_path (void **state)
{
  static const char *configured[2];
  (void) state;
  mkdir (tools_path ("installed"), 0755);
  mkdir (tools_path ("more"), 0755);
  configured[0] = tools_path ("more");
  unsetenv ("AKSANDBOX_PLUGIN_PATH");
  if (!tools_can_compile ()) {
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

static enum ak_status
load (const char *type, const struct module **ret, struct ak_error **error)
{
  struct type_name name;
  enum ak_status status = ak_type_parse (path, type, 1, &name, error);
  if (status == AK_STATUS_OK) {
    status = ak_module_load (path, &name, ret, error);
    ak_type_clear (&name);
  }
  return status;
}

/* The provider of FOLDER/FILE. */
static const struct module *
loaded (const char *file, const char *provider)
{
  char type[300];
  const struct module *module = NULL;
  struct ak_error *error = NULL;
  snprintf (type, sizeof type, "%s:%s", tools_path (file), provider);
  if (load (type, &module, &error) != AK_STATUS_OK)
    fail_msg ("refused: %s", ak_error_text (error));
  return module;
}

/* The text begins with the type's file and `reason`, and holds `detail` (which may be NULL). */
static void
refused (const char *file, const char *provider, enum ak_status status, const char *reason,
         const char *detail)
{
  char type[300];
  const struct module *module = NULL;
  struct ak_error *error = NULL;
  const char *name = tools_path (file);
  snprintf (type, sizeof type, "%s:%s", name, provider);
  assert_int_equal (load (type, &module, &error), status);
  assert_int_equal (ak_error_status (error), status);
  assert_null (module);
  const char *text = ak_error_text (error);
  if (strncmp (text, name, strlen (name)) || strncmp (text + strlen (name), reason, strlen (reason)))
    fail_msg ("'%s' has not '%s'", text, reason);
  if (detail && !strstr (text, detail))
    fail_msg ("'%s' has not '%s'", text, detail);
  ak_error_free (error);
}

static void
compiled (const char *file, const char *flags)
{
  assert_int_equal (tools_compile (file, flags), 0);
}

/* Compile and refuse. */
static void
wrong (const char *file, const char *flags, const char *reason, const char *detail)
{
  compiled (file, flags);
  refused (file, "zoo", AK_STATUS_PLUGIN, reason, detail);
}

static void
a_provider_is_loaded (void **state)
{
  void *instance = NULL;
  (void) state;
  compiled ("good.so", "");
  const struct module *m = loaded ("good.so", "zoo");
  assert_string_equal (m->file, tools_path ("good.so"));
  assert_string_equal (m->manifest.name, "zoo");
  assert_string_equal (m->manifest.version, "1.2.3");
  assert_int_equal (m->manifest.n_options, 5);
  assert_int_equal (m->ops.struct_size, sizeof (struct ak_ops));
  assert_int_equal (m->ops.open (NULL, NULL, &instance), AK_OK);
  assert_non_null (instance);
  assert_null (m->ops.probe);
  assert_null (m->ops.open_stream);
}

static void
a_provider_is_loaded_once (void **state)
{
  (void) state;
  compiled ("once.so", "");
  const struct module *m = loaded ("once.so", "zoo");
  assert_ptr_equal (m, loaded ("once.so", "zoo"));
  unlink (tools_path ("alias.so"));
  assert_int_equal (symlink ("once.so", tools_path ("alias.so")), 0);
  assert_ptr_equal (m, loaded ("alias.so", "zoo"));
}

static void
a_loaded_provider_outlives_its_replacement (void **state)
{
  (void) state;
  compiled ("replaced.so", "");
  const struct module *m = loaded ("replaced.so", "zoo");
  compiled ("new.so", "-DZOO_TWO");
  assert_int_equal (rename (tools_path ("new.so"), tools_path ("replaced.so")), 0);
  assert_ptr_equal (m, loaded ("replaced.so", "zoo"));
  refused ("replaced.so", "zebra", AK_STATUS_PLUGIN, ": it was replaced after this process had loaded it",
           NULL);
}

static void
a_file_may_have_several_providers (void **state)
{
  (void) state;
  compiled ("two.so", "-DZOO_TWO");
  const struct module *zoo = loaded ("two.so", "zoo"), *zebra = loaded ("two.so", "zebra");
  assert_ptr_not_equal (zoo, zebra);
  assert_string_equal (zoo->manifest.name, "zoo");
  assert_string_equal (zebra->manifest.name, "zebra");
  assert_int_equal (zebra->manifest.n_options, 0);
  assert_int_equal (zebra->manifest.tier, AK_TIER_NONE);
  refused ("two.so", "ape", AK_STATUS_CONFIG, ": provider 'ape' is not in this file: it has zebra, zoo",
           NULL);
  struct ak_error *error = NULL;
  const struct module *module;
  assert_int_equal (load (tools_path ("two.so"), &module, &error), AK_STATUS_CONFIG);
  assert_non_null (strstr (ak_error_text (error), "has several providers"));
  ak_error_free (error);
  assert_int_equal (load (tools_path ("good.so"), &module, NULL), AK_STATUS_OK);
}

static void
a_module_is_found_on_the_path (void **state)
{
  const struct module *first, *second;
  (void) state;
  compiled ("more/acme.park.so", "");
  assert_int_equal (load ("acme.park:zoo", &first, NULL), AK_STATUS_OK);
  assert_string_equal (first->file, tools_path ("more/acme.park.so"));
  assert_int_equal (load ("acme.park.zoo", &second, NULL), AK_STATUS_OK);
  assert_ptr_equal (first, second);
  compiled ("installed/acme.yard.so", "");
  assert_int_equal (load ("acme.yard.zoo", &first, NULL), AK_STATUS_OK);
  assert_string_equal (first->file, tools_path ("installed/acme.yard.so"));
  /* The first folder that has the name decides, whatever is wrong there. */
  tools_write (tools_path ("more/acme.yard.so"), "text", 4);
  struct ak_error *error = NULL;
  assert_int_equal (load ("acme.yard.zoo", &first, &error), AK_STATUS_PLUGIN);
  assert_non_null (strstr (ak_error_text (error), "more/acme.yard.so: not a shared object"));
  ak_error_free (error);
  unlink (tools_path ("more/acme.yard.so"));
  assert_int_equal (symlink ("nowhere", tools_path ("more/acme.yard.so")), 0);
  error = NULL;
  assert_int_equal (load ("acme.yard.zoo", &first, &error), AK_STATUS_PLUGIN);
  assert_non_null (strstr (ak_error_text (error), "leads to nowhere"));
  assert_int_equal (ak_error_status (error), AK_STATUS_PLUGIN);
  ak_error_free (error);
}

static void
a_built_in_name_is_served_by_the_installed_folder_alone (void **state)
{
  char text[400];
  const struct module *module;
  struct ak_error *error = NULL;
  (void) state;
  compiled ("more/ec2_ssm.so", "");
  assert_int_equal (load ("ec2_ssm", &module, &error), AK_STATUS_CONFIG);
  snprintf (text, sizeof text,
            "provider 'ec2_ssm' is not installed: looked for ec2_ssm.so in %s; install the package"
            " aksandbox-provider-ec2-ssm", tools_path ("installed"));
  assert_string_equal (ak_error_text (error), text);
  ak_error_free (error);
  error = NULL;
  compiled ("installed/ec2_ssm.so", "");
  assert_int_equal (load ("ec2_ssm", &module, &error), AK_STATUS_CONFIG);
  assert_non_null (strstr (ak_error_text (error),
                           "installed/ec2_ssm.so: provider 'ec2_ssm' is not in this file: it has zoo"));
  ak_error_free (error);
}

static void
what_is_not_there_is_not_installed (void **state)
{
  const struct module *module;
  struct ak_error *error = NULL;
  (void) state;
  assert_int_equal (load ("acme.none:zoo", &module, &error), AK_STATUS_CONFIG);
  assert_non_null (
    strstr (ak_error_text (error), "provider 'zoo' is not installed: looked for acme.none.so in "));
  assert_non_null (strstr (ak_error_hint (error), "plugin_path"));
  ak_error_free (error);
  refused ("none.so", "zoo", AK_STATUS_CONFIG, ": not found", NULL);
}

static void
another_major_version_is_incompatible (void **state)
{
  (void) state;
  wrong ("major.so", "-DZOO_MAJOR=2 -DZOO_LOUD",
         ": incompatible: provider 'zoo' needs version 2.0 of the plugin ABI, this aksandbox has 1.0", NULL);
  wrong ("major0.so", "-DZOO_MAJOR=0", ": incompatible: provider 'zoo' needs version 0.0", NULL);
  assert_null (getenv ("ZOO_WAS_LOADED"));
}

static void
a_newer_minor_version_is_incompatible (void **state)
{
  (void) state;
  wrong ("minor.so", "-DAK_USE_MINOR=7 -DZOO_LOUD",
         ": incompatible: provider 'zoo' needs version 1.7 of the plugin ABI, this aksandbox has 1.0", NULL);
  assert_null (getenv ("ZOO_WAS_LOADED"));
}

static void
an_older_table_is_filled_with_nothing (void **state)
{
  (void) state;
  compiled ("older.so", "-DZOO_OPS_SIZE='offsetof(struct ak_ops,upload)'");
  const struct module *m = loaded ("older.so", "zoo");
  assert_non_null (m->ops.execute_command);
  assert_null (m->ops.upload);
  assert_null (m->ops.open_stream);
}

static void
a_newer_table_is_cut (void **state)
{
  (void) state;
  compiled ("bigger.so", "-DZOO_BIGGER_OPS");
  assert_int_equal (loaded ("bigger.so", "zoo")->ops.struct_size, sizeof (struct ak_ops));
}

static void
a_table_that_is_none_is_refused (void **state)
{
  (void) state;
  wrong ("noops.so", "-DZOO_NO_OPS", ": note and code of provider 'zoo' disagree: it has no operations",
         NULL);
  wrong ("small.so", "-DZOO_OPS_SIZE=8", ": malformed: the operations of provider 'zoo' have 8 bytes", NULL);
  wrong ("odd.so", "-DZOO_OPS_SIZE=sizeof'(struct ak_ops)-3'",
         ": malformed: the operations of provider 'zoo' have 133", NULL);
  wrong ("short.so", "-DZOO_OPS_SIZE='offsetof(struct ak_ops,execute_code)'",
         ": malformed: provider 'zoo' has no operation execute_code or open_stream", NULL);
}

static void
a_constant_that_is_too_small_is_refused (void **state)
{
  static const char text[] = ": note and code of provider 'tiny' disagree: its constant is too small";
  (void) state;
  compiled ("tiny.so", "-DZOO_TINY=2");
  refused ("tiny.so", "tiny", AK_STATUS_PLUGIN, text, NULL);
  compiled ("modest-tiny.so", "-DZOO_TINY=16");
  refused ("modest-tiny.so", "tiny", AK_STATUS_PLUGIN, text, NULL);
  /* Its neighbour is as good as ever. */
  loaded ("tiny.so", "zoo");
}

static void
mandatory_operations_are_demanded (void **state)
{
  (void) state;
  wrong ("noopen.so", "-DZOO_WITHOUT_open", ": malformed: provider 'zoo' has no operation open, ", NULL);
}

static void
a_capability_needs_its_operation (void **state)
{
  (void) state;
  wrong ("shell.so", "-DZOO_WITHOUT_execute_command",
         ": note and code of provider 'zoo' disagree: it declares shell and has no operation execute_command",
         NULL);
  wrong ("list.so", "-DZOO_WITHOUT_list",
         ": note and code of provider 'zoo' disagree: it declares provisions and has no operation list",
         NULL);
  wrong ("files.so", "-DZOO_CAPS=0x22",
         ": note and code of provider 'zoo' disagree: it declares files and has no operation upload", NULL);
  wrong ("packages.so", "-DZOO_CAPS=0x24",
         ": note and code of provider 'zoo' disagree: it declares package_install and has no operation "
         "install_packages",
         NULL);
  wrong ("attach.so", "-DZOO_CAPS=0x30",
         ": note and code of provider 'zoo' disagree: it declares attach and has no operation attach", NULL);
  wrong (
    "external.so", "-DZOO_CAPS=0x60",
    ": note and code of provider 'zoo' disagree: it declares attaches_external and has no operation attach",
    NULL);
}

static void
provisioning_and_attaching_must_be_declared (void **state)
{
  (void) state;
  wrong (
    "create.so", "-DZOO_CAPS=0x1",
    ": note and code of provider 'zoo' disagree: it has the operation create and does not declare provisions",
    NULL);
  wrong (
    "attaching.so", "-DZOO_WITH_ATTACH",
    ": note and code of provider 'zoo' disagree: it has the operation attach and does not declare attach",
    NULL);
}

static void
an_operation_that_is_not_declared_loads (void **state)
{
  (void) state;
  compiled ("modest.so", "-DZOO_CAPS=0x20");
  const struct module *m = loaded ("modest.so", "zoo");
  assert_int_equal (m->manifest.caps, AK_CAP_PROVISIONS);
  assert_non_null (m->ops.execute_command);
}

/* A copy of the file with one number of its note changed. */
static void
edit_note (const char *file, const char *copy, size_t word, uint32_t value)
{
  size_t size;
  CLEANUP_FREE char *data = tools_read (tools_path (file), &size);
  static const char head[16] = "aksandbox\0\0\0\x18";
  char *at = memmem (data, size, head, sizeof head);
  assert_non_null (at);
  memcpy (at + 12 + 4 * word, &value, 4);
  tools_write (tools_path (copy), data, size);
}

static void
an_edited_note_disagrees_with_the_code (void **state)
{
  (void) state;
  compiled ("edited.so", "-DZOO_CAPS=0x21");
  edit_note ("edited.so", "caps.so", 3, 0x25);
  refused ("caps.so", "zoo", AK_STATUS_PLUGIN,
           ": note and code of provider 'zoo' disagree: capabilities 0x25 in the note, 0x21 in the code",
           NULL);
  edit_note ("edited.so", "tier.so", 4, AK_TIER_MICRO_VM);
  refused ("tier.so", "zoo", AK_STATUS_PLUGIN,
           ": note and code of provider 'zoo' disagree: isolation 0x32 in the note, 0x14 in the code", NULL);
  edit_note ("edited.so", "threads.so", 5, AK_SERIAL);
  refused ("threads.so", "zoo", AK_STATUS_PLUGIN,
           ": note and code of provider 'zoo' disagree: thread model 0 in the note, 0x2 in the code", NULL);
  /* Mended while the process runs: what it has is the old one all the same. */
  assert_int_equal (rename (tools_path ("edited.so"), tools_path ("caps.so")), 0);
  refused ("caps.so", "zoo", AK_STATUS_PLUGIN, ": it was replaced after this process had loaded it", NULL);
}

static void
a_note_without_its_symbol_is_refused (void **state)
{
  (void) state;
  tools_write (tools_path ("none.map"), "{ local: *; };", 14);
  wrong ("nosymbol.so", "-Wl,--version-script=$dir/none.map",
         ": provider 'zoo' is not in this file: its note is, but no symbol ak1_provider_zoo", NULL);
}

static void
a_symbol_of_a_dependency_is_refused (void **state)
{
  (void) state;
  compiled ("libstray.so", "-Wl,-soname,libstray.so");
  wrong ("stray.so",
         "-Wl,--version-script=$dir/none.map -L$dir -Wl,--no-as-needed -lstray -Wl,-rpath,$dir",
         ": provider 'zoo' is not in this file: its symbol ak1_provider_zoo is in ", "libstray.so");
}

static void
a_missing_library_is_named (void **state)
{
  (void) state;
  compiled ("libgone.so", "-Wl,-soname,libgone.so");
  compiled ("needy.so", "-L$dir -Wl,--no-as-needed -lgone -Wl,-rpath,$dir");
  rename (tools_path ("libgone.so"), tools_path ("libkept.so"));
  refused ("needy.so", "zoo", AK_STATUS_PLUGIN, ": a library that it needs is missing: libgone.so", NULL);
  /* Somebody installs it. */
  rename (tools_path ("libkept.so"), tools_path ("libgone.so"));
  loaded ("needy.so", "zoo");
}

static void
an_undefined_symbol_is_named (void **state)
{
  (void) state;
  wrong ("undefined.so", "-DZOO_UNDEFINED", ": undefined symbol: zoo_nobody_has_this", NULL);
}

static void
libraries_of_the_current_directory_are_refused (void **state)
{
  (void) state;
  wrong ("relative.so", "-Wl,-rpath,lib -DZOO_LOUD",
         ": refused: its libraries are looked up in the current directory (RUNPATH entry 'lib')", NULL);
  wrong ("empty.so", "-Wl,-rpath,/a::/b -DZOO_LOUD",
         ": refused: its libraries are looked up in the current directory (RUNPATH entry '')", NULL);
  wrong ("rpath.so", "-Wl,--disable-new-dtags,-rpath,. -DZOO_LOUD",
         ": refused: its libraries are looked up in the current directory (RUNPATH entry '.')", NULL);
  wrong ("origin.so", "-Wl,-rpath,'$ORIGINAL' -DZOO_LOUD", ": refused: its libraries are looked up", NULL);
  compiled ("libpath.so", "-Wl,-soname,./libpath.so");
  wrong ("slash.so", "-Wl,--no-as-needed $dir/libpath.so -DZOO_LOUD",
         ": refused: it needs './libpath.so', a library named by a path", NULL);
  assert_null (getenv ("ZOO_WAS_LOADED"));
  compiled ("absolute.so", "-Wl,-rpath,/usr/lib:'$ORIGIN/../lib:${ORIGIN}'");
  struct manifest_file file;
  struct type_name type;
  CLEANUP_CLOSE int fd = -1;
  assert_int_equal (ak_type_parse (path, tools_path ("absolute.so"), 1, &type, NULL), AK_STATUS_OK);
  assert_int_equal (ak_module_find (path, &type, &file, &fd, NULL), AK_STATUS_OK);
  assert_int_equal (ak_module_admit (&file.providers[0], file.path, fd, NULL), AK_STATUS_OK);
  ak_manifest_file_clear (&file);
  ak_type_clear (&type);
}

static void
what_is_no_shared_object_is_refused (void **state)
{
  (void) state;
  tools_write (tools_path ("text.so"),
               "#!/bin/sh\necho this is a script and not a provider, whatever its name says\n", 76);
  refused ("text.so", "zoo", AK_STATUS_PLUGIN, ": not a shared object", NULL);
  tools_write (tools_path ("nothing.so"), "", 0);
  refused ("nothing.so", "zoo", AK_STATUS_PLUGIN, ": not a shared object: it has only 0 bytes", NULL);
  mkdir (tools_path ("folder.so"), 0755);
  refused ("folder.so", "zoo", AK_STATUS_PLUGIN, ": not a regular file, but a folder", NULL);
  size_t size;
  CLEANUP_FREE char *data = tools_read (tools_path ("good.so"), &size);
  tools_write (tools_path ("cut.so"), data, size / 2);
  refused ("cut.so", "zoo", AK_STATUS_PLUGIN, ": truncated: it has ", NULL);
}

static void
a_library_without_a_note_is_no_provider (void **state)
{
  (void) state;
  compiled ("stripped.so", "");
  if (tools_run ("command -v objcopy >/dev/null")) {
    print_message ("# SKIP: no objcopy\n");
    skip ();
  }
  char command[300];
  snprintf (command, sizeof command, "objcopy --remove-section '.note*' %s", tools_path ("stripped.so"));
  assert_int_equal (tools_run (command), 0);
  refused ("stripped.so", "zoo", AK_STATUS_PLUGIN, ": not a provider: it has no aksandbox note", NULL);
}

static void
a_file_that_others_could_change_is_refused_unloaded (void **state)
{
  (void) state;
  compiled ("loose.so", "-DZOO_LOUD");
  chmod (tools_path ("loose.so"), 0777);
  refused ("loose.so", "zoo", AK_STATUS_PLUGIN, ": refused for its permissions: it is writable by everybody",
           NULL);
  mkdir (tools_path ("open"), 0755);
  compiled ("open/zoo.so", "-DZOO_LOUD");
  chmod (tools_path ("open"), 0777);
  refused ("open/zoo.so", "zoo", AK_STATUS_PLUGIN,
           ": refused for its permissions: ", "/open is writable by everybody");
  if (!geteuid ()) {
    compiled ("foreign.so", "-DZOO_LOUD");
    assert_int_equal (chown (tools_path ("foreign.so"), 4242, 0), 0);
    unlink (tools_path ("link.so"));
    assert_int_equal (symlink ("foreign.so", tools_path ("link.so")), 0);
    refused ("link.so", "zoo", AK_STATUS_PLUGIN,
             ": refused for its permissions: ", "/foreign.so is owned by user 4242");
  }
  assert_null (getenv ("ZOO_WAS_LOADED"));
}

static void
symbols_of_a_provider_stay_its_own (void **state)
{
  (void) state;
  loaded ("good.so", "zoo");
  assert_null (dlsym (RTLD_DEFAULT, "ak1_provider_zoo"));
}

/* What a failed load leaves on the standard streams, which are a host application's. */
static void
nothing_is_printed (void **state)
{
  int saved[2], capture = open (tools_path ("printed"), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  struct stat st;
  const struct module *module;
  char type[300];
  (void) state;
  fflush (NULL);
  for (int i = 0; i < 2; i++) {
    saved[i] = dup (i + 1);
    dup2 (capture, i + 1);
  }
  static const char *const files[] = {
    "undefined.so", "text.so", "major.so", "tier.so", "stray.so", "none.so"
  };
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    snprintf (type, sizeof type, "%s:zoo", tools_path (files[i]));
    (void) load (type, &module, NULL);
  }
  fflush (NULL);
  for (int i = 0; i < 2; i++) {
    dup2 (saved[i], i + 1);
    close (saved[i]);
  }
  assert_int_equal (fstat (capture, &st), 0);
  close (capture);
  assert_int_equal (st.st_size, 0);
}

static void *
load_from_thread (void *data)
{
  char type[300];
  const struct module *module = NULL;
  const size_t *i = data;
  for (size_t n = 0; n < 4; n++) {
    snprintf (type, sizeof type, "%s%zu.so:zoo", tools_folder, (*i + n) % 4);
    if (load (type, &module, NULL) != AK_STATUS_OK)
      return NULL;
  }
  return (void *) (uintptr_t) module;
}

static void
many_threads_load_at_once (void **state)
{
  pthread_t threads[8];
  size_t numbers[8];
  char name[300], from[300];
  void *found[8];
  (void) state;
  snprintf (from, sizeof from, "%s", tools_path ("good.so"));
  size_t size;
  CLEANUP_FREE char *data = tools_read (from, &size);
  for (size_t i = 0; i < 4; i++) {
    snprintf (name, sizeof name, "%s%zu.so", tools_folder, i);
    tools_write (name, data, size);
  }
  for (size_t i = 0; i < 8; i++) {
    numbers[i] = i;
    assert_int_equal (pthread_create (&threads[i], NULL, load_from_thread, &numbers[i]), 0);
  }
  for (size_t i = 0; i < 8; i++)
    pthread_join (threads[i], &found[i]);
  for (size_t i = 0; i < 4; i++) {
    snprintf (name, sizeof name, "%s%zu.so", tools_folder, i);
    unlink (name);
    assert_non_null (found[i]);
    assert_ptr_equal (found[i], found[i + 4]);
  }
}

struct seen {
  char text[1024];
};

static void
see (void *data, const char *module, const char *file, const struct manifest_file *manifests,
     const struct ak_error *error)
{
  struct seen *seen = data;
  size_t n = strlen (seen->text);
  assert_true (!manifests == (error != NULL));
  assert_non_null (strstr (file, module));
  snprintf (seen->text + n, sizeof seen->text - n, "%s%s%s ", module, manifests ? "=" : "!",
            manifests ? manifests->providers[0].name : "");
}

static void
modules_are_listed_by_their_notes (void **state)
{
  char first[300], absent[300];
  const char *const configured[] = { first, absent, NULL };
  struct seen seen = { "" };
  struct module_path *own;
  (void) state;
  mkdir (tools_path ("a"), 0755);
  mkdir (tools_path ("b"), 0755);
  snprintf (first, sizeof first, "%s/a", tools_folder);
  snprintf (absent, sizeof absent, "%s/absent", tools_folder);
  compiled ("a/two.so", "-DZOO_TWO");
  compiled ("a/acme.x.so", "");
  compiled ("b/two.so", "");
  compiled ("b/z.so", "");
  tools_write (tools_path ("a/broken.so"), "text", 4);
  tools_write (tools_path ("a/.hidden.so"), "text", 4);
  tools_write (tools_path ("a/notes.txt"), "text", 4);
  tools_write (tools_path ("empty.c"), "int zoo_nothing;", 16);
  char command[300];
  snprintf (command, sizeof command, "${CC:-cc} -shared -fPIC -o %s/b/libhelper.so %s/empty.c", tools_folder,
            tools_folder);
  assert_int_equal (tools_run (command), 0);
  assert_int_equal (ak_module_path_new_at (configured, tools_path ("b"), &own, NULL), AK_STATUS_OK);
  ak_module_each (own, see, &seen);
  ak_module_path_free (own);
  assert_string_equal (seen.text, "acme.x=zoo broken! two=zebra z=zoo ");
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (a_provider_is_loaded),
    cmocka_unit_test (a_provider_is_loaded_once),
    cmocka_unit_test (a_loaded_provider_outlives_its_replacement),
    cmocka_unit_test (a_file_may_have_several_providers),
    cmocka_unit_test (a_module_is_found_on_the_path),
    cmocka_unit_test (a_built_in_name_is_served_by_the_installed_folder_alone),
    cmocka_unit_test (what_is_not_there_is_not_installed),
    cmocka_unit_test (another_major_version_is_incompatible),
    cmocka_unit_test (a_newer_minor_version_is_incompatible),
    cmocka_unit_test (an_older_table_is_filled_with_nothing),
    cmocka_unit_test (a_newer_table_is_cut),
    cmocka_unit_test (a_table_that_is_none_is_refused),
    cmocka_unit_test (a_constant_that_is_too_small_is_refused),
    cmocka_unit_test (mandatory_operations_are_demanded),
    cmocka_unit_test (a_capability_needs_its_operation),
    cmocka_unit_test (provisioning_and_attaching_must_be_declared),
    cmocka_unit_test (an_operation_that_is_not_declared_loads),
    cmocka_unit_test (an_edited_note_disagrees_with_the_code),
    cmocka_unit_test (a_note_without_its_symbol_is_refused),
    cmocka_unit_test (a_symbol_of_a_dependency_is_refused),
    cmocka_unit_test (a_missing_library_is_named),
    cmocka_unit_test (an_undefined_symbol_is_named),
    cmocka_unit_test (libraries_of_the_current_directory_are_refused),
    cmocka_unit_test (what_is_no_shared_object_is_refused),
    cmocka_unit_test (a_library_without_a_note_is_no_provider),
    cmocka_unit_test (a_file_that_others_could_change_is_refused_unloaded),
    cmocka_unit_test (symbols_of_a_provider_stay_its_own),
    cmocka_unit_test (nothing_is_printed),
    cmocka_unit_test (many_threads_load_at_once),
    cmocka_unit_test (modules_are_listed_by_their_notes),
  };
  return cmocka_run_group_tests_name ("module", tests, make_path, free_path);
}
