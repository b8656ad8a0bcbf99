// SPDX-License-Identifier: Apache-2.0
#include "reports/web/timeline_section.h"

#include <algorithm>

#include "analyzer/steps/step_times.h"
#include "reports/figure/shown_step.h"
#include "reports/figure/slice_lanes.h"
#include "reports/figure/timeline_summary.h"
#include "reports/web/html.h"
#include "reports/web/packed_json.h"
#include "reports/web/page_limits.h"
#include "reports/web/timeline_data.h"
#include "reports/web/timeline_svg.h"
#include "support/text.h"
#include "support/units.h"

namespace mansard::reports {
namespace {

constexpr std::size_t kTableRows = 20;
constexpr double kMinShare = 0.0005;      // in the legend: less would round to 0 %
constexpr std::size_t kNamedClasses = 4;  // in the text alternative

double seconds(std::int64_t ns) { return 1e-9 * static_cast<double>(ns); }

double share(std::int64_t part_ns, std::int64_t whole_ns) {
  return whole_ns > 0 ? static_cast<double>(part_ns) / static_cast<double>(whole_ns) : 0;
}

struct ClassTime {
  analysis::OperationClass of_class;
  std::int64_t ns = 0;
};

// Classes with any time, largest first.
std::vector<ClassTime> by_class(const figure::Timeline& timeline,
                                const figure::WindowSummary& sums) {
  std::vector<ClassTime> classes;
  for (std::size_t i = 0; i < sums.class_ns.size(); ++i) {
    if (sums.class_ns[i] > 0) classes.push_back({timeline.classes[i], sums.class_ns[i]});
  }
  std::ranges::stable_sort(classes, std::greater{}, &ClassTime::ns);
  return classes;
}

std::string describe_window(const figure::ShownStep& shown, const figure::WindowSummary& sums,
                            const std::vector<ClassTime>& classes) {
  std::string text =
      "Timeline of " + one_line(shown.name) + ", " + format_si(seconds(sums.length_ns), "s") + ". ";
  if (sums.devices == 0) return text + "No GPU activity; the ranges of host threads are shown.";
  text += std::string(sums.devices == 1 ? "GPU" : "GPUs") + " busy " +
          format_percent(sums.busy_share()) + " of the time, " + format_whole(sums.launches) +
          " kernels, memcpys and memsets. Time by class: ";
  for (std::size_t i = 0; i < std::min(kNamedClasses, classes.size()); ++i) {
    text += (i > 0 ? ", " : "") + one_line(classes[i].of_class) + ' ' +
            format_percent(share(classes[i].ns, sums.length_ns));
  }
  return text + ". The table below lists the longest ones.";
}

std::string legend(const std::vector<ClassTime>& classes, std::int64_t length_ns) {
  std::string html = "<ul class=\"legend\" aria-label=\"Classes by time\">\n";
  for (const ClassTime& c : classes) {
    if (share(c.ns, length_ns) < kMinShare) continue;
    html += "<li>" + class_swatch(c.of_class) +
            escape_html(c.of_class.empty() ? "other" : truncate_middle(one_line(c.of_class), 40)) +
            " <span>" + html_quantity(rounded_percent(share(c.ns, length_ns))) + "</span></li>\n";
  }
  return html + "</ul>\n";
}

analysis::Table longest_table(const figure::Timeline& timeline, const figure::ShownStep& shown) {
  const figure::TimeSpan& window = shown.window;
  analysis::Table table;
  table.id = "longest_slices";
  table.title = "Longest operations in " + one_line(shown.name);
  table.columns = {
      {"name", "operation", analysis::CellFormat::text, "", "Kernel, memcpy or memset"},
      {"class", "class", analysis::CellFormat::text, "", "Class of operation"},
      {"duration_s", "time", analysis::CellFormat::quantity, "s", "Duration"},
      {"share", "share", analysis::CellFormat::fraction, "", "Share of the time shown"},
      {"since_zero_ns", "start (ns)", analysis::CellFormat::count, "",
       "Start, since the first event of the profile"},
      {"stream", "stream", analysis::CellFormat::text, "", "Device and stream"},
  };
  for (const figure::SliceRef& ref : figure::longest_slices(timeline, window, kTableRows)) {
    const figure::TimelineTrack& track = timeline.tracks[ref.track];
    const figure::Slice slice = track.slices.slice(ref.slice);
    const figure::SliceName& name = timeline.names[slice.key];
    table.rows.push_back({name.text, timeline.classes[name.of_class].name(),
                          seconds(slice.end_ns - slice.start_ns),
                          share(slice.end_ns - slice.start_ns, window.end_ns - window.start_ns),
                          slice.start_ns - timeline.zero_ns, track.label});
  }
  return table;
}

std::string caption(const figure::Timeline& timeline, const figure::ShownStep& shown,
                    const figure::WindowSummary& sums, const TimelineData& data) {
  std::string text = "Shown: " + one_line(shown.name) + ", " +
                     format_si(seconds(sums.length_ns), "s") +
                     (shown.why.empty() ? "" : "; " + one_line(shown.why)) + ". ";
  if (sums.devices > 0) {
    text +=
        "Each box is a kernel, memcpy or memset, colored by class. Boxes narrower than 3 pixels "
        "are "
        "merged into a bar whose height is the busy share of its interval. Gaps are idle time. A "
        "range extends over the GPU work launched in it, from the first start to the last end. ";
  }
  if (timeline.left_out > 0) {
    text += format_whole(timeline.left_out) +
            " records are not drawn: their times are invalid, or more than " +
            std::to_string(figure::kMaxLanes) + " overlap. ";
  }
  const std::vector<bool> hidden = hidden_in_figure(timeline, shown.window);
  std::size_t streams = 0;
  for (std::size_t i = 0; i < hidden.size(); ++i) {
    streams += !hidden[i] && timeline.tracks[i].kind == figure::TrackKind::stream ? 1 : 0;
  }
  if (sums.streams > streams) {
    text += format_whole(sums.streams - streams) +
            " stream rows with less time are omitted from the static figure. ";
  }
  if (data.left_out > 0) {
    text += format_whole(data.left_out) +
            " more rows (innermost ranges, streams with less time) are omitted from the "
            "interactive figure. ";
  }
  if (!data.parts.empty()) {
    text += "The interactive figure holds ";
    for (std::size_t i = 0; i < data.parts.size(); ++i) {
      text += (i == 0 ? "" : i + 1 == data.parts.size() ? " and " : ", ") + data.parts[i];
    }
    text += ". ";
  }
  return text;
}

}  // namespace

std::optional<Section> timeline_section(const SectionContext& context,
                                        const analysis::RunAnalysis& run) {
  const std::vector<analysis::DeviceSteps>& steps = analysis::step_times(run);
  const figure::Timeline timeline = figure::timeline_of(run, steps);
  if (timeline.tracks.empty()) return std::nullopt;
  const figure::ShownStep shown = figure::shown_step(timeline, steps);
  const figure::WindowSummary sums = figure::summarize(timeline, shown.window);
  const std::vector<ClassTime> classes = by_class(timeline, sums);
  const TimelineData data = timeline_data(run, timeline, shown, kMaxPageRows);

  Section section;
  section.title = "Timeline";
  section.figures.push_back(
      timeline_figure(timeline, shown.window, describe_window(shown, sums, classes)));
  const PageFigure& figure = section.figures.back();
  section.html = "<figure class=\"timeline-view\" data-for=\"" + context.id + "\">\n" +
                 "<div class=\"plot\" data-label=\"" + escape_html(figure.description) + "\">\n" +
                 html_svg(figure) + "</div>\n" +
                 (classes.empty() ? "" : legend(classes, sums.length_ns)) + "<figcaption>" +
                 escape_html(caption(timeline, shown, sums, data)) +
                 "<span class=\"hints\"></span></figcaption>\n</figure>\n";
  const analysis::Table table = longest_table(timeline, shown);
  if (!table.rows.empty()) {
    section.html += "<details><summary><span>" + escape_html(table.title) + "</span></summary>\n" +
                    html_table(table, {.interactive = true}) + "</details>\n";
  }
  section.data_json = packed_json(data.json);
  section.summary = one_line(shown.name) + ", " + format_si(seconds(sums.length_ns), "s");
  return section;
}

}  // namespace mansard::reports
