// SPDX-License-Identifier: Apache-2.0
// The density of a run's launches as a raster of the plot: computed on first use, and again when
// the scene has changed. The launches are ordered first, in the background if there are many.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "gui/models/background.h"
#include "gui/models/open_run.h"
#include "gui/views/plane_scene.h"

namespace mansard::gui {

class PlaneDensity {
 public:
  // `owner` owns this object. `ready` is called when a result that was not available before can be
  // shown.
  PlaneDensity(QObject* owner, std::function<void()> ready);

  void set_run(std::shared_ptr<const OpenRun> run);
  void set_shown(std::shared_ptr<const ShownLaunches> shown);  // belongs to that run

  // One cell per pixel of the plot. Null without a run, or while its launches are being ordered.
  std::shared_ptr<const figure::Raster> raster(const PlaneScene& scene);

  // `position` and the result are in the view's pixels.
  figure::LaunchesNear near(const PlaneScene& scene, figure::Point position, double radius);
  std::optional<figure::Point> place_of_launch(const PlaneScene& scene, std::size_t launch) const;

 private:
  figure::LaunchSet launches() const;
  // Whether `places_` match the current scene.
  bool follow(const PlaneScene& scene);
  bool put_in_order();

  std::shared_ptr<const OpenRun> run_;
  std::shared_ptr<const ShownLaunches> shown_;
  std::function<void()> ready_;
  Background ordering_;
  bool being_ordered_ = false;
  std::shared_ptr<const figure::LaunchOrder> order_;  // null until needed
  std::vector<figure::LaunchPlace> places_;
  quint64 version_ = 0;  // scene version of `places_`; 0: none
  std::shared_ptr<figure::Raster> raster_;
  bool counted_ = false;                // `raster_` matches `places_`
  std::vector<std::uint32_t> scratch_;  // see count_launches()
};

}  // namespace mansard::gui
