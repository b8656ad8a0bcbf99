// SPDX-License-Identifier: Apache-2.0
#include "gui/views/plane_density.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "gui/models/launch_factors.h"
#include "gui/views/theme.h"

namespace mansard {
namespace {

// Colours by count: of few each has its own, of more every eighth part of a doubling has.
class Colours {
 public:
  Colours(std::uint32_t highest, Theme theme) {
    for (std::uint32_t i = 0; i < kFew; ++i) few_[i] = colour(i, highest, theme);
    for (std::uint32_t i = 0; i < kMany; ++i) {
      const double count = std::exp2(i / static_cast<double>(kSteps));
      many_[i] = colour(static_cast<std::uint32_t>(std::min(count, 4e9)), highest, theme);
    }
    few_[0] = 0;  // transparent
  }

  QRgb of(std::uint32_t count) const {
    if (count < kFew) return few_[count];
    const unsigned doublings = static_cast<unsigned>(std::bit_width(count)) - 1;
    const unsigned part = (count >> (doublings - 3)) & (kSteps - 1);
    return many_[doublings * kSteps + part];
  }

 private:
  static constexpr std::uint32_t kFew = 1024;
  static constexpr std::uint32_t kSteps = 8;
  static constexpr std::uint32_t kMany = 32 * kSteps;

  static QRgb colour(std::uint32_t count, std::uint32_t highest, Theme theme) {
    return to_qcolor(density_colour(density_amount(count, highest), theme)).rgb();
  }

  QRgb few_[kFew];
  QRgb many_[kMany];
};

}  // namespace

double density_amount(std::uint32_t count, std::uint32_t highest) {
  if (count <= 1 || highest <= 1) return 0;
  return std::min(1.0, std::log(count) / std::log(highest));
}

void PlaneDensity::set_run(std::shared_ptr<const OpenRun> run) {
  run_ = std::move(run);
  shown_.reset();
  factors_.clear();
  factors_.shrink_to_fit();
  image_ = {};
  version_ = 0;
}

void PlaneDensity::set_shown(std::shared_ptr<const ShownLaunches> shown) {
  shown_ = std::move(shown);
  version_ = 0;
}

LaunchSet PlaneDensity::launches() {
  if (!run_) return {};
  if (factors_.empty()) factors_ = launch_factors(*run_);
  const bool all = !shown_ || shown_->passes.size() != factors_.size();
  return {run_->launches.row, factors_, all ? nullptr : &shown_->passes};
}

void PlaneDensity::follow(const PlaneScene& scene) {
  if (version_ == scene.version()) return;
  version_ = scene.version();
  painted_ = false;
  places_ = scene.launch_places();
  count_launches(launches(), places_, static_cast<std::size_t>(std::ceil(scene.plot().width())),
                 static_cast<std::size_t>(std::ceil(scene.plot().height())), counts_);
}

const LaunchCounts& PlaneDensity::counts(const PlaneScene& scene) {
  follow(scene);
  return counts_;
}

const QImage& PlaneDensity::image(const PlaneScene& scene, Theme theme) {
  follow(scene);
  if (painted_ && theme == theme_) return image_;
  painted_ = true;
  theme_ = theme;
  const QSize size(static_cast<int>(counts_.columns), static_cast<int>(counts_.lines));
  if (image_.size() != size) image_ = QImage(size, QImage::Format_ARGB32_Premultiplied);
  const Colours colours(counts_.highest, theme);
  for (int y = 0; y < size.height(); ++y) {
    auto* line = reinterpret_cast<QRgb*>(image_.scanLine(y));
    const std::uint32_t* counts =
        counts_.counts.data() + static_cast<std::size_t>(y) * counts_.columns;
    for (int x = 0; x < size.width(); ++x) line[x] = colours.of(counts[x]);
  }
  return image_;
}

LaunchesNear PlaneDensity::near(const PlaneScene& scene, Point position, double radius) {
  follow(scene);
  const Point at{position.x - scene.plot().left, position.y - scene.plot().top};
  // The middle of the pixel in which a launch is counted is half a pixel further.
  const auto reach = static_cast<std::ptrdiff_t>(radius);
  const auto column = static_cast<std::ptrdiff_t>(at.x);
  const auto line = static_cast<std::ptrdiff_t>(at.y);
  bool any = false;
  for (std::ptrdiff_t y = line - reach; y <= line + reach && !any; ++y) {
    if (y < 0 || y >= static_cast<std::ptrdiff_t>(counts_.lines)) continue;
    for (std::ptrdiff_t x = column - reach; x <= column + reach && !any; ++x) {
      if (x < 0 || x >= static_cast<std::ptrdiff_t>(counts_.columns)) continue;
      any = counts_.at(static_cast<std::size_t>(x), static_cast<std::size_t>(y)) > 0;
    }
  }
  // Going through all launches is for where some are.
  if (!any) return {};
  return launches_near(launches(), places_, at, radius);
}

std::optional<Point> PlaneDensity::place_of_launch(const PlaneScene& scene, std::size_t launch) {
  follow(scene);
  const auto at = place_of(launches(), places_, launch);
  if (!at) return std::nullopt;
  return Point{at->x + scene.plot().left, at->y + scene.plot().top};
}

}  // namespace mansard
