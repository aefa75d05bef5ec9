// SPDX-License-Identifier: Apache-2.0

// The command `retry-guard`, run as people run it.
#ifndef RG_TEST_CLI_COMMAND_H
#define RG_TEST_CLI_COMMAND_H

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace rg_test {

struct Outcome {
  int status;  // 128 and the signal's number, if one ended it
  std::string out;
  std::string err;
};

// A file without a name.
class Scratch {
 public:
  explicit Scratch(const std::string &text = "") : file_(tmpfile(), &fclose) {
    fwrite(text.data(), 1, text.size(), file_.get());
    rewind(file_.get());
  }

  int fd() const { return fileno(file_.get()); }

  std::string Read() const {
    std::string text;
    rewind(file_.get());
    for (int c; (c = getc(file_.get())) != EOF;)
      text.push_back(static_cast<char>(c));
    return text;
  }

 private:
  std::unique_ptr<FILE, int (*)(FILE *)> file_;
};

class Program {
 public:
  // The first is its path.
  explicit Program(std::vector<std::string> arguments)
      : arguments_(std::move(arguments)) {}

  Program &Input(const std::string &text) {
    input_ = text;
    return *this;
  }

  // Its standard output goes there instead.
  Program &Output(const std::string &path) {
    output_ = path;
    return *this;
  }

  Outcome Run() const {
    Scratch in(input_);
    Scratch out;
    Scratch err;
    pid_t child = fork();
    if (child == 0) Become(in.fd(), out.fd(), err.fd());
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    return {WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status),
            out.Read(), err.Read()};
  }

 private:
  [[noreturn]] void Become(int in, int out, int err) const {
    std::vector<char *> argv;
    for (const std::string &argument : arguments_)
      argv.push_back(const_cast<char *>(argument.c_str()));
    argv.push_back(nullptr);
    dup2(in, STDIN_FILENO);
    dup2(output_.empty() ? out : open(output_.c_str(), O_WRONLY),
         STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    unsetenv("COLUMNS");
    execv(argv[0], argv.data());
    _exit(127);
  }

  std::vector<std::string> arguments_;
  std::string input_;
  std::string output_;
};

// The command itself.
inline Program Command(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), RG_COMMAND_PATH);
  return Program(std::move(arguments));
}

inline Outcome RunCommand(std::vector<std::string> arguments) {
  return Command(std::move(arguments)).Run();
}

}  // namespace rg_test

#endif
