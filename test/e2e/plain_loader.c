/* SPDX-License-Identifier: Apache-2.0 */

/* rg_plain_loader: while one library is loaded, another thread begins to use
 * gRPC, and the loading waits for it: as happens where a library's constructor
 * starts threads. */
#include <dlfcn.h>
#include <grpc/grpc.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

static void *use_grpc(void *arg) {
  grpc_init();
  grpc_shutdown();
  return arg;
}

static bool done;

/* Nobody loaded it: there is nothing to be seen here. */
__attribute__((destructor)) static void insist(void) {
  if (!done) _exit(4);
}

__attribute__((visibility("default"))) void *dlopen(const char *file,
                                                    int mode) {
  void *(*open)(const char *, int);
  void *symbol = dlsym(RTLD_NEXT, "dlopen");
  memcpy(&open, &symbol, sizeof open);
  bool loads = file != NULL && (mode & RTLD_NOLOAD) == 0 &&
               strstr(file, "retry_guard_metrics") != NULL;
  if (loads && !done) {
    pthread_t thread;
    done = true;
    alarm(20);
    if (pthread_create(&thread, NULL, use_grpc, NULL) == 0)
      pthread_join(thread, NULL);
    alarm(0);
  }
  return open(file, mode);
}
