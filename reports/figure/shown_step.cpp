// SPDX-License-Identifier: Apache-2.0
#include "reports/figure/shown_step.h"

#include <algorithm>

namespace mansard {
namespace {

// Of the indices in `typical`.
std::size_t nearest_to_median(const std::vector<Step>& steps, std::vector<std::size_t> typical) {
  const auto middle = typical.begin() + static_cast<std::ptrdiff_t>(typical.size() / 2);
  std::nth_element(typical.begin(), middle, typical.end(), [&](std::size_t a, std::size_t b) {
    const std::int64_t of_a = steps[a].duration_ns();
    const std::int64_t of_b = steps[b].duration_ns();
    return of_a != of_b ? of_a < of_b : a < b;
  });
  return *middle;
}

}  // namespace

ShownStep shown_step(const Timeline& timeline, const std::vector<DeviceSteps>& steps) {
  ShownStep shown;
  shown.window = timeline.span;
  shown.name = "the whole recording";
  const auto device = std::ranges::find_if(steps, [](const DeviceSteps& d) {
    return d.steps.origin != StepOrigin::whole && !d.typical.empty();
  });
  if (device != steps.end()) {
    const std::vector<Step>& all = device->steps.steps;
    const Step& step = all[nearest_to_median(all, device->typical)];
    shown.window = {step.start_ns, step.end_ns};
    shown.name = step.name;
    const std::size_t count = device->typical.size();
    shown.why = "of " + std::to_string(count) +
                (count == 1 ? " typical step (" : " typical steps (") + std::to_string(all.size()) +
                " in all, " + device->steps.how + ") the one of median length";
    for (const std::size_t i : device->typical) {
      shown.typical.push_back({all[i].start_ns, all[i].end_ns});
    }
  } else if (!steps.empty() && !steps.front().steps.steps.empty()) {
    const std::vector<Step>& all = steps.front().steps.steps;
    shown.window = {all.front().start_ns, all.back().end_ns};
  }
  return shown;
}

}  // namespace mansard
