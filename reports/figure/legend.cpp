// SPDX-License-Identifier: Apache-2.0
#include "reports/figure/legend.h"

#include <algorithm>
#include <cmath>

namespace mansard::figure {
namespace {

constexpr double kSwatchWidth_px = 18;
constexpr double kSwatchHeight_px = 12;
constexpr double kLegendNameGap_px = 7;  // from swatch to name
constexpr double kColumnGap_px = 28;
constexpr double kLegendRow_px = 20;

}  // namespace

Legend place_legend(std::span<const std::string> names, double left, double right, double top,
                    const MeasureText& measure) {
  Legend legend{{}, top};
  if (names.empty()) return legend;
  double widest = 0;
  for (const std::string& name : names) widest = std::max(widest, measure(name).width);
  const double room = right - left - kSwatchWidth_px - kLegendNameGap_px;
  const double name_width = std::min(widest, room);
  const double column = kSwatchWidth_px + kLegendNameGap_px + name_width;
  const double fitting = std::floor((right - left + kColumnGap_px) / (column + kColumnGap_px));
  const std::size_t columns =
      std::clamp<std::size_t>(fitting > 1 ? static_cast<std::size_t>(fitting) : 1, 1, names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    const double x = left + static_cast<double>(i % columns) * (column + kColumnGap_px);
    const double y = top + (static_cast<double>(i / columns) + 0.5) * kLegendRow_px;
    legend.entries.push_back(
        {i,
         {x, y - kSwatchHeight_px / 2, x + kSwatchWidth_px, y + kSwatchHeight_px / 2},
         place_text(fit_text(names[i], name_width, measure), TextAnchor::start,
                    x + kSwatchWidth_px + kLegendNameGap_px, y, measure)});
  }
  const std::size_t rows = (names.size() + columns - 1) / columns;
  legend.bottom = top + static_cast<double>(rows) * kLegendRow_px;
  return legend;
}

}  // namespace mansard::figure
