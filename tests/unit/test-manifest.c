/* SPDX-License-Identifier: Apache-2.0 */
/* Notes of providers: what is read, and what is refused of files that somebody made by hand. */
#include "config.h"
#include "manifest.h"
#include "cleanup.h"
#include "plugin-tools.h"
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#define TEXT(text) text, sizeof (text)

static struct tools_notes notes;
static const uint32_t right[] = { 24, AK_PROVIDER_MAJOR, 0, AK_CAP_SHELL, AK_TIER_CONTAINER, AK_PARALLEL };
static const uint32_t option[] = { 16, AK_T_INT, AK_REQUIRED, 0 };

static int
forget_notes (void **state)
{
  (void) state;
  memset (&notes, 0, sizeof notes);
  return 0;
}

#define PROVIDER(text) tools_note (&notes, "aksandbox", AK_NOTE_PROVIDER, right, 6, TEXT (text), 4)
#define OPTION(text) tools_note (&notes, "aksandbox", AK_NOTE_OPTION, option, 4, TEXT (text), 4)

static enum ak_status
read_aligned (size_t align, struct manifest_file *ret, struct ak_error **error)
{
  struct tools_object object = tools_object (notes.size, align);
  CLEANUP_CLOSE int fd = tools_object_file (&object, notes.data, notes.size);
  return ak_manifest_read (fd, "x.so", ret, error);
}

static void
accepted (struct manifest_file *ret)
{
  struct ak_error *error = NULL;
  enum ak_status status = read_aligned (4, ret, &error);
  if (status != AK_STATUS_OK)
    fail_msg ("refused: %s", ak_error_text (error));
}

static void
refused (const char *text)
{
  struct manifest_file file = { 0 };
  struct ak_error *error = NULL;
  assert_int_equal (read_aligned (4, &file, &error), AK_STATUS_PLUGIN);
  assert_string_equal (ak_error_text (error), text);
  assert_null (file.providers);
  ak_error_free (error);
}

static void
a_provider_is_read_with_all_that_it_says (void **state)
{
  struct manifest_file file;
  (void) state;
  OPTION ("of=fly\0key=size\0default=1\0min=0\0max=9\0choices=1 2\0help=how large\0excludes=key\0");
  PROVIDER (
    "name=fly\0version=1.2\0summary=flies\0license=MIT\0origin=https://x\0languages=python  sh\0env=A B\0"
    "package=acme-fly\0");
  OPTION ("of=fly\0key=key\0");
  accepted (&file);
  assert_string_equal (file.path, "x.so");
  assert_int_equal (file.n_providers, 1);
  const struct manifest *m = ak_manifest_find (&file, "fly");
  assert_ptr_equal (m, file.providers);
  assert_null (ak_manifest_find (&file, "fl"));
  assert_int_equal (m->major, AK_PROVIDER_MAJOR);
  assert_int_equal (m->minor, 0);
  assert_int_equal (m->caps, AK_CAP_SHELL);
  assert_int_equal (m->tier, AK_TIER_CONTAINER);
  assert_int_equal (m->threads, AK_PARALLEL);
  assert_string_equal (m->version, "1.2");
  assert_string_equal (m->summary, "flies");
  assert_string_equal (m->license, "MIT");
  assert_string_equal (m->origin, "https://x");
  assert_string_equal (m->package, "acme-fly");
  assert_string_equal (m->languages[0], "python");
  assert_string_equal (m->languages[1], "sh");
  assert_null (m->languages[2]);
  assert_string_equal (m->env[1], "B");
  assert_null (m->env[2]);
  assert_int_equal (m->n_options, 2);
  assert_string_equal (m->options[0].key, "key");
  assert_null (m->options[0].fallback);
  const struct manifest_option *o = ak_manifest_option (m, "size");
  assert_ptr_equal (o, &m->options[1]);
  assert_null (ak_manifest_option (m, "siz"));
  assert_int_equal (o->type, AK_T_INT);
  assert_int_equal (o->flags, AK_REQUIRED);
  assert_string_equal (o->fallback, "1");
  assert_string_equal (o->min, "0");
  assert_string_equal (o->max, "9");
  assert_string_equal (o->choices, "1 2");
  assert_string_equal (o->help, "how large");
  assert_string_equal (o->excludes, "key");
  ak_manifest_file_clear (&file);
}

static void
a_provider_that_says_little_has_empty_lists (void **state)
{
  struct manifest_file file;
  (void) state;
  PROVIDER ("name=fly\0");
  accepted (&file);
  assert_null (file.providers[0].version);
  assert_non_null (file.providers[0].languages);
  assert_null (file.providers[0].languages[0]);
  assert_null (file.providers[0].env[0]);
  ak_manifest_file_clear (&file);
}

static void
providers_of_a_file_are_sorted (void **state)
{
  struct manifest_file file;
  (void) state;
  PROVIDER ("name=zebra\0");
  PROVIDER ("name=ape\0");
  OPTION ("of=ape\0key=b\0");
  OPTION ("of=zebra\0key=b\0");
  OPTION ("of=ape\0key=a\0");
  accepted (&file);
  assert_int_equal (file.n_providers, 2);
  assert_string_equal (file.providers[0].name, "ape");
  assert_int_equal (file.providers[0].n_options, 2);
  assert_string_equal (file.providers[0].options[0].key, "a");
  assert_int_equal (file.providers[1].n_options, 1);
  ak_manifest_file_clear (&file);
}

static void
notes_of_others_are_walked_over (void **state)
{
  struct manifest_file file;
  (void) state;
  tools_note (&notes, "GNU", 3, NULL, 0, "odd", 3, 4);
  PROVIDER ("name=fly\0");
  tools_note (&notes, "aksandbox", 77, NULL, 0, "a kind of later", 15, 4);
  tools_note (&notes, "aksandboy", AK_NOTE_PROVIDER, right, 6, TEXT ("name=other\0"), 4);
  accepted (&file);
  assert_int_equal (file.n_providers, 1);
  ak_manifest_file_clear (&file);
}

static void
notes_aligned_to_8_are_read (void **state)
{
  struct manifest_file file;
  struct ak_error *error = NULL;
  (void) state;
  tools_note (&notes, "GNU", 5, NULL, 0, "1234567890", 10, 8);
  tools_note (&notes, "aksandbox", AK_NOTE_PROVIDER, right, 6, TEXT ("name=fly\0"), 8);
  assert_int_equal (read_aligned (8, &file, &error), AK_STATUS_OK);
  assert_string_equal (file.providers[0].name, "fly");
  ak_manifest_file_clear (&file);
}

static void
an_older_and_a_newer_head_are_read (void **state)
{
  static const uint32_t older[] = { 12, 1, 0 }, newer[] = { 32, 1, 0, 3, 10, 1, 0xdead, 0xbeef };
  static const uint32_t older_option[] = { 8, AK_T_BOOL };
  struct manifest_file file;
  (void) state;
  tools_note (&notes, "aksandbox", AK_NOTE_PROVIDER, older, 3, TEXT ("name=old\0"), 4);
  tools_note (&notes, "aksandbox", AK_NOTE_PROVIDER, newer, 8, TEXT ("name=young\0age=1\0"), 4);
  tools_note (&notes, "aksandbox", AK_NOTE_OPTION, older_option, 2, TEXT ("of=old\0key=k\0"), 4);
  accepted (&file);
  assert_int_equal (file.providers[0].caps, 0);
  assert_int_equal (file.providers[0].threads, AK_SERIAL);
  assert_int_equal (file.providers[0].options[0].flags, 0);
  assert_string_equal (file.providers[1].name, "young");
  assert_int_equal (file.providers[1].threads, 1);
  ak_manifest_file_clear (&file);
}

static void
another_version_is_read_without_judging_it (void **state)
{
  static const uint32_t foreign[] = { 24, 2, 9, 0xffffffff, 99, 99 };
  struct manifest_file file;
  (void) state;
  tools_note (&notes, "aksandbox", AK_NOTE_PROVIDER, foreign, 6, TEXT ("name=fly\0"), 4);
  accepted (&file);
  assert_int_equal (file.providers[0].major, 2);
  assert_int_equal (file.providers[0].threads, 99);
  ak_manifest_file_clear (&file);
}

static void
a_file_without_our_note_is_no_provider (void **state)
{
  struct manifest_file file = { 0 };
  struct ak_error *error = NULL;
  (void) state;
  tools_note (&notes, "GNU", 3, NULL, 0, "id", 2, 4);
  assert_int_equal (read_aligned (4, &file, &error), AK_STATUS_PLUGIN);
  assert_string_equal (ak_error_text (error), "x.so: not a provider: it has no aksandbox note");
  assert_non_null (strstr (ak_error_hint (error), "--remove-section '.note*'"));
  ak_error_free (error);
  struct tools_object object = tools_object (notes.size, 4);
  CLEANUP_CLOSE int fd = tools_object_file (&object, notes.data, notes.size);
  assert_int_equal (ak_manifest_scan (fd, "x.so", &file, NULL), AK_STATUS_OK);
  assert_int_equal (file.n_providers, 0);
  ak_manifest_file_clear (&file);
}

static void
two_of_one_name_are_refused (void **state)
{
  (void) state;
  PROVIDER ("name=fly\0");
  PROVIDER ("name=fly\0version=2\0");
  refused ("x.so: malformed: fly: two providers of this name");
  forget_notes (NULL);
  PROVIDER ("name=fly\0");
  OPTION ("of=fly\0key=k\0");
  OPTION ("of=fly\0key=k\0");
  refused ("x.so: malformed: k: two options of this key");
  forget_notes (NULL);
  PROVIDER ("name=fly\0name=hop\0");
  refused ("x.so: malformed: a provider's note: a key twice");
}

static void
an_option_needs_its_provider (void **state)
{
  (void) state;
  PROVIDER ("name=fly\0");
  OPTION ("of=hop\0key=k\0");
  refused ("x.so: malformed: hop: an option of a provider that is not in the file");
}

static void
names_have_a_grammar (void **state)
{
  (void) state;
  static const char wrong[][12] = { "name=",     "name=Fly", "name=4fly", "name=_fly",
                                    "name=f-ly", "name=f/y", "no=fly" };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    forget_notes (NULL);
    tools_note (&notes, "aksandbox", AK_NOTE_PROVIDER, right, 6, wrong[i], sizeof wrong[i], 4);
    refused ("x.so: malformed: a provider's note: its name is not [a-z][a-z0-9_]*");
  }
  forget_notes (NULL);
  PROVIDER ("name=fly\0");
  OPTION ("of=fly\0key=K\0");
  refused ("x.so: malformed: an option's note: its provider or key is not [a-z][a-z0-9_]*");
}

static void
hostile_text_is_refused (void **state)
{
  static const struct { const char text[40]; const char *why; } cases[] = {
    { "name=fly\0summary=\033]0;x\007", "a value has control characters" },
    { "name=fly\0summary=a\nb", "a value has control characters" },
    { "name=fly\0summary=\x7f", "a value has control characters" },
    { "name=fly\0summary=\xc2\x9b", "a value has control characters" },
    { "name=fly\0summary=\xe2\x80\xae", "a value changes the direction of text" },
    { "name=fly\0summary=\xff", "a value is not UTF-8" },
    { "name=fly\0summary=\xc0\xaf", "a value is not UTF-8" },
    { "name=fly\0summary=\xed\xa0\x80", "a value is not UTF-8" },
    { "name=fly\0summary=\xe2\x82", "a value is not UTF-8" },
    { "name=fly\0summary", "a text without key=" },
    { "name=fly\0=summary", "a text without key=" },
    { "name=fly\0\0summary=x", "text behind its end" },
  };
  char why[120];
  (void) state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    forget_notes (NULL);
    tools_note (&notes, "aksandbox", AK_NOTE_PROVIDER, right, 6, cases[i].text, sizeof cases[i].text, 4);
    snprintf (why, sizeof why, "x.so: malformed: a provider's note: %s", cases[i].why);
    refused (why);
  }
  forget_notes (NULL);
  tools_note (&notes, "aksandbox", AK_NOTE_PROVIDER, right, 6, "name=fly", 8, 4);
  refused ("x.so: malformed: a provider's note: its text does not end");
}

static void
text_in_other_scripts_is_kept (void **state)
{
  struct manifest_file file;
  (void) state;
  PROVIDER ("name=fly\0summary=\xc3\xa9\xe2\x82\xac\xf0\x9f\x90\x9d\0unknown=\xff\0");
  accepted (&file);
  assert_string_equal (file.providers[0].summary, "\xc3\xa9\xe2\x82\xac\xf0\x9f\x90\x9d");
  ak_manifest_file_clear (&file);
}

static void
values_end_at_4_kib (void **state)
{
  static char text[24 + 4200];
  struct manifest_file file;
  (void) state;
  memcpy (text, "name=fly\0summary=", 17);
  memset (text + 17, 'x', 4096);
  tools_note (&notes, "aksandbox", AK_NOTE_PROVIDER, right, 6, text, sizeof text, 4);
  accepted (&file);
  assert_int_equal (strlen (file.providers[0].summary), 4096);
  ak_manifest_file_clear (&file);
  forget_notes (NULL);
  text[17 + 4096] = 'x';
  tools_note (&notes, "aksandbox", AK_NOTE_PROVIDER, right, 6, text, sizeof text, 4);
  refused ("x.so: malformed: a provider's note: a value is longer than 4 KiB");
}

static void
heads_that_lie_are_refused (void **state)
{
  static const uint32_t sizes[] = { 0, 4, 8, 11, 13, 1000, 0xfffffffc };
  (void) state;
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    uint32_t words[6];
    memcpy (words, right, sizeof words);
    words[0] = sizes[i];
    forget_notes (NULL);
    tools_note (&notes, "aksandbox", AK_NOTE_PROVIDER, words, 6, TEXT ("name=fly\0"), 4);
    refused ("x.so: malformed: a provider's note: its head");
  }
  forget_notes (NULL);
  tools_note (&notes, "aksandbox", AK_NOTE_OPTION, NULL, 0, "", 0, 4);
  refused ("x.so: malformed: an option's note: its head");
}

static void
numbers_that_this_version_does_not_have_are_refused (void **state)
{
  static const uint32_t threads[] = { 24, AK_PROVIDER_MAJOR, 0, 0, 0, 3 };
  static const uint32_t types[][4] = { { 16, 0, 0, 0 }, { 16, AK_T_ENV + 1, 0, 0 } };
  (void) state;
  tools_note (&notes, "aksandbox", AK_NOTE_PROVIDER, threads, 6, TEXT ("name=fly\0"), 4);
  refused ("x.so: malformed: fly: an unknown thread model");
  for (size_t i = 0; i < 2; i++) {
    forget_notes (NULL);
    PROVIDER ("name=fly\0");
    tools_note (&notes, "aksandbox", AK_NOTE_OPTION, types[i], 4, TEXT ("of=fly\0key=k\0"), 4);
    refused ("x.so: malformed: k: an option of an unknown type");
  }
}

static void
lengths_that_lie_are_refused (void **state)
{
  static const uint32_t wrong[] = { 0xffffffff, 0x80000000, 200 };
  (void) state;
  for (size_t field = 0; field < 2; field++)
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
      forget_notes (NULL);
      PROVIDER ("name=fly\0");
      memcpy (notes.data + 4 * field, &wrong[i], 4);
      refused ("x.so: malformed: its notes: one is longer than all of them");
    }
}

static void
a_note_of_others_that_lies_hides_none_of_ours (void **state)
{
  struct manifest_file file;
  uint32_t lie = 5000;
  (void) state;
  PROVIDER ("name=fly\0");
  size_t at = notes.size;
  tools_note (&notes, "GNU", 3, NULL, 0, "id", 2, 4);
  memcpy (notes.data + at + 4, &lie, 4);
  accepted (&file);
  assert_int_equal (file.n_providers, 1);
  ak_manifest_file_clear (&file);
  PROVIDER ("name=hop\0");
  refused ("x.so: malformed: its notes: one is longer than all of them");
}

static void
counts_have_limits (void **state)
{
  char text[64];
  struct manifest_file file;
  (void) state;
  for (int i = 0; i < 65; i++) {
    int n = snprintf (text, sizeof text, "name=p%d", i);
    tools_note (&notes, "aksandbox", AK_NOTE_PROVIDER, right, 6, text, (size_t) n + 1, 4);
    if (i == 63) {
      accepted (&file);
      assert_int_equal (file.n_providers, 64);
      ak_manifest_file_clear (&file);
    }
  }
  refused ("x.so: malformed: p64: more than 64 providers");
  forget_notes (NULL);
  PROVIDER ("name=fly\0");
  for (int i = 0; i < 257; i++) {
    int n = snprintf (text, sizeof text, "of=fly%ckey=k%d", 0, i);
    tools_note (&notes, "aksandbox", AK_NOTE_OPTION, option, 4, text, (size_t) n + 1, 4);
    if (i == 255) {
      accepted (&file);
      assert_int_equal (file.providers[0].n_options, 256);
      ak_manifest_file_clear (&file);
    }
  }
  refused ("x.so: malformed: fly: more than 256 options");
  forget_notes (NULL);
  notes.size = 1024 * 1024 + 1;
  refused ("x.so: malformed: its notes: more than 1 MiB");
}

/* Read an object whose header was changed. */
static void
refused_object (const struct tools_object *object, const char *text)
{
  struct manifest_file file = { 0 };
  struct ak_error *error = NULL;
  CLEANUP_CLOSE int fd = tools_object_file (object, notes.data, notes.size);
  assert_int_equal (ak_manifest_read (fd, "x.so", &file, &error), AK_STATUS_PLUGIN);
  if (strncmp (ak_error_text (error), text, strlen (text)))
    fail_msg ("'%s' is not '%s'", ak_error_text (error), text);
  ak_error_free (error);
}

static void
only_shared_objects_of_this_machine_are_read (void **state)
{
  (void) state;
  PROVIDER ("name=fly\0");
  struct tools_object good = tools_object (notes.size, 4), o = good;
  o.header.e_ident[0] = '#';
  refused_object (&o, "x.so: not a shared object");
  o = good;
  o.header.e_type = ET_EXEC;
  refused_object (&o, "x.so: not a shared object (ELF type 2)");
  o = good;
  o.header.e_machine ^= 0x55;
  refused_object (&o, "x.so: a shared object for another kind of machine");
  o = good;
  o.header.e_ident[EI_CLASS] ^= 3;
  refused_object (&o, "x.so: a shared object for another kind of machine");
  o = good;
  o.header.e_ident[EI_DATA] ^= 3;
  refused_object (&o, "x.so: a shared object for another kind of machine");
  o = good;
  o.header.e_phentsize = 3;
  refused_object (&o, "x.so: malformed: 1 program headers of 3 bytes");
  o = good;
  o.header.e_phnum = 0xffff;
  refused_object (&o, "x.so: malformed: 65535 program headers");
  o = good;
  o.header.e_phoff = (ElfW(Off)) -8;
  refused_object (&o, "x.so: truncated");
}

static void
segments_outside_the_file_are_refused (void **state)
{
  static const uint32_t types[] = { PT_NOTE, PT_LOAD, PT_DYNAMIC };
  (void) state;
  PROVIDER ("name=fly\0");
  for (size_t i = 0; i < 3; i++) {
    struct tools_object o = tools_object (notes.size, 4);
    o.segment.p_type = types[i];
    o.segment.p_filesz++;
    refused_object (&o, "x.so: truncated: it has ");
    o.segment.p_filesz--;
    o.segment.p_offset = (ElfW(Off)) -8;
    refused_object (&o, "x.so: truncated: it has ");
  }
}

static void
no_length_of_a_real_file_is_taken_for_whole (void **state)
{
  size_t size;
  (void) state;
  if (!tools_can_compile ()) {
    print_message ("# SKIP: no compiler\n");
    skip ();
  }
  assert_int_equal (tools_compile ("zoo.so", "-s"), 0);
  CLEANUP_FREE char *data = tools_read (tools_path ("zoo.so"), &size);
  CLEANUP_CLOSE int fd = open (tools_path ("short.so"), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  assert_int_equal (write (fd, data, size), size);
  struct manifest_file file;
  assert_int_equal (ak_manifest_read (fd, "short.so", &file, NULL), AK_STATUS_OK);
  assert_int_equal (file.providers[0].n_options, 5);
  ak_manifest_file_clear (&file);
  /* Section headers, which nobody loads, are the last of it; the segments end before them. */
  struct tools_object head;
  memcpy (&head, data, sizeof head);
  for (size_t length = head.header.e_shoff - 4096; length > 0; length -= length > 700 ? 611 : 1) {
    struct ak_error *error = NULL;
    assert_int_equal (ftruncate (fd, (off_t) length), 0);
    assert_int_equal (ak_manifest_read (fd, "short.so", &file, &error), AK_STATUS_PLUGIN);
    assert_non_null (
      strstr (ak_error_text (error), length < sizeof head.header ? "not a shared object" : "truncated"));
    ak_error_free (error);
  }
}

static void
tiers_have_names_and_unknown_ones_round_down (void **state)
{
  uint32_t tier = 7;
  (void) state;
  assert_string_equal (ak_tier_name (AK_TIER_NONE), "none");
  assert_string_equal (ak_tier_name (9), "none");
  assert_string_equal (ak_tier_name (AK_TIER_OS_POLICY), "os_policy");
  assert_string_equal (ak_tier_name (29), "container");
  assert_string_equal (ak_tier_name (0xffffffff), "micro_vm");
  assert_int_equal (ak_tier_number ("syscall_filter", &tier), 0);
  assert_int_equal (tier, AK_TIER_SYSCALL_FILTER);
  assert_int_equal (ak_tier_number ("vm", &tier), -1);
  assert_int_equal (tier, AK_TIER_SYSCALL_FILTER);
}

static void
capabilities_have_the_names_of_agent_kernel (void **state)
{
  static const char *const names[] = { "shell",
                                       "files",
                                       "package_install",
                                       "stateful",
                                       "attach",
                                       "provisions",
                                       "attaches_external",
                                       "principal_user",
                                       "policy_network",
                                       "policy_filesystem",
                                       "policy_resources" };
  (void) state;
  for (size_t i = 0; i < 11; i++)
    assert_string_equal (ak_capability_names[i].name, names[i]);
  assert_null (ak_capability_names[11].name);
  assert_int_equal (ak_capability_names[8].any_of, 0x700);
  assert_int_equal (ak_capability_names[10].any_of, AK_CAP_CPU | AK_CAP_MEMORY);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup (a_provider_is_read_with_all_that_it_says, forget_notes),
    cmocka_unit_test_setup (a_provider_that_says_little_has_empty_lists, forget_notes),
    cmocka_unit_test_setup (providers_of_a_file_are_sorted, forget_notes),
    cmocka_unit_test_setup (notes_of_others_are_walked_over, forget_notes),
    cmocka_unit_test_setup (notes_aligned_to_8_are_read, forget_notes),
    cmocka_unit_test_setup (an_older_and_a_newer_head_are_read, forget_notes),
    cmocka_unit_test_setup (another_version_is_read_without_judging_it, forget_notes),
    cmocka_unit_test_setup (a_file_without_our_note_is_no_provider, forget_notes),
    cmocka_unit_test_setup (two_of_one_name_are_refused, forget_notes),
    cmocka_unit_test_setup (an_option_needs_its_provider, forget_notes),
    cmocka_unit_test_setup (names_have_a_grammar, forget_notes),
    cmocka_unit_test_setup (hostile_text_is_refused, forget_notes),
    cmocka_unit_test_setup (text_in_other_scripts_is_kept, forget_notes),
    cmocka_unit_test_setup (values_end_at_4_kib, forget_notes),
    cmocka_unit_test_setup (heads_that_lie_are_refused, forget_notes),
    cmocka_unit_test_setup (numbers_that_this_version_does_not_have_are_refused, forget_notes),
    cmocka_unit_test_setup (lengths_that_lie_are_refused, forget_notes),
    cmocka_unit_test_setup (a_note_of_others_that_lies_hides_none_of_ours, forget_notes),
    cmocka_unit_test_setup (counts_have_limits, forget_notes),
    cmocka_unit_test_setup (only_shared_objects_of_this_machine_are_read, forget_notes),
    cmocka_unit_test_setup (segments_outside_the_file_are_refused, forget_notes),
    cmocka_unit_test (no_length_of_a_real_file_is_taken_for_whole),
    cmocka_unit_test (tiers_have_names_and_unknown_ones_round_down),
    cmocka_unit_test (capabilities_have_the_names_of_agent_kernel),
  };
  return cmocka_run_group_tests_name ("manifest", tests, NULL, NULL);
}
