// SPDX-License-Identifier: Apache-2.0
#include "gui/views/plane_selection.h"

#include <QObject>
#include <algorithm>

#include "gui/models/row_facts.h"
#include "gui/views/painting.h"
#include "reports/figure/mark_labels.h"

namespace mansard::gui {
namespace {

constexpr double kTierMark_px = 4;
constexpr double kInset_px = 10;

// Upper left corner: above every roof, so it is free unless zoomed in.
void place_captions(figure::PlaneSelection& selection, const SelectedRow& selected,
                    const figure::PlaneLayout& layout, const QFontMetricsF& metrics) {
  const analysis::KernelRow& row = selected.run.rows[selected.row];
  double top = layout.plot.top;
  for (const figure::RegionLabel& label : layout.region_labels) {
    if (selected.figure.regions[label.region].corner != figure::Corner::top_left) continue;
    top = label.box.center.y + label.box.height / 2;
  }
  const auto named = [&](const QString& text, int line) {
    const double width = metrics.horizontalAdvance(text);
    return figure::NamedBox{text.toStdString(),
                            {{layout.plot.left + kInset_px + width / 2,
                              top + kInset_px + (line + 0.5) * layout.line_px},
                             width,
                             layout.line_px,
                             0}};
  };
  selection.name =
      named(metrics.elidedText(display_name(row), Qt::ElideMiddle, layout.plot.width() / 2), 0);
  selection.caption =
      named(fraction_of_light(row) ? QObject::tr("%1 of SOL, bound by %2")
                                         .arg(percent_text(fraction_of_light(row)), bound_text(row))
                                   : QObject::tr("SOL time unknown"),
            1);
}

void name_tiers(figure::PlaneSelection& selection, const figure::PlaneLayout& layout,
                const QFontMetricsF& metrics, std::vector<figure::OrientedBox>& labels) {
  std::vector<figure::Mark> marks;
  std::vector<figure::TextSize> sizes;
  std::vector<figure::TierMark*> named;
  for (figure::TierMark& tier : selection.tiers) {
    if (tier.level == layout.level) continue;
    marks.push_back({tier.at, kTierMark_px, 0, 1, 0});
    sizes.push_back(
        {metrics.horizontalAdvance(to_qstring(info(tier.level).label)), metrics.height()});
    named.push_back(&tier);
  }
  for (const figure::MarkLabel& label :
       figure::place_mark_labels(marks, sizes, layout.plot, labels, {})) {
    named[label.mark]->label = label.box;
  }
  for (const figure::TierMark& tier : selection.tiers) {
    if (tier.label) labels.push_back(*tier.label);
    labels.push_back({tier.at, 10, 10, 0});
  }
}

}  // namespace

figure::PlaneSelection lay_out_selection(const SelectedRow& selected,
                                         const figure::PlaneLayout& layout,
                                         const QFontMetricsF& metrics,
                                         std::vector<figure::OrientedBox>& labels) {
  figure::PlaneSelection selection;
  selection.row = selected.row;
  const analysis::KernelRow& row = selected.run.rows[selected.row];
  selection.ceiling = row.sol.ceiling;
  place_captions(selection, selected, layout, metrics);
  labels.push_back(selection.name.box);
  labels.push_back(selection.caption.box);
  for (const std::uint32_t i : selected.points) {
    const figure::PlanePoint& p = selected.figure.points[i];
    const figure::Point at = place({p.x, p.y}, selected.figure, layout.x, layout.y, layout.plot);
    if (p.level) selection.tiers.push_back({*p.level, at, {}});
    if (!figure::holds_at(p.level, layout.level)) continue;
    const double radius = figure::mark_radius(p.share) + 5;  // includes the ring
    labels.push_back({at, 2 * radius, 2 * radius, 0});
    const double flop = row.work.total_flop();
    if (selected.figure.id == "roofline" && row.sol.time_s > 0 && flop > 0) {
      selection.gap = figure::Segment{at, {at.x, layout.y.map(flop / row.sol.time_s)}};
    }
  }
  if (selection.tiers.size() < 2) selection.tiers.clear();
  std::ranges::sort(selection.tiers, [](const figure::TierMark& a, const figure::TierMark& b) {
    return a.at.x != b.at.x ? a.at.x < b.at.x : a.at.y < b.at.y;
  });
  name_tiers(selection, layout, metrics, labels);
  return selection;
}

}  // namespace mansard::gui
