// SPDX-License-Identifier: Apache-2.0
#include "reports/figure/shown_step.h"

#include <algorithm>

#include "support/units.h"

namespace mansard::figure {
namespace {

// The index in `typical` of the step with the median duration.
std::size_t nearest_to_median(const std::vector<analysis::Step>& steps,
                              std::vector<std::size_t> typical) {
  const auto middle = typical.begin() + static_cast<std::ptrdiff_t>(typical.size() / 2);
  std::nth_element(typical.begin(), middle, typical.end(), [&](std::size_t a, std::size_t b) {
    const std::int64_t of_a = steps[a].duration_ns();
    const std::int64_t of_b = steps[b].duration_ns();
    return of_a != of_b ? of_a < of_b : a < b;
  });
  return *middle;
}

}  // namespace

ShownStep shown_step(const Timeline& timeline, const std::vector<analysis::DeviceSteps>& steps) {
  ShownStep shown;
  shown.window = timeline.span;
  shown.name = "the whole profile";
  const auto device = std::ranges::find_if(steps, &analysis::DeviceSteps::has_typical);
  if (device != steps.end()) {
    const std::vector<analysis::Step>& all = device->steps;
    const analysis::Step& step = all[nearest_to_median(all, device->typical)];
    shown.window = {step.start_ns, step.end_ns};
    shown.name = step.name;
    const std::size_t count = device->typical.size();
    shown.why = "the median of " + format_whole(count) +
                (count == 1 ? " typical step (" : " typical steps (") + format_whole(all.size()) +
                " in total, " + device->how + ')';
    for (const std::size_t i : device->typical) {
      shown.typical.push_back({all[i].start_ns, all[i].end_ns});
    }
    return shown;
  }
  bool first = true;
  for (const analysis::DeviceSteps& whole : steps) {
    if (whole.steps.empty()) continue;
    const std::int64_t start_ns = whole.steps.front().start_ns;
    const std::int64_t end_ns = whole.steps.back().end_ns;
    shown.window.start_ns = first ? start_ns : std::min(shown.window.start_ns, start_ns);
    shown.window.end_ns = first ? end_ns : std::max(shown.window.end_ns, end_ns);
    first = false;
  }
  return shown;
}

}  // namespace mansard::figure
