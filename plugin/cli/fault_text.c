/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/fault_text.h"

const struct rg_severity rg_severity_error = {"error", RG_INK_RED};
const struct rg_severity rg_severity_warning = {"warning", RG_INK_YELLOW};

static void write_fault(struct rg_paper *paper,
                        const struct rg_severity *severity,
                        const struct rg_fault *fault) {
  rg_paper_newline(paper);
  rg_paper_indent(paper, 2);
  rg_paper_put(paper, severity->ink, "%s", severity->name);
  rg_paper_indent(paper, RG_FAULT_TEXT_HANG);
  rg_paper_put(paper, RG_INK_BOLD, "%s",
               fault->path[0] != '\0' ? fault->path : "the whole file");
  rg_paper_newline(paper);
  rg_paper_indent(paper, RG_FAULT_TEXT_HANG);
  rg_paper_wrap(paper, RG_FAULT_TEXT_HANG, RG_INK_PLAIN, "%s", fault->message);
  rg_paper_newline(paper);
}

void rg_fault_text_write(struct rg_paper *paper,
                         const struct rg_severity *severity,
                         const struct rg_faults *faults) {
  for (size_t i = 0; i < faults->count; i++)
    write_fault(paper, severity, &faults->items[i]);
  if (faults->unlisted == 0) return;
  rg_paper_newline(paper);
  rg_paper_indent(paper, 2);
  rg_paper_put(paper, severity->ink, "%s", severity->name);
  rg_paper_indent(paper, RG_FAULT_TEXT_HANG);
  if (faults->out_of_memory)
    rg_paper_put(paper, RG_INK_PLAIN, "memory ran out");
  else
    rg_paper_put(paper, RG_INK_PLAIN, "and %zu more", faults->unlisted);
  rg_paper_newline(paper);
}
