// SPDX-License-Identifier: Apache-2.0
#include "reports/figure/slices_of_steps.h"

#include <algorithm>

namespace mansard::figure {
namespace {

class Chooser {
 public:
  Chooser(const Timeline& timeline, const SliceChoice& choice)
      : timeline_(timeline), choice_(choice) {}

  std::size_t total() const {
    std::size_t count = 0;
    for (const TimelineTrack& track : timeline_.tracks) {
      if (!choice_.tracks(track)) continue;
      for (std::size_t i = 0; i < track.slices.size(); ++i) count += wanted(track.slices.key(i));
    }
    return count;
  }

  // The slices that start in the window.
  std::vector<SliceRef> in(const TimeSpan& window) const {
    std::vector<SliceRef> found;
    for (std::size_t t = 0; t < timeline_.tracks.size(); ++t) {
      if (!choice_.tracks(timeline_.tracks[t])) continue;
      const SliceTrack& slices = timeline_.tracks[t].slices;
      std::size_t looked_at = 0;
      std::size_t i = slices.first_starting_at(window.start_ns, 0, looked_at);
      for (; i < slices.size() && slices.start_ns(i) < window.end_ns; ++i) {
        if (wanted(slices.key(i))) found.push_back({t, i});
      }
    }
    return found;
  }

  void sort(std::vector<SliceRef>& slices) const {
    std::ranges::stable_sort(slices, {}, [this](const SliceRef& ref) {
      return timeline_.tracks[ref.track].slices.start_ns(ref.slice);
    });
  }

 private:
  bool wanted(std::uint32_t key) const { return choice_.keys.empty() || choice_.keys[key]; }

  const Timeline& timeline_;
  const SliceChoice& choice_;
};

}  // namespace

ChosenSlices slices_of_steps(const Timeline& timeline, const ShownStep& shown, std::size_t limit,
                             const SliceChoice& choice) {
  const Chooser chooser(timeline, choice);
  ChosenSlices out;
  out.total = chooser.total();
  if (out.total <= limit) {
    // The last slice may start at the very end of the span.
    out.slices = chooser.in({timeline.span.start_ns, INT64_MAX});
    chooser.sort(out.slices);
    return out;
  }
  const std::size_t count = shown.typical.size();
  const auto at = std::ranges::find(shown.typical, shown.window.start_ns, &TimeSpan::start_ns);
  const auto first = static_cast<std::size_t>(at - shown.typical.begin());
  for (std::size_t i = 0; i < count; ++i) {
    const std::vector<SliceRef> step = chooser.in(shown.typical[(first + i) % count]);
    if (out.slices.size() + step.size() > limit) break;
    out.slices.insert(out.slices.end(), step.begin(), step.end());
    ++out.steps;
  }
  if (out.steps == 0) out.slices = chooser.in(shown.window);
  chooser.sort(out.slices);
  if (out.slices.size() > limit) out.slices.resize(limit);
  return out;
}

}  // namespace mansard::figure
