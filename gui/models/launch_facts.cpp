// SPDX-License-Identifier: Apache-2.0
#include "gui/models/launch_facts.h"

#include <QObject>
#include <QStringList>
#include <optional>

#include "analyzer/attribution/range_stacks.h"
#include "analyzer/profile_times.h"
#include "gui/models/launch_slices.h"
#include "gui/models/row_facts.h"
#include "reports/figure/time_ticks.h"

namespace mansard::gui {
namespace {

QString time_text(std::int64_t time_ns) {
  return QString::fromStdString(figure::exact_time(time_ns));
}

QString name_of(const store::Profile& profile, std::size_t range) {
  const store::NvtxRecord record = profile.nvtx[range];
  return label_text(analysis::range_name(profile, record));
}

std::optional<store::ApiRecord> launch_call(const OpenRun& run, std::size_t launch) {
  const std::optional<std::size_t> number = call_number(run, launch);
  if (!number) return std::nullopt;
  return run.analysis.profile.api_calls[*number];
}

}  // namespace

QStringList ranges_around(const OpenRun& run, std::size_t launch) {
  const store::Profile& profile = run.analysis.profile;
  if (!run.launches.record.empty()) return {name_of(profile, run.launches.record_of(launch))};
  QStringList names;
  if (run.is_first_look) return names;
  const analysis::LaunchTable& launches = analysis::launches_of(run.analysis);
  for (const std::size_t range : run.ranges.around(profile, launches, launch)) {
    names << name_of(profile, range);
  }
  return names;
}

FactSection facts_of_launch(const OpenRun& run, std::size_t launch) {
  const LaunchColumns& launches = run.launches;
  const std::int64_t length_ns = launches.end_ns[launch] - launches.start_ns[launch];
  FactSection s{QObject::tr("This launch"), {}};
  // Records without time stamps have no start.
  if (store::has_times(launches.start_ns[launch], launches.end_ns[launch])) {
    s.facts.push_back(
        {QObject::tr("Start"), time_text(launches.start_ns[launch] - run.timeline.zero_ns)});
  }
  QString duration = time_text(length_ns);
  const std::uint32_t row = launches.row[launch];
  if (row != LaunchColumns::kNoRow && run.analysis.rows[row].median_s > 0) {
    const double ratio = static_cast<double>(length_ns) * 1e-9 / run.analysis.rows[row].median_s;
    duration += QObject::tr(", %1 of the median").arg(percent_text(ratio));
  }
  s.facts.push_back({QObject::tr("Duration"), duration});
  s.facts.push_back(
      {QObject::tr("Ran on"), stream_text(launches.streams[launches.stream[launch]])});
  if (const std::optional<store::ApiRecord> call = launch_call(run, launch)) {
    s.facts.push_back({QObject::tr("Launch latency"), duration_text(analysis::launch_latency_ns(
                                                          *call, launches.start_ns[launch]))});
  }
  const QStringList around = ranges_around(run, launch);
  if (!around.isEmpty()) {
    s.facts.push_back({QObject::tr("Ranges"), around.join(QStringLiteral(" \u203a "))});
  }
  return s;
}

}  // namespace mansard::gui
