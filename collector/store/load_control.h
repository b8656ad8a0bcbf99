// SPDX-License-Identifier: Apache-2.0
// Progress and cancellation of loading a large file.
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
  // Receives the current stage ("Reading the profile") and its progress from 0 to 1. Called from
  // any thread, but never concurrently.
  std::function<void(std::string_view stage, double fraction)> progress = {};
  // Checked every few thousand rows; must outlive the load. nullptr: not cancelable.
  const std::atomic<bool>* canceled = nullptr;

  // Throws LoadCanceled.
  void check() const {
    if (canceled != nullptr && canceled->load(std::memory_order_relaxed)) throw LoadCanceled();
  }
  void report(std::string_view stage, double fraction) const {
    check();
    if (progress) progress(stage, fraction);
  }
  // Returns a control for a part of the work, whose progress is mapped to `from` ... `to`.
  LoadControl part(double from, double to) const {
    if (!progress) return *this;
    return {[whole = progress, from, to](std::string_view stage, double fraction) {
              whole(stage, from + fraction * (to - from));
            },
            canceled};
  }
};

// Like load_profile() without control; also throws LoadCanceled.
Profile load_profile(const std::filesystem::path& file, const LoadControl& control);

}  // namespace mansard::store
