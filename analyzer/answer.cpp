// SPDX-License-Identifier: Apache-2.0
#include "analyzer/answer.h"

#include <algorithm>

#include "analyzer/activity.h"
#include "support/units.h"

namespace mansard::analysis {

namespace {

constexpr std::size_t kTopClasses = 3;
constexpr double kMostlyKnown = 0.95;
constexpr double kAllKnown = 0.9995;  // rounds to 100.0 %

// "gemm 62.0 %, memcpy 20.1 %, idle 9.0 %"
std::string top_shares(const RunUnit& unit) {
  const std::vector<std::pair<OperationClass, double>> shares = unit.shares();
  std::string text;
  for (std::size_t i = 0; i < std::min(kTopClasses, shares.size()); ++i) {
    text += (text.empty() ? "" : ", ") + shares[i].first.name() + " " +
            format_percent(shares[i].second);
  }
  return text;
}

AnswerPart time_of(const RunAnalysis& run, const RunUnit& unit) {
  if (run.rows.empty() && run.span_s <= 0)
    return {.value = "", .label = "", .text = "The profile has no activity."};
  if (run.all_disturbed) {
    return {"", "",
            "Hardware counters were read throughout the profile, so step, busy and idle time are "
            "not available; kernel times are from launches whose counters were not read."};
  }
  if (unit.name() == "step") {
    const TypicalStep& step = *unit.step();
    const std::string time = format_si(step.step_s, "s");
    std::string text = "A typical step takes " + time + " (mean of " + format_whole(step.typical) +
                       " of " + format_whole(step.all) + " steps";
    if (step.disturbed > 0) {
      text += "; " + format_whole(step.disturbed) + " were slowed down by reading counters";
    }
    return {time, "per step",
            text + "); the GPU is idle for " + format_si(step.idle_s, "s") + " of it (" +
                format_percent(step.idle_s / step.step_s) + ")."};
  }
  const bool on_device = has_device_activity(run.profile);
  std::string text = (on_device ? "The GPU was busy for " : "Annotated host work ran for ") +
                     format_si(run.busy_s, "s") + " of " + format_si(run.span_s, "s");
  if (run.span_s > 0) text += " (" + format_percent(run.busy_s / run.span_s) + ")";
  if (on_device) text += "; no steps were found";
  return {format_si(run.span_s, "s"), "in total", text + "."};
}

std::optional<SolDistance> distance_of(const RunAnalysis& run, const RunUnit& unit) {
  const RunUnit::Sol sol = unit.sol();
  if (!(sol.sol_s > 0)) return std::nullopt;
  SolDistance distance;
  distance.lower_bound = sol.known_s < kMostlyKnown * sol.all_s;
  distance.time_s = unit.time_s();
  distance.sol_s = unit.time_s() - unit.idle_s();
  for (std::size_t i = 0; i < run.rows.size(); ++i) {
    distance.sol_s -= unit.saving_s(i).value_or(0);
  }
  // Without the time of a unit, or if all of it is hidden behind other work: of the kernels alone.
  if (!(distance.time_s > 0) || !(distance.sol_s > 0)) {
    distance.time_s = sol.cost_s;
    distance.sol_s = sol.sol_s;
    distance.kernels_only = true;
  }
  return distance;
}

AnswerPart text_of(const std::optional<SolDistance>& distance, const RunAnalysis& run,
                   const RunUnit& unit) {
  if (!distance) {
    return {"", "",
            run.machine
                ? "No kernel's FLOPs or bytes are known, so there is no speed-of-light time."
            : run.machine_obstacle.empty()
                ? "No machine model matches this device, so there is no speed-of-light time."
                : run.machine_obstacle};
  }
  const RunUnit::Sol sol = unit.sol();
  // Kernels with unknown work may be slower than their SOL time, too.
  std::string ratio = format_cell(distance->slowdown(), {"", "", CellFormat::ratio, "", ""});
  if (distance->lower_bound) ratio = "at least " + ratio;
  const bool published = run.machine && run.machine_provenance.origin != roofline::Origin::measured;
  std::string text = "At speed of light (SOL) " +
                     std::string(distance->kernels_only  ? "its kernels"
                                 : unit.name() == "step" ? "it"
                                                         : "the run") +
                     " would take " + format_si(distance->sol_s, "s") +
                     (published ? " (datasheet ceilings)" : "") + ": slowdown " + ratio +
                     (!distance->kernels_only && unit.idle_s() > 0 ? ", idle time included." : ".");
  if (sol.known_s < kAllKnown * sol.all_s) {
    text += " SOL times are known for " + format_percent(sol.known_s / sol.all_s) +
            " of the kernel and memcpy time; the rest counts as measured.";
  }
  return {ratio, "SOL time", text};
}

}  // namespace

std::string no_advice_text(const RunAnalysis& run) {
  return run.machine ? "No issues found in this profile." : "No issues found without ceilings.";
}

Answer::Answer(const RunAnalysis& run, const RunUnit& unit) : how_long(time_of(run, unit)) {
  if (run.rows.empty()) return;
  if (const std::string top = top_shares(unit); !top.empty()) {
    how_long.text += " Largest shares: " + top + ".";
  }
  no_advice = no_advice_text(run);
  distance = distance_of(run, unit);
  how_far = text_of(distance, run, unit);
  first = all_advice(run, unit);
  if (first.size() > kFirstAdvice) first.erase(first.begin() + kFirstAdvice, first.end());
}

}  // namespace mansard::analysis
