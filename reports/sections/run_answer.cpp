// SPDX-License-Identifier: Apache-2.0
// The answer in plain words: how long, how busy, where the time went and what bounds it.
#include <algorithm>
#include <cmath>

#include "kernels/vocabulary/units.h"
#include "reports/formats/text.h"
#include "reports/section.h"
#include "reports/steps_of_run.h"
#include "reports/web/html.h"
#include "reports/web/theme.h"

namespace mansard {
namespace {

constexpr std::size_t kTopRows = 3;

struct Totals {
  double time_s = 0;
  std::int64_t launches = 0;
  double limited_s = 0;  // time of the rows whose limit is known
  double cost_s = 0;     // their time, or that of launching them where it is longer
  double limit_s = 0;    // their limits
};

Totals totals_of(const RunAnalysis& run) {
  Totals t;
  for (const KernelRow& row : run.rows) {
    t.time_s += row.time_s;
    t.launches += row.launches;
    if (!row.inefficiency) continue;
    t.limited_s += row.time_s;
    t.cost_s += row.cost_s;
    t.limit_s += row.limit.time_s;
  }
  return t;
}

// The mean of the typical steps of all devices; a run with steps is told by them: what loading,
// compiling and reading counters took is in its span, and not what its training costs.
struct TypicalStep {
  double step_s = 0;
  double kernels_s = 0;
  double communication_s = 0;  // exposed
  double idle_s = 0;
  std::size_t typical = 0;
  std::size_t all = 0;
};

std::optional<TypicalStep> typical_step(const RunAnalysis& run) {
  TypicalStep step;
  std::int64_t kernels_ns = 0, communication_ns = 0, idle_ns = 0, total_ns = 0;
  for (const DeviceSteps& device : steps_of_run(run)) {
    if (device.steps.origin == StepOrigin::whole) continue;
    const TimeParts& parts = device.typical_parts;
    total_ns += parts.total_ns;
    for (const auto& [name, ns] : parts.class_ns) kernels_ns += ns;
    communication_ns += parts.communication_ns + parts.arrival_ns;
    idle_ns += parts.idle_total_ns();
    step.typical += device.typical.size();
    step.all += device.steps.steps.size();
  }
  if (step.typical == 0 || total_ns <= 0) return std::nullopt;
  const double per_step_s = 1e-9 / static_cast<double>(step.typical);
  step.step_s = static_cast<double>(total_ns) * per_step_s;
  step.kernels_s = static_cast<double>(kernels_ns) * per_step_s;
  step.communication_s = static_cast<double>(communication_ns) * per_step_s;
  step.idle_s = static_cast<double>(idle_ns) * per_step_s;
  return step;
}

bool on_host(const RunAnalysis& run) {
  return !run.rows.empty() && run.rows.front().target == Target::host;
}

std::string bold(const std::string& text) { return "<b>" + html_quantity(text) + "</b>"; }

std::string ratio_text(double ratio) {
  return format_cell(Cell{ratio}, {"", "", CellFormat::ratio, "", ""});
}

std::string step_sentence(const TypicalStep& step) {
  std::string html = "A typical step takes " + bold(format_si(step.step_s, "s")) +
                     ": kernels compute for " + html_quantity(format_si(step.kernels_s, "s"));
  if (step.communication_s > 0) {
    html += ", communication is exposed for " + html_quantity(format_si(step.communication_s, "s"));
  }
  return html + ", and the device is idle for " + bold(format_si(step.idle_s, "s")) + " (" +
         html_quantity(rounded_percent(step.idle_s / step.step_s)) + "). ";
}

std::string lead(const RunAnalysis& run, const Totals& t, const std::optional<TypicalStep>& step) {
  if (run.rows.empty()) return "<p class=\"lead\">No kernel was recorded in this run.</p>\n";
  std::string html = "<p class=\"lead\">";
  if (step) {
    html += step_sentence(*step);
  } else if (run.span_s > 0) {
    html += std::string(on_host(run) ? "Annotated work ran" : "The device worked") + " for " +
            bold(format_si(run.busy_s, "s")) + " of the " +
            html_quantity(format_si(run.span_s, "s")) + " between its first and last activity (" +
            html_quantity(rounded_percent(run.busy_s / run.span_s)) + "). ";
  }
  if (t.limit_s > 0) {
    const double known = t.time_s > 0 ? t.limited_s / t.time_s : 0;
    const std::string work = on_host(run) ? "work" : "kernels";
    html += known > 0.9995 ? "Its " + work + " took "
                           : "The " + work + " with a known limit (" +
                                 html_quantity(rounded_percent(known)) + " of the time) took ";
    std::string ratio = ratio_text(t.cost_s / t.limit_s);
    ratio.pop_back();  // "1.34x" is for tables; a sentence says "1.34 times"
    html += bold(ratio + " times") + " the least time that the machine's ceilings allow.";
  } else if (!run.machine) {
    html += "The machine's ceilings are not known, so nothing can be said about its limits.";
  } else {
    html += "No kernel's FLOPs or bytes are known, so nothing can be said about its limits.";
  }
  return html + "</p>\n";
}

std::string tile(const std::string& name, const std::string& value, const std::string& detail) {
  return "<div><dt>" + escape_html(name) + "</dt><dd>" + escape_html(value) + "</dd><dd>" +
         escape_html(detail) + "</dd></div>\n";
}

std::string tiles(const RunAnalysis& run, const Totals& t, const std::optional<TypicalStep>& step) {
  std::string html = "<dl class=\"tiles\">\n";
  if (step) {
    html += tile("Typical step", format_si(step->step_s, "s"),
                 "mean of " + std::to_string(step->typical) + " of " + std::to_string(step->all));
    html += tile("Idle in it", format_si(step->idle_s, "s"),
                 rounded_percent(step->idle_s / step->step_s) + " of the step");
  }
  const std::string activity = on_host(run) ? "annotated ranges" : "kernel launches";
  html += tile(on_host(run) ? "Annotated time" : "Kernel time", format_si(t.time_s, "s"),
               format_cell(Cell{t.launches}, {"", "", CellFormat::count, "", ""}) + ' ' + activity);
  if (!step && run.span_s > 0) {
    html += tile("Idle", format_si(std::max(0.0, run.span_s - run.busy_s), "s"),
                 rounded_percent(std::max(0.0, 1 - run.busy_s / run.span_s)) + " of " +
                     format_si(run.span_s, "s"));
  }
  if (t.limit_s > 0) {
    html += tile("At the ceilings", format_si(t.limit_s, "s"),
                 "for the " + format_si(t.limited_s, "s") + " of known work");
  }
  if (!step && run.machine) {
    const std::string host = run.profile.session.host;
    html += tile("Device", run.machine->device.name, host.empty() ? "" : "on " + host);
  }
  return html + "</dl>\n";
}

std::string reason(const KernelRow& row) {
  if (row.origin == WorkOrigin::none) return "work not known";
  if (!row.inefficiency) return "limit not known";
  const bool launch = row.limit.bound == Bound::launch;
  return (launch ? "bound by launches" : "bound by " + row.limit.bound_label) + ", " +
         ratio_text(*row.inefficiency) + " its limit";
}

std::string top_rows(const RunAnalysis& run) {
  if (run.rows.empty()) return {};
  const double largest = run.rows.front().share;
  std::string html = "<ol class=\"top\" aria-label=\"Where the time went\">\n";
  for (std::size_t i = 0; i < std::min(kTopRows, run.rows.size()); ++i) {
    const KernelRow& row = run.rows[i];
    const std::string name = one_line(row.short_name.empty() ? row.name : row.short_name);
    const double width = largest > 0 ? 100 * row.share / largest : 0;
    html += "<li><span class=\"bar c\" style=\"" + colour_style(class_colour(row.operation_class)) +
            ";width:" + std::to_string(std::lround(width)) + "%\"></span>" +
            "<span class=\"what\" title=\"" + escape_html(row.name) + "\">" +
            class_mark(row.operation_class) + escape_html(truncate_middle(name, 48)) + "</span> " +
            "<span class=\"value\">" + html_quantity(format_si(row.time_s, "s")) + " <b>" +
            html_quantity(rounded_percent(row.share)) + "</b></span> <span class=\"why\">" +
            escape_html(row.operation_class) +
            (row.precision ? ' ' + std::string(info(*row.precision).label) : std::string()) + ", " +
            escape_html(reason(row)) + "</span></li>\n";
  }
  return html + "</ol>\n";
}

std::optional<Section> make(const SectionContext& context) {
  const RunAnalysis& run = *context.run;
  const Totals totals = totals_of(run);
  Section section;
  const std::optional<TypicalStep> step = typical_step(run);
  section.html = lead(run, totals, step) + "<div class=\"columns\">\n" + tiles(run, totals, step) +
                 top_rows(run) + "</div>\n";
  return section;
}

}  // namespace

void register_run_answer(SectionRegistry& registry) {
  registry.add({"answer", SectionScope::run, 10, make});
}

}  // namespace mansard
