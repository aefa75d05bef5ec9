// SPDX-License-Identifier: Apache-2.0

// Ports for gRPC's tests, in place of the port server of gRPC's own test farm.
#include <netinet/in.h>
#include <sys/socket.h>

#include <cstdio>
#include <cstdlib>

#include "test/core/util/port.h"

namespace {

[[noreturn]] void Die() {
  std::perror("no port for the test");
  std::abort();
}

}  // namespace

// The socket stays open, bound and not listening: nobody else is given the port
// while the test's server is not up, and the server may share it, since gRPC
// asks for SO_REUSEPORT too.
int grpc_pick_unused_port_or_die(void) {
  const int yes = 1;
  sockaddr_in address{};
  address.sin_family = AF_INET;
  auto *generic = reinterpret_cast<sockaddr *>(&address);
  socklen_t length = sizeof address;
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0 ||
      setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &yes, sizeof yes) != 0 ||
      bind(fd, generic, length) != 0 || getsockname(fd, generic, &length) != 0)
    Die();
  return ntohs(address.sin_port);
}
