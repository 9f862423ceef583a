/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Agent Kernel's provider contract, as checks on any target. */
#include "kit.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct contract {
  const struct kit_target *target;
  kit_report *report;
  void *report_data;
  int failed;
  void *sandbox;
  char id[256];
};

static void
say (struct contract *c, const char *check, enum kit_verdict verdict, const char *detail)
{
  c->failed += verdict == KIT_FAILED;
  c->report (c->report_data, check, verdict, detail);
}

/* Report `check` as ok, or as failed with the text. */
static void __attribute__ ((format (printf, 4, 5)))
expect (struct contract *c, const char *check, int ok, const char *format, ...)
{
  char detail[512];
  va_list ap;
  va_start (ap, format);
  vsnprintf (detail, sizeof detail, format, ap);
  va_end (ap);
  say (c, check, ok ? KIT_OK : KIT_FAILED, ok ? "" : detail);
}

static void
run_clear (struct kit_run *run)
{
  free (run->out.data);
  free (run->err.data);
  memset (run, 0, sizeof *run);
}

static int32_t
run_code (struct contract *c, const char *language, const char *code, struct kit_run *run)
{
  memset (run, 0, sizeof *run);
  return c->target->code (c->target->data, c->sandbox, language, code, strlen (code), run);
}

static int
speaks (const struct contract *c, const char *language)
{
  for (const char *const *l = c->target->languages; l && *l; l++)
    if (!strcmp (*l, language))
      return 1;
  return 0;
}

static void
check_trivial_program (struct contract *c)
{
  struct kit_run run;
  if (!speaks (c, "python")) {
    say (c, "a_trivial_program_ends_with_0", KIT_SKIPPED, "this instance has no python");
    return;
  }
  int32_t r = run_code (c, "python", "print('hello')", &run);
  expect (c, "a_trivial_program_ends_with_0", r == AK_OK && run.how == AK_EXITED && run.code == 0,
          "status %d, outcome %u, code %d", (int) r, run.how, (int) run.code);
  run_clear (&run);
}

static void
check_undeclared_language (struct contract *c)
{
  struct kit_run run;
  int32_t r = run_code (c, "no_such_language", "x", &run);
  expect (c, "an_undeclared_language_is_a_capability_error", r == AK_E_CAPABILITY, "status %d", (int) r);
  run_clear (&run);
}

static void
check_failing_program (struct contract *c)
{
  struct kit_run run;
  if (!speaks (c, "python")) {
    say (c, "a_failing_program_is_a_result", KIT_SKIPPED, "this instance has no python");
    return;
  }
  int32_t r = run_code (c, "python", "import sys; sys.exit(1)", &run);
  expect (c, "a_failing_program_is_a_result", r == AK_OK && run.how == AK_EXITED && run.code != 0,
          "status %d, outcome %u, code %d", (int) r, run.how, (int) run.code);
  run_clear (&run);
}

static void
check_shell (struct contract *c)
{
  static const char *const argv[] = { "sh", "-c", "echo shell", NULL };
  struct kit_run run = { 0 };
  int declared = (c->target->caps & AK_CAP_SHELL) != 0;
  int32_t r = c->target->command (c->target->data, c->sandbox, argv, &run);
  if (declared)
    expect (c, "declared_shell_runs_a_command", r == AK_OK && run.how == AK_EXITED && run.code == 0,
            "status %d, outcome %u, code %d", (int) r, run.how, (int) run.code);
  else
    expect (c, "undeclared_shell_is_a_capability_error", r == AK_E_CAPABILITY, "status %d", (int) r);
  run_clear (&run);
}

static void
check_files (struct contract *c)
{
  struct kit_bytes got = { NULL, 0 };
  const struct kit_target *t = c->target;
  int declared = (t->caps & AK_CAP_FILES) != 0;
  int32_t up = t->upload (t->data, c->sandbox, "kit/data.bin", "da\0ta", 5);
  int32_t down = t->download (t->data, c->sandbox, "kit/data.bin", &got);
  if (declared) {
    expect (c, "declared_files_make_the_round_trip",
            up == AK_OK && down == AK_OK && got.size == 5 && !memcmp (got.data, "da\0ta", 5),
            "upload %d, download %d, %zu bytes", (int) up, (int) down, got.size);
    free (got.data);
    got = (struct kit_bytes) { NULL, 0 };
    int32_t missing = t->download (t->data, c->sandbox, "kit/missing", &got);
    expect (c, "a_missing_file_is_not_found", missing == AK_E_NO_FILE, "status %d", (int) missing);
    int32_t escape = t->download (t->data, c->sandbox, "../../../etc/passwd", &got);
    expect (c, "a_path_that_leaves_the_workspace_is_refused", escape == AK_E_POLICY, "status %d", (int) escape);
  } else
    expect (c, "undeclared_files_are_a_capability_error", up == AK_E_CAPABILITY && down == AK_E_CAPABILITY,
            "upload %d, download %d", (int) up, (int) down);
  free (got.data);
}

static void
check_packages (struct contract *c)
{
  static const char *const none[] = { NULL };
  struct kit_run run = { 0 };
  if (c->target->caps & AK_CAP_PACKAGES) {
    int32_t r = c->target->install (c->target->data, c->sandbox, none, &run);
    expect (c, "declared_package_install_accepts_an_empty_list", r == AK_OK, "status %d", (int) r);
  } else {
    static const char *const one[] = { "six", NULL };
    int32_t r = c->target->install (c->target->data, c->sandbox, one, &run);
    expect (c, "undeclared_package_install_is_a_capability_error", r == AK_E_CAPABILITY, "status %d", (int) r);
  }
  run_clear (&run);
}

static void
check_attach (struct contract *c)
{
  const struct kit_target *t = c->target;
  void *again = NULL;
  int32_t r = t->attach (t->data, c->id, &again);
  if (!(t->caps & AK_CAP_ATTACH)) {
    expect (c, "undeclared_attach_is_a_capability_error", r == AK_E_CAPABILITY, "status %d", (int) r);
    return;
  }
  expect (c, "attach_by_id_gives_a_handle", r == AK_OK && again, "status %d", (int) r);
  if (r == AK_OK)
    t->release (t->data, again);
  r = t->attach (t->data, "nonexistent-id", &again);
  expect (c, "attach_to_an_unknown_id_is_gone", r == AK_E_GONE, "status %d", (int) r);
  if (r == AK_OK)
    t->release (t->data, again);
}

static void
check_release (struct contract *c)
{
  const struct kit_target *t = c->target;
  t->release (t->data, c->sandbox);
  c->sandbox = NULL;
  if (!(t->caps & AK_CAP_ATTACH)) {
    say (c, "release_leaves_the_sandbox_in_place", KIT_SKIPPED, "without attach nobody can see it");
    return;
  }
  int32_t r = t->attach (t->data, c->id, &c->sandbox);
  expect (c, "release_leaves_the_sandbox_in_place", r == AK_OK, "attach after release: status %d", (int) r);
  if (r == AK_OK)
    t->release (t->data, c->sandbox);
  c->sandbox = NULL;
}

static void
check_destroy (struct contract *c)
{
  const struct kit_target *t = c->target;
  void *gone = NULL;
  int32_t first = t->destroy (t->data, c->id), second = t->destroy (t->data, c->id);
  int32_t unknown = t->destroy (t->data, "nonexistent-id");
  expect (c, "destroy_twice_is_success", first == AK_OK && second == AK_OK, "first %d, second %d", (int) first,
          (int) second);
  expect (c, "destroy_of_an_unknown_id_is_success", unknown == AK_OK, "status %d", (int) unknown);
  if (!(t->caps & AK_CAP_ATTACH))
    return;
  int32_t r = t->attach (t->data, c->id, &gone);
  expect (c, "attach_after_destroy_is_gone", r == AK_E_GONE, "status %d", (int) r);
  if (r == AK_OK)
    t->release (t->data, gone);
}

int
kit_contract (const struct kit_target *target, kit_report *report, void *report_data)
{
  struct contract c = { .target = target, .report = report, .report_data = report_data };
  int32_t r = target->create (target->data, &c.sandbox, c.id);
  expect (&c, "a_sandbox_can_be_created", r == AK_OK, "status %d", (int) r);
  if (r != AK_OK)
    return c.failed;
  check_trivial_program (&c);
  check_undeclared_language (&c);
  check_failing_program (&c);
  check_shell (&c);
  check_files (&c);
  check_packages (&c);
  check_attach (&c);
  check_release (&c);
  check_destroy (&c);
  return c.failed;
}
