// SPDX-License-Identifier: Apache-2.0
// Tracks of the size that a timeline must handle fluently: 1e7 slices on 64 tracks.
#pragma once

#include <memory>
#include <random>
#include <vector>

#include "reports/figure/slice_track.h"

namespace mansard::benchmarks {

inline constexpr std::size_t kTracks = 64;
inline constexpr std::size_t kSlices = 10'000'000;
inline constexpr std::size_t kClasses = 12;
inline constexpr std::size_t kKeys = 1000;

// Kernels of 1 to 20 us with gaps of up to 5 us, typical of a training step.
inline figure::SliceTrack make_track(
    std::size_t slices, unsigned seed,
    const std::shared_ptr<const figure::ClassOfKey>& class_of_key) {
  std::mt19937 random(seed);
  figure::SliceColumns columns;
  std::int64_t now_ns = static_cast<std::int64_t>(random() % 100'000);
  for (std::size_t i = 0; i < slices; ++i) {
    now_ns += static_cast<std::int64_t>(random() % 5'000);
    const std::int64_t start_ns = now_ns;
    now_ns += 1'000 + static_cast<std::int64_t>(random() % 19'000);
    columns.push_back({start_ns, now_ns, static_cast<std::uint32_t>(random() % kKeys)});
  }
  return figure::SliceTrack(std::move(columns), class_of_key);
}

// Deterministic on every machine.
inline std::vector<figure::SliceTrack> make_tracks() {
  auto class_of_key = std::make_shared<figure::ClassOfKey>();
  for (std::size_t i = 0; i < kKeys; ++i) {
    class_of_key->push_back(static_cast<std::uint16_t>(i % kClasses));
  }
  std::vector<figure::SliceTrack> list;
  for (unsigned i = 0; i < kTracks; ++i) {
    list.push_back(make_track(kSlices / kTracks, i + 1, class_of_key));
  }
  return list;
}

}  // namespace mansard::benchmarks
