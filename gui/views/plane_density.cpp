// SPDX-License-Identifier: Apache-2.0
#include "gui/views/plane_density.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "gui/models/launch_factors.h"

namespace mansard::gui {
namespace {

// Ordering this many launches takes a few milliseconds.
constexpr std::size_t kOrderedAtOnce = 20'000;

std::shared_ptr<const figure::LaunchOrder> order_of(const OpenRun& run) {
  return std::make_shared<figure::LaunchOrder>(
      figure::order_launches(run.launches.row, launch_factors(run), run.analysis.rows.size()));
}

}  // namespace

PlaneDensity::PlaneDensity(QObject* owner, std::function<void()> ready)
    : ready_(std::move(ready)), ordering_(owner) {}

void PlaneDensity::set_run(std::shared_ptr<const OpenRun> run) {
  ordering_.cancel();
  being_ordered_ = false;
  run_ = std::move(run);
  shown_.reset();
  order_.reset();
  raster_.reset();
  counted_ = false;
  version_ = 0;
}

void PlaneDensity::set_shown(std::shared_ptr<const ShownLaunches> shown) {
  shown_ = std::move(shown);
  version_ = 0;
}

bool PlaneDensity::put_in_order() {
  if (order_) return true;
  if (!run_ || run_->is_first_look) return false;
  if (run_->launches.size() <= kOrderedAtOnce) {
    order_ = order_of(*run_);
    return true;
  }
  if (being_ordered_) return false;
  being_ordered_ = true;
  ordering_.start([run = run_] { return order_of(*run); },
                  [this](std::shared_ptr<const figure::LaunchOrder> order) {
                    being_ordered_ = false;
                    order_ = std::move(order);
                    ready_();
                  });
  return false;
}

figure::LaunchSet PlaneDensity::launches() const {
  const bool all = !shown_ || shown_->passes.size() != run_->launches.size();
  return {order_.get(), all ? nullptr : &shown_->passes};
}

bool PlaneDensity::follow(const PlaneScene& scene) {
  if (!put_in_order()) return false;
  if (version_ == scene.version()) return true;
  version_ = scene.version();
  scene.launch_places(places_);
  counted_ = false;
  return true;
}

std::shared_ptr<const figure::Raster> PlaneDensity::raster(const PlaneScene& scene) {
  if (!follow(scene)) return nullptr;
  if (counted_) return raster_;
  // A new raster, because painters cache the image of the last one; its memory is reused.
  auto next = std::make_shared<figure::Raster>();
  if (raster_.use_count() == 1) next->counts = std::move(raster_->counts);
  raster_ = std::move(next);
  figure::count_launches(
      launches(), places_, static_cast<std::size_t>(std::ceil(scene.plot().width())),
      static_cast<std::size_t>(std::ceil(scene.plot().height())), *raster_, scratch_);
  counted_ = true;
  return raster_;
}

figure::LaunchesNear PlaneDensity::near(const PlaneScene& scene, figure::Point position,
                                        double radius) {
  if (!follow(scene)) return {};
  const figure::Point at{position.x - scene.plot().left, position.y - scene.plot().top};
  return figure::launches_near(launches(), places_, at, radius);
}

std::optional<figure::Point> PlaneDensity::place_of_launch(const PlaneScene& scene,
                                                           std::size_t launch) const {
  if (!run_ || launch >= run_->launches.size()) return std::nullopt;
  std::vector<figure::LaunchPlace> places;
  scene.launch_places(places);
  const std::uint32_t row = run_->launches.row[launch];
  if (row >= places.size()) return std::nullopt;
  const auto at = place_of(places[row], launch_factor(*run_, launch));
  if (!at) return std::nullopt;
  return figure::Point{at->x + scene.plot().left, at->y + scene.plot().top};
}

}  // namespace mansard::gui
