// SPDX-License-Identifier: Apache-2.0
// Other tools' recordings as recordings of ours.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "analyzer/table.h"

namespace mansard::analysis {

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

struct ImportResult {
  std::string summary;             // one or two sentences
  Tally imported;                  // by kind
  Tally skipped;                   // by reason
  std::vector<std::string> notes;  // what the reader must know
  std::vector<Table> tables;       // further ones
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

}  // namespace mansard::analysis
