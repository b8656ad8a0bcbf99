// SPDX-License-Identifier: Apache-2.0
#include "reports/figure/points_of_rows.h"

namespace mansard::figure {

PointsOfRows::PointsOfRows(const PlaneFigure& figure, std::size_t rows)
    : first_(rows + 1, 0), points_(figure.points.size()) {
  for (const PlanePoint& point : figure.points) {
    if (point.row < rows) ++first_[point.row + 1];
  }
  for (std::size_t row = 0; row < rows; ++row) first_[row + 1] += first_[row];
  std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
  for (std::size_t i = 0; i < figure.points.size(); ++i) {
    const std::size_t row = figure.points[i].row;
    if (row < rows) points_[next[row]++] = static_cast<std::uint32_t>(i);
  }
}

std::span<const std::uint32_t> PointsOfRows::of(std::size_t row) const {
  if (first_.empty() || row >= first_.size() - 1) return {};
  return std::span(points_).subspan(first_[row], first_[row + 1] - first_[row]);
}

const PlanePoint* PointsOfRows::find(const PlaneFigure& figure, std::size_t row,
                                     const std::optional<MemoryLevel>& level) const {
  for (const std::uint32_t i : of(row)) {
    if (holds_at(figure.points[i].level, level)) return &figure.points[i];
  }
  return nullptr;
}

}  // namespace mansard::figure
