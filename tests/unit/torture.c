/* SPDX-License-Identifier: Apache-2.0 */
/* Allocations of the objects in this program, that fail when a test says so, and are counted. The linker puts
 * these functions in the place of those that the objects call (-Wl,--wrap); what libraries allocate for
 * themselves stays as it is. */
#include "config.h"
#include "torture.h"
#include <dirent.h>
#include <errno.h>
#include <json-c/json.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#define BUCKETS 4096u

struct block {
  const void *p;
  struct block *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct block *live_locked[BUCKETS];
static size_t n_live_locked, left_locked, failed_locked;
static int armed_locked, all_locked;

void *__real_malloc (size_t size);
void *__real_calloc (size_t n, size_t size);
void *__real_realloc (void *p, size_t size);
void __real_free (void *p);

void
torture_arm (size_t n, int all)
{
  left_locked = n;
  all_locked = all;
  failed_locked = 0;
  armed_locked = 1;
}

size_t
torture_disarm (void)
{
  armed_locked = 0;
  return failed_locked;
}

size_t
torture_live (void)
{
  return n_live_locked;
}

static int
fails (void)
{
  int now = 0;
  pthread_mutex_lock (&lock);
  if (armed_locked && left_locked)
    left_locked--;
  else if (armed_locked && (!failed_locked || all_locked)) {
    failed_locked++;
    now = 1;
  }
  pthread_mutex_unlock (&lock);
  if (now)
    errno = ENOMEM;
  return now;
}

static struct block **
place_locked (const void *p)
{
  struct block **at = &live_locked[((uintptr_t) p >> 4) % BUCKETS];
  while (*at && (*at)->p != p)
    at = &(*at)->next;
  return at;
}

static void *
born (void *p)
{
  struct block *b = p ? __real_malloc (sizeof *b) : NULL;
  if (!p)
    return p;
  if (!b)
    abort ();
  pthread_mutex_lock (&lock);
  struct block **at = place_locked (p);
  *b = (struct block) { p, *at };
  *at = b;
  n_live_locked++;
  pthread_mutex_unlock (&lock);
  return p;
}

/* What a library allocated is not in the table. */
static void
died (const void *p)
{
  pthread_mutex_lock (&lock);
  struct block **at = place_locked (p), *b = *at;
  if (b) {
    *at = b->next;
    n_live_locked--;
    __real_free (b);
  }
  pthread_mutex_unlock (&lock);
}

void *__wrap_malloc (size_t size);
void *
__wrap_malloc (size_t size)
{
  return fails () ? NULL : born (__real_malloc (size));
}

void *__wrap_calloc (size_t n, size_t size);
void *
__wrap_calloc (size_t n, size_t size)
{
  return fails () ? NULL : born (__real_calloc (n, size));
}

void *__wrap_realloc (void *p, size_t size);
void *
__wrap_realloc (void *p, size_t size)
{
  if (fails ())
    return NULL;
  died (p);
  return born (__real_realloc (p, size));
}

void __wrap_free (void *p);
void
__wrap_free (void *p)
{
  died (p);
  __real_free (p);
}

char *__wrap_strndup (const char *text, size_t size);
char *
__wrap_strndup (const char *text, size_t size)
{
  size_t n = strnlen (text, size);
  char *copy = __wrap_malloc (n + 1);
  if (copy) {
    memcpy (copy, text, n);
    copy[n] = 0;
  }
  return copy;
}

char *__wrap_strdup (const char *text);
char *
__wrap_strdup (const char *text)
{
  return __wrap_strndup (text, SIZE_MAX);
}

/* On failure *ret is undefined, says the manual: here it is a pointer that nobody may use. */
static int
format (char **ret, const char *text, va_list ap)
{
  va_list again;
  va_copy (again, ap);
  int n = vsnprintf (NULL, 0, text, again);
  va_end (again);
  char *made = n < 0 ? NULL : __wrap_malloc ((size_t) n + 1);
  *ret = made ? made : (char *) (uintptr_t)0xdead;
  return made ? vsnprintf (made, (size_t) n + 1, text, ap) : -1;
}

int __wrap_vasprintf (char **ret, const char *text, va_list ap);
int
__wrap_vasprintf (char **ret, const char *text, va_list ap)
{
  return format (ret, text, ap);
}

int __wrap_asprintf (char **ret, const char *text, ...);
int
__wrap_asprintf (char **ret, const char *text, ...)
{
  va_list ap;
  va_start (ap, text);
  int n = format (ret, text, ap);
  va_end (ap);
  return n;
}

/* What the same calls become where a distributor hardens its builds. */
int __wrap___vasprintf_chk (char **ret, int flag, const char *text, va_list ap);
int
__wrap___vasprintf_chk (char **ret, int flag, const char *text, va_list ap)
{
  (void) flag;
  return format (ret, text, ap);
}

int __wrap___asprintf_chk (char **ret, int flag, const char *text, ...);
int
__wrap___asprintf_chk (char **ret, int flag, const char *text, ...)
{
  va_list ap;
  (void) flag;
  va_start (ap, text);
  int n = format (ret, text, ap);
  va_end (ap);
  return n;
}

/* Objects that libraries make for ours. */
#define WRAP(type, name, parameters, arguments, failure)                                                     \
  type __real_##name parameters;                                                                             \
  type __wrap_##name parameters;                                                                             \
  type __wrap_##name parameters                                                                              \
  {                                                                                                          \
    return fails () ? (failure) : __real_##name arguments;                                                   \
  }

WRAP (char *, realpath, (const char *path, char *resolved), (path, resolved), NULL)
WRAP (FILE *, open_memstream, (char **text, size_t *size), (text, size), NULL)
WRAP (DIR *, fdopendir, (int fd), (fd), NULL)
WRAP (int, yaml_parser_initialize, (yaml_parser_t * parser), (parser), 0)
WRAP (struct json_object *, json_object_new_object, (void), (), NULL)
WRAP (struct json_object *, json_object_new_string, (const char *text), (text), NULL)
WRAP (struct json_object *, json_tokener_parse, (const char *text), (text), NULL)
WRAP (struct json_tokener *, json_tokener_new_ex, (int depth), (depth), NULL)
WRAP (const char *, json_object_to_json_string_ext, (struct json_object * object, int flags), (object, flags),
      NULL)

static void
check_failure (const struct scene *s, enum ak_status status, const struct ak_error *error, size_t n,
               int failed)
{
  if (!error)
    fail_msg ("allocation %zu failed: status %s, and no error", n, ak_status_name (status));
  assert_int_equal (ak_error_status (error), status);
  int honest = status == AK_STATUS_UNAVAILABLE
               || (status == AK_STATUS_INTERNAL && strstr (ak_error_text (error), "out of memory"));
  if (status != s->expected && (!failed || !honest))
    fail_msg ("allocation %zu: %s: %s", n, ak_status_name (status), ak_error_text (error));
}

/* How many allocations failed. */
static size_t
attempt (const struct scene *s, size_t n, int all)
{
  struct ak_error *error = NULL;
  size_t before = torture_live ();
  if (s->prepare)
    assert_int_equal (s->prepare (), 0);
  torture_arm (n, all);
  enum ak_status status = s->act (&error);
  size_t failed = torture_disarm ();
  if (status != AK_STATUS_OK)
    check_failure (s, status, error, n, failed != 0);
  else {
    assert_null (error);
    assert_int_equal (s->expected, AK_STATUS_OK);
    if (s->check && !s->check ())
      fail_msg ("allocation %zu failed, and the result is incomplete without an error", n);
  }
  ak_error_free (error);
  if (s->undo)
    s->undo ();
  if (torture_live () != before)
    fail_msg ("allocation %zu failed: %zd of them are left", n, (ssize_t) (torture_live () - before));
  return failed;
}

void
torture (const struct scene *s)
{
  for (int all = 0; all < 2; all++)
    for (size_t n = 0; attempt (s, n, all); n++)
      ;
}
