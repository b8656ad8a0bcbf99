// SPDX-License-Identifier: Apache-2.0
#include "gui/views/selection_overlay.h"

#include <algorithm>

#include "gui/models/row_facts.h"
#include "gui/views/painting.h"
#include "reports/figure/mark_labels.h"
#include "reports/figure/marks.h"

namespace mansard::gui {
namespace {

constexpr double kTierRadius_px = 4;
constexpr double kCaptionInset_px = 10;

void lay_out_caption(SelectionOverlay& overlay, const analysis::KernelRow& row,
                     const OverlayRoom& room, const QFontMetricsF& metrics) {
  const figure::Rect& plot = room.plot;
  const double line_px = metrics.height();
  overlay.name = metrics.elidedText(display_name(row), Qt::ElideMiddle, plot.width() / 2);
  overlay.caption = fraction_of_light(row)
                        ? QStringLiteral("%1 of its speed of light, bound by %2")
                              .arg(percent_text(fraction_of_light(row)), bound_text(row))
                        : QStringLiteral("speed of light not known");
  const auto box = [&](const QString& text, int line) {
    const double width = metrics.horizontalAdvance(text);
    return figure::OrientedBox{{plot.left + kCaptionInset_px + width / 2,
                                room.top + kCaptionInset_px + (line + 0.5) * line_px},
                               width,
                               line_px,
                               0};
  };
  overlay.name_box = box(overlay.name, 0);
  overlay.caption_box = box(overlay.caption, 1);
}

void name_tiers(SelectionOverlay& overlay, const std::optional<MemoryLevel>& shown_level,
                const figure::Rect& plot, const QFontMetricsF& metrics,
                std::span<const figure::OrientedBox> labels) {
  std::vector<figure::Mark> marks;
  std::vector<figure::TextSize> sizes;
  std::vector<TierMark*> named;
  for (TierMark& tier : overlay.tiers) {
    if (tier.level == shown_level) continue;
    marks.push_back({tier.at, kTierRadius_px, 0, 1, 0});
    sizes.push_back(
        {metrics.horizontalAdvance(to_qstring(info(tier.level).label)), metrics.height()});
    named.push_back(&tier);
  }
  for (const figure::MarkLabel& label : figure::place_mark_labels(marks, sizes, plot, labels, {})) {
    named[label.mark]->label = label.box;
  }
}

}  // namespace

SelectionOverlay lay_out_selection(const OverlayFigure& shown, std::size_t row_index,
                                   const OverlayRoom& room, const QFontMetricsF& metrics,
                                   std::span<const figure::OrientedBox> labels) {
  SelectionOverlay overlay;
  const analysis::KernelRow& row = shown.run.rows[row_index];
  lay_out_caption(overlay, row, room, metrics);

  std::vector<figure::OrientedBox> taken(labels.begin(), labels.end());
  taken.push_back(overlay.name_box);
  taken.push_back(overlay.caption_box);
  for (const std::uint32_t i : shown.points) {
    const figure::PlanePoint& p = shown.figure.points[i];
    const figure::Point at = place({p.x, p.y}, shown.figure, room.x, room.y, room.plot);
    if (p.level) overlay.tiers.push_back({*p.level, at, {}});
    if (!figure::holds_at(p.level, shown.level)) continue;
    const double radius = figure::mark_radius(p.share) + 5;  // with the ring around it
    taken.push_back({at, 2 * radius, 2 * radius, 0});
    const double flop = row.work.total_flop();
    if (shown.figure.id == "roofline" && row.limit.time_s > 0 && flop > 0) {
      overlay.gap = figure::Segment{at, {at.x, room.y.map(flop / row.limit.time_s)}};
    }
  }
  if (overlay.tiers.size() < 2) overlay.tiers.clear();
  std::ranges::sort(overlay.tiers, [](const TierMark& a, const TierMark& b) {
    return a.at.x != b.at.x ? a.at.x < b.at.x : a.at.y < b.at.y;
  });
  name_tiers(overlay, shown.level, room.plot, metrics, taken);
  return overlay;
}

}  // namespace mansard::gui
