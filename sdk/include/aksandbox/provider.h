/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The binary contract between aksandbox and a provider. ELF; needs no library and no config.h.
 *
 * A provider has two halves. Its data is a set of ELF notes, which the host reads from the file without
 * loading it. Its code is one exported constant with the functions. The macros at the end of this file
 * write both from one list; the numbers that are in both are compared at load. Nothing points into a
 * note: patchelf moves notes and does not mend such pointers.
 *
 * Growth   Structs travel by pointer, start with struct_size and grow at the end; never embed one in
 *          another struct or an array. Zero is absent, unset, not granted, the safest choice. Ask AK_HAS
 *          before using what is newer than AK_USE_MINOR. No descriptor is ever a member: zero is one.
 *          Until aksandbox 1.0 a release may change this contract; it then changes the major number.
 * Memory   What is passed is borrowed, valid until the function returns; exceptions are marked. Nobody
 *          frees what the other side allocated: results go to host functions, which copy.
 * Text     UTF-8, NUL-terminated, not NULL unless marked [null]. A list of strings ends with NULL; an
 *          empty list may be NULL. What a program reads or prints is bytes with a length.
 * Errors   Return AK_OK, or an AK_E code after one fail(), made where it happened. A program that fails
 *          is AK_OK and an outcome. Outputs are untouched on failure.
 * Threads  Any thread may call in, with signals blocked and AK_STACK bytes of stack at least, and may
 *          end afterwards: tie nothing to it (PR_SET_PDEATHSIG does). The host keeps calls apart as the
 *          thread model asks. Host functions may be called from any thread.
 * Process  It is the application's. Leave alone its directory, umask, environment, locale, signal
 *          handlers, subreaper flag, descriptors 0 to 2 and children that are not yours; never exit; let
 *          no exception, longjmp or pthread_exit cross. The host keeps instances out of forked children.
 *
 * Everything below is of version 1.0 unless it says otherwise.
 */
#ifndef AKSANDBOX_PROVIDER_H
#define AKSANDBOX_PROVIDER_H
#include <stddef.h>
#include <stdint.h>

#define AK_PROVIDER_MAJOR 1         /* also in the symbol, so that one file can serve two majors */
#define AK_PROVIDER_MINOR 0         /* what this header knows */
#ifndef AK_USE_MINOR                /* the oldest host you support: stamped into the note, not the above */
#define AK_USE_MINOR AK_PROVIDER_MINOR
#endif
#define AK_STACK (256 * 1024)
#define AK_HAS(p, type, member) \
  ((p)->struct_size >= offsetof (type, member) + sizeof ((p)->member) && (p)->member)

/* Status. The host takes an unknown one for AK_E_INTERNAL. */
#define AK_OK 0
#define AK_E_CONFIG 1
#define AK_E_CAPABILITY 2
#define AK_E_POLICY 3
#define AK_E_TIMEOUT 4              /* of create, upload...; an execution says it in its outcome */
#define AK_E_PROVISION 5
#define AK_E_GONE 6                 /* the backend said that it does not exist; nothing else is this */
#define AK_E_NO_FILE 7
#define AK_E_UNAVAILABLE 8          /* nothing was done, and the same call may work later */
#define AK_E_AUTH 9
#define AK_E_CANCELLED 10
#define AK_E_INTERNAL 11

/* How an execution ended. 0, the provider did not say, is reported as a broken provider. */
#define AK_EXITED 1                 /* code: exit status, 0 to 255; 127 not found, 126 not executable */
#define AK_SIGNALLED 2              /* code: signal */
#define AK_TIMED_OUT 3
#define AK_OUT_OF_MEMORY 4
#define AK_CANCELLED 5
#define AK_LOST 6                   /* the connection broke; it may still be running */

/* Capabilities. Every new member of ak_policy gets a bit: a provider that never heard of it lacks the
 * bit, so the host refuses instead of passing what would be ignored. */
#define AK_CAP_SHELL 0x1u           /* execute_command */
#define AK_CAP_FILES 0x2u           /* upload, download, list_files */
#define AK_CAP_PACKAGES 0x4u        /* install_packages */
#define AK_CAP_STATEFUL 0x8u        /* variables survive from one execute_code to the next */
#define AK_CAP_ATTACH 0x10u         /* attach */
#define AK_CAP_PROVISIONS 0x20u     /* create, destroy, kill, list */
#define AK_CAP_EXTERNAL 0x40u       /* attach to what the operator made */
#define AK_CAP_PRINCIPAL_USER 0x80u
#define AK_CAP_NET_DENY 0x100u
#define AK_CAP_NET_CIDR 0x200u      /* these two: what network_allow may hold */
#define AK_CAP_NET_DOMAIN 0x400u
#define AK_CAP_FILESYSTEM 0x800u    /* path by path */
#define AK_CAP_CPU 0x1000u
#define AK_CAP_MEMORY 0x2000u

#define AK_TIER_NONE 0u             /* isolation, ordered */
#define AK_TIER_OS_POLICY 10u
#define AK_TIER_CONTAINER 20u
#define AK_TIER_SYSCALL_FILTER 30u
#define AK_TIER_WASM 40u
#define AK_TIER_MICRO_VM 50u

#define AK_SERIAL 0u                /* one call at a time */
#define AK_PER_SANDBOX 1u           /* one at a time per sandbox; calls on the instance at any time */
#define AK_PARALLEL 2u

struct ak_config;                   /* opaque: the options of one profile; lives as long as the instance */
struct ak_host;
/* One operation. Valid until it returns, even if the host gave up waiting; then every host function
 * still works, discards what it gets and says AK_E_CANCELLED. */
struct ak_call {
  uint32_t struct_size, reserved;
  uint64_t deadline_ns;             /* CLOCK_MONOTONIC; by then all it started is dead. 0: none */
  const struct ak_host *host;
};

struct ak_principal {
  uint32_t struct_size, user;       /* 0 the agent itself, 1 on behalf of subject */
  const char *subject;
  const char *const *groups;
  const char *const *credentials;   /* key, value, key, value... never log */
};

struct ak_policy {
  uint32_t struct_size, network;    /* 0 allow, 1 deny, 2 only network_allow */
  const char *const *network_allow; /* domains and CIDRs */
  const char *const *fs_read, *const *fs_write;
  uint64_t cpu_milli, memory_bytes; /* 0: unlimited */
  uint32_t strict, reserved;
};

struct ak_spec {                    /* a sandbox to create or attach */
  uint32_t struct_size, external;   /* attach: the operator named it; else refuse what lacks our labels */
  const char *id;                   /* [null] attach: what create reported, from a file: validate it */
  const char *profile;
  const char *const *labels;        /* "key=value": stored so that list finds them after a crash */
  uint64_t idle_ns;                 /* the host disposes after this; no lease may be shorter */
  const struct ak_policy *policy;   /* attach: refuse what cannot be applied any more */
  const struct ak_principal *principal;  /* a handle serves this principal only */
};

struct ak_exec {
  uint32_t struct_size, reserved;
  const char *language;             /* [null] execute_code: the program, with NULs and all */
  const void *code;
  uint64_t code_size;
  const char *const *argv;          /* execute_command; a shell line comes as sh, -c, LINE */
  const char *const *env;           /* "NAME=value" */
  const char *cwd;                  /* [null] the workspace */
  uint64_t term_grace_ns;           /* after the deadline: SIGTERM, this long, then SIGKILL. 0: at once */
};

struct ak_outcome {                 /* the host's, zeroed: set what you know */
  uint32_t struct_size, how;
  int32_t code;
  uint32_t unconfirmed;             /* timed out or cancelled, and something may still be running */
  uint64_t cpu_ns, peak_bytes;
};

struct ak_file {
  uint32_t struct_size, mode;       /* st_mode */
  const char *path;                 /* absolute, or in the workspace; untrusted both ways */
  uint64_t size;
  int64_t mtime_ns;
};

struct ak_granted {                 /* probe in: declared, and asserted by the operator. out: remove only */
  uint32_t struct_size, tier, caps, reserved;
};

#define AK_STDOUT 1u                /* streams of write */
#define AK_STDERR 2u
#define AK_CONTENT 3u               /* of the file last given to put_file */

/* What report tells. The host skips a number that it does not know. */
#define AK_REPORT_ID 1u             /* create: as soon as it exists, so that a crash leaks nothing */
#define AK_REPORT_LANGUAGES 2u      /* probe, create, attach: what there is, separated by spaces */
#define AK_REPORT_NOTICE 3u         /* for whoever runs programs: what was lost, what is different */
#define AK_REPORT_DATA 4u           /* key, JSON: into provider_data of the result */
#define AK_REPORT_PROGRESS 5u       /* of long work, for people: "pulling image, 40 %" */
#define AK_REPORT_FOUND 6u          /* list: key an id, value its labels, one a line */
#define AK_REPORT_FINDING 7u        /* probe: key ok, warn or fail; value what, and the remedy */
#define AK_REPORT_RETRY_AFTER 8u    /* seconds; before AK_E_UNAVAILABLE */
/* create, attach, open_stream: what the host's runner client needs to know of this sandbox. */
#define AK_REPORT_WORKSPACE 9u      /* the workspace's absolute path inside the sandbox */
#define AK_REPORT_ENV 10u           /* key, value: in the environment of every program there */
#define AK_REPORT_LIMIT 11u         /* key as in prlimit(1), such as nofile; value a number */

#define AK_PROFILE_NAME 1u          /* what profile() answers */
#define AK_PROFILE_ENVIRONMENT 2u   /* "managed", or "attached": then option ("attach_to") is set */
#define AK_PROFILE_STATE_DIR 3u     /* [null] folder of mode 0700 for sockets and records of sandboxes */

struct ak_host {                    /* what the host offers; lives as long as the process */
  uint32_t struct_size, minor;
  /* While the instance lives; so long its strings are valid. */
  void (*log) (const struct ak_config *, uint32_t level, const char *text);      /* syslog's levels */
  const char *(*option) (const struct ak_config *, const char *key);             /* [null] checked */
  const char *(*option_item) (const struct ak_config *, const char *key, uint32_t i, const char **map_key);
                                                   /* [null] past the last; map_key may be NULL */
  const char *(*env) (const struct ak_config *, const char *name);               /* [null] declared ones */
  int32_t (*runner) (const struct ak_config *, const char *machine);             /* descriptor, yours; -1 */
                                                   /* machine as uname -m says it; [null] this one */
  /* While the operation runs. */
  int32_t (*fail) (struct ak_call *, int32_t code, const char *text, const char *hint); /* hint [null] */
  int32_t (*stopped) (struct ak_call *);           /* 0, AK_E_TIMEOUT, AK_E_CANCELLED; costs a load */
  int32_t (*stop_fd) (struct ak_call *);           /* readable from then on; the host's: only poll it */
  int32_t (*stdin_fd) (struct ak_call *);          /* the host's: read it, never close it; -1 none */
  int32_t (*write) (struct ak_call *, uint32_t stream, const void *data, uint64_t size);
                                                   /* may block, not past the deadline; not 0: stop */
  int32_t (*next_file) (struct ak_call *, struct ak_file *);   /* upload: 1 one more, 0 no more */
  int64_t (*read) (struct ak_call *, void *buffer, uint64_t size);  /* of that file; 0 end, -1 stop */
  int32_t (*put_file) (struct ak_call *, const struct ak_file *);   /* download, list_files, results */
  int32_t (*report) (struct ak_call *, uint32_t what, const char *key, const char *value); /* key [null] */
  /* While the instance lives, as above. */
  const char *(*profile) (const struct ak_config *, uint32_t what);              /* [null] */
};

/* Instance and sandbox are yours; the host never looks inside. An operation that the capabilities do
 * not cover is NULL, and an entry that is NULL is not covered; but whoever has open_stream may leave
 * out the six that the host then does. Mandatory: open, close, release, create or attach, and
 * execute_code or open_stream. */
struct ak_ops {
  uint32_t struct_size, reserved;
  int32_t (*open) (struct ak_call *, const struct ak_config *, void **instance); /* no I/O, no thread */
  void (*close) (void *instance);                                 /* after every release */
  int32_t (*probe) (void *instance, struct ak_call *, struct ak_granted *);      /* first use, doctor */
  int32_t (*create) (void *instance, struct ak_call *, const struct ak_spec *, void **sandbox);
  int32_t (*attach) (void *instance, struct ak_call *, const struct ak_spec *, void **sandbox);
  int32_t (*destroy) (void *instance, struct ak_call *, const char *id);         /* unknown: AK_OK */
  int32_t (*kill) (void *instance, struct ak_call *, const char *id);            /* all it runs, now: no
      help from inside, no further exec; what was killed may have to be created anew */
  int32_t (*list) (void *instance, struct ak_call *);                            /* all with our labels */
  void (*release) (void *sandbox);                                /* the handle; what it names lives on */
  int32_t (*execute_code) (void *sandbox, struct ak_call *, const struct ak_exec *, struct ak_outcome *);
  int32_t (*execute_command) (void *sandbox, struct ak_call *, const struct ak_exec *, struct ak_outcome *);
  int32_t (*upload) (void *sandbox, struct ak_call *);                           /* all of next_file */
  int32_t (*download) (void *sandbox, struct ak_call *, const char *path);
  int32_t (*list_files) (void *sandbox, struct ak_call *, const char *path);
  int32_t (*install_packages) (void *sandbox, struct ak_call *, const char *const *, struct ak_outcome *);
  int32_t (*open_stream) (void *sandbox, struct ak_call *, int32_t fds[2]);
      /* Start the runner, which takes no arguments and speaks on its descriptors 0 and 1; it may have a
       * pidfd of the host as 3. fds[0] to read, fds[1] to write, may be one; the host's on success. It
       * then does the six above by itself; AK_E_CAPABILITY sends it back to the provider's own. */
};

/* The note: 32-bit integers and characters only, so no relocation and no gap between notes. Text is
 * "key=value\0"...; unknown keys are skipped. Of a provider: version, summary, license, origin,
 * languages and env (lists separated by spaces), package. Of an option: default, min, max, help, choices
 * and excludes (keys that may not be set beside it; both with spaces between).
 * AK_OPTION (fly, size, AK_T_INT, 0, 0, AK_KV ("default", "1")) */
struct ak_manifest { uint32_t struct_size, major, minor, caps, tier, threads; };
struct ak_option { uint32_t struct_size, type, flags, asserts; };
struct ak_provider { uint32_t struct_size, major, minor, caps, tier, threads; const struct ak_ops *ops; };
#define AK_NOTE_PROVIDER 1
#define AK_NOTE_OPTION 2
#define AK_T_STRING 1
#define AK_T_INT 2
#define AK_T_FLOAT 3
#define AK_T_BOOL 4
#define AK_T_LIST 5
#define AK_T_MAP 6
#define AK_T_JSON 7                 /* any YAML; option() gives JSON */
#define AK_T_TIER 8                 /* name of a tier that the operator asserts for the instance */
#define AK_T_ENV 9                  /* names a variable; option() gives its value. Secret */
#define AK_REQUIRED 1
#define AK_SECRET 2
#ifdef __cplusplus
#define AK_EXPORT_ extern "C" __attribute__ ((visibility ("default")))
#else
#define AK_EXPORT_ extern __attribute__ ((visibility ("default")))
#endif
#ifdef __clang__                    /* whose address sanitizer would put red zones between the notes */
#define AK_IN_NOTE_ __attribute__ ((used, section (".note.aksandbox"), aligned (4), \
  no_sanitize ("address")))
#else                               /* without aligned, gcc pads what is 32 bytes long or more */
#define AK_IN_NOTE_ __attribute__ ((used, section (".note.aksandbox"), aligned (4)))
#endif
#define AK_NOTE_(var, head_type, text) static const struct { uint32_t namesz, descsz, type; \
  char vendor[12]; struct head_type head; char txt[sizeof (text)]; } var AK_IN_NOTE_
#define AK_KV(key, value) key "=" value "\0"
#define AK_OPTION(name, key, type, flags, asserts, text) \
  AK_NOTE_ (ak1_option_##name##_##key, ak_option, "of=" #name "\0key=" #key "\0" text) = { 10, \
    sizeof (ak1_option_##name##_##key) - 24, AK_NOTE_OPTION, "aksandbox", \
    { sizeof (struct ak_option), type, flags, asserts }, "of=" #name "\0key=" #key "\0" text }
#define AK_PROVIDER(name, caps, tier, threads, ops, text) \
  AK_NOTE_ (ak1_note_##name, ak_manifest, "name=" #name "\0" text) = { 10, \
    sizeof (ak1_note_##name) - 24, AK_NOTE_PROVIDER, "aksandbox", { sizeof (struct ak_manifest), \
    AK_PROVIDER_MAJOR, AK_USE_MINOR, caps, tier, threads }, "name=" #name "\0" text }; \
  AK_EXPORT_ const struct ak_provider ak1_provider_##name; \
  const struct ak_provider ak1_provider_##name = { sizeof (struct ak_provider), \
    AK_PROVIDER_MAJOR, AK_USE_MINOR, caps, tier, threads, ops }
#endif
