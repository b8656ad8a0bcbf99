// SPDX-License-Identifier: Apache-2.0
// An index from rows to the points of a figure.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "reports/figure/plane_figure.h"

namespace mansard::figure {

class PointsOfRows {
 public:
  PointsOfRows() = default;
  PointsOfRows(const PlaneFigure& figure, std::size_t rows);

  // The indices of a row's points in PlaneFigure::points, ascending. Empty if the figure lacks the
  // row.
  std::span<const std::uint32_t> of(std::size_t row) const;

  // The row's point at a tier; null if it has none. `figure` must be the same.
  const PlanePoint* find(const PlaneFigure& figure, std::size_t row,
                         const std::optional<MemoryLevel>& level) const;

 private:
  std::vector<std::uint32_t> first_;  // by row, plus one: index into points_
  std::vector<std::uint32_t> points_;
};

}  // namespace mansard::figure
