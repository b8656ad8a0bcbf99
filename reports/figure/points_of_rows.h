// SPDX-License-Identifier: Apache-2.0
// The points of each row of a figure, found without going through all of them.
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

  // Into PlaneFigure::points, in their order there; none of a row that the figure does not have.
  std::span<const std::uint32_t> of(std::size_t row) const;

  // The row's point at a tier, of the same figure; null when it has none.
  const PlanePoint* find(const PlaneFigure& figure, std::size_t row,
                         const std::optional<MemoryLevel>& level) const;

 private:
  std::vector<std::uint32_t> first_;  // by row, and one more: into points_
  std::vector<std::uint32_t> points_;
};

}  // namespace mansard::figure
