// SPDX-License-Identifier: Apache-2.0

// Faults as "path: message", for tests to compare.
#ifndef RG_TEST_CONFIG_FOUND_FAULTS_H
#define RG_TEST_CONFIG_FOUND_FAULTS_H

#include <string>
#include <vector>

#include "config/faults.h"
#include "config/policy.h"

using Lines = std::vector<std::string>;

class Faults {
 public:
  Faults() { rg_faults_init(&faults_); }
  ~Faults() { rg_faults_clean_up(&faults_); }
  Faults(const Faults &) = delete;
  Faults &operator=(const Faults &) = delete;

  rg_faults *get() { return &faults_; }
  bool empty() const { return rg_faults_empty(&faults_); }

  Lines lines() const {
    Lines lines;
    for (size_t i = 0; i < faults_.count; i++)
      lines.push_back(std::string(faults_.items[i].path) + ": " +
                      faults_.items[i].message);
    return lines;
  }

 private:
  rg_faults faults_;
};

// A parsed block that frees itself.
class Block {
 public:
  explicit Block(const std::string &json,
                 rg_policy_scope scope = RG_POLICY_CHANNEL,
                 const char *path = "retryGuard")
      : block_(rg_policy_block_parse(json.data(), json.size(), scope, path,
                                     faults_.get())) {}
  ~Block() { rg_policy_block_destroy(block_); }
  Block(const Block &) = delete;
  Block &operator=(const Block &) = delete;

  const rg_policy_block *get() const { return block_; }
  bool has_faults() const { return !faults_.empty(); }
  Lines faults() const { return faults_.lines(); }

 private:
  Faults faults_;
  rg_policy_block *block_;
};

#endif
