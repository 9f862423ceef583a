/* SPDX-License-Identifier: Apache-2.0 */
/* Speaks raw frames with a runner, for tests: as an ordinary child, and as PID 1 of namespaces of its own. */
#include "runner-harness.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

uint64_t
clock_ns (void)
{
  struct timespec t;

  clock_gettime (CLOCK_MONOTONIC, &t);
  return (uint64_t) t.tv_sec * SECOND + (uint64_t) t.tv_nsec;
}

void
sleep_ms (unsigned ms)
{
  usleep (ms * 1000);
}

void
bytes_add (struct bytes *to, const void *bytes, size_t size)
{
  if (to->size + size >= to->capacity) {
    to->capacity = 2 * (to->size + size) + 64;
    to->data = realloc (to->data, to->capacity);
    assert_non_null (to->data);
  }
  if (size)
    memcpy (to->data + to->size, bytes, size);
  to->size += size;
  to->data[to->size] = 0;
}

void
put_field (struct bytes *to, uint32_t tag, const void *bytes, size_t size)
{
  uint32_t head[2] = { tag, (uint32_t) size };

  bytes_add (to, head, sizeof head);
  bytes_add (to, bytes, size);
}

static const char *
runner_path (void)
{
  static char path[4096];
  const char *top = getenv ("top_builddir");

  if (getenv ("AKSANDBOX_RUNNER"))
    return getenv ("AKSANDBOX_RUNNER");
  snprintf (path, sizeof path, "%s/core/aksandbox-runner", top ? top : ".");
  return path;
}

static void
write_file (const char *path, const char *text)
{
  int fd = open (path, O_WRONLY | O_CLOEXEC);

  if (fd < 0 || write (fd, text, strlen (text)) < 0)
    _exit (99);
  close (fd);
}

static void
enter_namespaces (uid_t uid, gid_t gid, int no_proc)
{
  const char *type = no_proc ? "tmpfs" : "proc";
  char text[64];

  write_file ("/proc/self/setgroups", "deny");
  snprintf (text, sizeof text, "%u %u 1", uid, uid);
  write_file ("/proc/self/uid_map", text);
  snprintf (text, sizeof text, "%u %u 1", gid, gid);
  write_file ("/proc/self/gid_map", text);
  if (mount (NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) || mount (type, "/proc", type, 0, NULL))
    _exit (99);
}

/* What a runner inherits is its host's: here as untidy as can be. */
static void
be_untidy (void)
{
  struct { void (*handler) (int); unsigned long rest[7]; } ignored = { SIG_IGN, { 0 } };
  uint64_t all = ~UINT64_C (0);

  for (int i = 1; i <= 64; i++)
    syscall (SYS_rt_sigaction, i, &ignored, NULL, 8);
  syscall (SYS_rt_sigprocmask, SIG_SETMASK, &all, NULL, 8);
  umask (077);
  for (int fd = 3; fd < 160; fd += 13)
    dup2 (2, fd);
}

static void __attribute__ ((noreturn))
become_runner (int fd, const struct peer_setup *setup, uid_t uid, gid_t gid)
{
  char *argv[] = { (char []) { "runner" }, (char []) { "--help" }, NULL };
  char *env[] = { (char []) { "LEAK=1" }, NULL };
  int pidfd = setup->host_pidfd ? fcntl (setup->host_pidfd, F_DUPFD, 200) : -1;

  if (setup->pid1)
    enter_namespaces (uid, gid, setup->no_proc);
  dup2 (fd, 0);
  dup2 (fd, 1);
  be_untidy ();
  close (3);
  if (pidfd >= 0)
    dup2 (pidfd, 3);
  execve (runner_path (), argv, env);
  _exit (98);
}

static void
say_hello (struct peer *peer, const struct peer_setup *setup)
{
  struct bytes hello = { 0 };
  uint32_t head[2] = { RUNNER_MAGIC, RUNNER_VERSION };
  char tag[64];

  bytes_add (&hello, head, sizeof head);
  put_field (&hello, SETUP_WORKSPACE, peer->workspace, strlen (peer->workspace));
  put_field (&hello, SETUP_ENV, "PATH=/usr/local/bin:/usr/bin:/bin", 33);
  snprintf (tag, sizeof tag, "TAG=%s", peer->tag);
  put_field (&hello, SETUP_ENV, tag, strlen (tag));
  bytes_add (&hello, setup->fields, setup->fields_size);
  peer_send (peer, FRAME_HELLO, 0, 0, hello.data, hello.size);
  free (hello.data);
}

static int
has_hello (struct peer *peer, void *data)
{
  (void) data;
  return peer->hello_pid != 0;
}

struct peer *
peer_start (const struct peer_setup *setup)
{
  static unsigned serial;
  struct peer *peer = calloc (1, sizeof *peer);
  uid_t uid = geteuid ();
  gid_t gid = getegid ();
  int namespaces = setup->pid1 ? CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS : 0;
  int ends[2], status;

  assert_non_null (peer);
  strcpy (peer->workspace, "/tmp/aksandbox-runner-XXXXXX");
  assert_non_null (mkdtemp (peer->workspace));
  snprintf (peer->tag, sizeof peer->tag, "86400.%07d%05u", (int) getpid (), ++serial);
  assert_int_equal (socketpair (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  peer->pid = (pid_t) syscall (SYS_clone, SIGCHLD | namespaces, NULL, NULL, NULL, NULL);
  if (peer->pid == 0)
    become_runner (ends[1], setup, uid, gid);
  close (ends[1]);
  peer->fd = ends[0];
  peer->pid1 = setup->pid1;
  fcntl (peer->fd, F_SETFL, O_NONBLOCK);
  if (peer->pid > 0 && setup->raw)
    return peer;
  if (peer->pid > 0) {
    say_hello (peer, setup);
    if (peer_pump (peer, has_hello, NULL, PATIENCE_MS) == 1)
      return peer;
    waitpid (peer->pid, &status, 0);
    if (!setup->pid1 || !WIFEXITED (status) || WEXITSTATUS (status) != 99)
      fail_msg ("the runner does not answer: %s (status %d)", peer->error_text, status);
  } else if (!setup->pid1)
    fail_msg ("fork: %s", strerror (errno));
  close (peer->fd);
  rmdir (peer->workspace);
  free (peer);
  return NULL;
}

static int
remove_one (const char *path, const struct stat *st, int type, struct FTW *ftw)
{
  (void) st;
  (void) type;
  (void) ftw;
  return remove (path);
}

void
peer_stop (struct peer *peer)
{
  uint64_t until = clock_ns () + 8 * SECOND;
  int status = 0;
  pid_t pid;

  if (peer->fd >= 0)
    close (peer->fd);
  while ((pid = waitpid (peer->pid, &status, WNOHANG)) == 0 && clock_ns () < until)
    sleep_ms (1);
  if (pid == 0)
    kill (peer->pid, SIGKILL);
  nftw (peer->workspace, remove_one, 32, FTW_DEPTH | FTW_PHYS);
  for (size_t i = 0; i < peer->n_told; i++) {
    free (peer->told[i].out.data);
    free (peer->told[i].err.data);
    free (peer->told[i].file.data);
    free (peer->told[i].entries.data);
  }
  free (peer->told);
  free (peer->input.data);
  free (peer);
  assert_true (pid != 0);
}

static int
setup_mode (void **state, int pid1)
{
  *state = peer_start (&(struct peer_setup) { .pid1 = pid1 });
  return 0;
}

int
peer_setup_child (void **state)
{
  return setup_mode (state, 0);
}

int
peer_setup_pid1 (void **state)
{
  return setup_mode (state, 1);
}

int
peer_teardown (void **state)
{
  if (*state)
    peer_stop (*state);
  return 0;
}

int
peer_run_tests (const char *name, struct CMUnitTest *tests, size_t n)
{
  struct peer *trial = peer_start (&(struct peer_setup) { .pid1 = 1 });
  size_t kept = 0;

  if (trial)
    peer_stop (trial);
  for (size_t i = 0; i < n; i++)
    if (trial || tests[i].setup_func != peer_setup_pid1)
      tests[kept++] = tests[i];
  cmocka_set_message_output (CM_OUTPUT_TAP);
  if (kept < n)
    printf ("# no user namespaces here: %zu cases as PID 1 are left out\n", n - kept);
  return _cmocka_run_group_tests (name, tests, kept, NULL, NULL);
}

struct told *
peer_told (struct peer *peer, uint64_t id)
{
  for (size_t i = peer->n_told; i-- > 0;)
    if (peer->told[i].id == id)
      return &peer->told[i];
  fail_msg ("the runner speaks of id %llu", (unsigned long long) id);
  return NULL;
}

static struct told *
new_told (struct peer *peer)
{
  if (peer->n_told == peer->told_capacity) {
    peer->told_capacity = 2 * peer->told_capacity + 16;
    peer->told = realloc (peer->told, peer->told_capacity * sizeof *peer->told);
    assert_non_null (peer->told);
  }
  peer->told[peer->n_told] = (struct told) {
    .id = ++peer->last_id, .given = { 0, CREDIT_START, CREDIT_START, CREDIT_START }, .allowed = CREDIT_START,
  };
  return &peer->told[peer->n_told++];
}

static void
take_data (struct peer *peer, struct told *told, uint32_t stream, const uint8_t *payload, size_t size)
{
  struct bytes *to = stream == STREAM_STDOUT   ? &told->out
                     : stream == STREAM_STDERR ? &told->err
                                               : &told->file;

  assert_true (stream >= STREAM_STDOUT && stream <= STREAM_FILE);
  assert_true (size <= told->given[stream]);
  bytes_add (to, payload, size);
  told->given[stream] -= size;
  if (told->hold || told->given[stream] > CREDIT_START / 2)
    return;
  told->given[stream] += CREDIT_START / 2;
  peer_send_u32 (peer, FRAME_CREDIT, stream, told->id, CREDIT_START / 2);
}

static void
take_exit (struct told *told, const uint8_t *payload)
{
  memcpy (&told->how, payload, 4);
  memcpy (&told->code, payload + 4, 4);
  memcpy (&told->cpu_ns, payload + 8, 8);
  memcpy (&told->peak_bytes, payload + 16, 8);
  memcpy (&told->duration_ns, payload + 24, 8);
  memcpy (&told->flags, payload + 32, 4);
}

static void
take_error (uint32_t *code, char text[256], const uint8_t *payload, size_t size)
{
  size = size - 4 < 255 ? size - 4 : 255;
  memcpy (code, payload, 4);
  memcpy (text, payload + 4, size);
  text[size] = 0;
}

static void
take_frame (struct peer *peer, const struct frame_header *h, const uint8_t *payload)
{
  struct told *told = h->id ? peer_told (peer, h->id) : NULL;
  uint32_t size = h->size;

  if (told && told->ended)
    fail_msg ("a frame of type %u after the end of id %llu", h->type, (unsigned long long) h->id);
  if (!told && h->type == FRAME_HELLO) {
    memcpy (&peer->hello_flags, payload + 8, 4);
    memcpy (&peer->hello_pid, payload + 12, 4);
  } else if (!told && h->type == FRAME_ERROR)
    take_error (&peer->error, peer->error_text, payload, size);
  else if (!told)
    assert_int_equal (h->type, FRAME_PONG);
  else if (h->type == FRAME_DATA)
    take_data (peer, told, h->stream, payload, size);
  else if (h->type == FRAME_CREDIT)
    told->allowed += *(const uint32_t *) (const void *) payload;
  else if (h->type == FRAME_STARTED)
    memcpy (&told->pid, payload, 4);
  else if (h->type == FRAME_FILE_ENTRY) {
    bytes_add (&told->entries, &size, 4);
    bytes_add (&told->entries, payload, size);
    told->n_entries++;
  } else {
    told->ended = h->type;
    if (h->type == FRAME_EXIT)
      take_exit (told, payload);
    else if (h->type == FRAME_ERROR)
      take_error (&told->error, told->error_text, payload, size);
    else
      assert_int_equal (h->type, FRAME_FILE_DONE);
  }
}

static void
take_frames (struct peer *peer)
{
  struct frame_header h;
  uint8_t *payload;
  size_t at = 0;

  for (; peer->input.size - at >= sizeof h; at += sizeof h + h.size) {
    memcpy (&h, peer->input.data + at, sizeof h);
    assert_true (h.size <= FRAME_PAYLOAD_MAX);
    if (peer->input.size - at - sizeof h < h.size)
      break;
    /* Aligned, and safe from what answers to it read. */
    payload = malloc (h.size + 1u);
    assert_non_null (payload);
    memcpy (payload, peer->input.data + at + sizeof h, h.size);
    take_frame (peer, &h, payload);
    free (payload);
  }
  if (at)
    memmove (peer->input.data, peer->input.data + at, peer->input.size - at);
  peer->input.size -= at;
}

/* What there is now. */
static void
read_some (struct peer *peer)
{
  static uint8_t buffer[256 * 1024];
  ssize_t n = read (peer->fd, buffer, sizeof buffer);

  if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
    peer->over = 1;
  if (n > 0)
    bytes_add (&peer->input, buffer, (size_t) n);
}

int
peer_pump (struct peer *peer, int (*until) (struct peer *peer, void *data), void *data, int timeout_ms)
{
  uint64_t end = clock_ns () + (uint64_t) timeout_ms * 1000000;

  for (;;) {
    struct pollfd p = { .fd = peer->fd, .events = POLLIN };
    uint64_t now = clock_ns ();

    take_frames (peer);
    if (until (peer, data))
      return 1;
    if (peer->over)
      return -1;
    if (now >= end)
      return 0;
    poll (&p, 1, (int) ((end - now) / 1000000) + 1);
    if (p.revents)
      read_some (peer);
  }
}

void
peer_send_raw (struct peer *peer, const void *bytes, size_t size)
{
  const uint8_t *at = bytes;

  while (size && !peer->over) {
    struct pollfd p = { .fd = peer->fd, .events = POLLIN | POLLOUT };
    ssize_t n = send (peer->fd, at, size, MSG_NOSIGNAL);

    if (n > 0) {
      at += n;
      size -= (size_t) n;
      continue;
    }
    if (errno != EAGAIN) {
      /* The other side may have said why before it closed. */
      while (!peer->over)
        read_some (peer);
      break;
    }
    poll (&p, 1, 1000);
    if (p.revents & POLLIN)
      read_some (peer);
  }
}

void
peer_send (struct peer *peer, uint32_t type, uint32_t stream, uint64_t id, const void *payload, size_t size)
{
  struct frame_header h = { (uint32_t) size, (uint16_t) type, (uint16_t) stream, id };
  struct bytes frame = { 0 };

  bytes_add (&frame, &h, sizeof h);
  bytes_add (&frame, payload, size);
  peer_send_raw (peer, frame.data, frame.size);
  free (frame.data);
}

void
peer_send_u32 (struct peer *peer, uint32_t type, uint32_t stream, uint64_t id, uint32_t value)
{
  peer_send (peer, type, stream, id, &value, sizeof value);
}

static void
describe (struct bytes *spec, const struct exec_request *r)
{
  static const char *const python_argv[] = { "/usr/bin/python3", "/proc/self/fd/3", NULL };
  const char *const sh_argv[] = { "/bin/sh", "-c", r->sh, NULL };
  const char *const *argv = r->sh ? sh_argv : r->python ? python_argv : r->argv;
  const void *code = r->python ? r->python : r->code;
  size_t code_size = r->python ? strlen (r->python) : r->code_size;
  uint32_t wants_stdin = 1;

  for (; argv && *argv; argv++)
    put_field (spec, EXEC_ARG, *argv, strlen (*argv));
  for (const char *const *env = r->env; env && *env; env++)
    put_field (spec, EXEC_ENV, *env, strlen (*env));
  if (r->cwd)
    put_field (spec, EXEC_CWD, r->cwd, strlen (r->cwd));
  if (code)
    put_field (spec, EXEC_CODE, code, code_size);
  if (r->timeout_ns)
    put_field (spec, EXEC_TIMEOUT, &r->timeout_ns, 8);
  if (r->grace_ns)
    put_field (spec, EXEC_TERM_GRACE, &r->grace_ns, 8);
  if (r->wants_stdin)
    put_field (spec, EXEC_STDIN, &wants_stdin, 4);
}

uint64_t
peer_exec (struct peer *peer, const struct exec_request *request)
{
  struct told *told = new_told (peer);
  struct bytes spec = { 0 };
  uint64_t id = told->id;

  told->hold = request->hold;
  describe (&spec, request);
  for (size_t at = 0; at < spec.size;) {
    size_t piece = spec.size - at < FRAME_PAYLOAD_MAX ? spec.size - at : FRAME_PAYLOAD_MAX;

    peer_send (peer, FRAME_SPEC, 0, id, spec.data + at, piece);
    at += piece;
  }
  peer_send (peer, FRAME_START, 0, id, NULL, 0);
  free (spec.data);
  return id;
}

uint64_t
peer_file (struct peer *peer, uint32_t type, const void *head, size_t head_size, const void *path,
           size_t size)
{
  uint64_t id = new_told (peer)->id;
  struct bytes payload = { 0 };

  bytes_add (&payload, head, head_size);
  bytes_add (&payload, path, size);
  peer_send (peer, type, 0, id, payload.data, payload.size);
  free (payload.data);
  return id;
}

static int
has_ended (struct peer *peer, void *data)
{
  return peer_told (peer, *(uint64_t *) data)->ended != 0;
}

struct told *
peer_wait_ms (struct peer *peer, uint64_t id, int timeout_ms)
{
  int result = peer_pump (peer, has_ended, &id, timeout_ms);

  if (result != 1)
    fail_msg ("id %llu: %s %s", (unsigned long long) id, result ? "the stream ended:" : "no end in time",
              peer->error_text);
  return peer_told (peer, id);
}

struct told *
peer_wait (struct peer *peer, uint64_t id)
{
  return peer_wait_ms (peer, id, PATIENCE_MS);
}

struct told *
peer_run (struct peer *peer, const struct exec_request *request)
{
  return peer_wait (peer, peer_exec (peer, request));
}

struct told *
peer_sh (struct peer *peer, const char *line)
{
  return peer_run (peer, &(struct exec_request) { .sh = line });
}

static int
is_never (struct peer *peer, void *data)
{
  (void) peer;
  (void) data;
  return 0;
}

void
peer_wait_over (struct peer *peer)
{
  assert_int_equal (peer_pump (peer, is_never, NULL, PATIENCE_MS), -1);
}

static int
has_room_or_ended (struct peer *peer, void *data)
{
  const struct told *told = peer_told (peer, *(uint64_t *) data);

  return told->allowed > 0 || told->ended;
}

void
peer_feed (struct peer *peer, uint64_t id, uint32_t stream, const void *bytes, size_t size)
{
  const uint8_t *at = bytes;

  while (size) {
    size_t piece = size < FRAME_PAYLOAD_MAX ? size : FRAME_PAYLOAD_MAX;
    struct told *told;

    assert_int_equal (peer_pump (peer, has_room_or_ended, &id, PATIENCE_MS), 1);
    told = peer_told (peer, id);
    if (told->ended)
      return;
    piece = piece < told->allowed ? piece : (size_t) told->allowed;
    told->allowed -= piece;
    peer_send (peer, FRAME_DATA, stream, id, at, piece);
    at += piece;
    size -= piece;
  }
  peer_send (peer, FRAME_EOF, stream, id, NULL, 0);
}

unsigned
processes_with (const char *text)
{
  DIR *dir = opendir ("/proc");
  unsigned n = 0;

  assert_non_null (dir);
  for (struct dirent *d; (d = readdir (dir));) {
    char path[300], line[4096];
    ssize_t size = -1;
    int fd;

    snprintf (path, sizeof path, "/proc/%s/cmdline", d->d_name);
    if (d->d_name[0] < '0' || d->d_name[0] > '9' || (fd = open (path, O_RDONLY | O_CLOEXEC)) < 0)
      continue;
    size = read (fd, line, sizeof line);
    close (fd);
    n += size > 0 && memmem (line, (size_t) size, text, strlen (text)) != NULL;
  }
  closedir (dir);
  return n;
}

void
wait_for_processes (const char *text, unsigned n)
{
  uint64_t until = clock_ns () + 30 * SECOND;
  unsigned found;

  /* One look decides: a process that just executes something has no command line. */
  while ((found = processes_with (text)) < n && clock_ns () < until)
    sleep_ms (10);
  assert_true (found >= n);
}

void
assert_no_process (const char *text)
{
  uint64_t until = clock_ns () + 2 * SECOND;
  unsigned n;

  while ((n = processes_with (text)) && clock_ns () < until)
    sleep_ms (5);
  assert_int_equal (n, 0);
}

void
assert_bytes (struct bytes bytes, const void *expected, size_t size)
{
  assert_int_equal (bytes.size, size);
  if (size)
    assert_memory_equal (bytes.data, expected, size);
}

void
assert_text (struct bytes bytes, const char *expected)
{
  assert_string_equal (bytes.data ? (const char *) bytes.data : "", expected);
  assert_int_equal (bytes.size, strlen (expected));
}
