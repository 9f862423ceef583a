/* SPDX-License-Identifier: Apache-2.0 */
/* An application that tells what its environment made the library do: the provider of the default profile, and
 * what `TYPE`, its argument, prints. */
#include <aksandbox.h>
#include <stdio.h>
#include <sys/auxv.h>

const char *__asan_default_options (void);
const char *
__asan_default_options (void)
{
  return "detect_leaks=0";      /* what has another group cannot be looked at, not even by itself */
}

static int
tell_error (const char *what, struct ak_error *error)
{
  printf ("%s: %s\n", what, ak_error_text (error));
  ak_error_free (error);
  return 1;
}

static void
tell_default (struct ak_runtime *runtime)
{
  struct ak_session *session = NULL;
  struct ak_error *error = NULL;
  if (ak_session_new (runtime, NULL, &session, &error) != AK_STATUS_OK)
    tell_error ("default", error);
  else
    printf ("default: %s\n", ak_session_provider (session));
  ak_session_free (session);
}

static void
tell_type (struct ak_runtime *runtime, const char *type)
{
  const struct ak_request request = { .struct_size = sizeof request, .code = "", .code_size = 0 };
  struct ak_session *session = NULL;
  struct ak_result *result = NULL;
  struct ak_error *error = NULL;
  size_t size;
  if (ak_session_new_type (runtime, type, NULL, &session, &error) != AK_STATUS_OK
      || ak_execute (session, &request, &result, &error) != AK_STATUS_OK)
    tell_error ("type", error);
  else
    printf ("type: %s\n", ak_result_output (result, AK_STREAM_STDOUT, &size));
  ak_result_free (result);
  ak_session_free (session);
}

int
main (int argc, char **argv)
{
  struct ak_runtime *runtime = NULL;
  struct ak_error *error = NULL;
  printf ("secure: %d\n", getauxval (AT_SECURE) != 0);
  if (ak_runtime_new (NULL, &runtime, &error) != AK_STATUS_OK)
    return tell_error ("runtime", error);
  tell_default (runtime);
  if (argc > 1)
    tell_type (runtime, argv[1]);
  ak_runtime_free (runtime);
  return 0;
}
