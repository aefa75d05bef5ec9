// SPDX-License-Identifier: Apache-2.0

// A channel without `retryGuard` behaves as if the plugin were not there, to
// the byte: everything that server and client see is written down, once in a
// process without the plugin and once here.
#include <gtest/gtest.h>

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <mutex>

#include "grpc/client.h"
#include "grpc/guarded.h"
#include "grpc/server.h"

namespace rg_test {
namespace {

struct Case {
  const char *name;
  std::vector<Answer> answers;  // attempt after attempt; the last one for ever
  Request request;
};

Answer Plainly(grpc_status_code status) {
  Answer answer;
  answer.status = status;
  answer.details = "because of it";
  answer.trailers = {{"x-first", "1"},
                     {"x-twice", "a"},
                     {"x-twice", "b"},
                     {"bytes-bin", std::string("\0\xff", 2)}};
  if (status == GRPC_STATUS_OK) answer.message = "hello";
  return answer;
}

Answer Early(grpc_status_code status) {
  Answer answer = Plainly(status);
  answer.early = true;
  answer.delay_ms = 100;
  return answer;
}

Request Marked() {
  Request request;
  request.metadata = {{"retry-layer-bin", "\x10\x01"},
                      {"x-app", "yes"},
                      {"grpc-previous-rpc-attempts", "7"}};
  request.message = "ping";
  return request;
}

std::vector<Case> Matrix() {
  Answer ok = Plainly(GRPC_STATUS_OK);
  Answer down = Plainly(GRPC_STATUS_UNAVAILABLE);
  Answer bare;
  std::vector<Case> cases = {
      {"ok", {ok}, {}},
      {"always down", {down}, {}},
      {"down once", {down, ok}, {}},
      {"not retryable", {Plainly(GRPC_STATUS_NOT_FOUND)}, {}},
      {"down, then not retryable", {bare, Plainly(GRPC_STATUS_ABORTED)}, {}},
      {"early and ok", {Early(GRPC_STATUS_OK)}, {}},
      {"early and down", {Early(GRPC_STATUS_UNAVAILABLE)}, {}},
      {"with a mark of its own", {down}, Marked()},
  };
  for (const char *value : {"5", "0", "-1", "soon", "", "1 ", "+3"}) {
    cases.push_back({value, {Pushback(value), ok}, {}});
    cases.push_back({value, {Pushback(value)}, {}});
    cases.push_back({value, {Pushback(value, GRPC_STATUS_OK)}, {}});
    cases.push_back({value, {Pushback(value, GRPC_STATUS_NOT_FOUND)}, {}});
    cases.push_back({value, {bare, Pushback(value, GRPC_STATUS_OK)}, {}});
  }
  return cases;
}

std::string Escaped(const std::string &bytes) {
  std::string text;
  for (unsigned char byte : bytes) {
    char code[5];
    std::snprintf(code, sizeof code, "\\x%02x", byte);
    text += byte >= ' ' && byte < 127 ? std::string(1, static_cast<char>(byte))
                                      : code;
  }
  return text;
}

std::string Written(const std::string &title, const Entries &entries) {
  std::string lines;
  for (const auto &[key, value] : entries)
    lines += "  " + title + " " + Escaped(key) + ": " + Escaped(value) + "\n";
  return lines;
}

std::string Run(const Case &one, const std::string &config) {
  std::mutex mutex;
  std::string record = std::string(one.name) + "\n";
  size_t next = 0;
  Server server([&](rg_rpc_incoming *incoming) {
    std::lock_guard<std::mutex> lock(mutex);
    record += Written("attempt", Entries(*incoming->metadata)) + "  message " +
              Escaped(Text(incoming->message)) + "\n";
    Reply(incoming, one.answers[std::min(next++, one.answers.size() - 1)]);
  });
  Client client(server.address(), config);
  Result result = client.Call(one.request);
  server.Stop();
  return record + Written("initial", result.initial) +
         Written("trailing", result.trailing) + "  status " +
         rg_rpc_status_name(result.status) + ", " + Escaped(result.details) +
         ", " + Escaped(result.message) + "\n";
}

// Another method's policy does not make this one's.
std::string ForAnotherMethod(std::string config) {
  const std::string first = R"("methodConfig":[)";
  return config.insert(config.find(first) + first.size(),
                       R"({"name":[{"service":"test.Other"}],
                           "retryGuard":{}},)");
}

std::vector<std::string> RunAll() {
  Config retries;
  retries.Guard("");
  std::vector<std::string> records;
  for (const Case &one : Matrix())
    for (const std::string &config :
         {std::string(), retries.Json(), ForAnotherMethod(retries.Json())})
      records.push_back(Run(one, config));
  return records;
}

// A file that a fresh process, which inherits its name, fills for this one.
class Handover {
 public:
  Handover() {
    std::snprintf(path_, sizeof path_, "%s",
                  (testing::TempDir() + "rg_inert_XXXXXX").c_str());
    if (std::getenv(kName) == nullptr) {
      close(mkstemp(path_));
      setenv(kName, path_, 1);
    } else {
      std::snprintf(path_, sizeof path_, "%s", std::getenv(kName));
    }
  }

  void Write(const std::vector<std::string> &records) const {
    std::ofstream file(path_);
    for (const std::string &record : records) file << record << '\0';
  }

  std::vector<std::string> Read() {
    std::ifstream file(path_);
    std::vector<std::string> records;
    for (std::string record; std::getline(file, record, '\0');)
      records.push_back(record);
    unlink(path_);
    unsetenv(kName);
    return records;
  }

 private:
  static constexpr char kName[] = "RG_INERT_RECORDS";
  char path_[256];
};

TEST(Inert, WithoutAPolicyEverythingIsAsWithoutThePlugin) {
  Handover handover;
  InAFreshProcess([&] { handover.Write(RunAll()); });
  std::vector<std::string> without = handover.Read();
  RegisterGuard();
  std::vector<std::string> with = RunAll();
  ASSERT_EQ(without.size(), with.size());
  for (size_t i = 0; i < with.size(); i++) EXPECT_EQ(without[i], with[i]);
}

}  // namespace
}  // namespace rg_test
