/* SPDX-License-Identifier: Apache-2.0 */
/* The frames between the host and aksandbox-runner, which runs inside a sandbox.
 *
 * Stream   Two directions of bytes (one socket or two pipes): the runner reads frames from descriptor 0
 *          and writes them to descriptor 1. Descriptor 3, where it is open, is a pidfd of the host.
 * Frame    A header of 16 bytes, then `size` bytes of payload, at most FRAME_PAYLOAD_MAX. All integers
 *          are little-endian; nothing is aligned beyond the header. Reserved fields are zero.
 * Ids      The host chooses them: 1, 2, 3... each greater than the last, never used again. Id 0 is the
 *          connection. An id names one execution or one file operation.
 * Credit   Bytes of payload in DATA frames may only be sent against credit from the receiver: each side
 *          starts an id and stream with CREDIT_START bytes and gives more with CREDIT as it consumes.
 *          Frames that carry no DATA need none, so control is never blocked by data.
 * Versions HELLO of the host offers a version, HELLO of the runner answers the one in force: the smaller
 *          of the two. A frame type that the version does not know is a violation.
 * Trust    Both sides take the other's frames for hostile: any violation ends the connection.
 */
#ifndef AKSANDBOX_CORE_RUNNER_PROTOCOL_H
#define AKSANDBOX_CORE_RUNNER_PROTOCOL_H
#include <stdint.h>

#define RUNNER_VERSION 1
#define RUNNER_MAGIC 0x726b7361u          /* "askr" */
#define FRAME_SIZE_MAX 65536u             /* header and payload */
#define FRAME_PAYLOAD_MAX (FRAME_SIZE_MAX - 16u)
#define CREDIT_START (1024u * 1024u)      /* of each id and data stream, in either direction */
#define CREDIT_MAX (64u * 1024u * 1024u)  /* outstanding; more is a violation */
#define SPEC_MAX (64u * 1024u * 1024u)    /* the description of one execution, code included */
#define EXECUTIONS_MAX 1024u              /* at once, on one runner */

struct frame_header {
  uint32_t size;                          /* of the payload */
  uint16_t type;
  uint16_t stream;                        /* of FRAME_DATA, FRAME_CREDIT and FRAME_EOF, else 0 */
  uint64_t id;
};

enum frame_type {
  /* Connection; id 0. Both ways. */
  FRAME_HELLO = 1,        /* host: u32 magic, u32 version, then fields (SETUP_*). runner: u32 magic, u32 version,
                             u32 flags (HELLO_*), u32 pid, then fields (none yet). First frame of each side. */
  FRAME_PING = 2,         /* 8 bytes of the sender's choice */
  FRAME_PONG = 3,         /* the same 8 bytes */
  FRAME_BYE = 4,          /* host: kill everything and exit */
  FRAME_ERROR = 5,        /* runner, id 0 or an operation's: u32 enum runner_error, then text for people. Of an
                             operation: it never began or has failed, and has ended. */
  /* Data of an id. Both ways. */
  FRAME_DATA = 8,         /* stream: enum data_stream */
  FRAME_EOF = 9,          /* no more DATA on that stream from this side */
  FRAME_CREDIT = 10,      /* u32: so many more bytes on that stream of that id */
  /* Executions. */
  FRAME_SPEC = 16,        /* host: a piece of the fields (EXEC_*) of a coming START; needs no credit */
  FRAME_START = 17,       /* host: begin; the pieces so far are complete */
  FRAME_STARTED = 18,     /* runner: u32 pid inside the sandbox */
  FRAME_SIGNAL = 19,      /* host: u32 signal, to the main process's group; no answer */
  FRAME_KILL = 20,        /* host: u32 enum kill_reason; the whole tree, also what has left the group; answered by EXIT */
  FRAME_EXIT = 21,        /* runner: struct of 40 bytes below; after the last DATA of both streams; ends the id */
  /* Files, confined to the workspace; each path is relative to it or absolute below it. */
  FRAME_FILE_WRITE = 32,  /* host: u32 mode, u32 flags (0), path; then DATA and EOF of STREAM_FILE; answered by FILE_DONE.
                             Parents are made, the file appears whole by rename or not at all. */
  FRAME_FILE_READ = 33,   /* host: u64 offset, u64 length (0: to the end), path; answered by FILE_ENTRY, DATA, FILE_DONE */
  FRAME_FILE_LIST = 34,   /* host: u32 flags (0), path; answered by FILE_ENTRY of each, FILE_DONE */
  FRAME_FILE_STAT = 35,   /* host: path; answered by FILE_ENTRY, FILE_DONE */
  FRAME_FILE_REMOVE = 36, /* host: u32 flags (1: and what is below it), path; answered by FILE_DONE */
  FRAME_FILE_ENTRY = 37,  /* runner: u32 mode, u32 0, u64 size, i64 mtime in ns, name or path as bytes */
  FRAME_FILE_DONE = 38,   /* runner: nothing. Ends the id. A failure ends it with ERROR instead. */
  /* Reserved: 48-63 terminals, 64-79 contexts (stateful interpreters), 80-95 lease, detach and reconnect. */
};

enum data_stream { STREAM_STDIN = 0, STREAM_STDOUT = 1, STREAM_STDERR = 2, STREAM_FILE = 3 };

/* Fields: u32 tag, u32 size, bytes; text without its NUL. An unknown tag is a violation; a tag that may not
 * repeat is one too, when it does. */
enum setup_field {        /* in the host's HELLO */
  SETUP_WORKSPACE = 1,    /* absolute path: where programs start and files live; required */
  SETUP_LIMIT = 2,        /* repeats: u32 RLIMIT_*, u32 0, u64 soft, u64 hard: of every program */
  SETUP_ENV = 3,          /* repeats: NAME=value, of every program, before EXEC_ENV */
};
enum exec_field {         /* in SPEC */
  EXEC_ARG = 1,           /* repeats: argv[0], argv[1]...; argv[0] without a slash is looked up in PATH of the
                             environment; at least one */
  EXEC_ENV = 2,           /* repeats: NAME=value; replaces one of the same name */
  EXEC_CWD = 3,           /* absolute, or relative to the workspace; default the workspace */
  EXEC_CODE = 4,          /* bytes: readable from descriptor 3 of the program, at offset 0 */
  EXEC_TIMEOUT = 5,       /* u64 ns from START; absent or 0: none */
  EXEC_TERM_GRACE = 6,    /* u64 ns between SIGTERM and SIGKILL after the timeout; absent or 0: SIGKILL at once */
  EXEC_STDIN = 7,         /* u32: 0 end-of-file at once (default), 1 DATA of STREAM_STDIN follows */
};

#define HELLO_PID1 1u         /* flags of the runner: it is PID 1 of its namespace */
#define HELLO_SECCOMP 2u      /* its filter is in force */
#define HELLO_CLEAN_KILL 4u   /* no process of an execution can escape its kill */

enum runner_error {
  RUNNER_E_PROTOCOL = 1,      /* with id 0, then the runner ends */
  RUNNER_E_RESOURCE = 2,      /* fork, memory, descriptors: may work later */
  RUNNER_E_NOT_FOUND = 3,     /* no such file */
  RUNNER_E_ESCAPE = 4,        /* the path leaves the workspace */
  RUNNER_E_FILE = 5,          /* the file cannot be read or written, and why */
  RUNNER_E_SPEC = 6,          /* the execution or operation is not described as it must be */
};

enum kill_reason { KILL_CANCEL = 1, KILL_TIMEOUT = 2 };

/* EXIT: u32 enum exit_how, u32 code (status or signal), u64 cpu_ns, u64 peak_bytes, u64 duration_ns,
 * u32 flags (EXIT_*), u32 0. */
enum exit_how {
  EXIT_EXITED = 1,
  EXIT_SIGNALLED = 2,
  EXIT_TIMED_OUT = 3,
  EXIT_OUT_OF_MEMORY = 4,
  EXIT_CANCELLED = 5,
};
#define EXIT_NOT_STARTED 1u   /* code 126 or 127 is the runner's, and stderr says why */
#define EXIT_SURVIVORS 2u     /* processes of it live on in the background */
#define EXIT_PAYLOAD 40u

#endif
