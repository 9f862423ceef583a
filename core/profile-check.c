/* SPDX-License-Identifier: Apache-2.0 */
/* A profile checked against what its provider's file says, without loading it. */
#include "config.h"
#include "profile-check.h"
#include "cleanup.h"
#include "module-path.h"

static enum ak_status
find (const struct module_path *path, const struct type_name *type, struct profile_view *view,
      struct ak_error **error)
{
  CLEANUP_CLOSE int fd = -1;
  enum ak_status status = ak_module_find (path, type, &view->file, &fd, error);

  if (status != AK_STATUS_OK)
    return status;
  view->manifest = ak_manifest_find (&view->file, type->provider);
  return ak_module_admit (view->manifest, view->file.path, fd, error);
}

/* What it can do when the operator asserts all that can be asserted. */
static uint32_t
greatest_caps (const struct manifest *m)
{
  uint32_t caps = m->caps;

  for (size_t i = 0; i < m->n_options; i++)
    caps |= m->options[i].asserts;
  return caps;
}

/* Faults of the options do not hide that the provider is the wrong one. */
static void
check_without_options (const struct profile_config *profile, struct profile_view *view,
                       struct ak_error **error)
{
  const struct manifest *m = view->manifest;
  struct ak_error *options = *error;

  view->fault = ak_lifecycle_fault (profile->attached, greatest_caps (m), profile->attached ? "?" : NULL);
  if (!view->fault)
    return;
  *error = NULL;
  (void) ak_lifecycle_check (profile, m->name, greatest_caps (m), profile->attached ? "?" : NULL, error);
  CLEANUP_FREE char *also = NULL;
  if (*error && asprintf (&also, "also: %s", ak_error_text (options)) >= 0)
    ak_error_restate (*error, AK_STATUS_CONFIG, also);
  ak_error_free (options);
}

static enum ak_status
check (const struct profile_config *profile, struct profile_view *view, struct ak_error **error)
{
  const struct manifest *m = view->manifest;
  uint32_t tier, caps;
  const char *attach_to;
  enum ak_status status = ak_options_new (m, profile->options, profile->where, &view->options, error);

  if (status != AK_STATUS_OK) {
    if (status == AK_STATUS_CONFIG)
      check_without_options (profile, view, error);
    return status;
  }
  caps = m->caps | ak_options_asserted (view->options, &tier);
  attach_to = ak_options_get (view->options, "attach_to");
  view->fault = ak_lifecycle_fault (profile->attached, caps, attach_to);
  return ak_lifecycle_check (profile, m->name, caps, attach_to, error);
}

enum profile_verdict
ak_profile_view (const struct module_path *path, const struct profile_config *profile,
                 struct profile_view *ret, struct ak_error **error)
{
  struct type_name type = { 0 };
  enum profile_verdict verdict = PROFILE_BAD;

  *ret = (struct profile_view) { .manifest = NULL };
  if (ak_type_parse (path, profile->type, 0, &type, error) != AK_STATUS_OK)
    return PROFILE_BAD;
  if (find (path, &type, ret, error) != AK_STATUS_OK)
    verdict = ak_module_is_there (path, &type) ? PROFILE_BAD : PROFILE_ABSENT;
  else if (check (profile, ret, error) == AK_STATUS_OK)
    verdict = PROFILE_GOOD;
  ak_type_clear (&type);
  return verdict;
}

void
ak_profile_view_clear (struct profile_view *view)
{
  ak_options_free (view->options);
  ak_manifest_file_clear (&view->file);
}
