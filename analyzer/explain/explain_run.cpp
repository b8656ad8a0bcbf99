// SPDX-License-Identifier: Apache-2.0
#include "analyzer/explain/ledger_builder.h"

namespace mansard {

namespace {

struct Split {
  std::vector<LedgerDetail> beyond;   // of kernels with a speed of light: what they take beyond it
  std::vector<LedgerDetail> unknown;  // the others
  double speed_of_light_s = 0;
};

Split split(const std::vector<KernelPart>& parts) {
  Split out;
  for (const KernelPart& part : parts) {
    const double least_s = part.speed_of_light_s;
    LedgerDetail detail{part_label(part), least_s, part.time_s, part.time_s - least_s};
    (least_s > 0 ? out.beyond : out.unknown).push_back(std::move(detail));
    out.speed_of_light_s += least_s;
  }
  return out;
}

}  // namespace

Ledger explain_run(const RunAnalysis& run, const ExplainOptions& options) {
  const RunParts parts = run_parts(run, options.steps_range);
  Ledger ledger;
  ledger.measured_s = ledger.baseline_s = parts.step_s;
  const auto add = [&](LedgerLine line) {
    if (line.time_s != 0) ledger.lines.push_back(std::move(line));
  };

  std::map<std::string, std::vector<KernelPart>> classes = parts.classes;
  if (!parts.gemms.empty()) classes["gemm"] = parts.gemms;
  std::vector<LedgerDetail> unknown;
  std::vector<LedgerLine> lines;
  for (const auto& [name, kernels] : classes) {
    Split of_class = split(kernels);
    ledger.ideal_s += of_class.speed_of_light_s;
    unknown.insert(unknown.end(), of_class.unknown.begin(), of_class.unknown.end());
    if (of_class.beyond.empty()) continue;
    lines.push_back(make_line(name, name + " kernels",
                              "Time beyond their speed of light on this machine",
                              std::move(of_class.beyond)));
  }
  std::stable_sort(lines.begin(), lines.end(),
                   [](const LedgerLine& a, const LedgerLine& b) { return a.time_s > b.time_s; });
  for (LedgerLine& line : lines) add(std::move(line));
  add(make_line("work_not_known", "kernels whose work is not known",
                "All of their time: without FLOPs or bytes they have no speed of light",
                std::move(unknown)));
  add(make_line("graphs", "CUDA graphs", "Recorded as a whole: what is in them is not known",
                {{"CUDA graphs", 0, parts.graphs_s, parts.graphs_s}}));
  add(make_line("copies", "copies and fills", "While no kernel ran",
                {{"copies and fills", 0, parts.copies_s, parts.copies_s}}));
  for (const IdleCauseInfo& cause : idle_cause_infos()) {
    const double time_s = parts.idle_s[static_cast<std::size_t>(cause.id)];
    const std::string label = "idle: " + std::string(cause.label);
    add(make_line("idle_" + std::string(cause.key), label, std::string(cause.description),
                  {{label, 0, time_s, time_s}}));
  }
  add(make_line("communication", "exposed communication", "Collectives while nothing computed",
                differences({}, parts.communication)));
  add(make_line("arrival", "waiting for ranks",
                "Collectives that the last rank had not begun yet, while nothing computed",
                differences({}, parts.arrival)));
  ledger.ratio_source = "speed of light of the kernels whose work is known";
  const bool overlap = std::any_of(ledger.lines.begin(), ledger.lines.end(),
                                   [](const LedgerLine& line) { return line.time_s < 0; });
  if (overlap) {
    ledger.notes.push_back(
        "Kernels of several streams ran at once: one after the other they would take longer than "
        "the step had for them, so lines are negative and the ideal is no lower bound.");
  }
  ledger.notes.push_back(std::to_string(parts.steps) + " typical steps (" + parts.how + ").");
  return ledger;
}

}  // namespace mansard
