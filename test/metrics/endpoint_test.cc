// SPDX-License-Identifier: Apache-2.0

// The endpoint, as scrapers, browsers and worse see it.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "metrics/guests.h"
#include "metrics/http.h"
#include "metrics/text.h"
#include "retry_guard/metrics_endpoint.h"
#include "support/eventually.h"

namespace rg_test {
namespace {

using testing::AnyOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// Counts what is closed that is not open, by libmicrohttpd too.
int closed_in_vain = 0;

}  // namespace
}  // namespace rg_test

extern "C" int close(int fd) {
  int result = static_cast<int>(syscall(SYS_close, fd));
  if (result != 0 && errno == EBADF) rg_test::closed_in_vain++;
  return result;
}

namespace rg_test {
namespace {

class Endpoint : public testing::Test {
 protected:
  explicit Endpoint(const char *where = "127.0.0.1:0") {
    EXPECT_EQ(retry_guard_metrics_serve(where, &server_), RETRY_GUARD_OK);
    if (server_ != nullptr) address_ = retry_guard_metrics_address(server_);
  }
  ~Endpoint() override { retry_guard_metrics_stop(server_); }

  retry_guard_metrics_server *server_ = nullptr;
  std::string address_;
};

// ---- What it answers -------------------------------------------------------

TEST_F(Endpoint, ServesTheText) {
  Target target("dns:///crm:443");
  target.Called(7);
  Reply reply = Get(address_, "/metrics");
  EXPECT_EQ(reply.status, 200);
  EXPECT_THAT(reply.head, HasSubstr("Content-Type: text/plain; version=0.0.4; "
                                    "charset=utf-8\r\n"));
  EXPECT_EQ(Samples(reply.body), Samples(Text(RETRY_GUARD_METRICS_PROMETHEUS)));
  EXPECT_THAT(reply.body, HasSubstr("\nretry_guard_calls_total{target=\"dns:///"
                                    "crm:443\"} 7\n"));
}

TEST_F(Endpoint, ServesOpenMetricsToThoseWhoAskForIt) {
  Reply reply = Get(address_, "/metrics",
                    "Accept: application/openmetrics-text;version=1.0.0,"
                    "application/openmetrics-text;version=0.0.1;q=0.75,"
                    "text/plain;version=0.0.4;q=0.5,*/*;q=0.1\r\n");
  EXPECT_EQ(reply.status, 200);
  EXPECT_THAT(reply.head,
              HasSubstr("Content-Type: application/openmetrics-text; "
                        "version=1.0.0; charset=utf-8\r\n"));
  EXPECT_THAT(reply.body, EndsWith("# EOF\n"));
}

TEST_F(Endpoint, IsHealthy) {
  Reply reply = Get(address_, "/healthz");
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.body, "ok\n");
}

TEST_F(Endpoint, AnswersHeadWithoutABody) {
  Reply reply = Ask(address_, "HEAD", "/metrics");
  EXPECT_EQ(reply.status, 200);
  EXPECT_THAT(reply.head, HasSubstr("Content-Length: "));
  EXPECT_THAT(reply.head, Not(HasSubstr("Content-Length: 0\r\n")));
  EXPECT_EQ(reply.body, "");
}

TEST_F(Endpoint, HasNoOtherPages) {
  for (const char *path :
       {"/", "/metric", "/metrics/", "/metrics/../etc", "/Metrics", "/%2e%2e/"})
    EXPECT_EQ(Get(address_, path).status, 404) << path;
}

TEST_F(Endpoint, IgnoresTheQuery) {
  EXPECT_EQ(Get(address_, "/metrics?debug=1").status, 200);
}

TEST_F(Endpoint, IsOnlyRead) {
  for (const char *method : {"POST", "PUT", "DELETE", "OPTIONS", "TRACE"}) {
    Reply reply = Ask(address_, method, "/metrics", "Content-Length: 0\r\n");
    EXPECT_EQ(reply.status, 405) << method;
    EXPECT_THAT(reply.head, HasSubstr("Allow: GET, HEAD\r\n"));
  }
}

TEST_F(Endpoint, KeepsAConnectionForTheNextRequest) {
  Connection connection(address_);
  const std::string get = "GET /healthz HTTP/1.1\r\nHost: x\r\n";
  ASSERT_TRUE(
      connection.Send(get + "\r\n" + get + "Connection: close\r\n\r\n"));
  std::string all = connection.Read();
  size_t second = all.find("HTTP/1.1 200", 1);
  EXPECT_NE(second, std::string::npos) << all;
}

// ---- Clients that are slow or broken ---------------------------------------

TEST_F(Endpoint, SurvivesWhatIsNoHttp) {
  for (const std::string &bytes :
       {std::string("\r\n\r\n"), std::string("GET\r\n\r\n"),
        std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11),
        std::string(300, '\0'), std::string("GET /metrics HTTP/9.9\r\n\r\n"),
        "GET /" + std::string(100000, 'x') + " HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\nX: " + std::string(100000, 'y') + "\r\n\r\n",
        std::string("POST /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: "
                    "99999999999999999999\r\n\r\n")}) {
    Connection connection(address_);
    connection.Wait(1);  // some of it may be the begin of a request
    connection.Send(bytes);
    shutdown(connection.fd(), SHUT_WR);
    EXPECT_THAT(connection.Read(),
                AnyOf("", StartsWith("HTTP/1.1 4"), StartsWith("HTTP/1.1 5"),
                      StartsWith("HTTP/1.0 4")));
  }
  EXPECT_EQ(Get(address_, "/healthz").status, 200);
}

TEST_F(Endpoint, SurvivesClientsThatHangUp) {
  for (int i = 0; i < 50; i++) {
    Connection connection(address_);
    connection.Send("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n");
  }
  EXPECT_EQ(Get(address_, "/healthz").status, 200);
}

// Half of the time after which silent ones end: nobody has to wait for that.
constexpr int kSoon = 5;

TEST_F(Endpoint, ServesOthersWhileSlowClientsKeepTheirConnections) {
  std::vector<Connection> slow;
  for (int i = 0; i < 3 * RG_GUESTS_MAX; i++) {
    slow.emplace_back(address_);
    ASSERT_TRUE(slow.back().connected());
    slow.back().Send("GET /metrics HTTP/1.1\r\nX: y");
  }
  Connection other(address_);
  other.Wait(kSoon);
  other.Send("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(other.ReadSome(), StartsWith("HTTP/1.1 200"));
  slow.front().Wait(kSoon);
  EXPECT_TRUE(slow.front().EndsSilently()) << "the oldest had to go";
}

TEST_F(Endpoint, SaysNothingToWhoReadsNothing) {
  std::vector<Target> targets;
  for (int i = 0; i < 300; i++)
    targets.emplace_back("dns:///" + std::to_string(i) + std::string(400, 'x'));
  std::vector<Connection> deaf;
  for (int i = 0; i < RG_GUESTS_MAX; i++) {
    deaf.emplace_back(address_);
    deaf.back().Send("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n");
  }
  // Their pages come first, which on a busy machine takes longer than a
  // connection may be silent.
  EXPECT_TRUE(
      Eventually([this] { return Get(address_, "/healthz").status == 200; },
                 std::chrono::seconds(10)));
}

// ---- Where it listens ------------------------------------------------------

TEST_F(Endpoint, TellsTheFreePortThatItTook) {
  EXPECT_THAT(address_, StartsWith("127.0.0.1:"));
  EXPECT_THAT(address_, Not(EndsWith(":0")));
}

TEST_F(Endpoint, LeavesTheAddressToWhoHasIt) {
  retry_guard_metrics_server *second = server_;
  EXPECT_EQ(retry_guard_metrics_serve(address_.c_str(), &second),
            RETRY_GUARD_ADDRESS_IN_USE);
  EXPECT_EQ(second, nullptr);
  EXPECT_EQ(Get(address_, "/healthz").status, 200);
}

TEST_F(Endpoint, MayStartAgainAtOnce) {
  ASSERT_EQ(Get(address_, "/healthz").status, 200);
  retry_guard_metrics_stop(server_);
  EXPECT_FALSE(Connection(address_).connected());
  ASSERT_EQ(retry_guard_metrics_serve(address_.c_str(), &server_),
            RETRY_GUARD_OK);
  EXPECT_EQ(Get(address_, "/healthz").status, 200);
}

TEST_F(Endpoint, StopsWhileClientsAreConnected) {
  Connection idle(address_);
  Connection slow(address_);
  slow.Send("GET /met");
  retry_guard_metrics_stop(server_);
  server_ = nullptr;
  EXPECT_TRUE(idle.EndsSilently());
}

// As a program that the process starts would have it.
TEST_F(Endpoint, LeavesNoSocketToOtherPrograms) {
  Connection open(address_);
  ASSERT_EQ(Get(address_, "/healthz").status, 200);
  int sockets = 0;
  for (const auto &entry :
       std::filesystem::directory_iterator("/proc/self/fd")) {
    int fd = std::stoi(entry.path().filename());
    std::error_code gone;
    std::string what = std::filesystem::read_symlink(entry, gone);
    bool ours = fd > STDERR_FILENO && what.rfind("socket:", 0) == 0;
    EXPECT_TRUE(!ours || (fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0) << fd;
    if (ours) sockets++;
  }
  EXPECT_GE(sockets, 3) << "one listens, two are the ends of `open`";
}

// One that the program handles must not end up in a thread of ours.
TEST_F(Endpoint, LeavesAllSignalsToTheProgram) {
  int threads = 0;
  for (const auto &task :
       std::filesystem::directory_iterator("/proc/self/task")) {
    if (std::stoi(task.path().filename()) == getpid()) continue;
    std::ifstream status(task.path() / "status");
    std::string line;
    while (std::getline(status, line) && line.rfind("SigBlk:", 0) != 0) {
    }
    unsigned long long blocked = std::stoull(line.substr(8), nullptr, 16);
    for (int signal : {SIGTERM, SIGINT, SIGHUP, SIGCHLD, SIGUSR1, SIGALRM})
      EXPECT_TRUE(blocked >> (signal - 1) & 1) << signal;
    threads++;
  }
  EXPECT_GE(threads, 1) << "besides the program's";
}

// Of a number that is closed twice, the second time may hit the file of another
// thread.
TEST(EndpointStart, WithoutAThreadItClosesItsSocketOnce) {
  pid_t child = fork();
  if (child == 0) {
    alarm(20);
    // Limits on threads do not hold for root.
    if (geteuid() == 0 && setuid(65534) != 0) _exit(2);
    const rlimit none = {0, 0};
    setrlimit(RLIMIT_NPROC, &none);
    closed_in_vain = 0;
    int free_before = dup(STDERR_FILENO);
    close(free_before);
    retry_guard_metrics_server *server = nullptr;
    auto status = retry_guard_metrics_serve("127.0.0.1:0", &server);
    if (status != RETRY_GUARD_OUT_OF_MEMORY) _exit(3);
    if (closed_in_vain != 0) _exit(4);
    _exit(dup(STDERR_FILENO) == free_before ? 0 : 5);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST(EndpointStart, ServesIpv6) {
  retry_guard_metrics_server *server = nullptr;
  if (retry_guard_metrics_serve("[::1]:0", &server) != RETRY_GUARD_OK)
    GTEST_SKIP() << "this machine has no IPv6";
  std::string address = retry_guard_metrics_address(server);
  EXPECT_THAT(address, StartsWith("[::1]:"));
  EXPECT_EQ(Get(address, "/healthz").status, 200);
  retry_guard_metrics_stop(server);
}

TEST(EndpointStart, RefusesWhatIsNoAddress) {
  retry_guard_metrics_server *server = nullptr;
  for (const char *bad : {"nowhere.example", "127.0.0.1:", "127.0.0.1:65536"})
    EXPECT_EQ(retry_guard_metrics_serve(bad, &server),
              RETRY_GUARD_INVALID_ARGUMENT)
        << bad;
  EXPECT_EQ(retry_guard_metrics_serve("127.0.0.1:0", nullptr),
            RETRY_GUARD_INVALID_ARGUMENT);
}

TEST(EndpointStart, SaysWhenItMayNotListen) {
  retry_guard_metrics_server *server = nullptr;
  errno = 4711;
  // An address for documentation, which no machine has.
  EXPECT_EQ(retry_guard_metrics_serve("192.0.2.1:0", &server),
            RETRY_GUARD_CANNOT_LISTEN);
  EXPECT_EQ(server, nullptr);
  EXPECT_EQ(errno, 4711) << "left alone";
}

TEST(EndpointStart, ObeysTheEnvironment) {
  retry_guard_metrics_server *server = nullptr;
  unsetenv("RETRY_GUARD_METRICS");
  EXPECT_EQ(retry_guard_metrics_serve_from_environment(&server),
            RETRY_GUARD_NOT_FOUND);
  setenv("RETRY_GUARD_METRICS", "", 1);
  EXPECT_EQ(retry_guard_metrics_serve_from_environment(&server),
            RETRY_GUARD_NOT_FOUND);
  setenv("RETRY_GUARD_METRICS", "localhost:0", 1);
  ASSERT_EQ(retry_guard_metrics_serve_from_environment(&server),
            RETRY_GUARD_OK);
  EXPECT_EQ(Get(retry_guard_metrics_address(server), "/healthz").status, 200);
  retry_guard_metrics_stop(server);
  unsetenv("RETRY_GUARD_METRICS");
}

TEST(EndpointStart, IgnoresToStopNothing) { retry_guard_metrics_stop(nullptr); }

}  // namespace
}  // namespace rg_test
