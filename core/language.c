/* SPDX-License-Identifier: Apache-2.0 */
/* The languages that the runner knows by name: interpreters that read their program from descriptor 3.
 *
 * Not from an argument: that would be visible in ps and bounded. Not from standard input: that is the
 * program's. Not as a script's path either: then python's sys.path[0] and everybody's $0 would be a folder
 * of /proc. */
#include "config.h"
#include <string.h>
#include "runner-client.h"

/* The bytes go to compile() as they are, which honours a coding line and refuses a NUL; open() closes the
 * descriptor when it has read. All names are those of `python3 -c`, and so is __main__. The hook takes this
 * program's own frame off the traceback of what nobody caught: it would be shown as line 1 of the code. */
static const char *const python[] = {
  "python3", "-c",
  "def _():\n"
  "  import sys\n"
  "  shown = sys.excepthook\n"
  "  def hook(kind, value, trace):\n"
  "    if trace and trace.tb_frame.f_back is None:\n"
  "      trace = trace.tb_next\n"
  "    shown(kind, value.with_traceback(trace), trace)\n"
  "  sys.excepthook = hook\n"
  "_()\n"
  "del _\n"
  "exec(compile(open(3, 'rb').read(), '<string>', 'exec'))\n",
  NULL
};

/* The shells read the file by a descriptor of their own, that of the prefix is closed: what they start does
 * not inherit it. On the first line, so that line numbers hold. */
#define SHELL_PREFIX "exec 3<&-;"
static const char *const bash[] = { "bash", "-c", ". /proc/self/fd/3", NULL };
static const char *const sh[] = { "sh", "-c", ". /proc/self/fd/3", NULL };

static const struct language languages[] = {
  { "python", python, NULL },
  { "bash", bash, SHELL_PREFIX },
  { "sh", sh, SHELL_PREFIX },
};

const struct language *
ak_language_find (const char *name)
{
  for (size_t i = 0; i < sizeof languages / sizeof *languages; i++)
    if (!strcmp (languages[i].name, name))
      return &languages[i];
  return NULL;
}
