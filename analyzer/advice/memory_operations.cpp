// SPDX-License-Identifier: Apache-2.0
// Exposed memcpy and memset operations, and their bandwidth.
#include "analyzer/advice/advice.h"
#include "support/units.h"

namespace mansard::analysis {

namespace {

constexpr std::size_t kMaxOperationRows = 3;  // the kernel table has all
constexpr std::string_view kPageable = "Pageable";

double bytes_of(const KernelRow& row) {
  double bytes = 0;
  for (const auto& [level, amount] : row.work.bytes) bytes += amount;
  return bytes;
}

std::string what_helps(const KernelRow& row) {
  if (row.kind == RowKind::memset) {
    return "Allocate without clearing, or clear the buffer in the kernel that first writes it.";
  }
  const bool over_link = !row.link_ceiling.empty();
  std::string text;
  if (row.name.find(kPageable) != std::string::npos) {
    text =
        "Use pinned memory (cudaHostAlloc; pin_memory=True and non_blocking=True in PyTorch): "
        "copies of pageable memory block the calling thread. ";
  }
  if (over_link) {
    return text +
           "Copy on a separate stream while kernels run, and keep unchanged data on the GPU.";
  }
  return text + "Let kernels read their input in place instead of copying it first.";
}

}  // namespace

std::vector<Advice> advise_on_memory_operations(const RunAnalysis& run, const RunUnit& unit) {
  std::vector<Advice> out;
  for (const std::size_t i : costliest_rows(run, unit, kMaxOperationRows, is_memory_operation)) {
    const KernelRow& row = run.rows[i];
    Advice advice;
    advice.id = "memory_operations";
    advice.title = "Exposed memory operation: " + row.short_name;
    advice.concerned_s = unit.duration_s(i);
    advice.saving_s = unit.time_s(i);
    advice.row_savings = {{.row = i, .time_s = unit.time_s(i)}};
    advice.text = "It takes " + format_si(advice.concerned_s, "s") + " in " +
                  format_count(unit.launches(i)) + " operations of " + row.shape + " per " +
                  std::string(unit.name()) + "; " + format_si(*advice.saving_s, "s") +
                  " of this is exposed (no kernel runs)";
    if (const double bytes = bytes_of(row); bytes > 0 && row.time_s > 0) {
      advice.text += "; bandwidth " + format_si(bytes / row.time_s, "B/s");
      if (row.slowdown) {
        advice.text += " (" + format_percent(1 / *row.slowdown) + " of the " + row.sol.bound_label +
                       " ceiling)";
      }
    }
    advice.text += ".";
    advice.remedy = what_helps(row);
    advice.rows = {i};
    out.push_back(std::move(advice));
  }
  return out;
}

}  // namespace mansard::analysis
