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

struct LoadCanceled : std::runtime_error {
  LoadCanceled() : std::runtime_error("canceled") {}
};

struct LoadControl {
  // Told what is being done ("Reading the recording"), and how much of that is, from 0 to 1. Comes
  // from any thread, one call at a time.
  std::function<void(std::string_view stage, double fraction)> progress = {};
  // Looked at every few thousand rows; must live as long as the load. nullptr: cannot be stopped.
  const std::atomic<bool>* canceled = nullptr;

  // Throws LoadCanceled.
  void check() const {
    if (canceled != nullptr && canceled->load(std::memory_order_relaxed)) throw LoadCanceled();
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
            canceled};
  }
};

// As load_profile() without control, and LoadCanceled.
Profile load_profile(const std::filesystem::path& file, const LoadControl& control);

}  // namespace mansard::store
