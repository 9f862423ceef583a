/* SPDX-License-Identifier: Apache-2.0 */
/* A provider named zoo that is right when compiled as it stands, and wrong in one way by a macro:
 *
 *   ZOO_MAJOR=N            another major version
 *   AK_USE_MINOR=N         another minor version
 *   ZOO_CAPS=MASK          other capabilities
 *   ZOO_OPS_SIZE=N         another size of the table of operations
 *   ZOO_BIGGER_OPS         a table with operations that only a later host knows
 *   ZOO_NO_OPS             no table
 *   ZOO_WITHOUT_open, ..._list, ..._execute_command   that operation is NULL
 *   ZOO_WITH_ATTACH        an operation attach
 *   ZOO_UNDEFINED          calls a function that nobody has
 *   ZOO_TWO                a second provider, named zebra, in the same file
 *   ZOO_TINY=N             and a provider named tiny, whose constant has N words and says that it has two
 *   ZOO_LOUD               prints and sets a variable when it is loaded
 *   ZOO_HOSTILE            a summary that steers a terminal
 *   ZOO_MARK="FILE"        makes this file when it is loaded, and again when the process exits
 *   ZOO_LEAK               opens files when it is loaded that a program would inherit
 *   ZOO_OPEN_FAILS         open, which is a provider's constructor, fails
 *   ZOO_HELPER=N           a helper of a common name, not static, that prints N instead of "zoo"
 *   ZOO_TELLS_ENV          prints its variable ZOO_URL, or "none", instead of "zoo"
 *   ZOO_THREAD             a variable of the thread whose destructor is the provider's, set by open and execute
 *   ZOO_HANG               execute says so, takes no notice of anything, and never ends
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <aksandbox/provider.h>

#ifdef ZOO_MAJOR
#undef AK_PROVIDER_MAJOR
#define AK_PROVIDER_MAJOR ZOO_MAJOR
#endif
#ifndef ZOO_CAPS
#define ZOO_CAPS (AK_CAP_PROVISIONS | AK_CAP_SHELL)
#endif
#ifndef ZOO_OPS_SIZE
#define ZOO_OPS_SIZE (sizeof (struct ak_ops))
#endif
#ifdef ZOO_HOSTILE
#define ZOO_SUMMARY "a zoo\033]0;owned\007"
#else
#define ZOO_SUMMARY "a zoo"
#endif

#ifdef ZOO_UNDEFINED
extern int32_t zoo_nobody_has_this (void);
#endif

#ifdef ZOO_HELPER
int
zoo_helper (void)
{
  return ZOO_HELPER;
}
#endif

#ifdef ZOO_THREAD
/* What C++ makes of a thread_local object: code of the plugin that runs when a thread ends, whenever that is. */
extern int __cxa_thread_atexit_impl (void (*function) (void *), void *object, void *dso);
extern void *__dso_handle;
static __thread int zoo_visits;

static void
zoo_leave (void *visits)
{
  *(int *) visits = 0;
}

static void
zoo_visit (void)
{
  if (!zoo_visits++)
    __cxa_thread_atexit_impl (zoo_leave, &zoo_visits, &__dso_handle);
}
#endif

static const struct ak_config *zoo_config;

static int32_t
zoo_open (struct ak_call *call, const struct ak_config *config, void **instance)
{
  static char self;
  (void) call;
  zoo_config = config;
#ifdef ZOO_OPEN_FAILS
  return call->host->fail (call, AK_E_CONFIG, "it rains", "Take an umbrella.");
#endif
#ifdef ZOO_THREAD
  zoo_visit ();
#endif
  *instance = &self;
#ifdef ZOO_UNDEFINED
  return zoo_nobody_has_this ();
#else
  return AK_OK;
#endif
}

static void
zoo_close (void *instance)
{
  (void) instance;
}

static int32_t
zoo_create (void *instance, struct ak_call *call, const struct ak_spec *spec, void **sandbox)
{
  (void) spec;
  call->host->report (call, AK_REPORT_ID, NULL, "zoo-1");
  *sandbox = instance;
  return AK_OK;
}

static int32_t
zoo_destroy (void *instance, struct ak_call *call, const char *id)
{
  (void) instance;
  (void) call;
  (void) id;
  return AK_OK;
}

static int32_t
zoo_list (void *instance, struct ak_call *call)
{
  (void) instance;
  (void) call;
  return AK_OK;
}

static void
zoo_release (void *sandbox)
{
  (void) sandbox;
}

static int32_t
zoo_execute (void *sandbox, struct ak_call *call, const struct ak_exec *exec, struct ak_outcome *outcome)
{
  (void) sandbox;
  (void) exec;
#ifdef ZOO_HANG
  call->host->write (call, AK_STDOUT, "hangs\n", 6);
  for (;;)
    nanosleep (&(struct timespec) { 60, 0 }, NULL);
#endif
#ifdef ZOO_THREAD
  zoo_visit ();
#endif
#ifdef ZOO_TELLS_ENV
  const char *url = call->host->env (zoo_config, "ZOO_URL");
  call->host->write (call, AK_STDOUT, url ? url : "none", url ? strlen (url) : 4);
#elif defined ZOO_HELPER
  char text[16];
  int n = snprintf (text, sizeof text, "%d\n", zoo_helper ());
  call->host->write (call, AK_STDOUT, text, (uint64_t) n);
#else
  call->host->write (call, AK_STDOUT, "zoo\n", 4);
#endif
  outcome->how = AK_EXITED;
  return AK_OK;
}

#ifdef ZOO_LOUD
__attribute__ ((constructor)) static void
zoo_shout (void)
{
  puts ("zoo: loaded");
  fflush (stdout);
  setenv ("ZOO_WAS_LOADED", "1", 1);
}
#endif

#ifdef ZOO_MARK
static void
zoo_mark (void)
{
  FILE *f = fopen (ZOO_MARK, "a");
  if (f) {
    fputs ("mark\n", f);
    fclose (f);
  }
}

__attribute__ ((constructor)) static void
zoo_arrive (void)
{
  zoo_mark ();
  atexit (zoo_mark);
}
#endif

#ifdef ZOO_LEAK
__attribute__ ((constructor)) static void
zoo_leak (void)
{
  int fds[2];
  if (open ("/", O_RDONLY) < 0 || pipe (fds) < 0 || dup2 (fds[1], 77) < 0)
    abort ();
}
#endif

struct zoo_ops {
  struct ak_ops ops;
  void (*later[4]) (void);
};

static const struct zoo_ops zoo_ops = {
  .ops = {
#ifdef ZOO_BIGGER_OPS
    .struct_size = sizeof (struct zoo_ops),
#else
    .struct_size = ZOO_OPS_SIZE,
#endif
#ifndef ZOO_WITHOUT_open
    .open = zoo_open,
#endif
    .close = zoo_close,
    .create = zoo_create,
#ifdef ZOO_WITH_ATTACH
    .attach = zoo_create,
#endif
    .destroy = zoo_destroy,
    .kill = zoo_destroy,
#ifndef ZOO_WITHOUT_list
    .list = zoo_list,
#endif
    .release = zoo_release,
    .execute_code = zoo_execute,
#ifndef ZOO_WITHOUT_execute_command
    .execute_command = zoo_execute,
#endif
  },
  .later = { (void (*) (void)) zoo_close },
};
#ifdef ZOO_NO_OPS
#define ZOO_OPS NULL
#else
#define ZOO_OPS &zoo_ops.ops
#endif

AK_OPTION (zoo, cages, AK_T_INT, AK_REQUIRED, 0,
           AK_KV ("default", "4") AK_KV ("min", "1") AK_KV ("max", "99")
             AK_KV ("help", "how many there are"));
AK_OPTION (zoo, animal, AK_T_STRING, 0, 0,
           AK_KV ("default", "ape") AK_KV ("choices", "ape bear cat") AK_KV ("excludes", "fence"));
AK_OPTION (zoo, fence, AK_T_BOOL, 0, AK_CAP_NET_DENY, AK_KV ("default", "false"));
AK_OPTION (zoo, isolation, AK_T_TIER, 0, 0, "");
AK_OPTION (zoo, key, AK_T_ENV, 0, 0, AK_KV ("default", "ZOO_KEY"));
AK_PROVIDER (zoo, ZOO_CAPS, AK_TIER_CONTAINER, AK_PARALLEL, ZOO_OPS,
             AK_KV ("version", "1.2.3") AK_KV ("summary", ZOO_SUMMARY) AK_KV ("license", "Apache-2.0")
             AK_KV ("origin", "https://example.org/zoo") AK_KV ("languages", "python echo")
             AK_KV ("env", "ZOO_KEY ZOO_URL") AK_KV ("package", "acme-zoo"));
#ifdef ZOO_TWO
AK_PROVIDER (zebra, ZOO_CAPS, AK_TIER_NONE, AK_SERIAL, ZOO_OPS,
             AK_KV ("version", "7") AK_KV ("languages", "python"));
#endif
#ifdef ZOO_TINY
AK_NOTE_ (ak1_note_tiny, ak_manifest, "name=tiny\0") = {
  10, sizeof ak1_note_tiny - 24, AK_NOTE_PROVIDER, "aksandbox",
  { sizeof (struct ak_manifest), AK_PROVIDER_MAJOR, AK_USE_MINOR, ZOO_CAPS, AK_TIER_NONE, AK_SERIAL }, "name=tiny\0"
};
AK_EXPORT_ const uint32_t ak1_provider_tiny[ZOO_TINY];
const uint32_t ak1_provider_tiny[ZOO_TINY] __attribute__ ((aligned (16))) = { 8, AK_PROVIDER_MAJOR };
#endif
