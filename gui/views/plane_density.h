// SPDX-License-Identifier: Apache-2.0
// The launches of a run as a raster of the plot: made when it is first asked for, and again when
// the scene has moved. Before, the launches are put in order, which of many is done in the
// background.
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
  // `owner` holds this. `ready` is called when there is more to show than there was when it was
  // asked for.
  PlaneDensity(QObject* owner, std::function<void()> ready);

  void set_run(std::shared_ptr<const OpenRun> run);
  void set_shown(std::shared_ptr<const ShownLaunches> shown);  // of that run

  // One cell per pixel of the plot. Null: there is no run, or its launches are still being ordered.
  std::shared_ptr<const figure::Raster> raster(const PlaneScene& scene);

  // `position` and the result in the view's pixels.
  figure::LaunchesNear near(const PlaneScene& scene, figure::Point position, double radius);
  std::optional<figure::Point> place_of_launch(const PlaneScene& scene, std::size_t launch) const;

 private:
  figure::LaunchSet launches() const;
  // Whether `places_` are of the scene as it is now.
  bool follow(const PlaneScene& scene);
  bool put_in_order();

  std::shared_ptr<const OpenRun> run_;
  std::shared_ptr<const ShownLaunches> shown_;
  std::function<void()> ready_;
  Background ordering_;
  bool being_ordered_ = false;
  std::shared_ptr<const figure::LaunchOrder> order_;  // null until it was needed
  std::vector<figure::LaunchPlace> places_;
  quint64 version_ = 0;  // of the scene that they are of; 0: none
  std::shared_ptr<figure::Raster> raster_;
  bool counted_ = false;                // `raster_` is of `places_`
  std::vector<std::uint32_t> scratch_;  // see count_launches()
};

}  // namespace mansard::gui
