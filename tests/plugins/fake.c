/* SPDX-License-Identifier: Apache-2.0 */
/* fake: the provider that the conformance kit is tested with. It runs nothing: code and commands come
 * back on stdout, "exit N" in them is their exit status, files are in memory. Its options make it slow,
 * gone or failing, and it can write down what it was asked for. */
#define _GNU_SOURCE
#include <aksandbox/provider.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define FILES_MAX 64
#define FILE_MAX (16u * 1024u * 1024u)

struct memory_file {
  char *path;
  char *bytes;
  uint64_t size;
  uint32_t mode;
};

struct box {                            /* a sandbox; those of all instances are in one list */
  struct box *next;
  char id[32];
  char *labels;
  unsigned attached;                    /* handles */
  int destroyed;
  struct memory_file files[FILES_MAX];
  size_t n_files;
};

struct fake {
  const struct ak_host *host;
  const struct ak_config *config;
};

struct handle {
  struct fake *fake;
  struct box *box;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct box *boxes;
static unsigned boxes_made, executions;

AK_OPTION (fake, record, AK_T_STRING, 0, 0,
           AK_KV ("help", "file to which each operation and the id of its sandbox is added, one on a line"));
AK_OPTION (fake, delay_ms, AK_T_INT, 0, 0,
           AK_KV ("default", "0") AK_KV ("min", "0") AK_KV ("max", "600000")
           AK_KV ("help", "how long create, attach and executions take"));
AK_OPTION (fake, deaf, AK_T_BOOL, 0, 0,
           AK_KV ("default", "false") AK_KV ("help", "take that long even if the caller wants to stop"));
AK_OPTION (fake, gone, AK_T_BOOL, 0, 0,
           AK_KV ("default", "false") AK_KV ("help", "nothing can be attached to: it is gone"));
AK_OPTION (fake, gone_after, AK_T_INT, 0, 0,
           AK_KV ("min", "1") AK_KV ("max", "1000000")
           AK_KV ("help", "sandboxes vanish when so many executions were served in this process"));
AK_OPTION (fake, fail, AK_T_LIST, 0, 0, AK_KV ("help", "names of operations that fail"));
AK_OPTION (fake, fail_status, AK_T_INT, 0, 0,
           AK_KV ("default", "5") AK_KV ("min", "1") AK_KV ("max", "11")
           AK_KV ("help", "and with which status"));
AK_OPTION (fake, outcome, AK_T_STRING, 0, 0,
           AK_KV ("default", "exited") AK_KV ("choices", "exited signalled out_of_memory lost none")
           AK_KV ("help", "how executions end"));
AK_OPTION (fake, firewall, AK_T_BOOL, 0, AK_CAP_NET_DENY,
           AK_KV ("default", "false") AK_KV ("help", "assert that network_egress: deny is enforced"));
AK_OPTION (fake, isolation, AK_T_TIER, 0, 0, AK_KV ("help", "assert this tier"));
AK_OPTION (fake, token, AK_T_ENV, 0, 0, AK_KV ("help", "names the variable of a secret, which is printed"));

static const char *
option (const struct fake *fake, const char *key)
{
  return fake->host->option (fake->config, key);
}

static int
is_on (const struct fake *fake, const char *key)
{
  const char *value = option (fake, key);
  return value && strcmp (value, "true") == 0;
}

static void
record (const struct fake *fake, const char *operation, const char *id)
{
  const char *path = option (fake, "record");
  int fd = path ? open (path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
  char line[128];
  if (fd < 0)
    return;
  int n = snprintf (line, sizeof line, "%s %s\n", operation, id);
  if (write (fd, line, (size_t) n) != n)
    fake->host->log (fake->config, 3, "record: cannot be written");
  close (fd);
}

/* Write down the operation, and fail if the options say so. */
static int32_t
begin (const struct fake *fake, struct ak_call *call, const char *operation, const char *id)
{
  const char *name;
  record (fake, operation, id);
  for (uint32_t i = 0; (name = fake->host->option_item (fake->config, "fail", i, NULL)); i++)
    if (strcmp (name, operation) == 0)
      return fake->host->fail (call, atoi (option (fake, "fail_status")), "fake: told to fail", NULL);
  return AK_OK;
}

/* 0, or AK_E_TIMEOUT or AK_E_CANCELLED. */
static int32_t
take_time (const struct fake *fake, struct ak_call *call)
{
  int ms = atoi (option (fake, "delay_ms"));
  if (!ms)
    return 0;
  if (is_on (fake, "deaf")) {
    struct timespec t = { ms / 1000, (long) (ms % 1000) * 1000000 };
    nanosleep (&t, NULL);
    return 0;
  }
  struct pollfd stop = { .fd = call->host->stop_fd (call), .events = POLLIN };
  poll (&stop, 1, ms);
  return call->host->stopped (call);
}

static int32_t
fake_open (struct ak_call *call, const struct ak_config *config, void **instance)
{
  struct fake *fake = malloc (sizeof *fake);
  if (!fake)
    return call->host->fail (call, AK_E_INTERNAL, "out of memory", NULL);
  *fake = (struct fake) { call->host, config };
  int32_t status = begin (fake, call, "open", "-");
  if (status != AK_OK) {
    free (fake);
    return status;
  }
  *instance = fake;
  return AK_OK;
}

static void
fake_close (void *instance)
{
  record (instance, "close", "-");
  free (instance);
}

static int32_t
fake_probe (void *instance, struct ak_call *call, struct ak_granted *granted)
{
  (void) granted;
  call->host->report (call, AK_REPORT_FINDING, "ok", "nothing is run");
  return begin (instance, call, "probe", "-");
}

static struct box *
find_locked (const char *id)
{
  for (struct box *b = boxes; b; b = b->next)
    if (!b->destroyed && strcmp (b->id, id) == 0)
      return b;
  return NULL;
}

static void
box_free (struct box *b)
{
  for (size_t i = 0; i < b->n_files; i++) {
    free (b->files[i].path);
    free (b->files[i].bytes);
  }
  free (b->labels);
  free (b);
}

/* What is destroyed goes when its last handle does. */
static void
sweep_locked (void)
{
  for (struct box **at = &boxes; *at;) {
    struct box *b = *at;
    if (!b->destroyed || b->attached) {
      at = &b->next;
      continue;
    }
    *at = b->next;
    box_free (b);
  }
}

static char *
join (const char *const *texts, const char *between)
{
  size_t size = 1;
  for (const char *const *t = texts; t && *t; t++)
    size += strlen (*t) + strlen (between);
  char *joined = calloc (1, size);
  for (const char *const *t = texts; joined && t && *t; t++) {
    if (t != texts)
      strcat (joined, between);
    strcat (joined, *t);
  }
  return joined;
}

static struct handle *
handle_new (struct fake *fake, struct box *box)
{
  struct handle *h = malloc (sizeof *h);
  if (h)
    *h = (struct handle) { fake, box };
  return h;
}

static int32_t
fake_create (void *instance, struct ak_call *call, const struct ak_spec *spec, void **sandbox)
{
  struct fake *fake = instance;
  struct box *b = calloc (1, sizeof *b);
  char *labels = join (spec->labels, "\n");
  struct handle *h = handle_new (fake, b);
  if (!b || !labels || !h) {
    free (b);
    free (labels);
    free (h);
    return call->host->fail (call, AK_E_INTERNAL, "out of memory", NULL);
  }
  b->labels = labels;
  b->attached = 1;
  pthread_mutex_lock (&lock);
  snprintf (b->id, sizeof b->id, "fake-%d-%u", (int) getpid (), ++boxes_made);
  b->next = boxes;
  boxes = b;
  pthread_mutex_unlock (&lock);
  call->host->report (call, AK_REPORT_ID, NULL, b->id);
  int32_t status = begin (fake, call, "create", b->id);
  int32_t stopped = take_time (fake, call);
  if (status == AK_OK && stopped)
    status = call->host->fail (call, stopped, "create: stopped", NULL);
  if (status != AK_OK) {
    pthread_mutex_lock (&lock);
    b->attached = 0;
    b->destroyed = 1;
    sweep_locked ();
    pthread_mutex_unlock (&lock);
    free (h);
    return status;
  }
  *sandbox = h;
  return AK_OK;
}

static int
all_gone (const struct fake *fake)
{
  const char *after = option (fake, "gone_after");
  return is_on (fake, "gone") || (after && executions >= (unsigned) atoi (after));
}

static int32_t
fake_attach (void *instance, struct ak_call *call, const struct ak_spec *spec, void **sandbox)
{
  struct fake *fake = instance;
  int32_t status = begin (fake, call, "attach", spec->id);
  int32_t stopped = take_time (fake, call);
  if (status == AK_OK && stopped)
    status = call->host->fail (call, stopped, "attach: stopped", NULL);
  if (status != AK_OK)
    return status;
  pthread_mutex_lock (&lock);
  struct box *b = all_gone (fake) ? NULL : find_locked (spec->id);
  if (b)
    b->attached++;
  pthread_mutex_unlock (&lock);
  if (!b)
    return call->host->fail (call, AK_E_GONE, "fake: there is no such sandbox", NULL);
  struct handle *h = handle_new (fake, b);
  if (!h) {
    pthread_mutex_lock (&lock);
    b->attached--;
    pthread_mutex_unlock (&lock);
    return call->host->fail (call, AK_E_INTERNAL, "out of memory", NULL);
  }
  *sandbox = h;
  return AK_OK;
}

static int32_t
fake_destroy (void *instance, struct ak_call *call, const char *id)
{
  int32_t status = begin (instance, call, "destroy", id);
  if (status != AK_OK)
    return status;
  pthread_mutex_lock (&lock);
  struct box *b = find_locked (id);
  if (b)
    b->destroyed = 1;
  sweep_locked ();
  pthread_mutex_unlock (&lock);
  return AK_OK;
}

static int32_t
fake_kill (void *instance, struct ak_call *call, const char *id)
{
  return begin (instance, call, "kill", id);
}

static int32_t
fake_list (void *instance, struct ak_call *call)
{
  int32_t status = begin (instance, call, "list", "-");
  pthread_mutex_lock (&lock);
  for (struct box *b = boxes; status == AK_OK && b; b = b->next)
    if (!b->destroyed)
      call->host->report (call, AK_REPORT_FOUND, b->id, b->labels);
  pthread_mutex_unlock (&lock);
  return status;
}

static void
fake_release (void *sandbox)
{
  struct handle *h = sandbox;
  record (h->fake, "release", h->box->id);
  pthread_mutex_lock (&lock);
  h->box->attached--;
  sweep_locked ();
  pthread_mutex_unlock (&lock);
  free (h);
}

/* The number behind the first "exit N" or "exit(N" of a text, or 0. */
static int32_t
status_in (const char *text, uint64_t size)
{
  const char *end = text + size;
  for (const char *at = text; size && (at = memmem (at, (size_t) (end - at), "exit", 4)); at++) {
    const char *digit = at + 5;
    int32_t n = 0;
    if (digit >= end || (at[4] != ' ' && at[4] != '(') || *digit < '0' || *digit > '9')
      continue;
    for (; digit < end && *digit >= '0' && *digit <= '9' && n < 256; digit++)
      n = 10 * n + (*digit - '0');
    return n & 0xff;
  }
  return 0;
}

static void
set_outcome (const struct fake *fake, int32_t code, struct ak_outcome *outcome)
{
  static const struct { const char *name; uint32_t how; } known[] = {
    { "exited", AK_EXITED }, { "signalled", AK_SIGNALLED }, { "out_of_memory", AK_OUT_OF_MEMORY },
    { "lost", AK_LOST },     { "none", 0 },
  };
  const char *name = option (fake, "outcome");
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (strcmp (name, known[i].name) == 0)
      outcome->how = known[i].how;
  outcome->code = outcome->how == AK_EXITED ? code : outcome->how == AK_SIGNALLED ? 9 : 0;
}

static int32_t
execute (struct handle *h, struct ak_call *call, const char *operation, const void *text, uint64_t size,
         struct ak_outcome *outcome)
{
  struct fake *fake = h->fake;
  const char *token = option (fake, "token");
  int32_t status = begin (fake, call, operation, h->box->id);
  if (status != AK_OK)
    return status;
  call->host->write (call, AK_STDOUT, text, size);
  if (token)
    call->host->write (call, AK_STDERR, token, strlen (token));
  int32_t stopped = take_time (fake, call);
  pthread_mutex_lock (&lock);
  executions++;
  pthread_mutex_unlock (&lock);
  if (stopped)
    outcome->how = stopped == AK_E_TIMEOUT ? AK_TIMED_OUT : AK_CANCELLED;
  else
    set_outcome (fake, status_in (text, size), outcome);
  return AK_OK;
}

static int32_t
fake_execute_code (void *sandbox, struct ak_call *call, const struct ak_exec *exec,
                   struct ak_outcome *outcome)
{
  if (strcmp (exec->language, "python") && strcmp (exec->language, "bash"))
    return call->host->fail (call, AK_E_CAPABILITY, "language: python and bash only", NULL);
  return execute (sandbox, call, "execute_code", exec->code, exec->code_size, outcome);
}

static int32_t
fake_execute_command (void *sandbox, struct ak_call *call, const struct ak_exec *exec,
                      struct ak_outcome *outcome)
{
  char *line = join (exec->argv, " ");
  if (!line)
    return call->host->fail (call, AK_E_INTERNAL, "out of memory", NULL);
  int32_t status = execute (sandbox, call, "execute_command", line, strlen (line), outcome);
  free (line);
  return status;
}

/* "/x" is "x" of the workspace. */
static const char *
relative (const char *path)
{
  return path + strspn (path, "/");
}

static struct memory_file *
file_locked (struct box *b, const char *path)
{
  for (size_t i = 0; i < b->n_files; i++)
    if (strcmp (b->files[i].path, path) == 0)
      return &b->files[i];
  return NULL;
}

/* The bytes of the file that next_file gave. NULL: no memory, too much, or the host stops. */
static char *
take_bytes (struct ak_call *call, uint64_t *ret_size)
{
  char *bytes = NULL;
  uint64_t size = 0, room = 0;
  for (;;) {
    if (size == room) {
      room = room ? 2 * room : 65536;
      char *grown = room > FILE_MAX ? NULL : realloc (bytes, room);
      if (!grown)
        break;
      bytes = grown;
    }
    int64_t n = call->host->read (call, bytes + size, room - size);
    if (n < 0)
      break;
    if (n == 0) {
      *ret_size = size;
      return bytes;
    }
    size += (uint64_t) n;
  }
  free (bytes);
  return NULL;
}

/* Takes path and bytes, also on failure. */
static int
put_locked (struct box *b, char *path, char *bytes, uint64_t size, uint32_t mode)
{
  struct memory_file *file = path ? file_locked (b, path) : NULL;
  if (file) {
    free (path);
    free (file->bytes);
    file->bytes = bytes;
    file->size = size;
    return 0;
  }
  if (!path || b->n_files == FILES_MAX) {
    free (path);
    free (bytes);
    return -1;
  }
  b->files[b->n_files++] = (struct memory_file) { path, bytes, size, mode };
  return 0;
}

static int32_t
fake_upload (void *sandbox, struct ak_call *call)
{
  struct handle *h = sandbox;
  struct ak_file file = { .struct_size = sizeof file };
  int32_t status = begin (h->fake, call, "upload", h->box->id), more;
  while (status == AK_OK && (more = call->host->next_file (call, &file)) == 1) {
    uint64_t size = 0;
    if (strstr (file.path, ".."))
      return call->host->fail (call, AK_E_POLICY, "path: leaves the workspace", NULL);
    char *path = strdup (relative (file.path)), *bytes = take_bytes (call, &size);
    pthread_mutex_lock (&lock);
    int failed = bytes ? put_locked (h->box, path, bytes, size, file.mode) : -1;
    pthread_mutex_unlock (&lock);
    if (!bytes)
      free (path);
    if (failed)
      status = call->host->fail (call, AK_E_INTERNAL, "upload: no room for the file", NULL);
  }
  return status;
}

static int32_t
give_file (struct ak_call *call, const struct memory_file *m, int content)
{
  struct ak_file file = { .struct_size = sizeof file, .mode = 0100000u | (m->mode & 0777u), .path = m->path,
                          .size = m->size };
  if (call->host->put_file (call, &file)
      || (content && call->host->write (call, AK_CONTENT, m->bytes, m->size)))
    return call->host->fail (call, AK_E_CANCELLED, "file: stopped", NULL);
  return AK_OK;
}

static int32_t
fake_download (void *sandbox, struct ak_call *call, const char *path)
{
  struct handle *h = sandbox;
  int32_t status = begin (h->fake, call, "download", h->box->id);
  if (status != AK_OK)
    return status;
  if (strstr (path, ".."))
    return call->host->fail (call, AK_E_POLICY, "path: leaves the workspace", NULL);
  pthread_mutex_lock (&lock);
  const struct memory_file *file = file_locked (h->box, relative (path));
  status = file ? give_file (call, file, 1) : call->host->fail (call, AK_E_NO_FILE, "file: not found", NULL);
  pthread_mutex_unlock (&lock);
  return status;
}

static int32_t
fake_list_files (void *sandbox, struct ak_call *call, const char *path)
{
  struct handle *h = sandbox;
  int32_t status = begin (h->fake, call, "list_files", h->box->id);
  (void) path;                          /* there are no folders */
  pthread_mutex_lock (&lock);
  for (size_t i = 0; status == AK_OK && i < h->box->n_files; i++)
    status = give_file (call, &h->box->files[i], 0);
  pthread_mutex_unlock (&lock);
  return status;
}

static const struct ak_ops fake_ops = {
  .struct_size = sizeof (struct ak_ops),
  .open = fake_open,
  .close = fake_close,
  .probe = fake_probe,
  .create = fake_create,
  .attach = fake_attach,
  .destroy = fake_destroy,
  .kill = fake_kill,
  .list = fake_list,
  .release = fake_release,
  .execute_code = fake_execute_code,
  .execute_command = fake_execute_command,
  .upload = fake_upload,
  .download = fake_download,
  .list_files = fake_list_files,
};

AK_PROVIDER (fake, AK_CAP_SHELL | AK_CAP_FILES | AK_CAP_ATTACH | AK_CAP_PROVISIONS, AK_TIER_NONE, AK_PARALLEL,
             &fake_ops,
             AK_KV ("version", "1") AK_KV ("summary", "runs nothing, for tests")
             AK_KV ("license", "Apache-2.0") AK_KV ("origin", "tests") AK_KV ("languages", "python bash"));
