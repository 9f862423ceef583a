/* SPDX-License-Identifier: Apache-2.0 */
/* The binary contract: no size, place or number of provider.h changes unnoticed. The numbers are those of
 * version 1.0 on LP64; a later minor may only add rows. */
#include <aksandbox/provider.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#define AT(type, member, offset) \
  { #type "." #member, offsetof (struct type, member), offset }
#define SIZE(type, size) { "sizeof " #type, sizeof (struct type), size }

static const struct { const char *what; size_t is, must_be; } layout[] = {
  SIZE (ak_call, 24), AT (ak_call, struct_size, 0), AT (ak_call, deadline_ns, 8), AT (ak_call, host, 16),
  SIZE (ak_principal, 32), AT (ak_principal, user, 4), AT (ak_principal, subject, 8),
  AT (ak_principal, groups, 16), AT (ak_principal, credentials, 24),
  SIZE (ak_policy, 56), AT (ak_policy, network, 4), AT (ak_policy, network_allow, 8),
  AT (ak_policy, fs_read, 16), AT (ak_policy, fs_write, 24), AT (ak_policy, cpu_milli, 32),
  AT (ak_policy, memory_bytes, 40), AT (ak_policy, strict, 48),
  SIZE (ak_spec, 56), AT (ak_spec, external, 4), AT (ak_spec, id, 8), AT (ak_spec, profile, 16),
  AT (ak_spec, labels, 24), AT (ak_spec, idle_ns, 32), AT (ak_spec, policy, 40), AT (ak_spec, principal, 48),
  SIZE (ak_exec, 64), AT (ak_exec, language, 8), AT (ak_exec, code, 16), AT (ak_exec, code_size, 24),
  AT (ak_exec, argv, 32), AT (ak_exec, env, 40), AT (ak_exec, cwd, 48), AT (ak_exec, term_grace_ns, 56),
  SIZE (ak_outcome, 32), AT (ak_outcome, how, 4), AT (ak_outcome, code, 8), AT (ak_outcome, unconfirmed, 12),
  AT (ak_outcome, cpu_ns, 16), AT (ak_outcome, peak_bytes, 24),
  SIZE (ak_file, 32), AT (ak_file, mode, 4), AT (ak_file, path, 8), AT (ak_file, size, 16),
  AT (ak_file, mtime_ns, 24),
  SIZE (ak_granted, 16), AT (ak_granted, tier, 4), AT (ak_granted, caps, 8),
  SIZE (ak_host, 128), AT (ak_host, minor, 4), AT (ak_host, log, 8), AT (ak_host, option, 16),
  AT (ak_host, option_item, 24), AT (ak_host, env, 32), AT (ak_host, runner, 40), AT (ak_host, fail, 48),
  AT (ak_host, stopped, 56), AT (ak_host, stop_fd, 64), AT (ak_host, stdin_fd, 72), AT (ak_host, write, 80),
  AT (ak_host, next_file, 88), AT (ak_host, read, 96), AT (ak_host, put_file, 104), AT (ak_host, report, 112),
  AT (ak_host, profile, 120),
  SIZE (ak_ops, 136), AT (ak_ops, open, 8), AT (ak_ops, close, 16), AT (ak_ops, probe, 24),
  AT (ak_ops, create, 32), AT (ak_ops, attach, 40), AT (ak_ops, destroy, 48), AT (ak_ops, kill, 56),
  AT (ak_ops, list, 64), AT (ak_ops, release, 72), AT (ak_ops, execute_code, 80),
  AT (ak_ops, execute_command, 88), AT (ak_ops, upload, 96), AT (ak_ops, download, 104),
  AT (ak_ops, list_files, 112), AT (ak_ops, install_packages, 120), AT (ak_ops, open_stream, 128),
  SIZE (ak_manifest, 24), AT (ak_manifest, major, 4), AT (ak_manifest, minor, 8), AT (ak_manifest, caps, 12),
  AT (ak_manifest, tier, 16), AT (ak_manifest, threads, 20),
  SIZE (ak_option, 16), AT (ak_option, type, 4), AT (ak_option, flags, 8), AT (ak_option, asserts, 12),
  SIZE (ak_provider, 32), AT (ak_provider, major, 4), AT (ak_provider, minor, 8), AT (ak_provider, caps, 12),
  AT (ak_provider, tier, 16), AT (ak_provider, threads, 20), AT (ak_provider, ops, 24),
};

static void
every_struct_has_the_layout_of_1_0 (void **state)
{
  (void) state;
  if (sizeof (void *) != 8) {
    print_message ("# SKIP: not LP64\n");
    skip ();
  }
  for (size_t i = 0; i < sizeof layout / sizeof *layout; i++)
    if (layout[i].is != layout[i].must_be)
      fail_msg ("%s is %zu and must be %zu", layout[i].what, layout[i].is, layout[i].must_be);
}

#define IS(name, number) { #name, name, number }

static const struct { const char *name; uint32_t is, must_be; } numbers[] = {
  IS (AK_PROVIDER_MAJOR, 1), IS (AK_PROVIDER_MINOR, 0), IS (AK_STACK, 262144),
  IS (AK_OK, 0), IS (AK_E_CONFIG, 1), IS (AK_E_CAPABILITY, 2), IS (AK_E_POLICY, 3), IS (AK_E_TIMEOUT, 4),
  IS (AK_E_PROVISION, 5), IS (AK_E_GONE, 6), IS (AK_E_NO_FILE, 7), IS (AK_E_UNAVAILABLE, 8), IS (AK_E_AUTH, 9),
  IS (AK_E_CANCELLED, 10), IS (AK_E_INTERNAL, 11),
  IS (AK_EXITED, 1), IS (AK_SIGNALLED, 2), IS (AK_TIMED_OUT, 3), IS (AK_OUT_OF_MEMORY, 4), IS (AK_CANCELLED, 5),
  IS (AK_LOST, 6),
  IS (AK_CAP_SHELL, 0x1), IS (AK_CAP_FILES, 0x2), IS (AK_CAP_PACKAGES, 0x4), IS (AK_CAP_STATEFUL, 0x8),
  IS (AK_CAP_ATTACH, 0x10), IS (AK_CAP_PROVISIONS, 0x20), IS (AK_CAP_EXTERNAL, 0x40),
  IS (AK_CAP_PRINCIPAL_USER, 0x80), IS (AK_CAP_NET_DENY, 0x100), IS (AK_CAP_NET_CIDR, 0x200),
  IS (AK_CAP_NET_DOMAIN, 0x400), IS (AK_CAP_FILESYSTEM, 0x800), IS (AK_CAP_CPU, 0x1000),
  IS (AK_CAP_MEMORY, 0x2000),
  IS (AK_TIER_NONE, 0), IS (AK_TIER_OS_POLICY, 10), IS (AK_TIER_CONTAINER, 20), IS (AK_TIER_SYSCALL_FILTER, 30),
  IS (AK_TIER_WASM, 40), IS (AK_TIER_MICRO_VM, 50),
  IS (AK_SERIAL, 0), IS (AK_PER_SANDBOX, 1), IS (AK_PARALLEL, 2),
  IS (AK_STDOUT, 1), IS (AK_STDERR, 2), IS (AK_CONTENT, 3),
  IS (AK_REPORT_ID, 1), IS (AK_REPORT_LANGUAGES, 2), IS (AK_REPORT_NOTICE, 3), IS (AK_REPORT_DATA, 4),
  IS (AK_REPORT_PROGRESS, 5), IS (AK_REPORT_FOUND, 6), IS (AK_REPORT_FINDING, 7), IS (AK_REPORT_RETRY_AFTER, 8),
  IS (AK_REPORT_WORKSPACE, 9), IS (AK_REPORT_ENV, 10), IS (AK_REPORT_LIMIT, 11),
  IS (AK_PROFILE_NAME, 1), IS (AK_PROFILE_ENVIRONMENT, 2), IS (AK_PROFILE_STATE_DIR, 3),
  IS (AK_NOTE_PROVIDER, 1), IS (AK_NOTE_OPTION, 2),
  IS (AK_T_STRING, 1), IS (AK_T_INT, 2), IS (AK_T_FLOAT, 3), IS (AK_T_BOOL, 4), IS (AK_T_LIST, 5),
  IS (AK_T_MAP, 6), IS (AK_T_JSON, 7), IS (AK_T_TIER, 8), IS (AK_T_ENV, 9),
  IS (AK_REQUIRED, 1), IS (AK_SECRET, 2),
};

static void
every_number_is_that_of_1_0 (void **state)
{
  (void) state;
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    if (numbers[i].is != numbers[i].must_be)
      fail_msg ("%s is %u and must be %u", numbers[i].name, numbers[i].is, numbers[i].must_be);
}

static void
has_needs_the_size_and_the_entry (void **state)
{
  (void) state;
  struct ak_ops ops = { .struct_size = sizeof ops };
  assert_false (AK_HAS (&ops, struct ak_ops, probe));
  struct ak_file file = { .struct_size = sizeof file, .mtime_ns = 1 };
  assert_true (AK_HAS (&file, struct ak_file, mtime_ns));
  file.struct_size = offsetof (struct ak_file, mtime_ns);
  assert_false (AK_HAS (&file, struct ak_file, mtime_ns));
  file.struct_size = 0;
  file.size = 1;
  assert_false (AK_HAS (&file, struct ak_file, size));
}

static const struct ak_ops no_ops = { .struct_size = sizeof no_ops };
AK_OPTION (sample, key, AK_T_INT, AK_REQUIRED, AK_CAP_CPU, AK_KV ("min", "1") AK_KV ("help", "a number"));
AK_PROVIDER (sample, AK_CAP_SHELL, AK_TIER_CONTAINER, AK_PER_SANDBOX, &no_ops, AK_KV ("version", "7"));

static void
the_macros_write_the_same_numbers_into_note_and_code (void **state)
{
  (void) state;
  assert_int_equal (ak1_note_sample.type, AK_NOTE_PROVIDER);
  assert_int_equal (ak1_note_sample.namesz, sizeof "aksandbox");
  assert_memory_equal (ak1_note_sample.vendor, "aksandbox\0\0", 12);
  assert_int_equal (ak1_note_sample.descsz, sizeof ak1_note_sample - 24);
  assert_int_equal (ak1_note_sample.head.struct_size, 24);
  assert_int_equal (ak1_note_sample.head.major, ak1_provider_sample.major);
  assert_int_equal (ak1_note_sample.head.minor, ak1_provider_sample.minor);
  assert_int_equal (ak1_note_sample.head.caps, ak1_provider_sample.caps);
  assert_int_equal (ak1_note_sample.head.tier, ak1_provider_sample.tier);
  assert_int_equal (ak1_note_sample.head.threads, ak1_provider_sample.threads);
  assert_int_equal (ak1_provider_sample.struct_size, sizeof (struct ak_provider));
  assert_ptr_equal (ak1_provider_sample.ops, &no_ops);
  assert_memory_equal (ak1_note_sample.txt, "name=sample\0version=7\0", 23);
}

static void
the_macro_of_an_option_writes_its_note (void **state)
{
  (void) state;
  assert_int_equal (ak1_option_sample_key.type, AK_NOTE_OPTION);
  assert_int_equal (ak1_option_sample_key.descsz, sizeof ak1_option_sample_key - 24);
  assert_int_equal (ak1_option_sample_key.head.struct_size, 16);
  assert_int_equal (ak1_option_sample_key.head.type, AK_T_INT);
  assert_int_equal (ak1_option_sample_key.head.flags, AK_REQUIRED);
  assert_int_equal (ak1_option_sample_key.head.asserts, AK_CAP_CPU);
  assert_memory_equal (ak1_option_sample_key.txt, "of=sample\0key=key\0min=1\0help=a number\0", 39);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (every_struct_has_the_layout_of_1_0),
    cmocka_unit_test (every_number_is_that_of_1_0),
    cmocka_unit_test (has_needs_the_size_and_the_entry),
    cmocka_unit_test (the_macros_write_the_same_numbers_into_note_and_code),
    cmocka_unit_test (the_macro_of_an_option_writes_its_note),
  };
  return cmocka_run_group_tests_name ("provider.h", tests, NULL, NULL);
}
