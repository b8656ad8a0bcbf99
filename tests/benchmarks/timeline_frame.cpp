// SPDX-License-Identifier: Apache-2.0
// Time of one timeline frame before drawing: the visible blocks of 64 tracks with 1e7 slices in
// total, 1920 pixels wide, at a fixed zoom and while panning. The argument is the visible part of
// the profile: all, a hundredth, and so on. `looked_at` is per frame.
//
//   benchmark_timeline_frame
#include <cmath>

#include <benchmark/benchmark.h>

#include "reports/figure/timeline.h"
#include "tests/benchmarks/many_tracks.h"

namespace {

using namespace mansard;

constexpr figure::Rect kPlot{0, 0, 1920, 1080};

const std::vector<figure::SliceTrack>& tracks() {
  static const std::vector<figure::SliceTrack> made = benchmarks::make_tracks();
  return made;
}

figure::TimeScale shown(double part) {
  figure::TimeSpan span{0, 0};
  for (const figure::SliceTrack& track : tracks()) {
    span.end_ns = std::max(span.end_ns, track.end_ns(track.size() - 1));
  }
  return figure::TimeScale(span, kPlot.left, kPlot.right).zoomed(1 / part, 777);
}

void frame(benchmark::State& state) {
  figure::TimeScale scale = shown(std::pow(10.0, -static_cast<double>(state.range(0)) / 10));
  std::size_t blocks = 0;
  std::size_t looked_at = 0;
  double pan_px = 7;
  for (auto _ : state) {
    blocks = looked_at = 0;
    for (const figure::SliceTrack& track : tracks()) {
      blocks += figure::visible_blocks(track, scale, kPlot, &looked_at).size();
    }
    benchmark::DoNotOptimize(blocks);
    scale = scale.panned(pan_px);
    if (scale.start_ns() <= scale.limits().start_ns || scale.end_ns() >= scale.limits().end_ns) {
      pan_px = -pan_px;
    }
  }
  state.counters["blocks"] = static_cast<double>(blocks);
  state.counters["looked_at"] = static_cast<double>(looked_at);
}

}  // namespace

// Negative powers of ten.
BENCHMARK(frame)->DenseRange(0, 60, 5)->Unit(benchmark::kMillisecond);
BENCHMARK_MAIN();
