/* SPDX-License-Identifier: Apache-2.0 */

/* Everything but starting and stopping runs in libmicrohttpd's one thread. */
#include <errno.h>
#include <microhttpd.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "metrics/accept.h"
#include "metrics/guests.h"
#include "metrics/listen.h"
#include "retry_guard/metrics.h"
#include "retry_guard/metrics_endpoint.h"

#define SILENCE_S 10u

/* Of one connection: its request's head, and what it is answered with. */
#define MEMORY_BYTES ((size_t)32 * 1024)

/* One that was told to go still counts until it has gone. */
#define CONNECTIONS (RG_GUESTS_MAX * 2u)

struct retry_guard_metrics_server {
  struct MHD_Daemon *daemon;
  struct rg_guests guests;
  char address[RG_LISTEN_TEXT_SIZE];
};

/* ---- The text ------------------------------------------------------------ */

struct body {
  char *bytes;
  size_t length;
  size_t capacity;
  bool cut; /* by want of memory */
};

static bool append(const char *bytes, size_t length, void *arg) {
  struct body *body = arg;
  if (body->capacity - body->length < length) {
    size_t capacity = body->capacity * 2 + length;
    char *grown = realloc(body->bytes, capacity);
    if (grown == NULL) return !(body->cut = true);
    body->bytes = grown;
    body->capacity = capacity;
  }
  memcpy(body->bytes + body->length, bytes, length);
  body->length += length;
  return true;
}

static const char *type_of(retry_guard_metrics_format format) {
  return format == RETRY_GUARD_METRICS_OPENMETRICS
             ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
             : "text/plain; version=0.0.4; charset=utf-8";
}

/* ---- Answers ------------------------------------------------------------- */

static enum MHD_Result send_response(struct MHD_Connection *connection,
                                     unsigned status, const char *type,
                                     struct MHD_Response *response) {
  if (response == NULL) return MHD_NO;
  MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
  if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
    MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
  enum MHD_Result result = MHD_queue_response(connection, status, response);
  MHD_destroy_response(response);
  return result;
}

static enum MHD_Result send_text(struct MHD_Connection *connection,
                                 unsigned status, const char *text) {
  return send_response(
      connection, status, "text/plain; charset=utf-8",
      MHD_create_response_from_buffer(strlen(text), (void *)(uintptr_t)text,
                                      MHD_RESPMEM_PERSISTENT));
}

/* A text that is not whole would look as if targets were gone. */
static enum MHD_Result send_metrics(struct MHD_Connection *connection) {
  struct body body = {.bytes = NULL};
  retry_guard_metrics_format format = rg_accept_format(
      MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Accept"));
  struct MHD_Response *response = NULL;
  if (retry_guard_metrics_text(format, append, &body) == RETRY_GUARD_OK &&
      !body.cut)
    response = MHD_create_response_from_buffer(body.length, body.bytes,
                                               MHD_RESPMEM_MUST_FREE);
  if (response != NULL)
    return send_response(connection, MHD_HTTP_OK, type_of(format), response);
  free(body.bytes);
  return send_text(connection, MHD_HTTP_INTERNAL_SERVER_ERROR,
                   "out of memory\n");
}

static enum MHD_Result answer(void *arg, struct MHD_Connection *connection,
                              const char *path, const char *method,
                              const char *version, const char *upload,
                              size_t *upload_size, void **state) {
  static char begun;
  (void)arg, (void)version, (void)upload;
  if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 &&
      strcmp(method, MHD_HTTP_METHOD_HEAD) != 0)
    return send_text(connection, MHD_HTTP_METHOD_NOT_ALLOWED,
                     "only GET and HEAD\n");
  /* An answer before the request's end would end the connection, too. */
  if (*state == NULL || *upload_size > 0) {
    *state = &begun;
    *upload_size = 0;
    return MHD_YES;
  }
  if (strcmp(path, "/metrics") == 0) return send_metrics(connection);
  if (strcmp(path, "/healthz") == 0)
    return send_text(connection, MHD_HTTP_OK, "ok\n");
  return send_text(connection, MHD_HTTP_NOT_FOUND, "see /metrics\n");
}

/* ---- Connections --------------------------------------------------------- */

/* The server reads that the oldest has hung up, and closes it. */
static void on_connection(void *arg, struct MHD_Connection *connection,
                          void **state,
                          enum MHD_ConnectionNotificationCode code) {
  struct retry_guard_metrics_server *server = arg;
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  (void)state;
  if (info == NULL) return;
  if (code == MHD_CONNECTION_NOTIFY_CLOSED) {
    rg_guests_leave(&server->guests, info->connect_fd);
    return;
  }
  int oldest = rg_guests_enter(&server->guests, info->connect_fd);
  if (oldest != RG_GUESTS_NOBODY) shutdown(oldest, SHUT_RDWR);
}

/* ---- Life ---------------------------------------------------------------- */

/* Its thread leaves all signals to the program's. */
static struct MHD_Daemon *start_daemon(
    struct retry_guard_metrics_server *server, int fd) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  struct MHD_Daemon *daemon = MHD_start_daemon(
      MHD_USE_AUTO | MHD_USE_INTERNAL_POLLING_THREAD, 0, NULL, NULL, answer,
      NULL, MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_CONNECTION_LIMIT,
      CONNECTIONS, MHD_OPTION_CONNECTION_TIMEOUT, SILENCE_S,
      MHD_OPTION_CONNECTION_MEMORY_LIMIT, MEMORY_BYTES,
      MHD_OPTION_NOTIFY_CONNECTION, on_connection, server, MHD_OPTION_END);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return daemon;
}

/* libmicrohttpd closes its socket in some of its failures, not in all; then the
 * number may be that of another thread's file by now. */
static void close_if_still(int fd, const struct stat *was) {
  struct stat is;
  if (fstat(fd, &is) == 0 && is.st_dev == was->st_dev &&
      is.st_ino == was->st_ino)
    close(fd);
}

/* Owns `fd` in any case. */
static retry_guard_status serve_on(int fd,
                                   retry_guard_metrics_server **server) {
  struct stat as_made;
  fstat(fd, &as_made);
  retry_guard_metrics_server *made = calloc(1, sizeof *made);
  if (made != NULL) {
    rg_listen_describe(fd, made->address);
    made->daemon = start_daemon(made, fd);
  }
  if (made != NULL && made->daemon != NULL) {
    *server = made;
    return RETRY_GUARD_OK;
  }
  close_if_still(fd, &as_made);
  free(made);
  return RETRY_GUARD_OUT_OF_MEMORY;
}

retry_guard_status retry_guard_metrics_serve(
    const char *address, retry_guard_metrics_server **server) {
  struct rg_listen_address where;
  int fd;
  if (server == NULL) return RETRY_GUARD_INVALID_ARGUMENT;
  *server = NULL;
  if (!rg_listen_parse(address, &where)) return RETRY_GUARD_INVALID_ARGUMENT;
  int before = errno;
  retry_guard_status status = rg_listen_open(&where, &fd);
  if (status == RETRY_GUARD_OK) status = serve_on(fd, server);
  errno = before;
  return status;
}

retry_guard_status retry_guard_metrics_serve_from_environment(
    retry_guard_metrics_server **server) {
  if (server == NULL) return RETRY_GUARD_INVALID_ARGUMENT;
  *server = NULL;
  const char *address = getenv("RETRY_GUARD_METRICS");
  if (address == NULL || *address == '\0') return RETRY_GUARD_NOT_FOUND;
  return retry_guard_metrics_serve(address, server);
}

const char *retry_guard_metrics_address(
    const retry_guard_metrics_server *server) {
  return server->address;
}

void retry_guard_metrics_stop(retry_guard_metrics_server *server) {
  if (server == NULL) return;
  int before = errno;
  MHD_stop_daemon(server->daemon);
  errno = before;
  free(server);
}
