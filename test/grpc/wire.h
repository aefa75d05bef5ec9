// SPDX-License-Identifier: Apache-2.0

// What goes over the wire, as a test writes it down: copied, and in order.
#ifndef RG_TEST_GRPC_WIRE_H
#define RG_TEST_GRPC_WIRE_H

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "support/rpc.h"

namespace rg_test {

constexpr char kMethod[] = "/test.Echo/Call";
constexpr char kPushback[] = "grpc-retry-pushback-ms";

inline std::string Text(const rg_rpc_view &view) {
  return std::string(reinterpret_cast<const char *>(view.data), view.size);
}

inline rg_rpc_view View(const std::string &text) {
  return {reinterpret_cast<const uint8_t *>(text.data()), text.size()};
}

// Metadata in order, with raw values.
class Entries : public std::vector<std::pair<std::string, std::string>> {
 public:
  using vector::vector;

  explicit Entries(const grpc_metadata_array &array) {
    for (size_t i = 0; i < array.count; i++)
      emplace_back(Bytes(array.metadata[i].key),
                   Bytes(array.metadata[i].value));
  }

  std::vector<std::string> Values(const std::string &key) const {
    std::vector<std::string> values;
    for (const auto &[name, value] : *this)
      if (name == key) values.push_back(value);
    return values;
  }

  // For the C helpers, which borrow.
  std::vector<rg_rpc_entry> Borrow() const {
    std::vector<rg_rpc_entry> all;
    for (const auto &[name, value] : *this)
      all.push_back({name.c_str(), value.data(), value.size()});
    return all;
  }

 private:
  static std::string Bytes(const grpc_slice &slice) {
    return std::string(
        reinterpret_cast<const char *>(GRPC_SLICE_START_PTR(slice)),
        GRPC_SLICE_LENGTH(slice));
  }
};

// Integer channel arguments.
class Args {
 public:
  Args(std::initializer_list<std::pair<const char *, int>> values) {
    for (const auto &[key, value] : values) {
      grpc_arg arg{};
      arg.type = GRPC_ARG_INTEGER;
      arg.key = const_cast<char *>(key);
      arg.value.integer = value;
      args_.push_back(arg);
    }
    all_ = {args_.size(), args_.data()};
  }
  Args(const Args &) = delete;
  Args &operator=(const Args &) = delete;

  const grpc_channel_args *get() const { return &all_; }

 private:
  std::vector<grpc_arg> args_;
  grpc_channel_args all_;
};

}  // namespace rg_test

#endif
