/* SPDX-License-Identifier: Apache-2.0 */
/* The provider local_subprocess behind a small host. The runner it starts is this program: it runs shell
 * lines that it reads from the stream, and prints what comes out. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "local_subprocess.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

extern const struct ak_provider ak1_provider_local_subprocess;
static const struct ak_ops *ops;

#define END "\nEND "

/* ---- the stand-in for the runner ---- */

static int
stand_in_runs (const char *line)
{
  char answer[32];
  int status;
  pid_t pid = fork ();
  if (pid == 0) {
    int null = open ("/dev/null", O_RDONLY);
    dup2 (null, 0);
    dup2 (1, 2);
    static const char *const argv[] = { "sh", "-c", NULL, NULL }, *const envp[] = { "PATH=/usr/bin:/bin",
                                                                                    NULL };
    const char *full[] = { argv[0], argv[1], line, NULL };
    char *copy[4], *environment[] = { NULL, NULL };
    for (int i = 0; i < 4; i++)
      copy[i] = full[i] ? strdup (full[i]) : NULL;
    environment[0] = strdup (envp[0]);
    execve ("/bin/sh", copy, environment);
    _exit (127);
  }
  if (pid < 0 || waitpid (pid, &status, 0) != pid)
    return -1;
  int n = snprintf (answer, sizeof answer, END "%d\n",
                    WIFEXITED (status) ? WEXITSTATUS (status) : -WTERMSIG (status));
  return write (1, answer, (size_t) n) == n ? 0 : -1;
}

static int
stand_in (void)
{
  static char line[4096];
  size_t have = 0;
  prctl (PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  for (;;) {
    struct pollfd fds[] = { { .fd = 0, .events = POLLIN }, { .fd = 3, .events = POLLIN } };
    poll (fds, 2, -1);
    while (waitpid (-1, NULL, WNOHANG) > 0)
      ;
    if (fds[1].revents & POLLIN)
      return 0;
    ssize_t n = fds[0].revents ? read (0, line + have, sizeof line - 1 - have) : 1;
    if (n <= 0)
      return 0;
    if (!fds[0].revents)
      continue;
    have += (size_t) n;
    line[have] = '\0';
    char *end = strchr (line, '\n');
    if (!end)
      continue;
    *end = '\0';
    have = 0;
    if (stand_in_runs (line))
      return 1;
  }
}

/* ---- the host ---- */

struct ak_config {
  const char *workdir, *path, *namespaces, *nofile, *tmpdir;
  const char *env[2][2];
  int no_runner;
  const char *runner;
  char log[4096];
};

struct call {
  struct ak_call base;
  struct ak_config *config;
  int32_t code, stop;
  char text[1200], hint[600];
  char id[256];
  char reports[8192];                   /* "WHAT KEY=VALUE\n" of each */
};

static struct call *
call_of (struct ak_call *base)
{
  return (struct call *) (void *) base;
}

static void
host_log (const struct ak_config *config, uint32_t level, const char *text)
{
  struct ak_config *c = (struct ak_config *) (uintptr_t) config;
  size_t n = strlen (c->log);
  snprintf (c->log + n, sizeof c->log - n, "%u %s\n", level, text);
}

static const char *
host_option (const struct ak_config *c, const char *key)
{
  if (!strcmp (key, "workdir"))
    return c->workdir;
  if (!strcmp (key, "path"))
    return c->path ? c->path : "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
  if (!strcmp (key, "namespaces"))
    return c->namespaces ? c->namespaces : "auto";
  if (!strcmp (key, "nofile"))
    return c->nofile;
  return !strcmp (key, "core") ? "0" : NULL;
}

static const char *
host_option_item (const struct ak_config *c, const char *key, uint32_t i, const char **map_key)
{
  if (strcmp (key, "env") || i >= 2 || !c->env[i][0])
    return NULL;
  *map_key = c->env[i][0];
  return c->env[i][1];
}

static const char *
host_env (const struct ak_config *c, const char *name)
{
  return strcmp (name, "TMPDIR") ? NULL : c->tmpdir;
}

static int32_t
host_runner (const struct ak_config *c, const char *machine)
{
  (void) machine;
  return c->no_runner ? -1 : open (c->runner ? c->runner : "/proc/self/exe", O_PATH | O_CLOEXEC);
}

static int32_t
host_fail (struct ak_call *base, int32_t code, const char *text, const char *hint)
{
  struct call *c = call_of (base);
  if (!c->code) {
    c->code = code;
    snprintf (c->text, sizeof c->text, "%s", text);
    snprintf (c->hint, sizeof c->hint, "%s", hint ? hint : "");
  }
  return code;
}

static int32_t
host_stopped (struct ak_call *base)
{
  return call_of (base)->stop;
}

static int32_t
host_report (struct ak_call *base, uint32_t what, const char *key, const char *value)
{
  struct call *c = call_of (base);
  size_t n = strlen (c->reports);
  snprintf (c->reports + n, sizeof c->reports - n, "%u %s=%s\n", what, key ? key : "", value);
  if (what == AK_REPORT_ID)
    snprintf (c->id, sizeof c->id, "%s", value);
  return 0;
}

static const struct ak_host host = {
  .struct_size = sizeof host, .log = host_log, .option = host_option, .option_item = host_option_item,
  .env = host_env, .runner = host_runner, .fail = host_fail, .stopped = host_stopped, .report = host_report,
};

static struct call
call_new (struct ak_config *config)
{
  return (struct call) { .base = { .struct_size = sizeof (struct ak_call), .host = &host },
                         .config = config };
}

/* ---- what the tests have ---- */

struct world {
  char base[64];
  struct ak_config config;
  void *instance;
};

static const char *const labels[] = { "io.aksandbox.registry=r1", "io.aksandbox.conversation=c1",
                                      "io.aksandbox.session=s1", NULL };
static const struct ak_spec spec = { .struct_size = sizeof spec, .profile = "p", .labels = labels };

static void *
open_instance (struct ak_config *config)
{
  struct call call = call_new (config);
  void *instance = NULL;
  assert_int_equal (ops->open (&call.base, config, &instance), AK_OK);
  return instance;
}

static int
set_up (void **state)
{
  static struct world w;
  memset (&w, 0, sizeof w);
  strcpy (w.base, "/tmp/test-local-XXXXXX");
  if (!mkdtemp (w.base))
    return -1;
  w.config.workdir = w.base;
  w.instance = open_instance (&w.config);
  *state = &w;
  return 0;
}

static int
set_up_without_namespaces (void **state)
{
  int error = set_up (state);
  ((struct world *) *state)->config.namespaces = "never";
  return error;
}

static int
tear_down (void **state)
{
  struct world *w = *state;
  struct aks_removal r = { .stopped = NULL };
  int fd = open (w->base, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  ops->close (w->instance);
  int error = aks_folder_empty (fd, &r);
  close (fd);
  return error || rmdir (w->base);
}

static void *
create (struct world *w, char id[256])
{
  struct call call = call_new (&w->config);
  void *sandbox = NULL;
  if (ops->create (w->instance, &call.base, &spec, &sandbox) != AK_OK)
    fail_msg ("create: %s", call.text);
  if (id)
    strcpy (id, call.id);
  return sandbox;
}

static int
open_stream (struct world *w, void *sandbox)
{
  struct call call = call_new (&w->config);
  int32_t fds[2] = { -1, -1 };
  if (ops->open_stream (sandbox, &call.base, fds) != AK_OK)
    fail_msg ("open_stream: %s", call.text);
  assert_int_equal (fds[0], fds[1]);
  return fds[0];
}

static int32_t
destroy (struct world *w, const char *id)
{
  struct call call = call_new (&w->config);
  return ops->destroy (w->instance, &call.base, id);
}

static int32_t
kill_it (struct world *w, const char *id)
{
  struct call call = call_new (&w->config);
  return ops->kill (w->instance, &call.base, id);
}

/* Run a line inside; what it printed, without the end mark. Returns its exit status. */
static int
run (int stream, const char *line, char *ret, size_t room)
{
  size_t have = 0;
  char *end = NULL;
  dprintf (stream, "%s\n", line);
  while (have < room - 1 && !end) {
    struct pollfd p = { .fd = stream, .events = POLLIN };
    assert_int_equal (poll (&p, 1, 10000), 1);
    ssize_t n = read (stream, ret + have, room - 1 - have);
    if (n <= 0)
      fail_msg ("the stream ended after '%.*s'", (int) have, ret);
    have += (size_t) n;
    ret[have] = '\0';
    end = strstr (ret, END);
    if (end && !strchr (end + 1, '\n'))
      end = NULL;
  }
  assert_non_null (end);
  *end = '\0';
  return atoi (end + strlen (END));
}

static int
entries (const char *path)
{
  int n = 0;
  DIR *dir = opendir (path);
  assert_non_null (dir);
  for (struct dirent *e; (e = readdir (dir));)
    n += e->d_name[0] != '.';
  closedir (dir);
  return n;
}

static int
exists (const char *format, ...)
{
  char path[512];
  struct stat st;
  va_list args;
  va_start (args, format);
  vsnprintf (path, sizeof path, format, args);
  va_end (args);
  return lstat (path, &st) == 0;
}

static void
sleep_ms (int ms)
{
  nanosleep (&(struct timespec) { ms / 1000, (ms % 1000) * 1000000L }, NULL);
}

static int
size_of (const char *path)
{
  struct stat st;
  return stat (path, &st) ? -1 : (int) st.st_size;
}

/* That a file which a program keeps writing to no longer grows. */
static void
assert_still (const char *path)
{
  int before = size_of (path);
  sleep_ms (300);
  assert_int_equal (size_of (path), before);
}

static void
wait_for (const char *path)
{
  for (int i = 0; i < 500 && size_of (path) <= 0; i++)
    sleep_ms (10);
  assert_true (size_of (path) > 0);
}

static enum level
level_of (struct world *w)
{
  return local_level (w->instance);
}

static int
has_namespaces (struct world *w)
{
  return level_of (w) == LEVEL_USER || level_of (w) == LEVEL_PID;
}

/* valgrind and old container engines do not know the call. */
static void
need_pidfd_open (void)
{
  int fd = (int) syscall (SYS_pidfd_open, getpid (), 0);
  if (fd < 0) {
    print_message ("# SKIP: no pidfd_open here: %s\n", strerror (errno));
    skip ();
  }
  close (fd);
}

static void
need_namespaces (struct world *w)
{
  if (has_namespaces (w))
    return;
  print_message ("# SKIP: no pid namespaces here\n");
  skip ();
}

/* ---- create, attach, destroy ---- */

static void
a_sandbox_is_a_private_folder_with_its_description (void **state)
{
  struct world *w = *state;
  char id[256], path[512], *text = NULL;
  struct stat st;
  size_t size;
  void *sandbox = create (w, id);
  assert_true (local_id_valid (id));
  snprintf (path, sizeof path, "%s/%s", w->base, id);
  assert_int_equal (lstat (path, &st), 0);
  assert_int_equal (st.st_mode, S_IFDIR | 0700);
  assert_int_equal (entries (path), 3);
  AKS_CLOSE int fd = open (path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  assert_int_equal (aks_file_read (fd, "meta", 65536, &text, &size), 0);
  assert_non_null (strstr (text, "\nlabel io.aksandbox.registry=r1\nlabel io.aksandbox.conversation=c1\n"));
  free (text);
  ops->release (sandbox);
  assert_int_equal (destroy (w, id), AK_OK);
  assert_int_equal (entries (w->base), 0);
}

static void
the_workdir_is_made_if_it_is_missing (void **state)
{
  struct world *w = *state;
  char path[512], id[256];
  struct stat st;
  snprintf (path, sizeof path, "%s/below", w->base);
  w->config.workdir = path;
  assert_int_equal (destroy (w, "ak-sandbox-0123456789abcdef"), AK_OK);
  assert_false (exists ("%s", path));
  ops->release (create (w, id));
  assert_int_equal (stat (path, &st), 0);
  assert_int_equal (st.st_mode & 07777, 0700);
  assert_int_equal (destroy (w, id), AK_OK);
}

static void
without_a_workdir_tmpdir_is_used_and_never_made (void **state)
{
  struct world *w = *state;
  char path[512], id[256];
  struct call call = call_new (&w->config);
  void *sandbox = NULL;
  w->config.workdir = NULL;
  w->config.tmpdir = w->base;
  ops->release (create (w, id));
  assert_true (exists ("%s/%s/work", w->base, id));
  assert_int_equal (destroy (w, id), AK_OK);
  snprintf (path, sizeof path, "%s/below", w->base);
  w->config.tmpdir = path;
  assert_int_equal (ops->create (w->instance, &call.base, &spec, &sandbox), AK_E_PROVISION);
  assert_false (exists ("%s", path));
}

static void
a_workdir_that_everybody_may_change_is_refused (void **state)
{
  struct world *w = *state;
  struct call call = call_new (&w->config);
  void *sandbox = NULL;
  assert_int_equal (chmod (w->base, 0777), 0);
  assert_int_equal (ops->create (w->instance, &call.base, &spec, &sandbox), AK_E_CONFIG);
  assert_int_equal (entries (w->base), 0);
  assert_int_equal (chmod (w->base, 01777), 0);
  char id[256];
  ops->release (create (w, id));
  assert_int_equal (destroy (w, id), AK_OK);
}

static void
options_are_checked_when_it_is_opened (void **state)
{
  struct world *w = *state;
  void *instance = NULL;
  struct ak_config relative = { .workdir = "tmp" }, path = { .path = "/bin::/usr/bin" };
  struct ak_config name = { .env = { { "A=B", "x" } } };
  struct call a = call_new (&relative), b = call_new (&path), c = call_new (&name);
  (void) w;
  assert_int_equal (ops->open (&a.base, &relative, &instance), AK_E_CONFIG);
  assert_int_equal (ops->open (&b.base, &path, &instance), AK_E_CONFIG);
  assert_int_equal (ops->open (&c.base, &name, &instance), AK_E_CONFIG);
  assert_null (instance);
}

static void
a_create_that_is_stopped_leaves_nothing (void **state)
{
  struct world *w = *state;
  struct call call = call_new (&w->config);
  void *sandbox = NULL;
  call.stop = AK_E_CANCELLED;
  assert_int_equal (ops->create (w->instance, &call.base, &spec, &sandbox), AK_E_CANCELLED);
  assert_null (sandbox);
  assert_true (local_id_valid (call.id));
  assert_int_equal (entries (w->base), 0);
}

static int32_t
attach (struct world *w, const char *id, const char *const *with, struct call *call, void **sandbox)
{
  struct ak_spec s = spec;
  s.id = id;
  s.labels = with;
  *call = call_new (&w->config);
  *sandbox = NULL;
  return ops->attach (w->instance, &call->base, &s, sandbox);
}

static void
attach_finds_what_was_made_and_only_that_does (void **state)
{
  struct world *w = *state;
  static const char *const others[] = { "io.aksandbox.registry=r2", NULL };
  static const char *const other_session[] = { "io.aksandbox.registry=r1", "io.aksandbox.session=s2", NULL };
  static const char *const newer[] = { "io.aksandbox.registry=r1", "io.aksandbox.created=5", NULL };
  struct call call;
  void *sandbox;
  char id[256];
  ops->release (create (w, id));
  assert_int_equal (attach (w, id, labels, &call, &sandbox), AK_OK);
  ops->release (sandbox);
  assert_int_equal (attach (w, id, newer, &call, &sandbox), AK_OK);
  ops->release (sandbox);
  assert_int_equal (attach (w, id, others, &call, &sandbox), AK_E_PROVISION);
  assert_non_null (strstr (call.text, "made for another registry"));
  assert_int_equal (attach (w, id, other_session, &call, &sandbox), AK_E_PROVISION);
  assert_int_equal (attach (w, "ak-sandbox-0123456789abcdef", labels, &call, &sandbox), AK_E_GONE);
  assert_int_equal (attach (w, "nonexistent-id", labels, &call, &sandbox), AK_E_GONE);
  assert_int_equal (destroy (w, id), AK_OK);
  assert_int_equal (attach (w, id, labels, &call, &sandbox), AK_E_GONE);
  assert_null (sandbox);
}

static void
an_attachment_of_the_operator_is_refused (void **state)
{
  struct world *w = *state;
  struct call call = call_new (&w->config);
  struct ak_spec s = spec;
  void *sandbox = NULL;
  char id[256];
  ops->release (create (w, id));
  s.id = id;
  s.external = 1;
  assert_int_equal (ops->attach (w->instance, &call.base, &s, &sandbox), AK_E_CAPABILITY);
  assert_int_equal (destroy (w, id), AK_OK);
}

static void
ids_that_are_paths_are_refused (void **state)
{
  static const char *const bad[] = { "../x", "ak-sandbox-../../../etc", "/etc",    ".", "..", "",
                                     "a\nb", "ak-sandbox-0123/",        "\x1b]52;" };
  struct world *w = *state;
  struct call call;
  void *sandbox;
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    assert_int_equal (attach (w, bad[i], labels, &call, &sandbox), AK_E_PROVISION);
    assert_null (strchr (call.text, '\x1b'));
    assert_int_equal (destroy (w, bad[i]), AK_E_PROVISION);
    assert_int_equal (kill_it (w, bad[i]), AK_E_PROVISION);
  }
}

static void
destroy_twice_and_of_the_unknown_is_success (void **state)
{
  struct world *w = *state;
  char id[256];
  ops->release (create (w, id));
  assert_int_equal (destroy (w, id), AK_OK);
  assert_int_equal (destroy (w, id), AK_OK);
  assert_int_equal (destroy (w, "nonexistent-id"), AK_OK);
  assert_int_equal (kill_it (w, "nonexistent-id"), AK_OK);
}

static void
foreign_folders_are_refused_and_left_alone (void **state)
{
  static const char id[] = "ak-sandbox-00000000000000aa";
  struct world *w = *state;
  struct call call;
  void *sandbox;
  char path[512], file[600], target[512];
  snprintf (path, sizeof path, "%s/%s", w->base, id);
  snprintf (file, sizeof file, "%s/canary", path);
  snprintf (target, sizeof target, "%s/target", w->base);
  /* No description. */
  assert_int_equal (mkdir (path, 0700), 0);
  int fd = open (file, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  close (fd);
  assert_int_equal (destroy (w, id), AK_E_PROVISION);
  assert_int_equal (attach (w, id, labels, &call, &sandbox), AK_E_PROVISION);
  assert_true (exists ("%s", file));
  /* Not private. */
  assert_int_equal (chmod (path, 0755), 0);
  assert_int_equal (destroy (w, id), AK_E_PROVISION);
  assert_true (exists ("%s", file));
  /* A link to it. */
  assert_int_equal (chmod (path, 0700), 0);
  assert_int_equal (rename (path, target), 0);
  assert_int_equal (symlink (target, path), 0);
  assert_int_equal (destroy (w, id), AK_E_PROVISION);
  assert_int_equal (attach (w, id, labels, &call, &sandbox), AK_E_PROVISION);
  assert_true (exists ("%s/canary", target));
}

static void
a_copied_description_makes_no_sandbox (void **state)
{
  static const char other[] = "ak-sandbox-00000000000000bb";
  struct world *w = *state;
  struct call call;
  void *sandbox;
  char id[256], line[1024];
  ops->release (create (w, id));
  snprintf (line, sizeof line, "cd %s && mkdir -m 700 %s %s/work && cp %s/meta %s/ && touch %s/work/canary",
            w->base, other, other, id, other, other);
  assert_int_equal (system (line), 0);
  assert_int_equal (destroy (w, other), AK_E_PROVISION);
  assert_int_equal (attach (w, other, labels, &call, &sandbox), AK_E_PROVISION);
  assert_true (exists ("%s/%s/work/canary", w->base, other));
  assert_int_equal (destroy (w, id), AK_OK);
}

static void
half_made_sandboxes_are_destroyed (void **state)
{
  static const char id[] = "ak-sandbox-00000000000000cc";
  struct world *w = *state;
  char line[512];
  snprintf (line, sizeof line, "cd %s && mkdir -m 700 %s %s/work %s/tmp && touch %s/.new-0011", w->base, id,
            id, id, id);
  assert_int_equal (system (line), 0);
  assert_int_equal (destroy (w, id), AK_OK);
  assert_int_equal (entries (w->base), 0);
}

static void
a_spoilt_description_does_not_save_a_sandbox_from_its_maker (void **state)
{
  struct world *w = *state;
  char id[256], line[512];
  ops->release (create (w, id));
  snprintf (line, sizeof line, "cd %s/%s && rm meta && mkdir meta && touch meta/x work/y", w->base, id);
  assert_int_equal (system (line), 0);
  assert_int_equal (destroy (w, id), AK_OK);
  assert_int_equal (entries (w->base), 0);
}

static void
hostile_descriptions_are_refused (void **state)
{
  static const char *const bad[] = {
    "",
    "\n",
    "aksandbox local_subprocess 1\n",
    "aksandbox local_subprocess 2\nfolder 1 2\n",
    "aksandbox local_subprocess 1\nfolder 1\nwork 1 1\nboot x\ncreated 1\n",
    "aksandbox local_subprocess 1\nfolder -1 2\nwork 1 1\nboot x\ncreated 1\n",
    ("aksandbox local_subprocess 1\nfolder 1 2\nwork 1 1\nboot "
     "0123456789012345678901234567890123456789\ncreated 1\n"),
    "aksandbox local_subprocess 1\nfolder 1 2\nwork 1 1\nboot x\ncreated 1\nlabel nokey\n",
    "aksandbox local_subprocess 1\nfolder 1 2\nwork 1 1\nboot x\ncreated 1\nlabel a=b"
  };
  struct world *w = *state;
  struct meta meta;
  int fd = open (w->base, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    assert_int_equal (aks_file_write (fd, META, bad[i], strlen (bad[i]), 0), 0);
    assert_int_equal (local_meta_read (fd, &meta), -EPROTO);
  }
  assert_int_equal (aks_file_write (fd, META, "aksandbox\0", 10, 0), 0);
  assert_int_equal (local_meta_read (fd, &meta), -EPROTO);
  static const char good[] =
    "aksandbox local_subprocess 1\nfolder 1 2\nwork 3 4\nboot x\ncreated 1\nlabel a=b\n";
  assert_int_equal (aks_file_write (fd, META, good, strlen (good), 0), 0);
  assert_int_equal (local_meta_read (fd, &meta), 0);
  assert_string_equal (meta.labels[0], "a=b");
  assert_null (meta.labels[1]);
  local_meta_clear (&meta);
  close (fd);
}

static void
list_tells_ids_and_labels_of_what_is_ours (void **state)
{
  struct world *w = *state;
  struct call call = call_new (&w->config);
  char id[256], expected[1024], line[512];
  ops->release (create (w, id));
  snprintf (line, sizeof line,
            "cd %s && mkdir -m 700 other ak-sandbox-00000000000000aa && ln -s / ak-sandbox-00000000000000bb",
            w->base);
  assert_int_equal (system (line), 0);
  assert_int_equal (ops->list (w->instance, &call.base), AK_OK);
  snprintf (expected, sizeof expected,
            "6 %s=io.aksandbox.registry=r1\nio.aksandbox.conversation=c1\nio.aksandbox.session=s1\n", id);
  assert_string_equal (call.reports, expected);
  assert_int_equal (destroy (w, id), AK_OK);
}

static void
a_swapped_workspace_leaves_the_canary (void **state)
{
  struct world *w = *state;
  char id[256], line[2048], out[256], canary[512];
  struct call call;
  void *again, *sandbox = create (w, id);
  snprintf (canary, sizeof canary, "%s/canary", w->base);
  assert_int_equal (mkdir (canary, 0755), 0);
  int stream = open_stream (w, sandbox);
  snprintf (line, sizeof line, "touch %s/alive; cd ..; mv work gone && ln -s %s work && echo swapped", canary,
            canary);
  assert_int_equal (run (stream, line, out, sizeof out), 0);
  assert_string_equal (out, "swapped\n");
  close (stream);
  /* Nothing starts in what the link points to. */
  call = call_new (&w->config);
  int32_t fds[2] = { -1, -1 };
  assert_int_equal (ops->open_stream (sandbox, &call.base, fds), AK_E_PROVISION);
  ops->release (sandbox);
  assert_int_equal (attach (w, id, labels, &call, &again), AK_E_PROVISION);
  w->config.log[0] = '\0';
  assert_int_equal (destroy (w, id), AK_OK);
  assert_true (exists ("%s/alive", canary));
  assert_false (exists ("%s/%s", w->base, id));
  assert_non_null (strstr (w->config.log, "replaced by a link to '"));
}

static void
destroy_removes_ten_thousand_folders_deep (void **state)
{
  struct world *w = *state;
  char id[256], path[512];
  ops->release (create (w, id));
  snprintf (path, sizeof path, "%s/%s/work", w->base, id);
  int at = open (path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  for (int i = 0; i < 10000; i++) {
    assert_int_equal (mkdirat (at, "d", 0755), 0);
    int below = openat (at, "d", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    close (at);
    at = below;
  }
  close (at);
  assert_int_equal (destroy (w, id), AK_OK);
  assert_int_equal (entries (w->base), 0);
}

static void
what_cannot_be_removed_is_named (void **state)
{
  struct world *w = *state;
  struct call call = call_new (&w->config);
  char id[256], path[512];
  int status;
  ops->release (create (w, id));
  snprintf (path, sizeof path, "%s/%s/work", w->base, id);
  fflush (stdout);
  pid_t pid = fork ();
  if (pid == 0) {
    if (unshare (CLONE_NEWNS) || mount ("none", "/", "none", MS_REC | MS_PRIVATE, NULL)
        || mount ("none", path, "tmpfs", 0, NULL))
      _exit (77);
    int32_t code = ops->destroy (w->instance, &call.base, id);
    _exit (code != AK_E_PROVISION ? 1 : !strstr (call.text, "/work: cannot be removed: ") ? 2
           : exists ("%s/%s/meta", w->base, id) ? 0 : 3);
  }
  assert_int_equal (waitpid (pid, &status, 0), pid);
  if (WEXITSTATUS (status) == 77) {
    print_message ("# SKIP: needs the right to mount\n");
    assert_int_equal (destroy (w, id), AK_OK);
    skip ();
  }
  assert_int_equal (WEXITSTATUS (status), 0);
  assert_int_equal (destroy (w, id), AK_OK);
  assert_int_equal (entries (w->base), 0);
}

/* ---- the runner ---- */

static void
the_runner_has_its_descriptors_and_the_workspace (void **state)
{
  struct world *w = *state;
  char id[256], out[1024], expected[512];
  need_pidfd_open ();
  void *sandbox = create (w, id);
  int stream = open_stream (w, sandbox);
  assert_true (fcntl (stream, F_GETFD) & FD_CLOEXEC);
  assert_int_equal (
    run (
      stream,
      "pwd; ls /proc/$PPID/fd | tr '\\n' ' '; tr '\\0' ' ' </proc/$PPID/cmdline; wc -c </proc/$PPID/environ",
      out, sizeof out),
    0);
  snprintf (expected, sizeof expected, "%s/%s/work\n0 1 2 3 aksandbox-runner 0\n", w->base, id);
  assert_string_equal (out, expected);
  close (stream);
  ops->release (sandbox);
  assert_int_equal (destroy (w, id), AK_OK);
}

static void
the_setting_of_programs_is_reported (void **state)
{
  struct world *w = *state;
  struct call call = call_new (&w->config);
  char expected[2048];
  int32_t fds[2];
  w->config.nofile = "100";
  w->config.env[0][0] = "LANG", w->config.env[0][1] = "de_DE.UTF-8";
  w->config.env[1][0] = "X", w->config.env[1][1] = "a=b";
  char id[256];
  void *sandbox = create (w, id);
  assert_int_equal (ops->open_stream (sandbox, &call.base, fds), AK_OK);
  snprintf (expected, sizeof expected,
            "9 =%s/%s/work\n10 PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin\n10 "
            "HOME=%s/%s/work\n"
            "10 TMPDIR=%s/%s/tmp\n10 LANG=de_DE.UTF-8\n10 X=a=b\n11 nofile=100\n11 core=0\n",
            w->base, id, w->base, id, w->base, id);
  assert_string_equal (call.reports, expected);
  close (fds[0]);
  ops->release (sandbox);
  assert_int_equal (destroy (w, id), AK_OK);
}

static void
a_machine_without_a_runner_is_a_lack_of_capability (void **state)
{
  struct world *w = *state;
  struct call call = call_new (&w->config);
  int32_t fds[2] = { -1, -1 };
  char id[256];
  void *sandbox = create (w, id);
  w->config.no_runner = 1;
  assert_int_equal (ops->open_stream (sandbox, &call.base, fds), AK_E_CAPABILITY);
  ops->release (sandbox);
  assert_int_equal (destroy (w, id), AK_OK);
}

static void
a_runner_that_cannot_be_executed_is_an_error (void **state)
{
  struct world *w = *state;
  struct call call = call_new (&w->config);
  int32_t fds[2] = { -1, -1 };
  char id[256];
  void *sandbox = create (w, id);
  w->config.runner = "/etc/passwd";
  assert_int_equal (ops->open_stream (sandbox, &call.base, fds), AK_E_PROVISION);
  assert_non_null (strstr (call.text, "runner: cannot execute the program: Permission denied"));
  assert_int_equal (fds[0], -1);
  ops->release (sandbox);
  assert_int_equal (destroy (w, id), AK_OK);
}

static void
programs_see_no_process_of_the_host_nor_its_environment (void **state)
{
  struct world *w = *state;
  char id[256], out[4096];
  need_namespaces (w);
  setenv ("HOST_SECRET", "must-not-be-seen", 1);
  pid_t witness = fork ();
  if (witness == 0) {
    execl ("/bin/sh", "sh", "-c", "sleep 30; :", (char *) NULL);
    _exit (127);
  }
  void *sandbox = create (w, id);
  int stream = open_stream (w, sandbox);
  assert_int_equal (run (stream,
                         "cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' '\\n' | "
                         "grep -c -e must-not -e 'sleep 30'; cat /proc/1/comm >/dev/null && echo $PPID",
                         out, sizeof out),
                    0);
  /* grep finds itself and the shell's line, at most; never the secret's value or the witness. */
  char *last = strstr (out, "\n");
  assert_non_null (last);
  assert_string_equal (last, "\n1\n");
  assert_int_equal (
    run (stream, "cat /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n' | grep -c SECRET", out, sizeof out),
    1);
  assert_string_equal (out, "0\n");
  assert_int_equal (run (stream, "cat /proc/[0-9]*/comm | grep -c sleep", out, sizeof out), 1);
  close (stream);
  kill (witness, SIGKILL);
  waitpid (witness, NULL, 0);
  unsetenv ("HOST_SECRET");
  ops->release (sandbox);
  assert_int_equal (destroy (w, id), AK_OK);
}

/* Start what keeps writing to a file, and would outlive its parents. */
static void
start_beating (int stream, const char *beat)
{
  char line[1024], out[256];
  /* It ends by itself, should the test fail. */
  snprintf (line, sizeof line,
            "setsid sh -c 'trap \"\" TERM HUP; (for i in $(seq 400); do echo x >>%s; sleep 0.05; done) & :' "
            ">/dev/null 2>&1 & echo on", beat);
  assert_int_equal (run (stream, line, out, sizeof out), 0);
  assert_string_equal (out, "on\n");
  wait_for (beat);
}

static void
kill_ends_all_within_two_seconds (void **state)
{
  struct world *w = *state;
  char id[256], beat[512], byte;
  struct timespec before, after;
  void *sandbox = create (w, id);
  int stream = open_stream (w, sandbox);
  snprintf (beat, sizeof beat, "%s/%s/work/beat", w->base, id);
  start_beating (stream, beat);
  clock_gettime (CLOCK_MONOTONIC, &before);
  assert_int_equal (kill_it (w, id), AK_OK);
  clock_gettime (CLOCK_MONOTONIC, &after);
  assert_true ((after.tv_sec - before.tv_sec) * 1000 + (after.tv_nsec - before.tv_nsec) / 1000000 < 2000);
  assert_still (beat);
  assert_int_equal (read (stream, &byte, 1), 0);
  close (stream);
  /* The sandbox itself lives, and another runner can be started in it. */
  stream = open_stream (w, sandbox);
  char out[64];
  assert_int_equal (run (stream, "test -s beat", out, sizeof out), 0);
  close (stream);
  ops->release (sandbox);
  assert_int_equal (destroy (w, id), AK_OK);
}

static void
kill_needs_no_help_from_a_stopped_runner (void **state)
{
  struct world *w = *state;
  char id[256], beat[512], line[256], out[64];
  void *sandbox = create (w, id);
  int stream = open_stream (w, sandbox);
  snprintf (beat, sizeof beat, "%s/%s/work/beat", w->base, id);
  start_beating (stream, beat);
  /* PID 1 ignores it, any other runner stops. */
  snprintf (line, sizeof line, "kill -STOP $PPID; sleep 60\n");
  assert_int_equal (write (stream, line, strlen (line)), strlen (line));
  sleep_ms (200);
  assert_int_equal (kill_it (w, id), AK_OK);
  assert_still (beat);
  assert_int_equal (run (open_stream (w, sandbox), "true", out, sizeof out), 0);
  assert_int_equal (kill_it (w, id), AK_OK);
  ops->release (sandbox);
  assert_int_equal (destroy (w, id), AK_OK);
}

static void
destroy_kills_what_still_runs (void **state)
{
  struct world *w = *state;
  char id[256], beat[512];
  void *sandbox = create (w, id);
  int stream = open_stream (w, sandbox);
  snprintf (beat, sizeof beat, "%s/beat", w->base);
  start_beating (stream, beat);
  assert_int_equal (destroy (w, id), AK_OK);
  assert_still (beat);
  assert_false (exists ("%s/%s", w->base, id));
  close (stream);
  ops->release (sandbox);
}

static void
another_process_can_kill_and_destroy (void **state)
{
  struct world *w = *state;
  char id[256], beat[512];
  int status;
  need_pidfd_open ();
  void *sandbox = create (w, id);
  int stream = open_stream (w, sandbox);
  snprintf (beat, sizeof beat, "%s/beat", w->base);
  start_beating (stream, beat);
  fflush (stdout);
  pid_t pid = fork ();
  if (pid == 0) {
    /* Knows nothing of the sandbox but its id. */
    struct call call = call_new (&w->config);
    void *instance = NULL;
    _exit (ops->open (&call.base, &w->config, &instance) || ops->destroy (instance, &call.base, id));
  }
  assert_int_equal (waitpid (pid, &status, 0), pid);
  assert_int_equal (status, 0);
  assert_still (beat);
  assert_false (exists ("%s/%s", w->base, id));
  close (stream);
  ops->release (sandbox);
}

static void
a_forged_record_kills_nobody (void **state)
{
  struct world *w = *state;
  struct aks_identity who;
  char id[256], text[256], path[512];
  void *sandbox = create (w, id);
  pid_t victim = fork ();
  if (victim == 0) {
    sleep (20);
    _exit (0);
  }
  assert_int_equal (aks_identity_of (victim, &who), 0);
  snprintf (text, sizeof text, "%d %llu %llu %s user\n", (int) victim, (unsigned long long) who.start,
            (unsigned long long) who.space, who.boot);
  snprintf (path, sizeof path, "%s/%s", w->base, id);
  AKS_CLOSE int fd = open (path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  assert_int_equal (aks_file_write (fd, "runner.0011223344556677", text, strlen (text), 0), 0);
  assert_int_equal (aks_file_write (fd, "runner.junk", "1 1 1 x\n", 8, 0), 0);
  assert_int_equal (kill_it (w, id), AK_OK);
  assert_int_equal (waitpid (victim, NULL, WNOHANG), 0);
  assert_false (exists ("%s/runner.junk", path));
  kill (victim, SIGKILL);
  waitpid (victim, NULL, 0);
  ops->release (sandbox);
  assert_int_equal (destroy (w, id), AK_OK);
}

static void
release_waits_for_the_runner_and_leaves_no_record (void **state)
{
  struct world *w = *state;
  char id[256], path[512];
  void *sandbox = create (w, id);
  int stream = open_stream (w, sandbox);
  snprintf (path, sizeof path, "%s/%s", w->base, id);
  assert_int_equal (entries (path), 4);
  close (stream);
  ops->release (sandbox);
  assert_int_equal (entries (path), 3);
  assert_int_equal (waitpid (-1, NULL, __WALL | WNOHANG), -1);
  assert_int_equal (errno, ECHILD);
  assert_int_equal (destroy (w, id), AK_OK);
}

static void
an_ended_runner_is_reaped_by_the_next_call (void **state)
{
  struct world *w = *state;
  struct call call = call_new (&w->config);
  char id[256];
  void *sandbox = create (w, id);
  close (open_stream (w, sandbox));
  sleep_ms (200);
  assert_int_equal (ops->list (w->instance, &call.base), AK_OK);
  assert_int_equal (waitpid (-1, NULL, __WALL | WNOHANG), -1);
  assert_int_equal (errno, ECHILD);
  ops->release (sandbox);
  assert_int_equal (destroy (w, id), AK_OK);
}

static void
nothing_survives_a_kill_of_the_host (void **state)
{
  struct world *w = *state;
  char beat[512];
  int pipes[2];
  snprintf (beat, sizeof beat, "%s/beat", w->base);
  need_namespaces (w);
  need_pidfd_open ();
  assert_int_equal (pipe2 (pipes, O_CLOEXEC), 0);
  fflush (stdout);
  pid_t pid = fork ();
  if (pid == 0) {
    void *instance = open_instance (&w->config);
    struct world own = *w;
    own.instance = instance;
    int stream = open_stream (&own, create (&own, NULL));
    /* A child of the application that keeps all its descriptors, the stream too. */
    if (fork () == 0) {
      sleep (20);
      _exit (0);
    }
    start_beating (stream, beat);
    assert_int_equal (write (pipes[1], "x", 1), 1);
    sleep (20);
    _exit (0);
  }
  char byte;
  struct pollfd p = { .fd = pipes[0], .events = POLLIN };
  assert_int_equal (poll (&p, 1, 10000), 1);
  assert_int_equal (read (pipes[0], &byte, 1), 1);
  kill (pid, SIGKILL);
  waitpid (pid, NULL, 0);
  sleep_ms (500);
  assert_still (beat);
  close (pipes[0]);
  close (pipes[1]);
}

struct threaded { struct world *w; char id[256]; void *sandbox; int stream; };

static void *
create_in_thread (void *data)
{
  struct threaded *t = data;
  t->sandbox = create (t->w, t->id);
  t->stream = open_stream (t->w, t->sandbox);
  return NULL;
}

static void
a_sandbox_survives_the_thread_that_made_it (void **state)
{
  struct threaded t = { .w = *state };
  pthread_t thread;
  char out[64];
  assert_int_equal (pthread_create (&thread, NULL, create_in_thread, &t), 0);
  pthread_join (thread, NULL);
  sleep_ms (100);
  assert_int_equal (run (t.stream, "echo still", out, sizeof out), 0);
  assert_string_equal (out, "still\n");
  close (t.stream);
  ops->release (t.sandbox);
  assert_int_equal (destroy (t.w, t.id), AK_OK);
}

static void *
use_in_thread (void *data)
{
  struct threaded *t = data;
  for (int i = 0; i < 10; i++) {
    struct call call = call_new (&t->w->config), list = call_new (&t->w->config);
    int32_t fds[2];
    void *sandbox = NULL;
    if (ops->create (t->w->instance, &call.base, &spec, &sandbox) != AK_OK
        || ops->open_stream (sandbox, &call.base, fds) != AK_OK
        || ops->list (t->w->instance, &list.base) != AK_OK)
      return t;
    dprintf (fds[0], "exit 5\n");
    if (i % 2 == 0 && kill_it (t->w, call.id) != AK_OK)
      return t;
    close (fds[0]);
    ops->release (sandbox);
    if (destroy (t->w, call.id) != AK_OK)
      return t;
  }
  return NULL;
}

static void
threads_do_not_disturb_each_other (void **state)
{
  struct threaded t = { .w = *state };
  pthread_t threads[4];
  void *failed[4];
  for (int i = 0; i < 4; i++)
    assert_int_equal (pthread_create (&threads[i], NULL, use_in_thread, &t), 0);
  for (int i = 0; i < 4; i++)
    pthread_join (threads[i], &failed[i]);
  for (int i = 0; i < 4; i++)
    assert_null (failed[i]);
  assert_int_equal (entries (t.w->base), 0);
  assert_int_equal (waitpid (-1, NULL, __WALL | WNOHANG), -1);
}

static void
an_application_that_ignores_sigchld_is_no_matter (void **state)
{
  struct world *w = *state;
  char id[256], out[64];
  signal (SIGCHLD, SIG_IGN);
  void *sandbox = create (w, id);
  int stream = open_stream (w, sandbox);
  assert_int_equal (run (stream, "exit 7", out, sizeof out), 7);
  close (stream);
  ops->release (sandbox);
  assert_int_equal (destroy (w, id), AK_OK);
  signal (SIGCHLD, SIG_DFL);
}

static void
two_hundred_sandboxes_leave_nothing (void **state)
{
  struct world *w = *state;
  char id[256], out[64];
  int before = entries ("/proc/self/fd");
  for (int i = 0; i < 200; i++) {
    void *sandbox = create (w, id);
    if (i % 10 == 0) {
      int stream = open_stream (w, sandbox);
      assert_int_equal (run (stream, "exit 3", out, sizeof out), 3);
      close (stream);
    }
    ops->release (sandbox);
    assert_int_equal (destroy (w, id), AK_OK);
  }
  assert_int_equal (entries ("/proc/self/fd"), before);
  assert_int_equal (entries (w->base), 0);
  assert_int_equal (waitpid (-1, NULL, __WALL | WNOHANG), -1);
}

/* ---- probe ---- */

static void
probe_tells_the_boundary_and_the_languages (void **state)
{
  struct world *w = *state;
  struct call call = call_new (&w->config);
  struct ak_granted granted = { .struct_size = sizeof granted, .caps = 0x33 };
  w->config.path = w->base;
  char line[256];
  snprintf (line, sizeof line, "cd %s && ln -s /bin/sh sh && touch python3 && mkdir bash", w->base);
  assert_int_equal (system (line), 0);
  assert_int_equal (ops->probe (w->instance, &call.base, &granted), AK_OK);
  assert_int_equal (granted.caps, 0x33);
  assert_non_null (strstr (call.reports, "7 warn=NO isolation: "));
  assert_non_null (
    strstr (call.reports, has_namespaces (w) ? "7 ok=programs are below PID 1" : "7 warn=no pid namespace"));
  assert_non_null (strstr (call.reports, "7 warn=no python3 in "));
  assert_non_null (strstr (call.reports, "7 warn=no bash in "));
  assert_non_null (strstr (call.reports, "2 =sh\n"));
}

static void
probe_tells_what_is_not_kept_without_namespaces (void **state)
{
  struct world *w = *state;
  struct call call = call_new (&w->config);
  struct ak_granted granted = { .struct_size = sizeof granted };
  w->config.no_runner = 1;
  assert_int_equal (ops->probe (w->instance, &call.base, &granted), AK_OK);
  assert_non_null (strstr (call.reports, "7 warn=no pid namespace (the option `namespaces` says never): "));
  assert_non_null (strstr (call.reports, "7 fail=no runner for this machine"));
}

static void
a_required_namespace_that_is_not_there_refuses_to_create (void **state)
{
  struct world *w = *state;
  struct call call = call_new (&w->config);
  void *sandbox = NULL;
  /* As if it had been tried in vain. */
  assert_int_not_equal (level_of (w), LEVEL_UNKNOWN);
  w->config.namespaces = "require";
  assert_int_equal (ops->create (w->instance, &call.base, &spec, &sandbox), AK_E_CAPABILITY);
  assert_int_equal (entries (w->base), 0);
}

static void
the_lack_of_isolation_is_logged_once (void **state)
{
  struct world *w = *state;
  char id[256];
  assert_string_equal (w->config.log, "");
  ops->release (create (w, id));
  assert_string_equal (w->config.log, "5 NO isolation: programs run as this user on this machine\n");
  assert_int_equal (destroy (w, id), AK_OK);
  ops->release (create (w, id));
  assert_int_equal (destroy (w, id), AK_OK);
  assert_string_equal (w->config.log, "5 NO isolation: programs run as this user on this machine\n");
}

#define CASE(name) cmocka_unit_test_setup_teardown (name, set_up, tear_down)
#define PLAIN_CASE(name) { #name "_without_namespaces", name, set_up_without_namespaces, tear_down, NULL }

int
main (int argc, char **argv)
{
  if (argc == 1 && strcmp (argv[0], "aksandbox-runner") == 0)
    return stand_in ();
  ops = ak1_provider_local_subprocess.ops;
  const struct CMUnitTest tests[] = {
    CASE (a_sandbox_is_a_private_folder_with_its_description),
    CASE (the_workdir_is_made_if_it_is_missing),
    CASE (without_a_workdir_tmpdir_is_used_and_never_made),
    CASE (a_workdir_that_everybody_may_change_is_refused),
    CASE (options_are_checked_when_it_is_opened),
    CASE (a_create_that_is_stopped_leaves_nothing),
    CASE (attach_finds_what_was_made_and_only_that_does),
    CASE (an_attachment_of_the_operator_is_refused),
    CASE (ids_that_are_paths_are_refused),
    CASE (destroy_twice_and_of_the_unknown_is_success),
    CASE (foreign_folders_are_refused_and_left_alone),
    CASE (a_copied_description_makes_no_sandbox),
    CASE (half_made_sandboxes_are_destroyed),
    CASE (a_spoilt_description_does_not_save_a_sandbox_from_its_maker),
    CASE (hostile_descriptions_are_refused),
    CASE (list_tells_ids_and_labels_of_what_is_ours),
    CASE (a_swapped_workspace_leaves_the_canary),
    CASE (destroy_removes_ten_thousand_folders_deep),
    CASE (what_cannot_be_removed_is_named),
    CASE (the_runner_has_its_descriptors_and_the_workspace),
    CASE (the_setting_of_programs_is_reported),
    CASE (a_machine_without_a_runner_is_a_lack_of_capability),
    CASE (a_runner_that_cannot_be_executed_is_an_error),
    CASE (programs_see_no_process_of_the_host_nor_its_environment),
    CASE (kill_ends_all_within_two_seconds),
    PLAIN_CASE (kill_ends_all_within_two_seconds),
    CASE (kill_needs_no_help_from_a_stopped_runner),
    PLAIN_CASE (kill_needs_no_help_from_a_stopped_runner),
    CASE (destroy_kills_what_still_runs),
    PLAIN_CASE (destroy_kills_what_still_runs),
    CASE (another_process_can_kill_and_destroy),
    PLAIN_CASE (another_process_can_kill_and_destroy),
    CASE (a_forged_record_kills_nobody),
    CASE (release_waits_for_the_runner_and_leaves_no_record),
    PLAIN_CASE (release_waits_for_the_runner_and_leaves_no_record),
    CASE (an_ended_runner_is_reaped_by_the_next_call),
    CASE (nothing_survives_a_kill_of_the_host),
    CASE (a_sandbox_survives_the_thread_that_made_it),
    CASE (threads_do_not_disturb_each_other),
    CASE (an_application_that_ignores_sigchld_is_no_matter),
    CASE (two_hundred_sandboxes_leave_nothing),
    CASE (probe_tells_the_boundary_and_the_languages),
    PLAIN_CASE (probe_tells_what_is_not_kept_without_namespaces),
    PLAIN_CASE (a_required_namespace_that_is_not_there_refuses_to_create),
    CASE (the_lack_of_isolation_is_logged_once),
  };
  return cmocka_run_group_tests_name ("local_subprocess", tests, NULL, NULL);
}
