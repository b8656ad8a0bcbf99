// SPDX-License-Identifier: Apache-2.0
// How whoever waits for a large file sees how far it is, and stops it.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string_view>

namespace mansard::store {

struct Profile;

struct LoadCancelled : std::runtime_error {
  LoadCancelled() : std::runtime_error("cancelled") {}
};

struct LoadControl {
  // Told what is being done ("Reading the recording"), and how much of that is, from 0 to 1. Comes
  // from any thread, one call at a time.
  std::function<void(std::string_view stage, double fraction)> progress = {};
  // Looked at every few thousand rows; must live as long as the load. nullptr: cannot be stopped.
  const std::atomic<bool>* cancelled = nullptr;

  // Throws LoadCancelled.
  void check() const {
    if (cancelled != nullptr && cancelled->load(std::memory_order_relaxed)) throw LoadCancelled();
  }
  void report(std::string_view stage, double fraction) const {
    check();
    if (progress) progress(stage, fraction);
  }
  // For a part of the work, which is told as from `from` to `to` of all of it.
  LoadControl part(double from, double to) const {
    if (!progress) return *this;
    return {[whole = progress, from, to](std::string_view stage, double fraction) {
              whole(stage, from + fraction * (to - from));
            },
            cancelled};
  }
};

// As load_profile() without control, and LoadCancelled.
Profile load_profile(const std::filesystem::path& file, const LoadControl& control);

}  // namespace mansard::store
