// SPDX-License-Identifier: Apache-2.0
#include "gui/views/plane_tooltip.h"

#include <QObject>
#include <QStringList>

#include "gui/models/row_facts.h"
#include "gui/views/painting.h"

namespace mansard::gui {
namespace {

const QString kBreak = QStringLiteral("<br>");

QString head(const analysis::KernelRow& row) {
  return QStringLiteral("<b>%1</b> (%2, %3)")
      .arg(display_name(row).toHtmlEscaped(), label_text(row.operation_class).toHtmlEscaped(),
           precision_text(row));
}

QString amount(double value, const figure::PlaneAxis& axis) {
  if (!(value > 0)) return QObject::tr("unknown %1").arg(to_qstring(axis.unit));
  return axis.ticks == figure::TickLabels::number ? intensity_text(value)
                                                  : quantity_text(value, axis.unit.c_str());
}

// "12 TFLOP/s at 80 FLOP/B (HBM)"
QString coordinates(const figure::PlaneFigure& figure, const figure::PlanePoint& point) {
  const QString x = amount(point.x, figure.x);
  const QString y = amount(point.y, figure.y);
  QString text;
  if (is_rate(figure, {point.x, point.y})) {
    text = QObject::tr("%1, no known FLOPs").arg(quantity_text(point.y, "B/s"));
  } else if (figure.id == "roofline") {
    text = QObject::tr("%1 at %2").arg(y, x);
  } else if (figure.id == "time_plane") {
    text = QObject::tr("per launch: compute %1, memory %2").arg(x, y);
  } else {
    text = QObject::tr("per launch: %1, %2").arg(x, y);
  }
  if (point.level) text += QStringLiteral(" (%1)").arg(to_qstring(info(*point.level).label));
  if (!point.ideal) return text;
  return text + kBreak +
         QObject::tr("at SOL: compute %1, memory %2")
             .arg(amount(point.ideal->x, figure.x), amount(point.ideal->y, figure.y));
}

double mean_s(const analysis::KernelRow& row) {
  return row.launches > 0 ? row.time_s / static_cast<double>(row.launches) : 0;
}

// "baseline: 1.2 ms per launch, here 1.1 ms (-8 %)", then the coordinates of the baseline
QString comparison(const PlaneScene& scene, const analysis::KernelRow& before,
                   const analysis::KernelRow& now, std::size_t baseline_row) {
  const PlaneBaseline& baseline = *scene.baseline();
  QString text = QStringLiteral("<i>%1</i>: ").arg(baseline.name.toHtmlEscaped());
  const double a = mean_s(before);
  const double b = mean_s(now);
  text += QObject::tr("%1 per launch, here %2").arg(quantity_text(a, "s"), quantity_text(b, "s"));
  if (a > 0) {
    const double change = (b - a) / a;
    text += QStringLiteral(" (%1%2)").arg(change >= 0 ? QStringLiteral("+") : QStringLiteral("-"),
                                          percent_text(std::abs(change)));
  }
  const figure::PlanePoint* point =
      baseline.points.find(baseline.figure, baseline_row, scene.level());
  if (point != nullptr) text += kBreak + coordinates(baseline.figure, *point);
  return text;
}

}  // namespace

QString mark_tooltip(const PlaneScene& scene, const figure::Mark& mark) {
  const figure::PlanePoint& point = scene.figure().points[mark.point];
  const analysis::KernelRow& row = scene.run()->rows[point.row];
  QStringList lines{head(row), row_time_text(row), coordinates(scene.figure(), point)};
  lines << QObject::tr("%1 of SOL, bound by %2")
               .arg(percent_text(fraction_of_light(row)), bound_text(row));
  if (const QString saving = saving_text(row); !saving.isEmpty()) {
    lines << QStringLiteral("<b>%1</b>").arg(saving);
  }
  if (mark.count > 1) {
    lines << QObject::tr("and %1 here; zoom in to separate them")
                 .arg(count_text(static_cast<std::int64_t>(mark.count - 1), "more kernel",
                                 "more kernels"));
  }
  if (scene.baseline() != nullptr) {
    const auto theirs = scene.baseline()->matches.in_baseline(point.row);
    lines << (theirs
                  ? comparison(scene, scene.baseline()->run->analysis.rows[*theirs], row, *theirs)
                  : QObject::tr("not in %1").arg(scene.baseline()->name.toHtmlEscaped()));
  }
  return lines.join(kBreak);
}

QString baseline_tooltip(const PlaneScene& scene, const figure::Mark& mark) {
  const PlaneBaseline& baseline = *scene.baseline();
  const figure::PlanePoint& point = baseline.figure.points[mark.point];
  const analysis::KernelRow& row = baseline.run->analysis.rows[point.row];
  QStringList lines{QStringLiteral("<i>%1</i>").arg(baseline.name.toHtmlEscaped()), head(row),
                    row_time_text(row)};
  const auto ours = baseline.matches.in_run(point.row);
  if (ours) {
    lines << comparison(scene, row, scene.run()->rows[*ours], point.row);
  } else {
    lines << coordinates(baseline.figure, point) << QObject::tr("not in this run");
  }
  return lines.join(kBreak);
}

QString launches_tooltip(const PlaneScene& scene, const figure::LaunchesNear& near) {
  constexpr std::size_t kNamedRows = 4;
  QStringList lines{QStringLiteral("<b>%1</b>")
                        .arg(count_text(static_cast<std::int64_t>(near.launches), "launch here",
                                        "launches here"))};
  for (std::size_t i = 0; i < std::min(near.rows.size(), kNamedRows); ++i) {
    const analysis::KernelRow& row = scene.run()->rows[near.rows[i].row];
    lines << QStringLiteral("%1 (%2)").arg(
        display_name(row).toHtmlEscaped(),
        count_text(static_cast<std::int64_t>(near.rows[i].launches), "launch", "launches"));
  }
  if (near.rows.size() > kNamedRows) {
    lines << QObject::tr("and %1").arg(count_text(
        static_cast<std::int64_t>(near.rows.size() - kNamedRows), "more kernel", "more kernels"));
  }
  return lines.join(kBreak);
}

}  // namespace mansard::gui
