// SPDX-License-Identifier: Apache-2.0
// Other tools' recordings as recordings of ours.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace mansard::collector {

// How often something happened, by what it was.
class Tally {
 public:
  void count(const std::string& what, std::int64_t by = 1) {
    // Names come from the file, which can hold any number of them.
    const bool known = counts_.size() < kMostNames || counts_.contains(what);
    counts_[known ? what : "others"] += by;
  }
  const std::map<std::string, std::int64_t>& counts() const { return counts_; }
  std::int64_t of(const std::string& what) const {
    const auto at = counts_.find(what);
    return at == counts_.end() ? 0 : at->second;
  }

 private:
  static constexpr std::size_t kMostNames = 60;
  std::map<std::string, std::int64_t> counts_;
};

// Counters of one kind of launch that belong to no one kernel of the profile.
struct UnmatchedCounters {
  std::string kernel;  // as Nsight Compute names it
  std::array<std::int32_t, 3> grid = {};
  std::array<std::int32_t, 3> block = {};
  std::int64_t launches = 0;    // in Nsight Compute's table
  std::int64_t candidates = 0;  // kernels of the profile that it could be
};

// A kernel of the profile for which no counters were given.
struct UncountedKernel {
  std::string kernel;
  std::array<std::int32_t, 3> grid = {};
  std::array<std::int32_t, 3> block = {};
  std::int64_t launches = 0;
  double time_s = 0;  // of all launches
};

struct ImportResult {
  std::string summary;                       // one or two sentences
  Tally imported;                            // by kind
  Tally skipped;                             // by reason
  std::vector<std::string> notes;            // what the reader must know
  std::vector<UnmatchedCounters> unmatched;  // these two: add_counters()
  std::vector<UncountedKernel> uncounted;    // the first 20 by time
};

// How many of the file's bytes have been read.
using ImportProgress = std::function<void(std::uint64_t bytes, std::uint64_t all_bytes)>;

// A trace of PyTorch's profiler (Kineto), packed or not, in memory that does not grow with the
// file. `output` is replaced. A trace that ends in the middle gives a recording that is marked as
// interrupted. Throws std::runtime_error that names the file and says what is wrong.
ImportResult import_trace(const std::filesystem::path& trace, const std::filesystem::path& output,
                          const ImportProgress& progress);

// Tables of Nsight Compute as a recording of their own, or added to a copy of `recording`.
ImportResult import_counters(const std::vector<std::filesystem::path>& tables,
                             const std::filesystem::path& output);
ImportResult add_counters(const std::filesystem::path& recording,
                          const std::vector<std::filesystem::path>& tables,
                          const std::filesystem::path& output);

}  // namespace mansard::collector
