/* SPDX-License-Identifier: Apache-2.0 */
/* The runner's client: files, against runners that behave and others. */
#include "config.h"
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include "fake-runner.h"

/* Sink and source of one operation. */
struct files {
  char names[8192];             /* "PATH MODE SIZE MTIME;" of each entry */
  unsigned entries;
  size_t got, left;             /* bytes written here, bytes that the source still has */
  unsigned refuse_entry, refuse_write, stop_read;       /* at which call; 0: never */
  unsigned writes, reads;
  uint32_t stream;
  struct runner *wait_for;      /* at the first entry: until too many wait */
};

/* Or there is none under way. */
static int
too_many_wait (struct runner *r)
{
  pthread_mutex_lock (&r->lock);
  const struct op *op = ak_runner_find_locked (r, 1);
  int overrun = !op || op->overrun;
  pthread_mutex_unlock (&r->lock);
  return overrun;
}

static int
take_entry (void *data, const struct ak_file *file)
{
  struct files *t = data;
  size_t used = strlen (t->names);
  if (t->entries++ == 0 && t->wait_for)
    while (!too_many_wait (t->wait_for))
      usleep (10000);
  if (used < sizeof t->names - 200)
    snprintf (t->names + used, sizeof t->names - used, "%.100s %o %llu %lld;", file->path, file->mode,
              (unsigned long long) file->size, (long long) file->mtime_ns);
  return t->entries == t->refuse_entry;
}

static int
take_bytes (void *data, uint32_t stream, const void *bytes, size_t size)
{
  struct files *t = data;
  (void) bytes;
  t->got += size;
  t->stream = stream;
  return ++t->writes == t->refuse_write;
}

static int64_t
give_bytes (void *data, void *buffer, size_t size)
{
  struct files *t = data;
  if (++t->reads == t->stop_read)
    return -1;
  size_t n = earlier (t->left, size);
  memset (buffer, 'b', n);
  t->left -= n;
  return (int64_t) n;
}

static enum ak_status
operate (struct fake *f, char what, const char *path, struct files *t, unsigned deadline_ms,
         struct ak_cancel *cancel, struct ak_error **error)
{
  struct runner_io io = {
    .data = t, .write = take_bytes, .read = give_bytes, .entry = take_entry, .stdin_fd = -1
  };
  struct stop stop;
  enum ak_status status;
  ak_stop_init (&stop, deadline_ms ? ak_now_ns () + deadline_ms * (uint64_t) MS : 0, cancel);
  switch (what) {
  case 'w': status = ak_runner_write_file (f->runner, path, 0, &stop, &io, error); break;
  case 'W': status = ak_runner_write_file (f->runner, path, 0700, &stop, &io, error); break;
  case 'r': status = ak_runner_read_file (f->runner, path, &stop, &io, error); break;
  case 'l': status = ak_runner_list_files (f->runner, path, &stop, &io, error); break;
  case 's': status = ak_runner_stat_file (f->runner, path, &stop, &io, error); break;
  case 'd': status = ak_runner_remove_file (f->runner, path, 0, &stop, error); break;
  default: status = ak_runner_remove_file (f->runner, path, 1, &stop, error); break;
  }
  ak_stop_done (&stop);
  return status;
}

/* Keeps the request, answers it well. */
static void
serve_files (struct fake *f)
{
  static const uint8_t block[40000];
  while (fake_next (f)) {
    uint64_t id = f->frame.id;
    if (f->frame.type >= FRAME_FILE_WRITE && f->frame.type <= FRAME_FILE_REMOVE) {
      free (f->spec);
      f->spec = malloc (f->frame.size + 1);
      f->spec_size = f->frame.size;
      memcpy (f->spec, f->payload, f->frame.size);
    }
    switch (f->frame.type) {
    case FRAME_DATA: fake_say_u32 (f, FRAME_CREDIT, STREAM_FILE, id, f->frame.size); break;
    case FRAME_EOF: fake_say (f, FRAME_FILE_DONE, 0, id, NULL, 0); break;
    case FRAME_FILE_READ:
      fake_say_entry (f, id, S_IFREG | 0644, 80000, 5, "what it calls itself");
      fake_say (f, FRAME_DATA, STREAM_FILE, id, block, sizeof block);
      fake_say (f, FRAME_DATA, STREAM_FILE, id, block, sizeof block);
      fake_say (f, FRAME_FILE_DONE, 0, id, NULL, 0);
      break;
    case FRAME_FILE_LIST:
      fake_say_entry (f, id, S_IFREG | 0600, 1, -1, "a");
      fake_say_entry (f, id, S_IFDIR | 0755, 0, 7, "b c");
      fake_say (f, FRAME_FILE_DONE, 0, id, NULL, 0);
      break;
    case FRAME_FILE_STAT:
      fake_say_entry (f, id, S_IFLNK | 0777, 3, 9, "");
      fake_say (f, FRAME_FILE_DONE, 0, id, NULL, 0);
      break;
    case FRAME_FILE_REMOVE: fake_say (f, FRAME_FILE_DONE, 0, id, NULL, 0); break;
    default: break;
    }
  }
}

static void
each_operation_works_and_asks_as_the_protocol_says (void **state)
{
  static struct fake f;
  static const struct {
    char what;
    const char *request;
    size_t size;
    const char *names;
    size_t got;
  } cases[] = {
    { 'w', "\244\1\0\0\0\0\0\0p/q", 11, "", 0 },
    { 'W', "\300\1\0\0\0\0\0\0p/q", 11, "", 0 },
    { 'r', "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0p/q", 19, "p/q 100644 80000 5;", 80000 },
    { 'l', "\0\0\0\0p/q", 7, "a 100600 1 -1;b c 40755 0 7;", 0 },
    { 's', "p/q", 3, "p/q 120777 3 9;", 0 },
    { 'd', "\0\0\0\0p/q", 7, "", 0 },
    { 'D', "\1\0\0\0p/q", 7, "", 0 },
  };
  (void) state;
  for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
    size_t c = i / 2;
    struct files t = { .left = 3000000 };
    fake_connect (&f, i & 1, serve_files, NULL, 0);
    assert_int_equal (operate (&f, cases[c].what, "p/q", &t, 0, NULL, NULL), AK_STATUS_OK);
    fake_join (&f);
    assert_int_equal (f.spec_size, cases[c].size);
    assert_memory_equal (f.spec, cases[c].request, cases[c].size);
    assert_string_equal (t.names, cases[c].names);
    assert_int_equal (t.got, cases[c].got);
    if (t.got)
      assert_int_equal (t.stream, AK_CONTENT);
    assert_int_equal (f.input, c < 2 ? 3000000 : 0);
    fake_clear (&f);
  }
}

static void
fail_files (struct fake *f)
{
  while (fake_next (f))
    if (f->frame.type >= FRAME_FILE_WRITE && f->frame.type <= FRAME_FILE_REMOVE)
      fake_say_error (f, f->frame.id, *(const uint32_t *) f->data, "why\033not");
}

static void
the_runner_s_errors_have_statuses (void **state)
{
  static struct fake f;
  static const struct { uint32_t code; enum ak_status status; } cases[] = {
    { RUNNER_E_NOT_FOUND, AK_STATUS_FILE_NOT_FOUND }, { RUNNER_E_ESCAPE, AK_STATUS_POLICY },
    { RUNNER_E_FILE, AK_STATUS_CONFIG }, { RUNNER_E_RESOURCE, AK_STATUS_UNAVAILABLE },
    { RUNNER_E_SPEC, AK_STATUS_CONFIG },
  };
  (void) state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    fake_connect (&f, 0, fail_files, &cases[i].code, 0);
    for (const char *what = "wrlsdD"; *what; what++) {
      struct files t = { .left = 10u << 20 };
      struct ak_error *error = NULL;
      assert_int_equal (operate (&f, *what, "p/q", &t, 0, NULL, &error), cases[i].status);
      assert_string_equal (ak_error_text (error), "p/q: why?not");
      ak_error_free (error);
    }
    fake_join (&f);
    fake_clear (&f);
  }
}

/* Gives credit for an upload without end, prints a download without end, and obeys a kill. */
static void
serve_until_killed (struct fake *f)
{
  while (fake_next (f)) {
    uint64_t id = f->frame.id;
    if (f->frame.type == FRAME_DATA)
      fake_say_u32 (f, FRAME_CREDIT, STREAM_FILE, id, f->frame.size);
    else if (f->frame.type == FRAME_FILE_READ) {
      fake_say_entry (f, id, S_IFREG, 0, 0, "x");
      fake_say (f, FRAME_DATA, STREAM_FILE, id, "abc", 3);
    } else if (f->frame.type == FRAME_FILE_LIST) {
      fake_say_entry (f, id, S_IFREG, 0, 0, "x");
      fake_say_entry (f, id, S_IFREG, 0, 0, "y");
    } else if (f->frame.type == FRAME_KILL)
      fake_say_error (f, id, RUNNER_E_FILE, "killed");
  }
}

static void
who_stops_an_operation_ends_it_inside_too (void **state)
{
  static struct fake f;
  static const struct { char what; struct files t;
  } cases[] = {
    { 'w', { .left = 1u << 30, .stop_read = 3 } },
    { 'r', { .refuse_entry = 1 } },
    { 'r', { .refuse_write = 1 } },
    { 'l', { .refuse_entry = 1 } },
  };
  (void) state;
  fake_connect (&f, 0, serve_until_killed, NULL, 0);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct files t = cases[i].t;
    struct ak_error *error = NULL;
    assert_int_equal (operate (&f, cases[i].what, "p", &t, 10000, NULL, &error), AK_STATUS_CANCELLED);
    assert_string_equal (ak_error_text (error),
                         i ? "p: stopped by who receives it" : "p: stopped by its source");
    if (t.refuse_entry)
      assert_int_equal (t.entries, 1);
    ak_error_free (error);
  }
  assert_int_equal (ak_runner_is_lost (f.runner), 0);
  fake_join (&f);
  assert_int_equal (f.kills, 4);
  assert_int_equal (f.eofs, 0);
  fake_clear (&f);
}

static void *
fire_soon (void *cancel)
{
  usleep (50000);
  ak_cancel_fire (cancel);
  return NULL;
}

static void
deadline_and_cancel_end_an_operation (void **state)
{
  static struct fake f;
  struct files t = { .left = 0 };
  pthread_t thread;
  (void) state;
  struct ak_cancel *cancel = ak_cancel_new ();
  fake_connect (&f, 0, serve_until_killed, NULL, 0);
  uint64_t start = ak_now_ns ();
  assert_int_equal (operate (&f, 'r', "p", &t, 100, NULL, NULL), AK_STATUS_TIMEOUT);
  assert_in_range (fake_ms_since (start), 100, 2000);
  pthread_create (&thread, NULL, fire_soon, cancel);
  assert_int_equal (operate (&f, 'l', "p", &t, 0, cancel, NULL), AK_STATUS_CANCELLED);
  pthread_join (thread, NULL);
  assert_int_equal (operate (&f, 's', "p", &t, 0, cancel, NULL), AK_STATUS_CANCELLED);
  assert_int_equal (ak_runner_is_lost (f.runner), 0);
  fake_join (&f);
  assert_int_equal (f.kills, 2);        /* the third was never begun */
  fake_clear (&f);
  ak_cancel_free (cancel);
}

static void
a_runner_that_does_not_end_an_operation_is_lost (void **state)
{
  static struct fake f;
  struct files t = { .left = 0 };
  struct runner_times times = ak_runner_times;
  (void) state;
  ak_runner_times.file_ns = 200 * MS;
  fake_connect (&f, 0, fake_drain, NULL, 0);
  ak_runner_times = times;
  uint64_t start = ak_now_ns ();
  assert_int_equal (operate (&f, 'd', "p", &t, 100, NULL, NULL), AK_STATUS_TIMEOUT);
  assert_in_range (fake_ms_since (start), 300, 2000);
  assert_int_equal (ak_runner_is_lost (f.runner), 1);
  assert_int_equal (operate (&f, 'd', "p", &t, 0, NULL, NULL), AK_STATUS_GONE);
  fake_join (&f);
  fake_clear (&f);
}

static void
answer_with_lie (struct fake *f)
{
  fake_until (f, *(const uint16_t *) f->data);
  fake_raw (f, (const uint8_t *) f->data + 2, f->size - 2);
  fake_drain (f);
}

#define H(size, type, stream) size "\0\0\0" type "\0" stream "\0" "\1\0\0\0\0\0\0\0"
#define ENTRY "1234" "\0\0\0\0" "12345678" "12345678"

static void
lies_about_files_lose_the_sandbox (void **state)
{
  static struct fake f;
  static const struct { char what; const char *bytes; size_t size; const char *why;
  } cases[] = {
#define LIE(what, type, bytes, why) { what, type "\0" bytes, sizeof (type "\0" bytes) - 1, why }
    LIE ('r', "\41", H ("\1", "\10", "\3") "x", "data that nobody asked for"),
    LIE ('r', "\41", H ("\0", "\46", "\0"), "the end of a file without its entry"),
    LIE ('r', "\41", H ("\31", "\45", "\0") ENTRY "a" H ("\31", "\45", "\0") ENTRY "a", "a second entry"),
    LIE ('r', "\41", H ("\31", "\45", "\0") ENTRY "a" H ("\1", "\10", "\1") "x",
         "data that nobody asked for"),
    LIE ('s', "\43", H ("\0", "\46", "\0"), "the end of a file without its entry"),
    LIE ('s', "\43",
         H ("\31", "\45", "\0") "1234"
                                "\1\0\0\0"
                                "12345678"
                                "12345678"
                                "a",
         "an entry out of bounds"),
    LIE ('s', "\43", H ("\31", "\45", "\0") ENTRY "a" H ("\1", "\10", "\3") "x",
         "data that nobody asked for"),
    LIE ('l', "\42", H ("\30", "\45", "\0") ENTRY, "an entry out of bounds"),
    LIE ('l', "\42", H ("\33", "\45", "\0") ENTRY "a\0b", "an entry out of bounds"),
    LIE ('l', "\42", "\31\20\0\0\45\0\0\0\1\0\0\0\0\0\0\0", "frame of type 37 with 4121 bytes"),
    LIE ('l', "\42", "\27\0\0\0\45\0\0\0\1\0\0\0\0\0\0\0", "frame of type 37 with 23 bytes"),
    LIE ('w', "\40", H ("\0", "\46", "\0"), "the end of what has not begun"),
    LIE ('w', "\40", H ("\31", "\45", "\0") ENTRY "a", "an entry that nobody asked for"),
    LIE ('w', "\40", H ("\4", "\12", "\0") "\0\0\1\0", "credit for a stream that is not open"),
    LIE ('w', "\40", H ("\1", "\10", "\3") "x", "data that nobody asked for"),
    LIE ('d', "\44", H ("\4", "\22", "\0") "\1\0\0\0", "a start that nobody asked for"),
    LIE ('d', "\44",
         H ("\50", "\25", "\0") "\1\0\0\0\0\0\0\0"
                                "12345678"
                                "12345678"
                                "12345678"
                                "\0\0\0\0\0\0\0\0",
         "an exit of what was not started"),
  };
  (void) state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct files t = { .left = SIZE_MAX };
    struct ak_error *error = NULL;
    char why[200];
    fake_connect (&f, i & 1, answer_with_lie, cases[i].bytes, cases[i].size);
    snprintf (why, sizeof why, "runner: it broke the protocol: %s", cases[i].why);
    assert_int_equal (operate (&f, cases[i].what, "p", &t, 20000, NULL, &error), AK_STATUS_PROVISION);
    assert_string_equal (ak_error_text (error), why);
    ak_error_free (error);
    fake_join (&f);
    fake_clear (&f);
  }
}

static void
cut_download (struct fake *f)
{
  static const uint8_t block[1000];
  fake_until (f, FRAME_FILE_READ);
  fake_say_entry (f, 1, S_IFREG, 1000, 0, "x");
  fake_say (f, FRAME_DATA, STREAM_FILE, 1, block, sizeof block);
  fake_say (f, FRAME_EOF, STREAM_FILE, 1, NULL, 0);
}

static void
a_download_that_is_cut_before_its_end_is_no_success (void **state)
{
  static struct fake f;
  struct files t = { .left = 0 };
  struct ak_error *error = NULL;
  (void) state;
  fake_connect (&f, 0, cut_download, NULL, 0);
  assert_int_equal (operate (&f, 'r', "p", &t, 0, NULL, &error), AK_STATUS_PROVISION);
  assert_string_equal (ak_error_text (error), "runner: the stream ended");
  assert_int_equal (t.got, 1000);
  ak_error_free (error);
  fake_join (&f);
  fake_clear (&f);
}

static void
list_without_end (struct fake *f)
{
  char name[4001];
  memset (name, 'n', sizeof name - 1);
  name[sizeof name - 1] = '\0';
  while (fake_until (f, FRAME_FILE_LIST)) {
    uint64_t id = f->frame.id;
    for (unsigned i = 0; i < *(const unsigned *) f->data; i++)
      fake_say_entry (f, id, S_IFREG, 0, 0, name);
    fake_say (f, FRAME_FILE_DONE, 0, id, NULL, 0);
    serve_files (f);
  }
}

struct other {
  struct fake *fake;
  atomic_int done;
};

/* Somebody who reads the stream while a slow sink does not. */
static void *
stat_again_and_again (void *data)
{
  struct other *o = data;
  while (too_many_wait (o->fake->runner))       /* the list is the first */
    usleep (1000);
  while (!atomic_load (&o->done)) {
    struct files t = { .left = 0 };
    operate (o->fake, 's', "p", &t, 0, NULL, NULL);
    usleep (1000);
  }
  return NULL;
}

static void
a_long_list_comes_whole_but_what_waits_of_it_is_bounded (void **state)
{
  static struct fake f;
  static const unsigned counts[] = { 8000, 6000 };
  struct runner_times times = ak_runner_times;
  (void) state;
  /* This runner says all of it before it hears of the kill. */
  ak_runner_times.file_ns = 60000 * (uint64_t) MS;
  for (int slow = 0; slow < 2; slow++) {
    struct files t = { .left = 0 };
    struct ak_error *error = NULL;
    struct other other = { .fake = &f };
    pthread_t thread;
    fake_connect (&f, 0, list_without_end, &counts[slow], 0);
    if (slow) {
      t.wait_for = f.runner;
      pthread_create (&thread, NULL, stat_again_and_again, &other);
    }
    enum ak_status status = operate (&f, 'l', "p", &t, 0, NULL, &error);
    atomic_store (&other.done, 1);
    if (slow) {
      pthread_join (thread, NULL);
      assert_int_equal (status, AK_STATUS_UNAVAILABLE);
      assert_string_equal (ak_error_text (error), "p: more files came at once than can wait");
    } else {
      assert_int_equal (status, AK_STATUS_OK);
      assert_int_equal (t.entries, 8000);
    }
    assert_int_equal (ak_runner_is_lost (f.runner), 0);
    ak_error_free (error);
    fake_join (&f);
    fake_clear (&f);
  }
  ak_runner_times = times;
}

static void
a_path_that_is_too_long_is_refused_here (void **state)
{
  static struct fake f;
  static char path[5000];
  struct files t = { .left = 0 };
  (void) state;
  memset (path, 'p', sizeof path - 1);
  fake_connect (&f, 0, serve_files, NULL, 0);
  assert_int_equal (operate (&f, 's', path, &t, 0, NULL, NULL), AK_STATUS_CONFIG);
  fake_join (&f);
  assert_int_equal (f.seen, 2);
  fake_clear (&f);
}

static atomic_int wrong;

static void *
transfer (void *data)
{
  for (int i = 0; i < 10; i++) {
    struct files t = { .left = 2000000 };
    if (operate (data, 'w', "p", &t, 60000, NULL, NULL) != AK_STATUS_OK || t.left != 0)
      atomic_fetch_add (&wrong, 1);
    if (operate (data, 'r', "p", &t, 60000, NULL, NULL) != AK_STATUS_OK || t.got != 80000)
      atomic_fetch_add (&wrong, 1);
  }
  return NULL;
}

static void
sixteen_transfers_at_once_share_the_stream (void **state)
{
  static struct fake f;
  pthread_t threads[16];
  (void) state;
  for (int pipes = 0; pipes < 2; pipes++) {
    fake_connect (&f, pipes, serve_files, NULL, 0);
    for (int i = 0; i < 16; i++)
      pthread_create (&threads[i], NULL, transfer, &f);
    for (int i = 0; i < 16; i++)
      pthread_join (threads[i], NULL);
    assert_int_equal (atomic_load (&wrong), 0);
    fake_join (&f);
    assert_int_equal (f.input, 16 * 10 * 2000000ull);
    fake_clear (&f);
  }
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (each_operation_works_and_asks_as_the_protocol_says),
    cmocka_unit_test (the_runner_s_errors_have_statuses),
    cmocka_unit_test (who_stops_an_operation_ends_it_inside_too),
    cmocka_unit_test (deadline_and_cancel_end_an_operation),
    cmocka_unit_test (a_runner_that_does_not_end_an_operation_is_lost),
    cmocka_unit_test (lies_about_files_lose_the_sandbox),
    cmocka_unit_test (a_download_that_is_cut_before_its_end_is_no_success),
    cmocka_unit_test (a_long_list_comes_whole_but_what_waits_of_it_is_bounded),
    cmocka_unit_test (a_path_that_is_too_long_is_refused_here),
    cmocka_unit_test (sixteen_transfers_at_once_share_the_stream),
  };
  return cmocka_run_group_tests_name ("runner-files", tests, NULL, NULL);
}
