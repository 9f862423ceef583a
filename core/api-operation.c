/* SPDX-License-Identifier: Apache-2.0 */
/* The public functions on operations: executions on a thread of the runtime. */
#include "config.h"
#include "cleanup.h"
#include "outbox.h"
#include "request.h"
#include "struct-copy.h"
#include "strv.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>

#define WAIT_SLICE_NS (50 * 1000 * 1000)        /* how long a wish from a signal handler may go unnoticed */

struct ak_operation {
  struct task task;                     /* first */
  struct ak_session *session;           /* borrowed */
  struct ak_request request;            /* what it points to is in `owned`, but for `cancel` */
  struct ak_start start;
  struct {
    char *language, *code, *cwd, **argv, **env;
    int stdin_fd;
    struct ak_cancel *cancel;
  } owned;
  int (*output) (void *output_data, enum ak_stream stream, const void *data, size_t size);      /* the request's */
  void *output_data;
  int fd;                               /* an eventfd: 1 while `raised` */
  pthread_mutex_t lock;                 /* of all below */
  pthread_cond_t changed;
  struct outbox box;
  int raised;
  int discards;                         /* nobody will read */
  int ended;
  int tells;                            /* `done` is being called, by `teller` */
  int orphaned;                         /* finished by `done`: the teller frees it */
  pthread_t teller;
  enum ak_status status;
  struct ak_result *result;
  struct ak_error *error;
};

static void
operation_free (struct ak_operation *o)
{
  free (o->owned.language);
  free (o->owned.code);
  free (o->owned.cwd);
  ak_strv_free (o->owned.argv);
  ak_strv_free (o->owned.env);
  cleanup_close (&o->owned.stdin_fd);
  cleanup_close (&o->fd);
  ak_cancel_free (o->owned.cancel);
  ak_outbox_clear (&o->box);
  ak_result_free (o->result);
  ak_error_free (o->error);
  pthread_mutex_destroy (&o->lock);
  pthread_cond_destroy (&o->changed);
  free (o);
}

/* The descriptor shows what there is. */
static void
show_locked (struct ak_operation *o)
{
  uint64_t n = 1;
  int wanted = o->ended || o->box.used;
  if (wanted == o->raised)
    return;
  o->raised = wanted;
  while ((wanted ? write (o->fd, &n, sizeof n) : read (o->fd, &n, sizeof n)) < 0 && errno == EINTR)
    ;
}

static void
sleep_locked (struct ak_operation *o)
{
  uint64_t until = ak_now_ns () + WAIT_SLICE_NS;
  struct timespec t = { (time_t) (until / 1000000000), (long) (until % 1000000000) };
  pthread_cond_timedwait (&o->changed, &o->lock, &t);
}

/* What finds no room once nobody waits for it any more goes to the result alone. */
static void
put (struct ak_operation *o, enum ak_stream stream, const char *data, size_t size)
{
  LOCK_FOR_SCOPE (&o->lock);
  while (size && !o->discards) {
    size_t n = ak_outbox_put (&o->box, stream, data, size);
    data += n;
    size -= n;
    show_locked (o);
    if (!n && atomic_load (&o->request.cancel->fired))
      return;
    if (!n)
      sleep_locked (o);
  }
}

static int
take_output (void *data, enum ak_stream stream, const void *bytes, size_t size)
{
  struct ak_operation *o = data;
  int answer = o->output ? o->output (o->output_data, stream, bytes, size) : 0;
  if (o->start.buffer)
    put (o, stream, bytes, size);
  return answer;
}

/* Without `done` the operation may be gone when this returns. */
static void
end (struct ak_operation *o, enum ak_status status, struct ak_result *result, struct ak_error *error)
{
  struct ak_start start = o->start;
  pthread_mutex_lock (&o->lock);
  o->status = status;
  o->result = result;
  o->error = error;
  o->ended = 1;
  o->tells = start.done != NULL;
  o->teller = pthread_self ();
  show_locked (o);
  pthread_cond_broadcast (&o->changed);
  pthread_mutex_unlock (&o->lock);
  if (!start.done)
    return;
  start.done (start.done_data, o);
  pthread_mutex_lock (&o->lock);
  int orphaned = o->orphaned;
  o->tells = 0;
  pthread_cond_broadcast (&o->changed);
  pthread_mutex_unlock (&o->lock);
  if (orphaned)
    operation_free (o);
}

static void
run_operation (struct task *task)
{
  struct ak_operation *o = (struct ak_operation *) (void *) task;
  struct ak_result *result = NULL;
  struct ak_error *error = NULL;
  enum ak_status status = ak_request_run (o->session, &o->request, &result, &error);
  end (o, status, result, error);
}

static int
copy_text (const char *text, const char **ret, char **owner)
{
  if (!text)
    return 0;
  *ret = *owner = strdup (text);
  return *ret ? 0 : -1;
}

static int
copy_list (const char *const *list, const char *const **ret, char ***owner)
{
  if (!list)
    return 0;
  *owner = calloc (1, sizeof **owner);
  int failed = !*owner;
  for (; *list && !failed; list++)
    failed = ak_strv_add (owner, *list);
  *ret = (const char *const *) *owner;
  return failed ? -1 : 0;
}

static int
copy_code (struct ak_operation *o)
{
  if (!o->request.code)
    return 0;
  o->owned.code = malloc (o->request.code_size + 1);
  if (!o->owned.code)
    return -1;
  o->request.code = memcpy (o->owned.code, o->request.code, o->request.code_size);
  return 0;
}

/* Never one of the standard streams, which may be closed and of which the application thinks as its own. */
static int
own_fd (int fd)
{
  return fcntl (fd, F_DUPFD_CLOEXEC, 3);
}

static enum ak_status
own_descriptors (struct ak_operation *o, struct ak_error **error)
{
  CLEANUP_CLOSE int event = eventfd (0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (event >= 0)
    o->fd = own_fd (event);
  if (!o->request.cancel)
    o->request.cancel = o->owned.cancel = ak_cancel_new ();
  if (o->request.has_stdin)
    o->request.stdin_fd = o->owned.stdin_fd = own_fd (o->request.stdin_fd);
  if (o->fd >= 0 && o->request.cancel && (!o->request.has_stdin || o->owned.stdin_fd >= 0))
    return AK_STATUS_OK;
  return ak_fail (error, errno == EBADF ? AK_STATUS_CONFIG : AK_STATUS_UNAVAILABLE, NULL, "operation: %s",
                  strerror (errno));
}

/* From here on nothing of the request is the caller's. */
static enum ak_status
own_request (struct ak_operation *o, struct ak_error **error)
{
  struct ak_request *r = &o->request;
  if (copy_text (r->language, &r->language, &o->owned.language) || copy_text (r->cwd, &r->cwd, &o->owned.cwd)
      || copy_code (o) || copy_list (r->argv, &r->argv, &o->owned.argv)
      || copy_list (r->env, &r->env, &o->owned.env) || ak_outbox_init (&o->box, o->start.buffer))
    return ak_fail_memory (error);
  o->output = r->output;
  o->output_data = r->output_data;
  r->output = take_output;
  r->output_data = o;
  return own_descriptors (o, error);
}

static struct ak_operation *
operation_new (struct ak_session *session)
{
  struct ak_operation *o = calloc (1, sizeof *o);
  pthread_condattr_t attr;
  if (!o)
    return NULL;
  o->task.run = run_operation;
  o->session = session;
  o->fd = o->owned.stdin_fd = -1;
  pthread_condattr_init (&attr);
  pthread_condattr_setclock (&attr, CLOCK_MONOTONIC);
  pthread_mutex_init (&o->lock, NULL);
  pthread_cond_init (&o->changed, &attr);
  pthread_condattr_destroy (&attr);
  return o;
}

enum ak_status
ak_operation_start (struct ak_session *session, const struct ak_request *request, const struct ak_start *start,
                    struct ak_operation **operation, struct ak_error **error)
{
  struct ak_operation *o = operation_new (session);
  if (!o)
    return ak_fail_memory (error);
  enum ak_status status = ak_request_copy (request, &o->request, error);
  if (status == AK_STATUS_OK && start)
    status = ak_struct_copy (&o->start, sizeof o->start, start, offsetof (struct ak_start, buffer), "start", error);
  if (status == AK_STATUS_OK)
    status = own_request (o, error);
  if (status == AK_STATUS_OK)
    status = ak_pool_submit (session->runtime->pool, &o->task, error);
  if (status != AK_STATUS_OK)
    operation_free (o);
  else if (operation)
    *operation = o;
  return status;
}

int
ak_operation_fd (const struct ak_operation *o)
{
  return o->fd;
}

size_t
ak_operation_read (struct ak_operation *o, enum ak_stream *stream, void *buffer, size_t size)
{
  LOCK_FOR_SCOPE (&o->lock);
  size_t n = ak_outbox_get (&o->box, stream, buffer, size);
  if (!n)
    return 0;
  show_locked (o);
  pthread_cond_broadcast (&o->changed);
  return n;
}

int
ak_operation_ended (struct ak_operation *o)
{
  LOCK_FOR_SCOPE (&o->lock);
  return o->ended && !o->box.used;
}

void
ak_operation_cancel (struct ak_operation *o)
{
  struct ak_error *why = NULL;
  ak_cancel_fire (o->request.cancel);
  if (ak_pool_withdraw (o->session->runtime->pool, &o->task)) {
    ak_fail (&why, AK_STATUS_CANCELLED, NULL, "operation: cancelled before it began");
    end (o, AK_STATUS_CANCELLED, NULL, why);
    return;
  }
  LOCK_FOR_SCOPE (&o->lock);
  pthread_cond_broadcast (&o->changed);
}

static int
may_end_locked (const struct ak_operation *o)
{
  return o->ended && (!o->tells || pthread_equal (o->teller, pthread_self ()));
}

enum ak_status
ak_operation_finish (struct ak_operation *o, struct ak_result **result, struct ak_error **error)
{
  pthread_mutex_lock (&o->lock);
  o->discards = 1;
  pthread_cond_broadcast (&o->changed);
  while (!may_end_locked (o))
    pthread_cond_wait (&o->changed, &o->lock);
  enum ak_status status = o->status;
  if (result && o->result)
    *result = TAKE_PTR (o->result);
  if (error && !*error)
    *error = TAKE_PTR (o->error);
  int orphaned = o->orphaned = o->tells;
  pthread_mutex_unlock (&o->lock);
  if (!orphaned)
    operation_free (o);
  return status;
}
