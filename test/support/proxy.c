/* SPDX-License-Identifier: Apache-2.0 */
#include "support/proxy.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "support/rpc.h"

/* A connection beyond these is closed at once. */
#define CONNECTIONS_MAX 256
#define TURN_MS 5

enum order { ORDER_NONE, ORDER_RESET, ORDER_HALF_CLOSE };

struct connection {
  int client; /* -1: not open */
  int server;
  bool client_ended, server_ended;
};

struct rg_proxy {
  int listener;
  int server_port;
  char address[32];
  pthread_t thread;
  atomic_bool ending, swallowing;
  atomic_int order; /* enum order, of which one is carried out at a time */
  atomic_size_t accepted;
  /* The thread's. */
  struct connection connections[CONNECTIONS_MAX];
};

static struct sockaddr_in loopback(int port) {
  struct sockaddr_in address = {.sin_family = AF_INET,
                                .sin_port = htons((uint16_t)port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

static void check(bool done, const char *what) {
  if (done) return;
  perror(what);
  abort();
}

/* ---- Connections -------------------------------------------------------- */

static void drop(struct connection *connection) {
  close(connection->client);
  close(connection->server);
  *connection = (struct connection){.client = -1, .server = -1};
}

/* Not an end but an error, which loses what is on its way. */
static void reset(struct connection *connection) {
  struct linger none = {.l_onoff = 1, .l_linger = 0};
  setsockopt(connection->client, SOL_SOCKET, SO_LINGER, &none, sizeof(none));
  drop(connection);
}

static void half_close(struct connection *connection) {
  shutdown(connection->client, SHUT_WR);
  connection->server_ended = true;
}

static int connect_to(int port) {
  struct sockaddr_in address = loopback(port);
  int server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connect(server, (struct sockaddr *)&address, sizeof(address)) == 0)
    return server;
  close(server);
  return -1;
}

static void accept_one(struct rg_proxy *proxy) {
  int client = accept4(proxy->listener, NULL, NULL, SOCK_CLOEXEC);
  if (client < 0) return;
  atomic_fetch_add(&proxy->accepted, 1);
  int server = connect_to(proxy->server_port);
  for (size_t i = 0; server >= 0 && i < CONNECTIONS_MAX; i++) {
    if (proxy->connections[i].client >= 0) continue;
    proxy->connections[i] =
        (struct connection){.client = client, .server = server};
    return;
  }
  close(client);
  if (server >= 0) close(server);
}

/* ---- Bytes -------------------------------------------------------------- */

static bool is_ready(int fd) {
  struct pollfd poller = {.fd = fd, .events = POLLIN};
  return poll(&poller, 1, 0) > 0;
}

static bool send_all(int to, const char *bytes, size_t size) {
  while (size > 0) {
    ssize_t sent = send(to, bytes, size, MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes += sent;
    size -= (size_t)sent;
  }
  return true;
}

/* Passes on what is there; false when there will be no more. */
static bool pass(int from, int to, bool swallow) {
  char bytes[16384];
  if (!is_ready(from)) return true;
  ssize_t got = recv(from, bytes, sizeof(bytes), 0);
  return got > 0 && (swallow || send_all(to, bytes, (size_t)got));
}

static void serve(struct rg_proxy *proxy, struct connection *connection) {
  if (!connection->client_ended)
    connection->client_ended =
        !pass(connection->client, connection->server, false);
  /* What comes after a half close is nobody's. */
  bool swallow = proxy->swallowing || connection->server_ended;
  bool goes_on = pass(connection->server, connection->client, swallow);
  if (connection->client_ended || !goes_on) drop(connection);
}

static void wait_for_bytes(const struct rg_proxy *proxy) {
  struct pollfd pollers[2 * CONNECTIONS_MAX + 1] = {
      {.fd = proxy->listener, .events = POLLIN}};
  nfds_t count = 1;
  for (size_t i = 0; i < CONNECTIONS_MAX; i++) {
    const struct connection *connection = &proxy->connections[i];
    if (connection->client < 0) continue;
    pollers[count++] =
        (struct pollfd){.fd = connection->client, .events = POLLIN};
    pollers[count++] =
        (struct pollfd){.fd = connection->server, .events = POLLIN};
  }
  poll(pollers, count, TURN_MS);
}

static void carry_out(enum order order, struct connection *connection) {
  if (order == ORDER_RESET) reset(connection);
  if (order == ORDER_HALF_CLOSE) half_close(connection);
}

static void *run(void *data) {
  struct rg_proxy *proxy = data;
  while (!proxy->ending) {
    wait_for_bytes(proxy);
    enum order order = (enum order)proxy->order;
    for (size_t i = 0; i < CONNECTIONS_MAX; i++) {
      if (proxy->connections[i].client < 0) continue;
      carry_out(order, &proxy->connections[i]);
      if (proxy->connections[i].client >= 0)
        serve(proxy, &proxy->connections[i]);
    }
    if (order != ORDER_NONE) proxy->order = ORDER_NONE;
    if (is_ready(proxy->listener)) accept_one(proxy);
  }
  return NULL;
}

/* ---- The owner's -------------------------------------------------------- */

struct rg_proxy *rg_proxy_new(int port) {
  struct rg_proxy *proxy = rg_rpc_alloc(1, sizeof(*proxy));
  struct sockaddr_in address = loopback(0);
  socklen_t size = sizeof(address);
  proxy->server_port = port;
  for (size_t i = 0; i < CONNECTIONS_MAX; i++)
    proxy->connections[i].client = -1;
  proxy->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  check(
      bind(proxy->listener, (struct sockaddr *)&address, size) == 0 &&
          listen(proxy->listener, CONNECTIONS_MAX) == 0 &&
          getsockname(proxy->listener, (struct sockaddr *)&address, &size) == 0,
      "a proxy's socket");
  snprintf(proxy->address, sizeof(proxy->address), "127.0.0.1:%d",
           ntohs(address.sin_port));
  check(pthread_create(&proxy->thread, NULL, run, proxy) == 0, "a thread");
  return proxy;
}

const char *rg_proxy_address(const struct rg_proxy *proxy) {
  return proxy->address;
}

size_t rg_proxy_connections(const struct rg_proxy *proxy) {
  return proxy->accepted;
}

void rg_proxy_swallow(struct rg_proxy *proxy, bool swallow) {
  proxy->swallowing = swallow;
}

/* On return it has been carried out. */
static void give_order(struct rg_proxy *proxy, enum order order) {
  proxy->order = order;
  while (proxy->order != ORDER_NONE) poll(NULL, 0, 1);
}

void rg_proxy_reset(struct rg_proxy *proxy) { give_order(proxy, ORDER_RESET); }

void rg_proxy_half_close(struct rg_proxy *proxy) {
  give_order(proxy, ORDER_HALF_CLOSE);
}

void rg_proxy_destroy(struct rg_proxy *proxy) {
  proxy->ending = true;
  pthread_join(proxy->thread, NULL);
  for (size_t i = 0; i < CONNECTIONS_MAX; i++)
    if (proxy->connections[i].client >= 0) drop(&proxy->connections[i]);
  close(proxy->listener);
  free(proxy);
}
