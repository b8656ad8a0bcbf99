// SPDX-License-Identifier: Apache-2.0
#include "gui/views/timeline_facts.h"

#include <QObject>
#include <QStringList>
#include <algorithm>

#include "gui/models/launch_slices.h"
#include "gui/models/row_facts.h"
#include "gui/views/painting.h"
#include "reports/figure/time_ticks.h"
#include "support/text.h"
#include "support/units.h"

namespace mansard::gui {
namespace {

constexpr int kMaxNameLength = 160;  // characters; the details view shows the full name

QString escaped(std::string_view text) {
  return to_qstring(truncate_middle(one_line(text), kMaxNameLength)).toHtmlEscaped();
}

QString time_text(const OpenRun& run, std::int64_t time_ns) {
  return to_qstring(figure::exact_time(time_ns - run.timeline.zero_ns));
}

// The key of a host range does not identify its row.
const analysis::KernelRow* row_of(const OpenRun& run, const figure::SliceRef& slice) {
  const figure::SliceTrack& slices = run.timeline.tracks[slice.track].slices;
  const std::int32_t row = run.timeline.names[slices.key(slice.slice)].row;
  if (row >= 0) return &run.analysis.rows[static_cast<std::size_t>(row)];
  const auto launch = launch_of(run, slice);
  if (!launch || run.launches.row[*launch] == LaunchColumns::kNoRow) return nullptr;
  return &run.analysis.rows[run.launches.row[*launch]];
}

QStringList facts_of_row(const analysis::KernelRow& row) {
  QStringList lines;
  lines << QObject::tr("kernel: %1").arg(row_time_text(row));
  if (fraction_of_light(row)) {
    lines << QObject::tr("%1 of SOL, bound by %2")
                 .arg(percent_text(fraction_of_light(row)), bound_text(row).toHtmlEscaped());
  }
  if (const QString saving = saving_text(row); !saving.isEmpty()) lines << saving;
  return lines;
}

QString facts_of_slice(const OpenRun& run, const figure::SliceRef& slice) {
  const figure::TimelineTrack& track = run.timeline.tracks[slice.track];
  const figure::SliceName& name = run.timeline.names[track.slices.key(slice.slice)];
  const analysis::KernelRow* row = row_of(run, slice);
  QString kind = escaped(run.timeline.classes[name.of_class]);
  if (row != nullptr && row->precision) kind += QStringLiteral(", ") + precision_text(*row);
  QStringList lines;
  lines << QStringLiteral("<b>%1</b> (%2)").arg(escaped(name.text), kind);
  lines << QObject::tr("%1 from %2")
               .arg(duration_text(track.slices.duration_ns(slice.slice)),
                    time_text(run, track.slices.start_ns(slice.slice)));
  if (row != nullptr) lines << facts_of_row(*row);
  lines << QObject::tr("on %1").arg(escaped(track.label));
  return lines.join(QStringLiteral("<br>"));
}

}  // namespace

QString facts_of_block(const OpenRun& run, std::size_t track, const figure::TimelineBlock& block) {
  if (block.count == 1) return facts_of_slice(run, {track, block.first});
  QStringList lines;
  lines << QStringLiteral("<b>%1</b>")
               .arg(count_text(static_cast<std::int64_t>(block.count), "slice", "slices"));
  lines << QObject::tr("%1 from %2, busy %3")
               .arg(duration_text(block.end_ns - block.start_ns), time_text(run, block.start_ns),
                    percent_text(block.busy_share()));
  lines << QObject::tr("mostly %1").arg(escaped(run.timeline.classes[block.of_class]));
  lines << QObject::tr("Zoom in to separate them.");
  return lines.join(QStringLiteral("<br>"));
}

QString facts_of_line(const OpenRun& run, std::size_t index, std::int64_t time_ns) {
  const figure::LineTrack& line = run.timeline.lines[index];
  const std::size_t after = line.first_at(time_ns);
  const bool exact = after < line.size() && line.time_ns(after) == time_ns;
  const std::size_t i = exact || after == 0 ? after : after - 1;
  return QStringLiteral("<b>%1</b><br>").arg(escaped(line.label())) +
         QObject::tr("%1 at %2")
             .arg(to_qstring(format_si(line.value(i), line.unit())),
                  time_text(run, line.time_ns(i)));
}

}  // namespace mansard::gui
