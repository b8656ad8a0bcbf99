// SPDX-License-Identifier: Apache-2.0
// Kernels of CUDA graphs whose counters are known for the whole graph only: the potential saving is
// known, but not in which kernels.
#include <algorithm>

#include "analyzer/advice/advice.h"
#include "support/units.h"

namespace mansard::analysis {

std::vector<Advice> advise_on_graph_kernels(const RunAnalysis& run, const RunUnit& unit) {
  Advice advice;
  double sol_s = 0;
  double cost_s = 0;
  double saving_s = 0;
  for (std::size_t i = 0; i < run.rows.size(); ++i) {
    const KernelRow& row = run.rows[i];
    if (row.origin != WorkOrigin::divided || is_memory_operation(row)) continue;
    if (!row.slowdown || !(unit.duration_s(i) > 0)) continue;
    sol_s += unit.per_unit(i, row.sol.time_s);
    cost_s += unit.cost_s(i);
    advice.concerned_s += unit.duration_s(i);
    advice.rows.push_back(i);
    if (const double own_s = unit.saving_s(i).value_or(0); own_s > 0) {
      saving_s += own_s;
      advice.row_savings.push_back({.row = i, .time_s = own_s});
    }
  }
  if (!(saving_s > 0) || !worth_telling(saving_s, run, unit)) return {};
  std::ranges::stable_sort(advice.rows, std::greater(),
                           [&](std::size_t i) { return unit.duration_s(i); });
  const std::string times = format_cell(cost_s / sol_s, {"", "", CellFormat::ratio, "", ""});
  advice.id = "graph_kernels";
  advice.title = "Slow kernels in a CUDA graph";
  advice.text = "Kernels of CUDA graphs take " + format_si(advice.concerned_s, "s") + " per " +
                std::string(unit.name()) + ", " + times +
                " their speed-of-light (SOL) time. Counters are read for a whole graph, so it is "
                "unknown which kernels are slow.";
  advice.remedy =
      run.profile.session.windows.empty()
          ? "Profile the program without CUDA graphs to find them."
          : "Record the program from its start, so that FLOPs and bytes are known for each kernel.";
  advice.saving_s = saving_s;
  return {std::move(advice)};
}

}  // namespace mansard::analysis
