// SPDX-License-Identifier: Apache-2.0

// rg_core_bench: how long the operations of the core take, by themselves and
// with threads that make the same one on the same object.
#include <benchmark/benchmark.h>

#include "bench/core_ops.h"

namespace {

// Enough for the loop of the benchmark itself not to show.
constexpr uint64_t kBatch = 64;

void Run(benchmark::State &state, const rg_core_op *op) {
  for (auto _ : state) op->run(kBatch);
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(kBatch));
}

}  // namespace

int main(int argc, char **argv) {
  rg_core_ops_prepare();
  for (size_t i = 0; i < rg_core_op_count; i++)
    for (int threads : {1, 2, 4, 8})
      benchmark::RegisterBenchmark(rg_core_ops[i].name, Run, &rg_core_ops[i])
          ->Threads(threads)
          ->UseRealTime();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
