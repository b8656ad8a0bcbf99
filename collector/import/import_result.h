// SPDX-License-Identifier: Apache-2.0
// Imports data of other tools as Mansard profiles.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace mansard::collector {

// Counts of occurrences, by kind.
class Tally {
 public:
  void count(const std::string& what, std::int64_t by = 1) {
    // Limit the number of names, as they come from the file.
    const bool known = counts_.size() < kMaxNames || counts_.contains(what);
    counts_[known ? what : "others"] += by;
  }
  const std::map<std::string, std::int64_t>& counts() const { return counts_; }
  std::int64_t of(const std::string& what) const {
    const auto at = counts_.find(what);
    return at == counts_.end() ? 0 : at->second;
  }

 private:
  static constexpr std::size_t kMaxNames = 60;
  std::map<std::string, std::int64_t> counts_;
};

// Counters of a kernel signature that could not be matched to one kernel of the profile.
struct UnmatchedCounters {
  std::string kernel;  // name from Nsight Compute
  std::array<std::int32_t, 3> grid = {};
  std::array<std::int32_t, 3> block = {};
  std::int64_t launches = 0;    // in Nsight Compute's table
  std::int64_t candidates = 0;  // possible matches in the profile
};

// A kernel of the profile without counters.
struct UncountedKernel {
  std::string kernel;
  std::array<std::int32_t, 3> grid = {};
  std::array<std::int32_t, 3> block = {};
  std::int64_t launches = 0;
  double time_s = 0;  // total of all launches
};

struct ImportResult {
  std::string summary;                       // one or two sentences
  Tally imported;                            // by kind
  Tally skipped;                             // by reason
  std::vector<std::string> notes;            // caveats
  std::vector<UnmatchedCounters> unmatched;  // this and the next: from add_counters()
  std::vector<UncountedKernel> uncounted;    // the first 20 by time
};

// Progress callback: bytes of the file read so far, and its size.
using ImportProgress = std::function<void(std::uint64_t bytes, std::uint64_t all_bytes)>;

// Imports a PyTorch profiler (Kineto) trace, compressed or not, with memory use independent of the
// file size. Replaces `output`. A truncated trace gives a profile that is marked as interrupted.
// Throws std::runtime_error that names the file and the problem.
ImportResult import_trace(const std::filesystem::path& trace, const std::filesystem::path& output,
                          const ImportProgress& progress);

// Import tables of Nsight Compute as a profile of their own, or add them to a copy of `recording`.
ImportResult import_counters(const std::vector<std::filesystem::path>& tables,
                             const std::filesystem::path& output);
ImportResult add_counters(const std::filesystem::path& recording,
                          const std::vector<std::filesystem::path>& tables,
                          const std::filesystem::path& output);

}  // namespace mansard::collector
