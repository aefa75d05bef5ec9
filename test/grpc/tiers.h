// SPDX-License-Identifier: Apache-2.0

// Three tiers in one process: a caller above without the guard, a server in the
// middle whose handler a test plays itself, and a leaf below that always fails
// and keeps the marks it saw.
#ifndef RG_TEST_GRPC_TIERS_H
#define RG_TEST_GRPC_TIERS_H

#include <mutex>
#include <ostream>
#include <string>
#include <vector>

#include "grpc/client.h"
#include "grpc/guarded.h"
#include "grpc/server.h"
#include "host/mark.h"

namespace rg_test {

struct Mark {
  uint32_t hops = 0;
  uint32_t attempt = 1;
  std::string owner = "edge";

  bool operator==(const Mark &other) const {
    return hops == other.hops && attempt == other.attempt &&
           owner == other.owner;
  }
};

inline std::ostream &operator<<(std::ostream &out, const Mark &mark) {
  return out << "hops " << mark.hops << " attempt " << mark.attempt
             << " owner '" << mark.owner << "'";
}

inline std::string Encoded(const Mark &mark) {
  rg_mark out{};
  out.hops = mark.hops;
  out.attempt = mark.attempt;
  out.owner_length = static_cast<uint8_t>(mark.owner.size());
  mark.owner.copy(out.owner, sizeof out.owner);
  uint8_t bytes[RG_MARK_MAX_BYTES];
  size_t length = rg_mark_encode(&out, bytes);
  return std::string(reinterpret_cast<char *>(bytes), length);
}

inline Mark Decoded(const std::string &bytes) {
  rg_mark mark{};
  EXPECT_TRUE(rg_mark_decode(bytes.data(), bytes.size(), &mark));
  return {mark.hops, mark.attempt, std::string(mark.owner, mark.owner_length)};
}

constexpr char kUndecodable[] = "\xff\xff\xff";

using Marks = std::vector<Mark>;

// A server that always fails, and the marks of each attempt.
class Leaf {
 public:
  // Of all attempts since the last time.
  std::vector<Marks> Seen() {
    std::lock_guard<std::mutex> lock(mutex_);
    return std::exchange(seen_, {});
  }
  const char *address() const { return server_.address(); }

 private:
  void OnCall(rg_rpc_incoming *incoming) {
    Marks marks;
    for (const std::string &bytes :
         Entries(*incoming->metadata).Values(RG_MARK_KEY))
      marks.push_back(Decoded(bytes));
    {
      std::lock_guard<std::mutex> lock(mutex_);
      seen_.push_back(marks);
    }
    Reply(incoming);
  }

  std::mutex mutex_;
  std::vector<Marks> seen_;
  Server server_{[this](rg_rpc_incoming *incoming) { OnCall(incoming); }};
};

// A call from above that is in the middle's hands.
struct Visit {
  Pending caller;
  rg_rpc_incoming *incoming;

  grpc_status_code End(const Answer &answer = Ok()) {
    Reply(incoming, answer);
    return caller.Get().status;
  }
};

class Tiers {
 public:
  explicit Tiers(const Config &below = Config().Guard(kUnlimited))
      : below_(leaf_.address(), below.Json()) {}

  Visit Arrive(const Entries &metadata) {
    Request request;
    request.metadata = metadata;
    Pending caller = above_.Start(request);
    return {std::move(caller), inbox_.Take()};
  }

  Visit ArriveMarked(const std::vector<std::string> &marks) {
    Entries entries;
    for (const std::string &mark : marks)
      entries.emplace_back(RG_MARK_KEY, mark);
    return Arrive(entries);
  }

  // Makes a call to the leaf and returns the marks of its attempts.
  std::vector<Marks> CallDown(const Request &request = {}) {
    EXPECT_EQ(below_.Call(request).status, GRPC_STATUS_UNAVAILABLE);
    return leaf_.Seen();
  }

  std::vector<Marks> CallDownFor(const Visit &visit) {
    Request request;
    request.parent = visit.incoming->call;
    return CallDown(request);
  }

  Client &below() { return below_; }
  Leaf &leaf() { return leaf_; }
  Inbox &inbox() { return inbox_; }
  const char *middle() const { return middle_.address(); }

 private:
  Leaf leaf_;
  Inbox inbox_;
  Server middle_{inbox_.Handler()};
  Client above_{middle_.address()};
  Client below_;
};

// One attempt with one mark, which is what a marked call makes.
inline std::vector<Marks> Once(const Mark &mark) { return {{mark}}; }

// One attempt without a mark.
inline std::vector<Marks> OnceUnmarked() { return {Marks()}; }

// Three attempts that this process owns.
inline std::vector<Marks> ThreeOfOurOwn() {
  return {{{0, 1, kLayerName}}, {{0, 2, kLayerName}}, {{0, 3, kLayerName}}};
}

}  // namespace rg_test

#endif
