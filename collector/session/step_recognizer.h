// SPDX-License-Identifier: Apache-2.0
// Recognizes the steps of a running program by the repetition of its kernel and graph launches, for
// programs without ranges that mark them.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace mansard::collector {

// After kSteady_ns without a launch of a new kind, the shortest sequence is sought that repeats
// itself and whose kinds make up nearly all launches: the sequence of a layer lacks the kinds of
// the backward pass and of the optimizer. One kind that occurs once per sequence then marks the end
// of each step. As that kind has been counted from the start, earlier steps are counted too, unless
// they launched something else, as before torch.compile has compiled them.
class StepRecognizer {
 public:
  static constexpr std::int64_t kSteady_ns = 2'000'000'000;

  struct Pattern {
    double launches = 0;  // per step
    double step_s = 0;    // on the host
  };

  // Adds a launch of this kind (a hash of the kernel and its grid, or of the graph). Returns true
  // if a step ends with it. Times must not decrease.
  bool add(std::uint64_t kind, std::int64_t now_ns);

  // Empty until the steps are recognized.
  const std::optional<Pattern>& pattern() const { return pattern_; }
  // Number of steps that have ended; 0 until they are recognized.
  std::int64_t steps() const { return pattern_ ? counts_.at(marker_) : 0; }

 private:
  struct Launch {
    std::uint64_t kind;
    std::int64_t time_ns;
  };
  // A kind whose last occurrences are equally far apart.
  struct Marker {
    std::uint64_t kind;
    std::size_t interval;  // launches
    double gap_ns;         // mean time from its launch to the next one
  };

  void recognize();
  static std::vector<Marker> markers(const std::vector<Launch>& launches);
  static std::unordered_set<std::uint64_t> kinds_of_each(const std::vector<Launch>& launches,
                                                         std::size_t interval);

  std::unordered_map<std::uint64_t, std::int64_t> counts_;  // by kind
  std::vector<Launch> recent_;                              // the last kMostLaunches, a ring
  std::size_t oldest_ = 0;
  std::int64_t last_new_ns_ = 0;
  std::int64_t next_attempt_ns_ = 0;
  std::optional<Pattern> pattern_;
  std::uint64_t marker_ = 0;
};

}  // namespace mansard::collector
