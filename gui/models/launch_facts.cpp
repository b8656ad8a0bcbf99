// SPDX-License-Identifier: Apache-2.0
#include "gui/models/launch_facts.h"

#include <QObject>
#include <QStringList>
#include <algorithm>
#include <optional>
#include <tuple>

#include "analyzer/attribution/launch_ranges.h"
#include "analyzer/steps/step_ranges.h"
#include "reports/figure/time_ticks.h"

namespace mansard {
namespace {

QString time_text(std::int64_t time_ns) { return QString::fromStdString(exact_time(time_ns)); }

struct OpenSlice {
  Slice slice;
  std::size_t lane = 0;
};

// Of a thread, the ranges that are open at a time, the outermost first. They lie on lanes of the
// timeline, on which nothing overlaps: a search on each.
void add_ranges_at(const OpenRun& run, std::int64_t global_tid, std::int64_t at_ns,
                   QStringList& names) {
  std::vector<OpenSlice> open;
  for (const TimelineTrack& track : run.timeline.tracks) {
    if (track.kind != TrackKind::host_ranges || track.queue.stream_id != global_tid) continue;
    std::size_t looked_at = 0;
    const std::size_t behind = track.slices.first_starting_at(at_ns + 1, 0, looked_at);
    if (behind == 0 || track.slices.end_ns(behind - 1) <= at_ns) continue;
    open.push_back({track.slices.slice(behind - 1), track.lane});
  }
  std::ranges::sort(open, {}, [](const OpenSlice& s) {
    return std::tuple(s.slice.start_ns, -s.slice.end_ns, s.lane);
  });
  for (const OpenSlice& s : open) {
    names << QString::fromStdString(run.timeline.names[s.slice.key].text);
  }
}

std::optional<ApiRecord> call_of(const OpenRun& run, std::size_t launch) {
  const std::optional<std::size_t> number = run.launches.call_of(launch);
  if (!number) return std::nullopt;
  return run.analysis.profile.api_calls[*number];
}

}  // namespace

QStringList ranges_around(const OpenRun& run, std::size_t launch) {
  const Profile& profile = run.analysis.profile;
  if (!run.launches.record.empty()) {
    const NvtxRecord& record = profile.nvtx[run.launches.record_of(launch)];
    const std::string_view name = range_name(profile, record);
    return {QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()))};
  }
  const std::optional<ApiRecord> call = call_of(run, launch);
  if (!call) return {};
  QStringList names;
  add_ranges_at(run, call->global_tid, call->start_ns, names);
  const auto stepping = run.stepping_threads.find(process_of(call->global_tid));
  if (stepping != run.stepping_threads.end() && stepping->second != call->global_tid) {
    add_ranges_at(run, stepping->second, call->start_ns, names);
  }
  return names;
}

FactSection facts_of_launch(const OpenRun& run, std::size_t launch) {
  const LaunchColumns& launches = run.launches;
  const std::int64_t length_ns = launches.end_ns[launch] - launches.start_ns[launch];
  FactSection s{QObject::tr("This launch"), {}};
  s.facts.push_back({QObject::tr("Start"), time_text(launches.start_ns[launch])});
  QString duration = time_text(length_ns);
  const std::uint32_t row = launches.row[launch];
  if (row != LaunchColumns::kNoRow && run.analysis.rows[row].median_s > 0) {
    const double ratio = static_cast<double>(length_ns) * 1e-9 / run.analysis.rows[row].median_s;
    duration += QObject::tr(", %1 of the median").arg(percent_text(ratio));
  }
  s.facts.push_back({QObject::tr("Duration"), duration});
  s.facts.push_back({QObject::tr("On"), stream_text(launches.streams[launches.stream[launch]])});
  if (const std::optional<ApiRecord> call = call_of(run, launch)) {
    s.facts.push_back(
        {QObject::tr("Called"),
         QObject::tr("%1 before").arg(time_text(launches.start_ns[launch] - call->start_ns))});
  }
  const QStringList around = ranges_around(run, launch);
  if (!around.isEmpty()) {
    s.facts.push_back({QObject::tr("Within"), around.join(QStringLiteral(" \u203a "))});
  }
  return s;
}

}  // namespace mansard
