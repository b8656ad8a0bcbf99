// SPDX-License-Identifier: Apache-2.0
#include "gui/models/launch_facts.h"

#include <QObject>
#include <QStringList>
#include <optional>

#include "analyzer/attribution/launch_ranges.h"
#include "analyzer/steps/open_ranges.h"
#include "reports/figure/time_ticks.h"

namespace mansard {
namespace {

QString time_text(std::int64_t time_ns) { return QString::fromStdString(exact_time(time_ns)); }

// One launch is asked for: a look through the calls costs less than an index of them would.
std::optional<ApiRecord> call_of(const Profile& profile, std::int64_t correlation_id) {
  if (correlation_id == 0) return std::nullopt;
  for (const ApiRecord& call : profile.api_calls) {
    if (call.correlation_id == correlation_id) return call;
  }
  return std::nullopt;
}

}  // namespace

QStringList ranges_around(const OpenRun& run, std::size_t launch) {
  const Profile& profile = run.analysis.profile;
  if (!run.launches.record.empty()) {
    const NvtxRecord& record = profile.nvtx[run.launches.record_of(launch)];
    const std::string_view name = range_name(profile, record);
    return {QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()))};
  }
  const std::optional<ApiRecord> call = call_of(profile, profile.kernels[launch].correlation_id);
  if (!call) return {};
  QStringList names;
  OpenRanges open(profile, run.analysis.options.steps_range);
  open.around(call->start_ns, call->global_tid, [&](std::size_t range) {
    const NvtxRecord& record = profile.nvtx[range];
    const std::string_view name = range_name(profile, record);
    names << QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()));
  });
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
  if (launches.record.empty()) {
    const std::optional<ApiRecord> call =
        call_of(run.analysis.profile, run.analysis.profile.kernels[launch].correlation_id);
    if (call) {
      s.facts.push_back(
          {QObject::tr("Called"),
           QObject::tr("%1 before").arg(time_text(launches.start_ns[launch] - call->start_ns))});
    }
  }
  const QStringList around = ranges_around(run, launch);
  if (!around.isEmpty()) {
    s.facts.push_back({QObject::tr("Within"), around.join(QStringLiteral(" \u203a "))});
  }
  return s;
}

}  // namespace mansard
