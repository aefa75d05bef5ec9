/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/scrape.h"

#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/num.h"
#include "host/clock.h"

#define DEFAULT_HOST "127.0.0.1"
#define DEFAULT_PORT "9464"
#define HOST_SIZE 256
#define FIRST_BYTES 65536

struct request {
  int fd;
  uint64_t end_ns;
  char *fault;
};

static bool fail(struct request *request, const char *why) {
  snprintf(request->fault, RG_SCRAPE_FAULT_SIZE, "%s", why);
  return false;
}

/* ---- The connection ------------------------------------------------------ */

/* Writes the host of `address` to `host`; returns the port. NULL: it is none.
 */
static const char *split(const char *address, char *host) {
  bool bracketed = *address == '[';
  const char *begin = address + (bracketed ? 1 : 0);
  size_t length = strcspn(begin, bracketed ? "]" : ":");
  const char *rest = begin + length;
  if (bracketed && *rest++ != ']') return NULL;
  if (length >= HOST_SIZE || (*rest != ':' && *rest != '\0')) return NULL;
  memcpy(host, begin, length);
  host[length] = '\0';
  if (length == 0) strcpy(host, DEFAULT_HOST);
  return *rest == ':' ? rest + 1 : DEFAULT_PORT;
}

static bool wait_for(struct request *request, short events) {
  for (;;) {
    uint64_t now = rg_clock_now();
    uint64_t left =
        now < request->end_ns ? (request->end_ns - now) / RG_NS_PER_MS : 0;
    struct pollfd poll_fd = {.fd = request->fd, .events = events};
    int ready = poll(&poll_fd, 1, (int)left);
    if (ready > 0) return true;
    if (ready == 0) return fail(request, "no answer in time");
    if (errno != EINTR) return fail(request, strerror(errno));
  }
}

static bool connect_to(struct request *request, const struct addrinfo *to) {
  int error = 0;
  socklen_t size = sizeof error;
  request->fd =
      socket(to->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (request->fd < 0) return fail(request, strerror(errno));
  if (connect(request->fd, to->ai_addr, to->ai_addrlen) == 0) return true;
  if (errno != EINPROGRESS) return fail(request, strerror(errno));
  if (!wait_for(request, POLLOUT)) return false;
  getsockopt(request->fd, SOL_SOCKET, SO_ERROR, &error, &size);
  return error == 0 || fail(request, strerror(error));
}

/* To the first of a host's addresses that takes the connection. */
static bool connect_any(struct request *request, const char *address) {
  char host[HOST_SIZE];
  struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
  struct addrinfo *found = NULL;
  const char *port = split(address, host);
  if (port == NULL) return fail(request, "it is no address");
  int status = getaddrinfo(host, port, &hints, &found);
  if (status != 0) return fail(request, gai_strerror(status));
  bool connected = false;
  for (struct addrinfo *at = found; at != NULL && !connected;
       at = at->ai_next) {
    connected = connect_to(request, at);
    if (connected || request->fd < 0) continue;
    close(request->fd);
    request->fd = -1;
  }
  freeaddrinfo(found);
  return connected;
}

static bool send_all(struct request *request, const char *text) {
  size_t left = strlen(text);
  while (left > 0) {
    if (!wait_for(request, POLLOUT)) return false;
    ssize_t sent = send(request->fd, text, left, MSG_NOSIGNAL);
    if (sent < 0 && errno != EAGAIN && errno != EINTR)
      return fail(request, strerror(errno));
    if (sent < 0) continue;
    text += sent;
    left -= (size_t)sent;
  }
  return true;
}

/* ---- The answer ---------------------------------------------------------- */

/* Makes room for more, and for a NUL. */
static bool grow(struct request *request, struct rg_scrape *scrape,
                 size_t *capacity) {
  if (scrape->length + 1 < *capacity) return true;
  if (*capacity >= RG_SCRAPE_MAX_BYTES)
    return fail(request, "the answer is too long");
  size_t more = *capacity == 0 ? FIRST_BYTES : 2 * *capacity;
  char *grown = realloc(scrape->text, more);
  if (grown == NULL) return fail(request, strerror(ENOMEM));
  scrape->text = grown;
  *capacity = more;
  return true;
}

static bool read_all(struct request *request, struct rg_scrape *scrape) {
  for (size_t capacity = 0;;) {
    if (!grow(request, scrape, &capacity) || !wait_for(request, POLLIN))
      return false;
    ssize_t got = recv(request->fd, scrape->text + scrape->length,
                       capacity - scrape->length - 1, 0);
    if (got < 0 && errno != EAGAIN && errno != EINTR)
      return fail(request, strerror(errno));
    if (got == 0) break;
    if (got > 0) scrape->length += (size_t)got;
  }
  scrape->text[scrape->length] = '\0';
  return true;
}

/* How long the body ought to be, by the header; or what is there. */
static size_t announced(const char *head, size_t there) {
  static const char name[] = "\r\nContent-Length:";
  const char *field = strcasestr(head, name);
  return field == NULL ? there
                       : (size_t)strtoull(field + sizeof name - 1, NULL, 10);
}

/* Leaves the body only. */
static bool take_body(struct request *request, struct rg_scrape *scrape) {
  unsigned status = 0;
  char *end = strstr(scrape->text, "\r\n\r\n");
  if (end == NULL || sscanf(scrape->text, "HTTP/1.%*1u %3u", &status) != 1)
    return fail(request, "the answer is no HTTP");
  *end = '\0';
  size_t length = scrape->length - (size_t)(end + 4 - scrape->text);
  if (status != 200) {
    snprintf(request->fault, RG_SCRAPE_FAULT_SIZE, "HTTP status %u", status);
    return false;
  }
  if (announced(scrape->text, length) != length)
    return fail(request, "the answer was cut off");
  memmove(scrape->text, end + 4, length + 1);
  scrape->length = length;
  return true;
}

/* By HTTP 1.0 the answer ends with the connection, and is in one piece. */
static bool ask(struct request *request, struct rg_scrape *scrape) {
  return send_all(request,
                  "GET /metrics HTTP/1.0\r\n"
                  "Accept: text/plain; version=0.0.4\r\n\r\n") &&
         read_all(request, scrape) && take_body(request, scrape);
}

bool rg_scrape_get(const char *address, uint64_t timeout_ms,
                   struct rg_scrape *scrape, char *fault) {
  struct request request = {
      .fd = -1,
      .end_ns = rg_clock_now() + timeout_ms * RG_NS_PER_MS,
      .fault = fault};
  *scrape = (struct rg_scrape){.text = NULL};
  bool got = connect_any(&request, address) && ask(&request, scrape);
  if (request.fd >= 0) close(request.fd);
  if (!got) rg_scrape_clean_up(scrape);
  return got;
}

void rg_scrape_clean_up(struct rg_scrape *scrape) {
  free(scrape->text);
  *scrape = (struct rg_scrape){.text = NULL};
}
