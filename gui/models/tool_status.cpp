// SPDX-License-Identifier: Apache-2.0
#include "gui/models/tool_status.h"

#include <algorithm>
#include <cmath>

#include "gui/models/row_facts.h"
#include "gui/models/tool_run.h"
#include "support/units.h"

namespace mansard::gui {
namespace {

QString of_characterize(const ToolProgress& p) {
  if (p.total == 0) return QObject::tr("Starting");
  QStringList parts = {QObject::tr("%1 of %2").arg(p.done).arg(p.total)};
  if (!p.what.isEmpty()) parts << p.what;
  if (p.left_s) parts << QObject::tr("%1 left").arg(clock_text(*p.left_s));
  return parts.join(QStringLiteral(", "));
}

QString of_profile(const ToolProgress& p) {
  if (p.files.isEmpty()) return QObject::tr("Waiting for the program's first event");
  QStringList parts = {count_text(p.events, "event", "events"),
                       QString::fromStdString(format_capacity(static_cast<double>(p.file_bytes)))};
  if (p.dropped_events > 0) parts << count_text(p.dropped_events, "dropped", "dropped");
  return parts.join(QStringLiteral(", "));
}

}  // namespace

QString clock_text(double time_s) {
  constexpr double kLongest_s = 1e9;
  const auto all_s = static_cast<qint64>(std::lround(std::clamp(time_s, 0.0, kLongest_s)));
  const QString tail =
      QStringLiteral("%1:%2").arg(all_s / 60 % 60).arg(all_s % 60, 2, 10, QChar(u'0'));
  if (all_s < 3600) return tail;
  return QStringLiteral("%1:%2").arg(all_s / 3600).arg(tail, 5, QChar(u'0'));
}

QString status_text(const ToolRun& run) {
  if (run.state() == ToolRun::State::idle) return {};
  if (!run.is_active()) return run.outcome();
  const QString time = clock_text(run.elapsed_s());
  if (run.state() == ToolRun::State::canceling) {
    return QObject::tr("Stopping, %1. Press Stop again to stop at once.").arg(time);
  }
  const bool profile = run.command().tool == ToolCommand::Tool::profile;
  return QObject::tr("%1. Elapsed: %2")
      .arg(profile ? of_profile(run.progress()) : of_characterize(run.progress()), time);
}

}  // namespace mansard::gui
