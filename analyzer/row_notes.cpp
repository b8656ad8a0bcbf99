// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "analyzer/activity.h"
#include "analyzer/run_notes.h"
#include "analyzer/steps/find_steps.h"
#include "analyzer/steps/run_unit.h"
#include "support/units.h"

namespace mansard::analysis {

namespace {

// "12.3 %"; "0.0 %" and "100.0 %" only for exactly none and all.
std::string share_text(double part_s, double whole_s) {
  const double share = part_s / whole_s;
  if (part_s >= whole_s) return "All";
  if (share < 0.0005) return "Less than 0.1 %";
  if (share > 0.9995) return "Nearly all";
  return format_percent(share);
}

}  // namespace

void add_disturbance_notes(const RunAnalysis& run, std::vector<std::string>& notes) {
  if (!run.disturbed.any()) return;
  const std::size_t readings =
      run.profile.pauses.empty() ? readings_in_run(run.profile).size() : run.profile.pauses.size();
  if (run.all_disturbed) {
    notes.push_back(
        "Hardware counters of " + format_whole(readings) +
        " launches were read throughout this profile, which slows the program down: step, busy and "
        "idle time are not available. Profile more steps than counters are read in, or profile "
        "again without --counters.");
    return;
  }
  const Activity whole = device_activity(run.profile);
  std::size_t only_disturbed = 0;
  for (const KernelRow& row : run.rows) only_disturbed += row.launches == 0 ? 1 : 0;
  std::string text =
      "Reading hardware counters of " + format_whole(readings) +
      " launches slowed the program down for " + format_si(whole.span_s - run.span_s, "s") +
      "; all times, rates and counts are from the other " + format_si(run.span_s, "s") + ".";
  if (only_disturbed > 0) {
    text += " Kernels, memcpys and memsets that only ran while counters were read, left out: " +
            std::to_string(only_disturbed) + ".";
  }
  notes.push_back(std::move(text));
}

void add_row_notes(const RunAnalysis& run, std::vector<std::string>& notes) {
  if (run.rows.empty()) {
    notes.emplace_back(
        "The profile has no kernels and no annotated host work: there is nothing to analyze.");
    return;
  }
  std::set<std::string> missing;
  double total_s = 0;
  double without_work_s = 0;
  double counted_s = 0;
  double modeled_s = 0;
  double rate_s = 0;
  double divided_s = 0;
  const RunUnit unit(run);
  for (std::size_t i = 0; i < run.rows.size(); ++i) {
    const KernelRow& row = run.rows[i];
    if (is_memory_operation(row)) continue;  // their records state the bytes
    const double time_s = unit.duration_s(i);
    if (!(time_s > 0)) continue;
    missing.insert(row.sol.missing_ceilings.begin(), row.sol.missing_ceilings.end());
    total_s += time_s;
    if (row.origin == WorkOrigin::none) without_work_s += time_s;
    const bool counts =
        row.origin == WorkOrigin::counted || row.origin == WorkOrigin::counted_rate ||
        row.origin == WorkOrigin::annotated_and_counted || row.origin == WorkOrigin::divided ||
        row.origin == WorkOrigin::modeled_and_counted;
    if (counts) counted_s += time_s;
    if (row.origin == WorkOrigin::modeled) modeled_s += time_s;
    if (row.origin == WorkOrigin::counted_rate) rate_s += time_s;
    if (row.origin == WorkOrigin::divided) divided_s += time_s;
  }
  const std::string of_kernels =
      unit.name() == "step" ? " of a step's kernel time" : " of the kernel time";
  if (without_work_s > 0) {
    notes.push_back(
        share_text(without_work_s, total_s) + of_kernels +
        " has no known FLOPs or bytes: no SOL time and no roofline point. If "
        "you can run the program yourself, profile more of its steps, so that hardware counters "
        "are "
        "read (`mansard profile --counters roofline` reads them from the start), or annotate its "
        "NVTX ranges (in PyTorch record_function) with flop= and a memory tier (hbm=).");
  }
  if (!missing.empty()) {
    std::string list;
    for (const std::string& name : missing) list += (list.empty() ? "" : ", ") + name;
    notes.push_back("The machine model has no ceiling for: " + list +
                    ". SOL times do not include these terms and may be too low.");
  }
  if (counted_s > 0) {
    notes.push_back(share_text(counted_s, total_s) + of_kernels +
                    " is in kernels whose FLOPs or bytes were measured by "
                    "hardware counters for a few launches of each: executed operations and moved "
                    "bytes.");
  }
  if (divided_s > 0) {
    notes.push_back(
        share_text(divided_s, total_s) + of_kernels +
        " is in kernels of CUDA graphs whose counters were read for a whole "
        "launch of the graph. The sums are exact; they are divided over the kernels by modeled "
        "FLOPs and otherwise by time, so a single kernel's values are estimates, without FLOPs of "
        "CUDA cores.");
  }
  if (modeled_s > 0) {
    notes.push_back(share_text(modeled_s, total_s) + of_kernels +
                    " is in kernels whose FLOPs and bytes were computed from "
                    "the shapes of the calls that launched them: needed operations, and each "
                    "operand read or written once (a lower bound).");
  }
  if (rate_s > 0) {
    notes.push_back(
        share_text(rate_s, total_s) + of_kernels +
        " is in kernels whose launches do different amounts of work with the "
        "same grid; their work is estimated as measured rate x time. Annotated ranges distinguish "
        "them.");
  }
}

}  // namespace mansard::analysis
