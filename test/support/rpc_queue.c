/* SPDX-License-Identifier: Apache-2.0 */
#include "support/rpc_queue.h"

#include <grpc/support/time.h>

void *rg_rpc_run_queue(void *queue) {
  for (;;) {
    grpc_event event = grpc_completion_queue_next(
        queue, gpr_inf_future(GPR_CLOCK_MONOTONIC), NULL);
    if (event.type == GRPC_QUEUE_SHUTDOWN) return NULL;
    const struct rg_rpc_step *step = event.tag;
    step->run(step->owner, event.success != 0);
  }
}
