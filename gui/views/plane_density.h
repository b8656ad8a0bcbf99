// SPDX-License-Identifier: Apache-2.0
// The launches of a run as a picture of the plot: made when it is first asked for, and again when
// the scene has moved. Before, the launches are put in order, which of many is done in the
// background.
#pragma once

#include <QImage>
#include <functional>
#include <memory>
#include <vector>

#include "gui/models/background.h"
#include "gui/models/open_run.h"
#include "gui/views/plane_scene.h"
#include "reports/figure/palette.h"

namespace mansard::gui {

class PlaneDensity {
 public:
  // `owner` holds this. `ready` is called when there is more to show than there was when it was
  // asked for.
  PlaneDensity(QObject* owner, std::function<void()> ready);

  void set_run(std::shared_ptr<const OpenRun> run);
  void set_shown(std::shared_ptr<const ShownLaunches> shown);  // of that run

  // A pixel for each of the plot's, from its upper left corner on. Null: there is no run, or its
  // launches are still being put in order.
  const QImage* image(const PlaneScene& scene, figure::Theme theme);
  std::uint32_t highest() const { return counts_.highest; }  // of the last image

  // `position` and the result in the view's pixels.
  figure::LaunchesNear near(const PlaneScene& scene, figure::Point position, double radius);
  std::optional<figure::Point> place_of_launch(const PlaneScene& scene, std::size_t launch) const;

 private:
  figure::LaunchSet launches() const;
  // Whether there are counts of the scene as it is now.
  bool follow(const PlaneScene& scene);
  bool put_in_order();

  std::shared_ptr<const OpenRun> run_;
  std::shared_ptr<const ShownLaunches> shown_;
  std::function<void()> ready_;
  Background ordering_;
  bool being_ordered_ = false;
  std::shared_ptr<const figure::LaunchOrder> order_;  // null until it was needed
  std::vector<figure::LaunchPlace> places_;
  figure::LaunchCounts counts_;
  quint64 version_ = 0;  // of the scene that they were made of; 0: none
  QImage image_;
  figure::Theme theme_ = figure::Theme::light;
  bool painted_ = false;  // image_ is of counts_
};

// How far `count` is on the way from a single launch to the most, by logarithms: 0 to 1.
double density_amount(std::uint32_t count, std::uint32_t highest);

}  // namespace mansard::gui
