/* SPDX-License-Identifier: Apache-2.0 */
#include "metrics/families.h"
#include "metrics/page.h"
#include "metrics/snapshot.h"
#include "retry_guard/metrics.h"

retry_guard_status retry_guard_metrics_text(
    retry_guard_metrics_format format,
    bool (*write)(const char *bytes, size_t length, void *arg), void *arg) {
  if (write == NULL || (format != RETRY_GUARD_METRICS_PROMETHEUS &&
                        format != RETRY_GUARD_METRICS_OPENMETRICS))
    return RETRY_GUARD_INVALID_ARGUMENT;
  struct rg_snapshot snapshot;
  if (!rg_snapshot_take(&snapshot)) return RETRY_GUARD_OUT_OF_MEMORY;
  struct rg_page page = {.format = format, .write = write, .arg = arg};
  rg_families_write(&page, &snapshot);
  rg_page_end(&page);
  rg_snapshot_clean_up(&snapshot);
  return RETRY_GUARD_OK;
}
