// SPDX-License-Identifier: Apache-2.0
#include "gui/views/timeline_tables.h"

#include <algorithm>

#include "reports/figure/time_ticks.h"
#include "reports/figure/timeline_summary.h"

namespace mansard::gui {
namespace {

constexpr std::size_t kMaxRows = 100;

double seconds(std::int64_t time_ns) { return static_cast<double>(time_ns) * 1e-9; }

analysis::Table class_table(const figure::Timeline& timeline, const figure::TimeSpan& window) {
  const figure::ClassTimes sums = figure::class_times(timeline, window);
  analysis::Table table;
  table.id = "timeline_classes";
  table.title = "Stream time from " + figure::exact_time(window.start_ns - timeline.zero_ns) +
                " to " + figure::exact_time(window.end_ns - timeline.zero_ns) + ", by class";
  table.columns = {{"class", "Class", analysis::CellFormat::text, "", "Operation class"},
                   {"time_s", "Time", analysis::CellFormat::quantity, "s", "Sum over all streams"},
                   {"share", "Share of window", analysis::CellFormat::fraction, "",
                    "Time / (window length x devices); over 100 % where streams overlap"}};
  const double whole_s =
      seconds(window.end_ns - window.start_ns) * static_cast<double>(sums.devices);
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < sums.class_ns.size(); ++i) {
    if (sums.class_ns[i] > 0) order.push_back(i);
  }
  std::ranges::stable_sort(order, std::greater{}, [&](std::size_t i) { return sums.class_ns[i]; });
  for (const std::size_t i : order) {
    const double time_s = seconds(sums.class_ns[i]);
    table.rows.push_back({timeline.classes[i].name(), time_s,
                          whole_s > 0 ? analysis::Cell(time_s / whole_s) : analysis::Cell()});
  }
  return table;
}

analysis::Table longest_table(const figure::Timeline& timeline, const figure::TimeSpan& window) {
  analysis::Table table;
  table.id = "timeline_longest";
  table.title = "Longest kernels, memcpys and memsets that start in this window";
  table.columns = {
      {"name", "Name", analysis::CellFormat::text, "", "Name without arguments"},
      {"class", "Class", analysis::CellFormat::text, "", "Operation class"},
      {"stream", "Stream", analysis::CellFormat::text, "", "Stream it ran on"},
      {"since_zero_ns", "Start (ns)", analysis::CellFormat::count, "",
       "Time since the first event of the profile"},
      {"duration_s", "Duration", analysis::CellFormat::quantity, "s", "Time from start to end"}};
  for (const figure::SliceRef& ref : figure::longest_slices(timeline, window, kMaxRows)) {
    const figure::TimelineTrack& track = timeline.tracks[ref.track];
    const figure::SliceName& name = timeline.names[track.slices.key(ref.slice)];
    table.rows.push_back({name.text, timeline.classes[name.of_class].name(), track.label,
                          track.slices.start_ns(ref.slice) - timeline.zero_ns,
                          seconds(track.slices.duration_ns(ref.slice))});
  }
  return table;
}

}  // namespace

std::vector<analysis::Table> timeline_tables(const OpenRun& run, const figure::TimeSpan& window) {
  if (run.timeline.empty()) return {};
  return {class_table(run.timeline, window), longest_table(run.timeline, window)};
}

}  // namespace mansard::gui
