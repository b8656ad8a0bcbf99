// SPDX-License-Identifier: Apache-2.0
// What one frame of a timeline costs before anything is drawn: the visible blocks of 64 tracks with
// 1e7 slices in all, 1920 pixels wide, at a zoom and while panning. The argument is how much of
// the recording is shown: all, a hundredth, and so on. `looked_at` is of one frame.
//
//   benchmark_timeline_frame
#include <cmath>
#include <memory>
#include <random>

#include <benchmark/benchmark.h>

#include "reports/figure/timeline.h"

namespace {

using namespace mansard;

constexpr std::size_t kTracks = 64;
constexpr std::size_t kSlices = 10'000'000;
constexpr std::size_t kClasses = 12;
constexpr std::size_t kKeys = 1000;
constexpr Rect kPlot{0, 0, 1920, 1080};

// Kernels of 1 to 20 us with gaps of up to 5 us, as a training step has them.
SliceTrack make_track(std::size_t slices, unsigned seed,
                      const std::shared_ptr<const ClassOfKey>& class_of_key) {
  std::mt19937 random(seed);
  SliceColumns columns;
  std::int64_t now_ns = static_cast<std::int64_t>(random() % 100'000);
  for (std::size_t i = 0; i < slices; ++i) {
    now_ns += static_cast<std::int64_t>(random() % 5'000);
    const std::int64_t start_ns = now_ns;
    now_ns += 1'000 + static_cast<std::int64_t>(random() % 19'000);
    columns.push_back({start_ns, now_ns, static_cast<std::uint32_t>(random() % kKeys)});
  }
  return SliceTrack(std::move(columns), class_of_key);
}

const std::vector<SliceTrack>& tracks() {
  static const std::vector<SliceTrack> made = [] {
    auto class_of_key = std::make_shared<ClassOfKey>();
    for (std::size_t i = 0; i < kKeys; ++i) {
      class_of_key->push_back(static_cast<std::uint16_t>(i % kClasses));
    }
    std::vector<SliceTrack> list;
    for (unsigned i = 0; i < kTracks; ++i) {
      list.push_back(make_track(kSlices / kTracks, i + 1, class_of_key));
    }
    return list;
  }();
  return made;
}

TimeScale shown(double part) {
  TimeSpan span{0, 0};
  for (const SliceTrack& track : tracks()) {
    span.end_ns = std::max(span.end_ns, track.end_ns(track.size() - 1));
  }
  return TimeScale(span, kPlot.left, kPlot.right).zoomed(1 / part, 777);
}

void frame(benchmark::State& state) {
  TimeScale scale = shown(std::pow(10.0, -static_cast<double>(state.range(0)) / 10));
  std::size_t blocks = 0;
  std::size_t looked_at = 0;
  double pan_px = 7;
  for (auto _ : state) {
    blocks = looked_at = 0;
    for (const SliceTrack& track : tracks()) {
      blocks += visible_blocks(track, scale, kPlot, &looked_at).size();
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

// Tenths of a power of ten.
BENCHMARK(frame)->DenseRange(0, 60, 5)->Unit(benchmark::kMillisecond);
BENCHMARK_MAIN();
