// SPDX-License-Identifier: Apache-2.0
// The summary of a run: step time, GPU idle time, the kernels with the most time and their bounds.
#include <algorithm>
#include <cmath>

#include "analyzer/answer.h"
#include "analyzer/kernel_columns.h"
#include "analyzer/numerics/operand_series.h"
#include "analyzer/numerics/training_curve.h"
#include "analyzer/steps/run_unit.h"
#include "reports/section.h"
#include "reports/web/html.h"
#include "reports/web/page_theme.h"
#include "support/text.h"
#include "support/units.h"

namespace mansard::reports {
namespace {

constexpr std::size_t kTopRows = 3;

bool on_host(const analysis::RunAnalysis& run) {
  return !run.rows.empty() && run.rows.front().target == kernels::Target::host;
}

std::string bold(const std::string& text) { return "<b>" + html_quantity(text) + "</b>"; }

std::string ratio_text(double ratio) {
  return analysis::format_cell(analysis::Cell{ratio},
                               {"", "", analysis::CellFormat::ratio, "", ""});
}

// The sentences of an answer, with its value in bold.
std::string sentences(const analysis::AnswerPart& part) {
  std::string html = escape_html(part.text);
  const std::string value = escape_html(part.value);
  if (const std::size_t at = html.find(value); !value.empty() && at != std::string::npos) {
    html.replace(at, value.size(), bold(part.value));
  }
  // Units and percent signs stay with their number.
  for (std::size_t at = 0; (at = html.find(' ', at + 1)) != std::string::npos;) {
    const bool after_digit = at > 0 && html[at - 1] >= '0' && html[at - 1] <= '9';
    if (after_digit) html.replace(at, 1, "&nbsp;");
  }
  return html;
}

std::string lead(const analysis::Answer& answer) {
  return "<p class=\"lead\">" + sentences(answer.how_long) +
         (answer.how_far.text.empty() ? "" : " " + sentences(answer.how_far)) + "</p>\n";
}

// The list of what to change first. Bars compare the potential savings.
std::string first_changes(const analysis::Answer& answer, const analysis::RunUnit& unit) {
  std::string html = "<div>\n<h3>What to change first</h3>\n";
  if (answer.first.empty()) {
    return html + "<p>" + escape_html(answer.no_advice) + "</p>\n</div>\n";
  }
  const double largest_s = answer.first.front().saving_s.value_or(0);
  html += "<ol class=\"first\">\n";
  for (const analysis::Advice& advice : answer.first) {
    html += "<li>";
    if (advice.saving_s && largest_s > 0) {
      const auto width = std::lround(100 * *advice.saving_s / largest_s);
      html += "<span class=\"bar c\" style=\"" +
              color_style(figure::surface_ink(&figure::Surface::loss)) +
              ";width:" + std::to_string(width) + "%\"></span>";
    }
    html += "<span class=\"what\">" + escape_html(one_line(advice.title)) + "</span>";
    if (advice.saving_s) {
      html += " <span class=\"value\" title=\"Potential saving: " +
              escape_html(saving_text(advice, unit)) + "\">up to " +
              html_quantity(format_si(*advice.saving_s, "s"));
      if (unit.time_s() > 0) {
        html += " <b>" + html_quantity(rounded_percent(*advice.saving_s / unit.time_s())) + "</b>";
      }
      html += "</span>";
    }
    html += " <span class=\"why\">" +
            escape_html(advice.remedy.empty() ? advice.text : advice.remedy) + "</span></li>\n";
  }
  return html + "</ol>\n</div>\n";
}

// `meaning` is the tooltip.
std::string tile(const std::string& name, const std::string& meaning, const std::string& value,
                 const std::string& detail) {
  return "<div title=\"" + escape_html(meaning) + "\"><dt>" + escape_html(name) + "</dt><dd>" +
         escape_html(value) + "</dd><dd>" + escape_html(detail) + "</dd></div>\n";
}

std::string tiles(const analysis::RunAnalysis& run, const analysis::RunUnit& unit,
                  const analysis::Answer& answer) {
  const bool by_step = unit.name() == "step";
  const std::string per = " per " + std::string(unit.name());
  std::string html = "<dl class=\"tiles\">\n";
  if (by_step) {
    const analysis::TypicalStep& step = *unit.step();
    html +=
        tile("Typical step",
             "Mean time of the steps within 10 % of the median, without those in which counters "
             "were read",
             format_si(step.step_s, "s"),
             "mean of " + format_whole(step.typical) + " typical of " + format_whole(step.all));
    html += tile("Idle per step", "Time of a typical step in which nothing runs on the GPU",
                 format_si(step.idle_s, "s"),
                 rounded_percent(step.idle_s / step.step_s) + " of the step");
  }
  double time_s = 0;
  double launches = 0;
  for (std::size_t i = 0; i < run.rows.size(); ++i) {
    if (analysis::is_memory_operation(run.rows[i])) continue;
    time_s += unit.duration_s(i);
    launches += unit.launches(i);
  }
  const std::string activity = on_host(run) ? " annotated ranges" : " kernel launches";
  html += tile((on_host(run) ? "Annotated time" : "Kernel time") + (by_step ? per : ""),
               "Sum of the durations of all kernels; overlapping kernels count separately",
               format_si(time_s, "s"),
               analysis::format_count(launches) + activity + (by_step ? per : ""));
  if (!by_step && run.span_s > 0) {
    html += tile("Idle", "Time from the first to the last activity in which nothing runs",
                 format_si(std::max(0.0, run.span_s - run.busy_s), "s"),
                 rounded_percent(std::max(0.0, 1 - run.busy_s / run.span_s)) + " of " +
                     format_si(run.span_s, "s"));
  }
  if (answer.distance) {
    html += tile("SOL time" + (by_step ? per : ""),
                 "Time at speed of light: without idle time and potential savings; kernels without "
                 "known FLOPs and bytes count as measured",
                 format_si(answer.distance->sol_s, "s"), "slowdown " + answer.how_far.value);
  }
  if (!by_step && run.machine) {
    const std::string host = run.profile.session.host;
    html += tile("Device", "Device of the machine model that the run is compared with",
                 run.machine->device.name, host.empty() ? "" : "on " + host);
  }
  return html + "</dl>\n";
}

std::string reason(const analysis::KernelRow& row) {
  if (row.origin == analysis::WorkOrigin::none) return "FLOPs and bytes unknown";
  if (!row.slowdown) return "SOL time unknown";
  const bool launch = row.sol.bound == analysis::Bound::launch;
  return (launch ? "launch-bound" : row.sol.bound_label + "-bound") + ", slowdown " +
         ratio_text(*row.slowdown);
}

// `width`: of the bar, 0 to 1. `ink`: its color.
std::string top_item(double width, const figure::Ink& ink, const std::string& what,
                     const std::string& title, double time_s, double share,
                     const std::string& why) {
  return "<li><span class=\"bar c\" style=\"" + color_style(ink) +
         ";width:" + std::to_string(std::lround(100 * width)) + "%\"></span>" +
         "<span class=\"what\" title=\"" + escape_html(title) + "\">" + what + "</span> " +
         "<span class=\"value\">" + html_quantity(format_si(time_s, "s")) + " <b>" +
         html_quantity(rounded_percent(share)) + "</b></span> <span class=\"why\">" +
         escape_html(why) + "</span></li>\n";
}

// Where the GPU is idle for most of the step: the causes with the most time.
std::string top_idle_causes(const analysis::TypicalStep& step) {
  std::vector<std::pair<double, analysis::IdleCauseInfo>> causes;
  for (const analysis::IdleCauseInfo& cause : analysis::idle_cause_infos()) {
    const double time_s = step.idle_by_cause_s[static_cast<std::size_t>(cause.id)];
    if (time_s > 0) causes.emplace_back(time_s, cause);
  }
  std::ranges::stable_sort(causes, std::greater(), [](const auto& cause) { return cause.first; });
  if (causes.size() > kTopRows) causes.erase(causes.begin() + kTopRows, causes.end());
  std::string html =
      "<h3>Causes of idle time per step</h3>\n<ol class=\"top\" "
      "aria-label=\"Causes of idle time\">\n";
  for (const auto& [time_s, cause] : causes) {
    html += top_item(time_s / causes.front().first, figure::class_ink("idle"),
                     escape_html(std::string(cause.label)), "", time_s, time_s / step.step_s,
                     std::string(cause.description));
  }
  return html + "</ol>\n";
}

// The kernels with the most time per step (or per run), and their shares of it.
std::string top_rows(const analysis::RunAnalysis& run, const analysis::RunUnit& unit) {
  if (unit.step() && 2 * unit.idle_s() > unit.time_s()) return top_idle_causes(*unit.step());
  std::vector<std::size_t> order;
  double rows_s = 0;
  for (std::size_t i = 0; i < run.rows.size(); ++i) {
    rows_s += unit.time_s(i);
    if (unit.time_s(i) > 0) order.push_back(i);
  }
  if (order.empty()) return {};
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return unit.time_s(a) > unit.time_s(b); });
  const double whole_s = unit.step() ? unit.time_s() : rows_s;
  const double largest_s = unit.time_s(order.front());
  std::string html = "<h3>Longest kernels per " + std::string(unit.name()) +
                     "</h3>\n<ol class=\"top\" aria-label=\"Kernels with the most time\">\n";
  for (std::size_t at = 0; at < std::min(kTopRows, order.size()); ++at) {
    const std::size_t i = order[at];
    const double time_s = unit.time_s(i);
    const analysis::KernelRow& row = run.rows[i];
    html += top_item(
        time_s / largest_s, figure::class_ink(row.operation_class),
        class_mark(row.operation_class) + escape_html(analysis::brief_name(row)), row.name, time_s,
        time_s / whole_s,
        row.operation_class.name() +
            (row.precision ? ' ' + std::string(info(*row.precision).label) : std::string()) + ", " +
            reason(row));
  }
  return html + "</ol>\n";
}

std::string loss_text(double nats) {
  return std::isfinite(nats) ? analysis::format_plain(nats, 4) + " nat" : "not finite";
}

// A training record without kernels, such as that of `mansard train --record`.
std::string training_record(const analysis::RunAnalysis& run) {
  const std::vector<analysis::OperandSeries> series = analysis::operand_series(run.profile);
  const auto curve = analysis::training_curve(run.profile);
  std::string lead =
      "This file records the losses and the numerics of a training run, not its "
      "kernels. ";
  std::string html = "<dl class=\"tiles\">\n";
  if (const auto last = analysis::final_loss(curve)) {
    const std::string steps = format_number_of(static_cast<std::int64_t>(last->steps), "step");
    lead += "The loss is " + bold(loss_text(last->loss)) + " after " +
            html_quantity(format_number_of(static_cast<std::int64_t>(curve.size()), "step")) + ". ";
    html += tile("Training", "Recorded steps, and the tokens of all steps",
                 format_number_of(static_cast<std::int64_t>(curve.size()), "step"),
                 format_whole(last->tokens) + " tokens");
    html += tile("Final loss", "Mean training loss of the last steps", loss_text(last->loss),
                 "mean of the last " + steps);
    if (last->validation) {
      html += tile("Validation loss", "Last measured validation loss", loss_text(*last->validation),
                   "at " + analysis::step_text(last->validation_step));
    }
  }
  if (!series.empty() && series.front().lowest_snr) {
    const analysis::OperandSeries& worst = series.front();
    const kernels::TensorNumerics& record = run.profile.tensor_numerics[*worst.lowest_snr].numerics;
    lead += escape_html(analysis::lowest_snr_text(run.profile, series));
    html += tile("Lowest SNR", "Operand with the largest quantization error relative to its source",
                 analysis::format_plain(*record.snr_db) + " dB", analysis::operand_text(worst));
  }
  return "<p class=\"lead\">" + lead + "</p>\n" + html + "</dl>\n";
}

std::optional<Section> make_run_summary(const SectionContext& context) {
  const analysis::RunAnalysis& run = *context.run;
  if (analysis::is_training_record(run)) {
    return Section{.title = "", .html = training_record(run), .data_json = ""};
  }
  const analysis::RunUnit unit(run);
  Section section;
  const analysis::Answer answer(run, unit);
  section.html = lead(answer);
  if (run.rows.empty()) return section;
  section.html += "<div class=\"columns\">\n" + first_changes(answer, unit) + "<div>\n" +
                  tiles(run, unit, answer) + top_rows(run, unit) + "</div>\n</div>\n";
  return section;
}

}  // namespace

void register_run_summary(SectionRegistry& registry) {
  registry.add({"answer", SectionScope::run, 10, make_run_summary});
}

}  // namespace mansard::reports
