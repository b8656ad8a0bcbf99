// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "analyzer/explain/ledger_builder.h"
#include "analyzer/power_model.h"
#include "collector/import/profile_source.h"
#include "support/units.h"

namespace mansard::analysis {

namespace {

constexpr double kWorthNoting = 0.01;  // share of the step

struct Split {
  std::vector<LedgerDetail> beyond;  // time beyond SOL time, of kernels whose SOL time is known
  std::vector<LedgerDetail> unknown;
  double sol_s = 0;
  double beyond_measured_s = 0;  // time of the kernels in `beyond`
};

LedgerDetail measured_detail(std::string label, double time_s) {
  LedgerDetail detail;
  detail.label = std::move(label);
  detail.candidate_s = detail.adds_s = time_s;
  return detail;
}

Split split(const std::vector<KernelPart>& parts) {
  Split out;
  for (const KernelPart& part : parts) {
    LedgerDetail detail = measured_detail(part_label(part), part.time_s);
    detail.row = part.index;
    if (!(part.sol_s > 0)) {
      out.unknown.push_back(std::move(detail));
      continue;
    }
    detail.ideal_s = part.sol_s;
    detail.adds_s = part.time_s - part.sol_s;
    out.beyond.push_back(std::move(detail));
    out.sol_s += part.sol_s;
    out.beyond_measured_s += part.time_s;
  }
  return out;
}

bool has_work(const KernelPart& part) {
  const WorkTotals& work = part.row->work;
  return work.total_flop() > 0 || std::any_of(work.bytes.begin(), work.bytes.end(),
                                              [](const auto& level) { return level.second > 0; });
}

// Returns how to get SOL time for the kernels that have none.
std::string advice_for(const RunAnalysis& run,
                       const std::map<OperationClass, std::vector<KernelPart>>& classes) {
  bool without_work = false;
  bool without_ceilings = false;
  for (const auto& [c, kernels] : classes) {
    for (const KernelPart& part : kernels) {
      if (part.sol_s > 0 || part.time_s == 0) continue;
      (has_work(part) ? without_ceilings : without_work) = true;
    }
  }
  std::string text;
  if (without_work)
    text = collector::how_to_get_work(collector::profile_source(run.profile.session));
  if (without_ceilings) {
    text += (text.empty() ? "" : " ") +
            std::string(
                "Some kernels have known FLOPs or bytes but no ceilings: run "
                "`mansard characterize` on the machine and pass its model with --machine.");
  }
  return text;
}

std::string replica_sync_note(const RunParts& parts) {
  const double all_s = parts.replica_sync_s + parts.hidden_replica_sync_s;
  if (!(all_s > 0)) return "";
  return "Synchronization of replicas runs for " + format_si(all_s, "s") +
         " of a step: " + format_si(parts.replica_sync_s, "s") + " exposed, " +
         format_si(parts.hidden_replica_sync_s, "s") + " hidden.";
}

// Returns a note on how the clock at the power limit changes the potential savings of the lines,
// or an empty string below the limit.
std::string power_note(const RunAnalysis& run) {
  const RunUnit unit(run);
  const PowerModel power(run, unit);
  if (!power.limited()) return "";
  std::vector<RowChange> changes(run.rows.size());
  double saved_s = unit.idle_s();
  for (std::size_t i = 0; i < run.rows.size(); ++i) {
    const KernelRow& row = run.rows[i];
    if (power.is_compute_bound(i) || !(row.sol.time_s > 0) || !(row.time_s > 0)) continue;
    changes[i].time = std::min(1.0, row.sol.time_s / row.time_s);
    saved_s += unit.time_s(i) * (1 - changes[i].time);
  }
  if (saved_s < kWorthNoting * unit.time_s()) return "";
  const PredictedStep step = power.predict(changes, 0);
  return "The GPU runs at its power limit. If kernels that are not compute-bound took their SOL "
         "time and the GPU were never idle, the SM clock would go from " +
         format_si(power.clock_hz(), "Hz") + " to " + format_si(*step.clock_hz, "Hz") +
         ", and the step would take " + format_si(step.time_s, "s") + " (" +
         format_si(step.low_s, "s") + " to " + format_si(step.high_s, "s") + "; modeled), not " +
         format_si(unit.time_s() - saved_s, "s") + " as at the measured clock.";
}

}  // namespace

Ledger explain_run(const RunAnalysis& run) {
  const RunParts parts = run_parts(run);
  Ledger ledger;
  ledger.measured_s = ledger.baseline_s = parts.step_s;
  const auto add = [&](LedgerLine line) {
    if (line.time_s != 0) ledger.lines.push_back(std::move(line));
  };

  std::map<OperationClass, std::vector<KernelPart>> classes = parts.classes;
  if (!parts.gemms.empty()) classes[kGemmClass] = parts.gemms;
  std::vector<LedgerDetail> unknown;
  std::vector<LedgerLine> lines;
  ledger.kernel_s = parts.graphs_s;
  for (const auto& [c, kernels] : classes) {
    Split of_class = split(kernels);
    ledger.ideal_s += of_class.sol_s;
    ledger.kernel_s += total_s(kernels);
    ledger.sol_kernel_s += of_class.beyond_measured_s;
    unknown.insert(unknown.end(), of_class.unknown.begin(), of_class.unknown.end());
    if (of_class.beyond.empty()) continue;
    lines.push_back(make_line(c.name(), c.name() + " kernels",
                              "Measured - SOL time on this machine", std::move(of_class.beyond),
                              c));
  }
  std::stable_sort(lines.begin(), lines.end(),
                   [](const LedgerLine& a, const LedgerLine& b) { return a.time_s > b.time_s; });
  for (LedgerLine& line : lines) add(std::move(line));
  add(make_line(
      "no_sol_time", "kernels without SOL time",
      "Full measured time of kernels with unknown FLOPs and bytes, or without ceilings for them",
      std::move(unknown)));
  add(make_line("graphs", "CUDA graphs", "CUDA graphs recorded without their kernels",
                {measured_detail("CUDA graphs", parts.graphs_s)}));
  add(make_line("memcpy_memset", "memcpy and memset",
                "memcpy within a GPU, from or to the host, and memset, while no kernel runs",
                differences({}, parts.memory, 1)));
  for (const IdleCauseInfo& cause : idle_cause_infos()) {
    const double time_s = parts.idle_s[static_cast<std::size_t>(cause.id)];
    const std::string label = "idle: " + std::string(cause.label);
    add(make_line("idle_" + std::string(cause.key), label, std::string(cause.description),
                  {measured_detail(label, time_s)}));
  }
  add(make_line("communication", "exposed communication",
                "Collectives and copies between GPUs while no compute kernel runs",
                differences({}, parts.communication, 1)));
  add(make_line("rank_wait", "waiting for ranks",
                "Exposed collectives before the last rank starts them",
                differences({}, parts.rank_wait, 1)));
  if (parts.replica_sync_s > 0) {
    std::vector<LedgerDetail> details = differences({}, parts.replica_sync, 1);
    details.push_back(measured_detail("waiting on the host", replica_wait_s(parts)));
    add(make_line("replica_sync", "exposed synchronization of replicas",
                  "The step waits for a range 'synchronization', or for device work launched in it",
                  std::move(details)));
  }
  ledger.ratio_source = "SOL time of kernels with known FLOPs or bytes";
  ledger.advice = advice_for(run, classes);
  for (const auto& [c, kernels] : classes) {
    ledger.work_known = ledger.work_known || std::any_of(kernels.begin(), kernels.end(), has_work);
  }
  const bool overlap = std::any_of(ledger.lines.begin(), ledger.lines.end(),
                                   [](const LedgerLine& line) { return line.time_s < 0; });
  if (overlap) {
    ledger.notes.push_back(
        "Kernels of several streams overlap: the sum of their SOL times exceeds their measured "
        "time, so some lines are negative and the SOL time is not a lower bound of the step.");
  }
  if (!ledger.advice.empty() && ledger.ideal_s > 0) {
    ledger.notes.push_back("Kernels without SOL time: " + ledger.advice);
  }
  if (std::string note = replica_sync_note(parts); !note.empty()) {
    ledger.notes.push_back(std::move(note));
  }
  if (std::string note = power_note(run); !note.empty()) ledger.notes.push_back(std::move(note));
  ledger.notes.push_back(format_whole(parts.steps) + " typical steps (" + parts.how + ").");
  return ledger;
}

}  // namespace mansard::analysis
