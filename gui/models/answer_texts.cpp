// SPDX-License-Identifier: Apache-2.0
#include "gui/models/answer_texts.h"

#include <QObject>
#include <QStringList>
#include <cmath>

#include "analyzer/numerics/training_curve.h"
#include "analyzer/steps/run_unit.h"
#include "gui/models/row_facts.h"

namespace mansard::gui {

QString device_and_times(const OpenRun& open) {
  const analysis::RunAnalysis& run = open.analysis;
  QStringList parts;
  if (analysis::is_training_record(run)) {
    const auto steps = analysis::training_curve(run.profile).size();
    return QObject::tr("training record without kernels") + kPartSeparator +
           count_text(static_cast<std::int64_t>(steps), "step", "steps");
  }
  const std::string device = analysis::device_name(run);
  parts << (device.empty() ? QObject::tr("unknown device") : QString::fromStdString(device));
  if (!open.answer) return parts.join(kPartSeparator);
  if (run.all_disturbed) {
    parts << QObject::tr("no valid timing: counters were collected for every launch");
  } else if (!open.answer->how_long.value.empty()) {
    QString time = QString::fromStdString(open.answer->how_long.value) + QLatin1Char(' ') +
                   QString::fromStdString(open.answer->how_long.label);
    if (open.unit->name() == "step") {
      time +=
          QObject::tr(", GPU idle %1").arg(percent_text(open.unit->idle_s() / open.unit->time_s()));
    } else if (run.span_s > 0) {
      time += QObject::tr(", busy %1").arg(percent_text(run.busy_s / run.span_s));
    }
    parts << time;
  }
  if (!open.answer->how_far.value.empty()) {
    parts << QString::fromStdString(open.answer->how_far.value) + QLatin1Char(' ') +
                 QString::fromStdString(open.answer->how_far.label);
  }
  return parts.join(kPartSeparator);
}

QString comparison_text(const OpenRun& open, const RunDocument& baseline) {
  const auto other = baseline.open_run();
  const QString name = QObject::tr("baseline %1").arg(baseline.title());
  if (!open.unit || !other || !other->unit || open.unit->name() != other->unit->name()) return name;
  const double time_s = open.unit->time_s();
  const double baseline_s = other->unit->time_s();
  if (!(time_s > 0) || !(baseline_s > 0)) return name;
  constexpr double kAlike = 5e-4;  // would be shown as 0.0 %
  if (std::fabs(time_s / baseline_s - 1) < kAlike) return QObject::tr("same time as %1").arg(name);
  const bool slower = time_s > baseline_s;
  const double ratio = slower ? time_s / baseline_s : baseline_s / time_s;
  return (slower ? QObject::tr("%1 slower than %2 (%3)") : QObject::tr("%1 faster than %2 (%3)"))
      .arg(percent_text(ratio - 1), name, quantity_text(baseline_s, "s"));
}

FirstChanges first_changes(const OpenRun& open) {
  FirstChanges changes;
  if (!open.answer || open.answer->first.empty()) return changes;
  QStringList texts;
  QStringList remedies;
  for (const analysis::Advice& advice : open.answer->first) {
    const QString number = QString::number(texts.size() + 1) + QStringLiteral(". ");
    QString text = number + QString::fromStdString(advice.title);
    if (const std::string saving = saving_text(advice, *open.unit); !saving.empty()) {
      text += QStringLiteral(": ") + QString::fromStdString(saving);
    }
    texts << text;
    remedies << number + QString::fromStdString(advice.remedy.empty()
                                                    ? advice.text
                                                    : advice.text + ' ' + advice.remedy);
  }
  changes.text = QObject::tr("Change first:  ") + texts.join(kPartSeparator);
  changes.tool_tip = remedies.join(QStringLiteral("\n"));
  return changes;
}

}  // namespace mansard::gui
