// SPDX-License-Identifier: Apache-2.0
#include "cli/compare_profiles.h"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <optional>

#include "analyzer/classify/kernel_rules.h"
#include "analyzer/compare/comparison_finding.h"
#include "analyzer/compare/loss_gap.h"
#include "cli/command.h"
#include "cli/format_option.h"
#include "cli/output.h"
#include "cli/report_command.h"
#include "reports/formats/notes.h"
#include "reports/formats/overview.h"

namespace mansard::cli {
namespace {

analysis::GateLimits limits_of(const CompareRunsOptions& o) {
  analysis::GateLimits limits;
  const auto set = [](std::optional<double>& limit, const std::optional<std::string>& text,
                      const char* option) {
    if (text) limit = parse_percent(*text, option);
  };
  set(limits.total, o.fail_above, "--fail-above");
  set(limits.period, o.fail_above_time, "--fail-above-time");
  set(limits.kernel, o.fail_above_kernel, "--fail-above-kernel");
  for (const std::string& text : o.fail_above_class) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos) {
      limits.every_class = parse_percent(text, "--fail-above-class");
    } else if (equals == 0) {
      throw UsageError("--fail-above-class takes '5%' or 'gemm=5%', not '" + text + "'");
    } else {
      limits.classes[text.substr(0, equals)] =
          parse_percent(text.substr(equals + 1), "--fail-above-class");
    }
  }
  return limits;
}

}  // namespace

double parse_percent(const std::string& text, const std::string& option) {
  std::size_t used = 0;
  double value = -1;
  try {
    value = std::stod(text, &used);
  } catch (const std::exception&) {
    used = 0;
  }
  const std::string rest = text.substr(used);
  if (used == 0 || !std::isfinite(value) || value < 0 || (rest != "" && rest != "%")) {
    throw UsageError(option + " takes a percentage such as 3 or 3%, not '" + text + "'");
  }
  return value / 100;
}

int compare_runs_command(const CompareRunsOptions& o) {
  const analysis::GateLimits limits = limits_of(o);
  std::optional<analysis::KernelRules> rules;
  if (!o.rules.empty()) rules = analysis::load_kernel_rules(o.rules);
  analysis::AnalysisOptions analysis;
  if (rules) analysis.rules = &*rules;
  // No machine models: only times are compared.
  const analysis::RunAnalysis a =
      analysis::analyze_run(store::load_profile(o.baseline), {}, analysis);
  const analysis::RunAnalysis b =
      analysis::analyze_run(store::load_profile(o.candidate), {}, analysis);
  const reports::Format format = format_of(o.format);
  std::optional<analysis::Finding> loss = analysis::loss_finding(a, b);
  if (loss && a.rows.empty() && b.rows.empty() && !limits.any()) {
    // Two files of `mansard train --record`: without launches, there is no time to compare.
    std::cout << reports::render({*loss}, format, render_options(o.rows));
    suggest_next(
        to_text({.profiles = {o.candidate}, .baseline = o.baseline, .output = "runs.html"}));
    return exit_ok;
  }
  const analysis::RunComparison comparison = analysis::compare_runs(a, b, o.step_range);
  const bool brief = prints_overview(format, o.all);
  std::vector<analysis::Finding> findings = {analysis::comparison_finding(comparison)};
  if (brief) {
    findings = {reports::comparison_overview(findings.front(), loss, comparison.notes)};
  } else if (loss) {
    findings.push_back(std::move(*loss));
  }
  std::vector<analysis::GateCheck> checks;
  if (limits.any()) {
    checks = analysis::check_gate(comparison, limits);
    findings.push_back(analysis::gate_finding(checks));
  }
  if (!brief && !comparison.notes.empty()) {
    findings.push_back(reports::notes_finding(comparison.notes));
  }
  reports::RenderOptions options = render_options(o.rows);
  if (brief) fit_overview(options);
  std::cout << reports::render(findings, format, options);
  if (brief) say("--all prints all tables and notes");

  bool failed = false;
  for (const analysis::GateCheck& check : checks) {
    if (check.failed) say(describe(check));
    failed = failed || check.failed;
  }
  if (!limits.any()) {
    suggest_next(to_text({.profiles = {o.candidate},
                          .baseline = o.baseline,
                          .rules = o.rules,
                          .step_range = o.step_range,
                          .output = "runs.html"}));
  }
  return failed ? exit_gate : exit_ok;
}

}  // namespace mansard::cli
