/* SPDX-License-Identifier: Apache-2.0 */
/* A runner of the test's own making: a thread that speaks raw frames, honest ones or not. */
#include "config.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>
#include "fake-runner.h"

static void *
run (void *data)
{
  struct fake *f = data;
  f->script (f);
  fake_hang_up (f);
  return NULL;
}

void
fake_start (struct fake *f, int on_pipes, void (*script) (struct fake *), const void *data, size_t size)
{
  int there[2], back[2];
  memset (f, 0, sizeof *f);
  if (on_pipes) {
    assert_int_equal (pipe2 (there, O_CLOEXEC), 0);
    assert_int_equal (pipe2 (back, O_CLOEXEC), 0);
    f->in = there[0], f->client_out = there[1], f->client_in = back[0], f->out = back[1];
  } else {
    assert_int_equal (socketpair (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, there), 0);
    f->in = f->out = there[0], f->client_in = f->client_out = there[1];
  }
  f->script = script;
  f->data = data;
  f->size = size;
  assert_int_equal (pthread_create (&f->thread, NULL, run, f), 0);
}

struct connection {
  void (*script) (struct fake *);
  const void *data;
  size_t size;
};

static void
connected (struct fake *f)
{
  const struct connection *c = f->data;
  void (*script) (struct fake *) = c->script;
  f->data = c->data;
  f->size = c->size;
  fake_until (f, FRAME_HELLO);
  fake_say_hello (f, RUNNER_MAGIC, RUNNER_VERSION, HELLO_PID1);
  script (f);
}

void
fake_connect (struct fake *f, int on_pipes, void (*script) (struct fake *), const void *data, size_t size)
{
  struct connection c = { script, data, size };
  struct runner_setup setup = { .workspace = "/w" };
  struct stop stop;
  struct ak_error *error = NULL;
  fake_start (f, on_pipes, connected, &c, 0);
  ak_stop_init (&stop, 0, NULL);
  assert_int_equal (ak_runner_open (f->client_in, f->client_out, &setup, &stop, &f->runner, &error),
                    AK_STATUS_OK);
  f->client_in = f->client_out = -1;
  ak_stop_done (&stop);
}

void
fake_join (struct fake *f)
{
  ak_runner_close (f->runner);
  f->runner = NULL;
  if (f->client_in >= 0)
    close (f->client_in);
  if (f->client_out >= 0 && f->client_out != f->client_in)
    close (f->client_out);
  f->client_in = f->client_out = -1;
  pthread_join (f->thread, NULL);
}

void
fake_clear (struct fake *f)
{
  free (f->spec);
  f->spec = NULL;
  f->spec_size = f->spec_room = 0;
}

static int
read_all (int fd, uint8_t *to, size_t size)
{
  while (size) {
    ssize_t n = read (fd, to, size);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return 0;
    to += n;
    size -= (size_t) n;
  }
  return 1;
}

static void
note (struct fake *f)
{
  size_t size = f->frame.size;
  f->seen++;
  switch (f->frame.type) {
  case FRAME_SPEC:
    if (f->spec_size + size > f->spec_room)
      f->spec = realloc (f->spec, f->spec_room = 2 * (f->spec_size + size));
    memcpy (f->spec + f->spec_size, f->payload, size);
    f->spec_size += size;
    break;
  case FRAME_DATA: f->input += size; break;
  case FRAME_EOF: f->eofs++; break;
  case FRAME_PONG: f->pongs++; break;
  case FRAME_CREDIT: f->credits++; break;
  case FRAME_KILL:
    f->kills++;
    f->kill_reason = ak_wire_u32 (f->payload);
    break;
  default: break;
  }
}

int
fake_next (struct fake *f)
{
  uint8_t head[16];
  if (!read_all (f->in, head, sizeof head))
    return 0;
  uint32_t kind = ak_wire_u32 (head + 4);
  f->frame = (struct frame_header) { .size = ak_wire_u32 (head), .type = (uint16_t) kind,
                                     .stream = (uint16_t) (kind >> 16), .id = ak_wire_u64 (head + 8) };
  if (f->frame.size > FRAME_PAYLOAD_MAX || !read_all (f->in, f->payload, f->frame.size))
    return 0;
  note (f);
  return 1;
}

int
fake_until (struct fake *f, uint16_t type)
{
  while (fake_next (f))
    if (f->frame.type == type)
      return 1;
  return 0;
}

void
fake_drain (struct fake *f)
{
  while (fake_next (f))
    ;
}

/* The test's own pipes may break; its thread is not the one that is under test. */
void
fake_raw (struct fake *f, const void *bytes, size_t size)
{
  sigset_t set;
  const uint8_t *p = bytes;
  sigemptyset (&set);
  sigaddset (&set, SIGPIPE);
  pthread_sigmask (SIG_BLOCK, &set, NULL);
  while (size && f->out >= 0) {
    ssize_t n = write (f->out, p, size);
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return;
    p += n;
    size -= (size_t) n;
  }
}

void
fake_say (struct fake *f, uint16_t type, uint16_t stream, uint64_t id, const void *payload, size_t size)
{
  uint8_t bytes[16 + FRAME_PAYLOAD_MAX], *p = ak_wire_put_u32 (bytes, (uint32_t) size);
  p = ak_wire_put_u32 (p, (uint32_t) type | (uint32_t) stream << 16);
  p = ak_wire_put_u64 (p, id);
  if (size)
    memcpy (p, payload, size);
  fake_raw (f, bytes, 16 + size);
}

void
fake_say_u32 (struct fake *f, uint16_t type, uint16_t stream, uint64_t id, uint32_t v)
{
  uint8_t payload[4];
  ak_wire_put_u32 (payload, v);
  fake_say (f, type, stream, id, payload, sizeof payload);
}

void
fake_say_text (struct fake *f, uint16_t stream, uint64_t id, const char *text)
{
  fake_say (f, FRAME_DATA, stream, id, text, strlen (text));
}

void
fake_say_hello (struct fake *f, uint32_t magic, uint32_t version, uint32_t flags)
{
  uint8_t payload[16], *p = ak_wire_put_u32 (payload, magic);
  p = ak_wire_put_u32 (p, version);
  p = ak_wire_put_u32 (p, flags);
  ak_wire_put_u32 (p, 1);
  fake_say (f, FRAME_HELLO, 0, 0, payload, sizeof payload);
}

void
fake_say_exit (struct fake *f, uint64_t id, uint32_t how, uint32_t code, uint32_t flags)
{
  uint8_t payload[EXIT_PAYLOAD], *p = ak_wire_put_u32 (payload, how);
  p = ak_wire_put_u32 (p, code);
  p = ak_wire_put_u64 (p, 11 * MS);
  p = ak_wire_put_u64 (p, 4096);
  p = ak_wire_put_u64 (p, 22 * MS);
  p = ak_wire_put_u32 (p, flags);
  ak_wire_put_u32 (p, 0);
  fake_say (f, FRAME_EXIT, 0, id, payload, sizeof payload);
}

void
fake_say_error (struct fake *f, uint64_t id, uint32_t code, const char *text)
{
  uint8_t payload[4096];
  size_t size = strlen (text);
  ak_wire_put_u32 (payload, code);
  memcpy (payload + 4, text, size);
  fake_say (f, FRAME_ERROR, 0, id, payload, 4 + size);
}

void
fake_say_entry (struct fake *f, uint64_t id, uint32_t mode, uint64_t size, int64_t mtime_ns, const char *path)
{
  uint8_t payload[24 + RUNNER_PATH_MAX], *p = ak_wire_put_u32 (payload, mode);
  p = ak_wire_put_u32 (p, 0);
  p = ak_wire_put_u64 (p, size);
  p = ak_wire_put_u64 (p, (uint64_t) mtime_ns);
  memcpy (p, path, strlen (path));
  fake_say (f, FRAME_FILE_ENTRY, 0, id, payload, 24 + strlen (path));
}

void
fake_hang_up (struct fake *f)
{
  if (f->in >= 0)
    close (f->in);
  if (f->out >= 0 && f->out != f->in)
    close (f->out);
  f->in = f->out = -1;
}

const uint8_t *
fake_field (const struct fake *f, uint32_t tag, unsigned nth, size_t *size)
{
  for (size_t at = 0; at + 8 <= f->spec_size;) {
    *size = ak_wire_u32 (f->spec + at + 4);
    if (ak_wire_u32 (f->spec + at) == tag && nth-- == 0)
      return f->spec + at + 8;
    at += 8 + *size;
  }
  return NULL;
}

static int
print (void *data, uint32_t stream, const void *bytes, size_t size)
{
  struct printed *p = data;
  p->calls++;
  p->text = realloc (p->text, p->size + size + 3);
  if (stream != p->last) {
    p->text[p->size++] = (char) ('0' + stream);
    p->text[p->size++] = ':';
    p->last = stream;
  }
  memcpy (p->text + p->size, bytes, size);
  p->size += size;
  p->text[p->size] = '\0';
  p->total[stream] += size;
  return p->refuse;
}

struct runner_io
fake_io (struct printed *printed)
{
  memset (printed, 0, sizeof *printed);
  printed->text = calloc (1, 1);
  return (struct runner_io) { .data = printed, .write = print, .stdin_fd = -1 };
}

void
fake_printed_clear (struct printed *printed)
{
  free (printed->text);
}

uint64_t
fake_ms_since (uint64_t start_ns)
{
  return (ak_now_ns () - start_ns) / MS;
}

unsigned
fake_open_descriptors (void)
{
  unsigned n = 0;
  DIR *d = opendir ("/proc/self/fd");
  while (readdir (d))
    n++;
  closedir (d);
  return n;
}

enum ak_status
fake_execute (struct fake *f, unsigned deadline_ms, struct ak_cancel *cancel, struct printed *printed,
              struct ak_outcome *outcome, struct ak_error **error)
{
  const char *argv[] = { "sh", "-c", "true", NULL };
  struct ak_exec exec = { .struct_size = sizeof exec, .argv = argv };
  struct stop stop;
  struct runner_io io = fake_io (printed);
  memset (outcome, 0, sizeof *outcome);
  ak_stop_init (&stop, deadline_ms ? ak_now_ns () + deadline_ms * (uint64_t) MS : 0, cancel);
  enum ak_status status = ak_runner_execute (f->runner, &exec, &stop, &io, NULL, NULL, outcome, error);
  ak_stop_done (&stop);
  return status;
}

int
fake_hard_kill (void *data)
{
  ++*(int *) data;
  return 0;
}

int
fake_hard_kill_fails (void *data)
{
  ++*(int *) data;
  return -1;
}
