# SPDX-License-Identifier: Apache-2.0

# Every source file of the library, by room; paths are rooted at plugin/. Both
# builds read this list, so it holds nothing but set() and one file a line.

set(RG_CORE_SOURCES
  core/backoff.c
  core/budget.c
  core/layer.c
  core/num.c
  core/outcome.c
  core/retry_window.c
  core/token_bucket.c
  core/verdict.c
  core/window.c
)

set(RG_CONFIG_SOURCES
)

set(RG_HOST_SOURCES
)

set(RG_GRPC_SOURCES
)

# Rooted at proto/.
set(RG_PROTOS
)
