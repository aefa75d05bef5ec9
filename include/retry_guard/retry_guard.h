/* SPDX-License-Identifier: Apache-2.0 */

/* Retry Guard: makes gRPC C-core's own retries safe.
 *
 * A program registers the plugin once, before it first uses gRPC, and puts a
 * `retryGuard` block into its service config. From then on every retry that
 * gRPC's native `retryPolicy` would make is bounded by a retry budget, spread
 * in time, and made by one layer of the call tree only. Channels without
 * `retryGuard` in their service config behave exactly as without the plugin.
 *
 * This header needs nothing but the C11 standard headers. All strings are
 * UTF-8 and end in NUL. No function raises a signal or throws, and none sets
 * errno but for want of memory. */
#ifndef RETRY_GUARD_RETRY_GUARD_H
#define RETRY_GUARD_RETRY_GUARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RETRY_GUARD_VERSION_MAJOR 0
#define RETRY_GUARD_VERSION_MINOR 1
#define RETRY_GUARD_VERSION_PATCH 0

#if defined(__GNUC__)
#define RETRY_GUARD_API __attribute__((visibility("default")))
#else
#define RETRY_GUARD_API
#endif

/* gRPC's own opaque call; declared here so that this header stands alone. */
typedef struct grpc_call grpc_call;

/* ---- Status ------------------------------------------------------------- */

/* What a function of this header reports. Values never change their meaning;
 * new ones are added at the end. */
typedef enum retry_guard_status {
  RETRY_GUARD_OK = 0,
  /* gRPC was used before the registration, so its configuration is fixed. */
  RETRY_GUARD_TOO_LATE = 1,
  /* The plugin, or another copy of it, is registered already; the first
   * registration stays. */
  RETRY_GUARD_ALREADY_REGISTERED = 2,
  /* The gRPC library in this process is not the one this plugin was built
   * for. gRPC's internal structures differ between versions, so the plugin
   * stays out of the process. */
  RETRY_GUARD_WRONG_GRPC_VERSION = 3,
  /* A parameter was NULL, out of range, or a struct of unknown size. */
  RETRY_GUARD_INVALID_ARGUMENT = 4,
  /* There is no such thing (target, hop context). */
  RETRY_GUARD_NOT_FOUND = 5,
  /* The caller's buffer is too small; the needed size was reported. */
  RETRY_GUARD_BUFFER_TOO_SMALL = 6,
  RETRY_GUARD_OUT_OF_MEMORY = 7,
  /* gRPC would refuse a channel with this service config. */
  RETRY_GUARD_INVALID_SERVICE_CONFIG = 8,
  /* Another socket listens on this address. */
  RETRY_GUARD_ADDRESS_IN_USE = 9,
  /* The system does not allow to listen on this address, or it is not one of
   * this machine. */
  RETRY_GUARD_CANNOT_LISTEN = 10,
} retry_guard_status;

/* Returns one English sentence for `status` that says what was wrong and what
 * to do; never NULL, not even for a value outside the enum. The string is
 * static. Thread-safe. */
RETRY_GUARD_API const char *retry_guard_status_string(
    retry_guard_status status);

/* ---- Version ------------------------------------------------------------ */

/* Returns the version of the library, such as "0.1.0". Static, thread-safe. */
RETRY_GUARD_API const char *retry_guard_version_string(void);

/* Returns the gRPC version that the library was built for, such as "1.51.1";
 * retry_guard_register refuses every other one. Static, thread-safe. */
RETRY_GUARD_API const char *retry_guard_grpc_version_string(void);

/* ---- Events ------------------------------------------------------------- */

/* Something that happened to a target. Values never change their meaning; new
 * ones are added before the count. */
typedef enum retry_guard_event_kind {
  RETRY_GUARD_EVENT_BREAKER_OPENED = 0,
  RETRY_GUARD_EVENT_BREAKER_HALF_OPENED = 1,
  RETRY_GUARD_EVENT_BREAKER_CLOSED = 2,
  /* The first retry since the last one that was paid for was refused for want
   * of budget. */
  RETRY_GUARD_EVENT_BUDGET_EXHAUSTED = 3,
  /* Retry amplification has been above the policy's amplificationAlarm for a
   * minute; it is at most four fifths of it again. Both are noticed with a call
   * to the target, at most once a second. */
  RETRY_GUARD_EVENT_ALARM_BEGAN = 4,
  RETRY_GUARD_EVENT_ALARM_ENDED = 5,
  RETRY_GUARD_EVENT_COUNT
} retry_guard_event_kind;

/* Returns the lower-case name of a kind, such as "breaker_opened"; "unknown"
 * outside the enum. Static, thread-safe. */
RETRY_GUARD_API const char *retry_guard_event_string(
    retry_guard_event_kind kind);

/* Why a breaker opened. */
typedef enum retry_guard_breaker_cause {
  RETRY_GUARD_CAUSE_NONE = 0,        /* it did not open */
  RETRY_GUARD_CAUSE_RATE = 1,        /* too many failures in its window */
  RETRY_GUARD_CAUSE_CONSECUTIVE = 2, /* too many in a row */
  RETRY_GUARD_CAUSE_PROBE = 3,       /* a probe failed */
} retry_guard_breaker_cause;

/* What one breaker is for. */
typedef enum retry_guard_breaker_scope {
  RETRY_GUARD_SCOPE_TARGET = 0,
  RETRY_GUARD_SCOPE_SERVICE = 1,
  RETRY_GUARD_SCOPE_METHOD = 2,
  RETRY_GUARD_SCOPE_BACKEND = 3, /* one address of the target */
} retry_guard_breaker_scope;

typedef struct retry_guard_event {
  size_t size; /* sizeof(retry_guard_event) of the library */
  retry_guard_event_kind kind;
  /* The target's name; valid during the callback only. */
  const char *target;
  /* With BREAKER_OPENED: why, and the numbers of that moment. `failures` of
   * `total` results in the window, or so many failures in a row. */
  retry_guard_breaker_cause cause;
  uint64_t failures;
  uint64_t total;
  /* With the alarm: retries for 1,000 calls of the last minute. */
  uint32_t amplification_milli;
  /* With the breaker's events: which one it is, as in retry_guard_breaker; ""
   * with others. `breaker` is valid during the callback only. */
  retry_guard_breaker_scope scope;
  const char *breaker;
} retry_guard_event;

/* Is told of each event, on a thread of gRPC's own executor: it may use this
 * library and gRPC, but must not block, since gRPC has work for that thread.
 * Events of one target can arrive out of order, and from several threads at the
 * same time. */
typedef void retry_guard_event_callback(const retry_guard_event *event,
                                        void *arg);

/* ---- Registration ------------------------------------------------------- */

/* What the guard does about its decisions. */
typedef enum retry_guard_mode {
  RETRY_GUARD_MODE_OF_POLICY = 0, /* as each policy's `mode` says */
  RETRY_GUARD_MODE_ENFORCE = 1,   /* acts by them */
  RETRY_GUARD_MODE_SHADOW = 2,    /* decides and counts, changes nothing */
  RETRY_GUARD_MODE_OFF = 3,       /* as if there were no policy */
} retry_guard_mode;

/* What holds for the whole process. Fill with retry_guard_options_init first,
 * then change what you need, so that programs keep working when fields are
 * added. */
typedef struct retry_guard_options {
  /* sizeof(retry_guard_options) of the caller; set by the init function. */
  size_t size;
  /* Service config (JSON) for channels that bring none of their own, by
   * channel argument; one that the resolver delivers still replaces it, as
   * always in gRPC. Copied. NULL: none. It is checked when a channel uses it,
   * and an invalid one fails that channel as gRPC always does. */
  const char *default_service_config;
  /* How this process calls itself in the marks it makes, at most 64 bytes; a
   * policy's `layer.name` comes before it. Copied. NULL or "": no name. */
  const char *layer_name;
  /* Whether retry marks on incoming calls are believed. Set to false at the
   * edge of your system: marks from outside are then removed from the metadata
   * and ignored. Default: true. */
  bool accept_marks;
  /* Is told of events, with `event_arg`. NULL: nobody. They also go to gRPC's
   * log, at most ten a minute of each kind, with the number of those left
   * out. */
  retry_guard_event_callback *on_event;
  void *event_arg;
  /* Other than RETRY_GUARD_MODE_OF_POLICY, the default, it comes before the
   * `mode` of every policy, so that an operator can switch the guard off or let
   * it only watch, whatever the service configs say. */
  retry_guard_mode mode;
} retry_guard_options;

/* Sets `options` (not NULL) to the defaults. Thread-safe. */
RETRY_GUARD_API void retry_guard_options_init(retry_guard_options *options);

/* Registers the plugin with the gRPC library of this process: call it once,
 * before grpc_init and before any channel, server or credentials object is
 * made. `options` may be NULL for the defaults and is not kept.
 *
 * Returns OK; TOO_LATE, ALREADY_REGISTERED or WRONG_GRPC_VERSION, in which
 * case gRPC is left as it was; INVALID_ARGUMENT for an options struct whose
 * size is unknown, a layer_name that is too long or a mode that there is not;
 * OUT_OF_MEMORY. It never aborts the process.
 *
 * Copies: a process may hold several copies of the library, static and shared.
 * The first one to register guards it; the others get ALREADY_REGISTERED and
 * stay inert: their statistics are empty, and hop contexts that are bound by
 * their functions reach no call. So link one.
 *
 * Process: there is no way to unregister. The shared library stays in memory
 * after dlclose, and the registration outlives grpc_shutdown. A child of fork
 * has the registration and the counters of its parent; it may use gRPC where
 * gRPC itself allows it, such as before the parent has used it.
 *
 * Threads: concurrent callers are told apart, one gets OK; but no thread may
 * use gRPC for the first time meanwhile. */
RETRY_GUARD_API retry_guard_status
retry_guard_register(const retry_guard_options *options);

/* ---- Service configs ---------------------------------------------------- */

/* One thing that there is to say about a service config. The texts are
 * printable, on one line, and valid while they are told. New fields are added
 * at the end. */
typedef struct retry_guard_fault {
  /* gRPC refuses the channel; otherwise a warning: it takes the config, but
   * does not do what that seems to say. */
  bool is_error;
  /* Where, such as "retryGuard.budget.tokenBucket.tokenRatio"; "" is the whole
   * config. */
  const char *path;
  /* What, such as "must be in (0, 1], got 1.5". */
  const char *message;
} retry_guard_fault;

/* Checks a whole service config, gRPC's own parts and `retryGuard` blocks, and
 * calls `tell` with `arg` for each error, then for each warning; after the
 * first hundred of a kind no more are told. `json` is borrowed. `tell` may be
 * NULL.
 *
 * Returns OK, also with warnings; INVALID_SERVICE_CONFIG when there are errors;
 * INVALID_ARGUMENT for NULL; OUT_OF_MEMORY, and not all was looked at. It needs
 * no registration, and the locale does not matter. Thread-safe; `tell` runs on
 * the calling thread. */
RETRY_GUARD_API retry_guard_status retry_guard_check_service_config(
    const char *json, void (*tell)(const retry_guard_fault *fault, void *arg),
    void *arg);

/* ---- Hop context -------------------------------------------------------- */

/* What one incoming call hands on to the calls made on its behalf: the retry
 * mark that says which layer of the call tree owns retries, and the deadline;
 * and what these calls hand back: that the caller should not retry either.
 *
 * With a parent call (grpc_channel_create_call with a parent and
 * GRPC_PROPAGATE_DEFAULTS, or grpc::ClientContext::FromServerContext) it flows
 * by itself and nothing here is needed. The functions below are for programs
 * that cannot pass a parent: bind the context to a thread while it makes
 * calls, or carry it by hand. */
typedef struct retry_guard_hop retry_guard_hop;

/* One metadata entry as the application sees it: `value` holds the raw bytes
 * (gRPC itself does the base64 of "-bin" entries on the wire). */
typedef struct retry_guard_metadata {
  const char *key;
  const void *value;
  size_t value_length;
} retry_guard_metadata;

/* Puts the hop context of `server_call` into `*hop`.
 *
 * Returns OK, and the caller owns one reference, to be given back with
 * retry_guard_hop_unref; the reference keeps the server call's memory alive.
 * NOT_FOUND, with `*hop` NULL, when the call has none: the plugin is not
 * registered, another plugin (OpenCensus) uses gRPC's place for it, or the
 * initial metadata has not arrived yet (ask after the request-new-rpc event).
 * INVALID_ARGUMENT for NULL.
 *
 * Threads: any, while the caller holds `server_call`. */
RETRY_GUARD_API retry_guard_status
retry_guard_hop_from_server_call(grpc_call *server_call, retry_guard_hop **hop);

/* Builds a hop context from the `count` metadata entries of an incoming call,
 * for programs that receive them by other means than a gRPC server call.
 * Marks count in `retry-layer-bin` and as members of `baggage`; entries of
 * other names are skipped; of several marks the most restrictive counts; the
 * entries are not kept. `accept_marks` is not consulted: the caller vouches for
 * them.
 *
 * Returns OK and one reference in `*hop`; NOT_FOUND, with `*hop` NULL, when no
 * entry says that another layer retries; INVALID_ARGUMENT; OUT_OF_MEMORY.
 * Thread-safe. */
RETRY_GUARD_API retry_guard_status retry_guard_hop_from_metadata(
    const retry_guard_metadata *entries, size_t count, retry_guard_hop **hop);

/* Writes the metadata entry that makes a call one hop below `hop` known as
 * such: `*key` gets its static name, the first `*length` bytes of `buffer`
 * (of `capacity` bytes; 128 always suffice) its value.
 *
 * Returns OK; NOT_FOUND when there is no mark to forward (the call was not
 * marked, or the mark passed more hops than allowed or could not be decoded);
 * BUFFER_TOO_SMALL
 * with the needed size in `*length`; INVALID_ARGUMENT for NULL. Thread-safe. */
RETRY_GUARD_API retry_guard_status
retry_guard_hop_to_metadata(const retry_guard_hop *hop, const char **key,
                            void *buffer, size_t capacity, size_t *length);

/* Takes one more reference. `hop` must not be NULL. Thread-safe. */
RETRY_GUARD_API retry_guard_hop *retry_guard_hop_ref(retry_guard_hop *hop);

/* Gives one reference back; NULL is ignored. Thread-safe. */
RETRY_GUARD_API void retry_guard_hop_unref(retry_guard_hop *hop);

/* Makes `hop` the context of all calls that this thread creates without a
 * parent of their own, until the matching leave; NULL makes calls contextless.
 * Returns what held before, which the caller hands to retry_guard_scope_leave.
 * The thread borrows the caller's reference: keep it until after the leave.
 * Scopes nest. Affects the calling thread only. */
RETRY_GUARD_API retry_guard_hop *retry_guard_scope_enter(retry_guard_hop *hop);

/* Ends the innermost scope of this thread: `previous` is what the matching
 * enter returned. */
RETRY_GUARD_API void retry_guard_scope_leave(retry_guard_hop *previous);

#ifdef __cplusplus
}
#endif

#include "retry_guard/stats.h"

#endif /* RETRY_GUARD_RETRY_GUARD_H */
