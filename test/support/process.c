/* SPDX-License-Identifier: Apache-2.0 */
#include "support/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/rpc.h"

#define NS_PER_MS UINT64_C(1000000)

/* For the signal handler; 0: free, -1: being started. */
static atomic_int alive[RG_PROCESS_MAX];

static atomic_int *find_slot(int pid) {
  for (size_t i = 0; i < RG_PROCESS_MAX; i++)
    if (atomic_load(&alive[i]) == pid) return &alive[i];
  return NULL;
}

static atomic_int *claim_slot(void) {
  for (size_t i = 0; i < RG_PROCESS_MAX; i++) {
    int free_slot = 0;
    if (atomic_compare_exchange_strong(&alive[i], &free_slot, -1))
      return &alive[i];
  }
  return NULL;
}

/* ---- Starting ----------------------------------------------------------- */

/* In the child, which shares its parent's locks: only what is safe in a signal
 * handler. */
static void become(const char *const argv[], int output, pid_t parent) {
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(127); /* died before the line above */
  dup2(output, STDOUT_FILENO);
  execv(argv[0], (char *const *)argv);
  _exit(127);
}

static bool fork_child(struct rg_process *process, const char *const argv[],
                       const int ends[2]) {
  pid_t parent = getpid();
  process->pid = fork();
  if (process->pid == 0) become(argv, ends[1], parent);
  close(ends[1]);
  process->output = ends[0];
  if (process->pid > 0) return true;
  close(ends[0]);
  process->pid = 0;
  return false;
}

bool rg_process_start(struct rg_process *process, const char *const argv[]) {
  int ends[2];
  atomic_int *slot = claim_slot();
  if (slot == NULL || access(argv[0], X_OK) != 0 || pipe2(ends, O_CLOEXEC)) {
    fprintf(stderr, "cannot start %s: %s\n", argv[0],
            slot == NULL ? "too many processes" : strerror(errno));
    if (slot != NULL) atomic_store(slot, 0);
    return false;
  }
  bool started = fork_child(process, argv, ends);
  if (!started) perror("cannot start a process");
  atomic_store(slot, started ? process->pid : 0);
  return started;
}

/* ---- Listening ---------------------------------------------------------- */

/* Reads one byte by the deadline; false: time out, or the output has ended. */
static bool read_byte(int fd, char *byte, uint64_t deadline_ns) {
  for (;;) {
    uint64_t now = rg_rpc_now_ns();
    if (now >= deadline_ns) return false;
    struct pollfd poller = {.fd = fd, .events = POLLIN};
    int wait_ms = (int)((deadline_ns - now) / NS_PER_MS) + 1;
    if (poll(&poller, 1, wait_ms) > 0) return read(fd, byte, 1) == 1;
  }
}

bool rg_process_read_line(struct rg_process *process, char *line, size_t size,
                          uint32_t timeout_ms) {
  uint64_t deadline = rg_rpc_now_ns() + timeout_ms * NS_PER_MS;
  for (size_t used = 0; used < size; used++) {
    if (!read_byte(process->output, &line[used], deadline)) return false;
    if (line[used] != '\n') continue;
    line[used] = '\0';
    return true;
  }
  return false;
}

/* ---- Ending ------------------------------------------------------------- */

void rg_process_pause(const struct rg_process *process) {
  if (process->pid <= 0) return;
  kill(process->pid, SIGSTOP);
  siginfo_t info;
  waitid(P_PID, (id_t)process->pid, &info, WSTOPPED | WEXITED | WNOWAIT);
}

void rg_process_resume(const struct rg_process *process) {
  if (process->pid > 0) kill(process->pid, SIGCONT);
}

static int exit_code(int status) {
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int rg_process_wait(struct rg_process *process, uint32_t timeout_ms) {
  if (process->pid <= 0) return 0;
  /* Its output ends when it does. */
  uint64_t deadline = rg_rpc_now_ns() + timeout_ms * NS_PER_MS;
  for (char byte; read_byte(process->output, &byte, deadline);) {
  }
  if (rg_rpc_now_ns() >= deadline) kill(process->pid, SIGKILL);
  int status = 0;
  while (waitpid(process->pid, &status, 0) < 0 && errno == EINTR) {
  }
  atomic_int *slot = find_slot(process->pid);
  if (slot != NULL) atomic_store(slot, 0);
  close(process->output);
  *process = (struct rg_process){.pid = 0};
  return exit_code(status);
}

int rg_process_stop(struct rg_process *process, uint32_t timeout_ms) {
  if (process->pid <= 0) return 0;
  /* In this order: SIGCONT undoes a stop that is on its way, and a leak checker
   * or debugger that runs at the child's end relies on one. */
  rg_process_resume(process);
  kill(process->pid, SIGTERM);
  return rg_process_wait(process, timeout_ms);
}

static void end_all(int number) {
  for (size_t i = 0; i < RG_PROCESS_MAX; i++)
    if (atomic_load(&alive[i]) > 0) kill(atomic_load(&alive[i]), SIGKILL);
  for (size_t i = 0; i < RG_PROCESS_MAX; i++)
    if (atomic_load(&alive[i]) > 0) waitpid(atomic_load(&alive[i]), NULL, 0);
  signal(number, SIG_DFL);
  raise(number);
}

void rg_process_end_all_on_signals(void) {
  struct sigaction action = {.sa_handler = end_all};
  sigemptyset(&action.sa_mask);
  sigaddset(&action.sa_mask, SIGINT);
  sigaddset(&action.sa_mask, SIGTERM);
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
}
