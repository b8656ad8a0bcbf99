// SPDX-License-Identifier: Apache-2.0
#include "analyzer/goodput/goodput_finding.h"

#include <algorithm>
#include <cmath>

#include "analyzer/goodput/checkpoint_interval.h"
#include "analyzer/goodput/expected_goodput.h"
#include "analyzer/goodput/goodput_tables.h"
#include "support/units.h"

namespace mansard::analysis {
namespace {

std::string failures_text(const GoodputJob& job, const Goodput& g) {
  std::string text =
      " on " + format_number_of(job.gpus, "GPU") + " (" + format_number_of(job.nodes(), "node");
  if (!std::isfinite(job.mtbf_s())) return text + " that never fail)";
  return text + ", a failure every " + duration_text(job.mtbf_s()) + ", " +
         format_count(g.failures < 10 ? g.failures : std::round(g.failures)) + " expected)";
}

// "The rest: lost work 6.1 %, saving checkpoints 4.9 %, ..."
std::string rest_text(const Goodput& g) {
  std::vector<const GoodputPartInfo*> parts;
  for (const GoodputPartInfo& info : goodput_parts()) {
    if (info.part != GoodputPart::compute && g.share(info.part) >= 5e-4) parts.push_back(&info);
  }
  std::ranges::stable_sort(parts, std::greater(),
                           [&](const GoodputPartInfo* info) { return g[info->part]; });
  std::string text;
  for (const GoodputPartInfo* info : parts) {
    text += (text.empty() ? " The rest: " : ", ") + std::string(info->label) + " " +
            format_percent(g.share(info->part));
  }
  return text.empty() ? text : text + ".";
}

std::string interval_text(const GoodputJob& job, const Goodput& g) {
  const std::string now = duration_text(g.interval_s);
  if (job.recovery == Recovery::partial) {
    return " Checkpoints every " + now + " of training lose " + format_percent(g.lost_samples) +
           " of the samples (PLS)" +
           (job.others_continue() ? "; the other replicas train on while one recovers." : ".");
  }
  if (job.save_s == 0) return " Saving takes no time: checkpoint after every step.";
  const std::string formulas =
      " (Daly: " + duration_text(daly_interval_s(job.save_s, job.mtbf_s())) +
      ", Young: " + duration_text(young_interval_s(job.save_s, job.mtbf_s())) + ")";
  if (!job.interval_s) {
    return " Best checkpoint interval: " + now + " of training" +
           (std::isfinite(job.mtbf_s()) ? formulas : "") + ".";
  }
  GoodputJob free = job;
  free.interval_s.reset();
  const Goodput best = expected_goodput(free);
  return " Checkpoints every " + now + " of training; every " + duration_text(best.interval_s) +
         " would be best" + formulas + ", with a goodput of " + format_percent(best.fraction()) +
         ".";
}

// "Per GPU: peak 989 TFLOP/s, in a step 412 TFLOP/s (MFU 41.7 %), as goodput ..."
std::string rates_text(const GoodputChain& chain, const GoodputJob& job) {
  if (!(chain.flop > 0)) return "";
  const auto rate = [&](double time_s) { return format_si(chain.flop / time_s, "FLOP/s"); };
  const Ledger& ledger = chain.ledger;
  return " Model FLOPs per GPU: peak " + rate(ledger.ideal_s) + ", in a step " +
         rate(job.step_s()) + " (MFU " + format_percent(ledger.ideal_s / job.step_s()) +
         "), in the whole run " + rate(ledger.measured_s) + " (" +
         format_percent(ledger.ideal_s / ledger.measured_s) + ").";
}

std::string simulation_text(const Goodput& g, const SimulatedGoodput& simulated) {
  return " The mean of " + format_whole(simulated.replications) + " simulated runs is " +
         format_percent(simulated.mean.fraction()) + " ± " +
         format_plain(100 * simulated.fraction_error, 2) + " % (95 % confidence), the formula's " +
         format_percent(g.fraction()) + ".";
}

}  // namespace

Finding goodput_finding(const GoodputStudy& study) {
  const GoodputJob& job = study.job;
  const Goodput goodput = expected_goodput(job);
  const std::vector<GoodputChange> changes = goodput_changes(job, goodput);
  Finding finding;
  finding.id = "goodput";
  finding.title = "Goodput of " + study.name;
  finding.summary = "Training takes " + format_percent(goodput.fraction()) +
                    " of the wall time: " + format_count(std::round(goodput.steps)) + " steps of " +
                    format_si(job.compute_s, "s") + " in " + duration_text(goodput.wall_s()) +
                    failures_text(job, goodput) + "." + rest_text(goodput) +
                    interval_text(job, goodput);
  if (!changes.empty()) {
    finding.summary += " Largest gain: " + changes.front().text + ", to " +
                       format_percent(changes.front().goodput.fraction()) + ".";
  }
  const GoodputChain chain =
      goodput_chain(job, goodput, study.prediction ? &*study.prediction : nullptr,
                    study.machine ? &*study.machine : nullptr);
  finding.summary += rates_text(chain, job);
  finding.tables = {overhead_table(goodput), result_table(job, goodput), chain_table(chain),
                    changes_table(changes),  intervals_table(job),       sweep_table(job),
                    alternatives_table(job)};
  if (study.simulation) {
    const SimulatedGoodput simulated = simulate_goodput(job, *study.simulation);
    finding.summary += simulation_text(goodput, simulated);
    finding.tables.push_back(simulation_table(job, goodput, simulated));
    finding.tables.push_back(simulated_parts_table(job, goodput, simulated));
  }
  finding.tables.push_back(inputs_table(study.inputs));
  return finding;
}

}  // namespace mansard::analysis
