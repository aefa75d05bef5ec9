/* SPDX-License-Identifier: Apache-2.0 */
#include "metrics/listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "retry_guard/metrics_endpoint.h"

/* ---- Reading ------------------------------------------------------------- */

/* The text of the host without brackets, and of the port. */
struct parts {
  char host[INET6_ADDRSTRLEN];
  bool bracketed;
  const char *port; /* NULL: none */
};

static bool copy_host(struct parts *parts, const char *from, size_t length) {
  if (length >= sizeof parts->host) return false;
  memcpy(parts->host, from, length);
  parts->host[length] = '\0';
  return true;
}

static bool split_bracketed(struct parts *parts, const char *text) {
  const char *end = strchr(text, ']');
  parts->bracketed = true;
  if (end == NULL || (end[1] != '\0' && end[1] != ':')) return false;
  if (end[1] == ':') parts->port = end + 2;
  return copy_host(parts, text + 1, (size_t)(end - text - 1));
}

static bool split(struct parts *parts, const char *text) {
  if (*text == '[') return split_bracketed(parts, text);
  size_t length = strcspn(text, ":");
  if (text[length] == ':') parts->port = text + length + 1;
  return copy_host(parts, text, length);
}

static bool read_port(const char *text, uint16_t *port) {
  unsigned long value = 0;
  *port = RETRY_GUARD_METRICS_PORT;
  if (text == NULL) return true;
  size_t digits = strspn(text, "0123456789");
  if (digits == 0 || digits > 5 || text[digits] != '\0') return false;
  value = strtoul(text, NULL, 10);
  *port = (uint16_t)value;
  return value <= UINT16_MAX;
}

static bool read_v6(const char *host, uint16_t port,
                    struct rg_listen_address *address) {
  struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
  if (inet_pton(AF_INET6, host, &v6.sin6_addr) != 1) return false;
  memcpy(&address->socket, &v6, sizeof v6);
  address->length = sizeof v6;
  return true;
}

static bool read_v4(const char *host, uint16_t port,
                    struct rg_listen_address *address) {
  struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = htons(port)};
  if (*host == '\0' || strcmp(host, "localhost") == 0) host = "127.0.0.1";
  if (inet_pton(AF_INET, host, &v4.sin_addr) != 1) return false;
  memcpy(&address->socket, &v4, sizeof v4);
  address->length = sizeof v4;
  return true;
}

bool rg_listen_parse(const char *text, struct rg_listen_address *address) {
  struct parts parts = {.port = NULL};
  uint16_t port;
  *address = (struct rg_listen_address){.length = 0};
  if (!split(&parts, text != NULL ? text : "") || !read_port(parts.port, &port))
    return false;
  return parts.bracketed ? read_v6(parts.host, port, address)
                         : read_v4(parts.host, port, address);
}

/* ---- Listening ----------------------------------------------------------- */

/* A server that starts again must not wait for the connections of the one
 * before. "[::]" means IPv4 too, whatever the system's default is. */
static void set_options(int fd, int family) {
  int on = 1;
  int off = 0;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (family == AF_INET6)
    setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
}

static bool listen_there(int fd, const struct rg_listen_address *address) {
  set_options(fd, address->socket.ss_family);
  return bind(fd, (const struct sockaddr *)&address->socket, address->length) ==
             0 &&
         listen(fd, SOMAXCONN) == 0;
}

static retry_guard_status status_of(int error) {
  switch (error) {
    case EADDRINUSE:
      return RETRY_GUARD_ADDRESS_IN_USE;
    case ENOMEM:
    case ENOBUFS:
      return RETRY_GUARD_OUT_OF_MEMORY;
    default:
      return RETRY_GUARD_CANNOT_LISTEN;
  }
}

retry_guard_status rg_listen_open(const struct rg_listen_address *address,
                                  int *fd) {
  retry_guard_status status = RETRY_GUARD_OK;
  *fd = socket(address->socket.ss_family,
               SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (*fd < 0 || !listen_there(*fd, address)) status = status_of(errno);
  if (status != RETRY_GUARD_OK && *fd >= 0) close(*fd);
  return status;
}

void rg_listen_describe(int fd, char *text) {
  struct sockaddr_storage there = {.ss_family = AF_UNSPEC};
  socklen_t length = sizeof there;
  char host[INET6_ADDRSTRLEN] = "";
  getsockname(fd, (struct sockaddr *)&there, &length);
  if (there.ss_family == AF_INET6) {
    const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)&there;
    inet_ntop(AF_INET6, &v6->sin6_addr, host, sizeof host);
    snprintf(text, RG_LISTEN_TEXT_SIZE, "[%s]:%u", host,
             (unsigned)ntohs(v6->sin6_port));
  } else {
    const struct sockaddr_in *v4 = (const struct sockaddr_in *)&there;
    inet_ntop(AF_INET, &v4->sin_addr, host, sizeof host);
    snprintf(text, RG_LISTEN_TEXT_SIZE, "%s:%u", host,
             (unsigned)ntohs(v4->sin_port));
  }
}
