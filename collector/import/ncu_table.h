// SPDX-License-Identifier: Apache-2.0
// Tables that Nsight Compute prints with --csv: `--page raw` (a launch a row, a metric a column,
// the units in the second row) and `--page details` (a metric a row).
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace mansard::collector {

struct NcuLaunch {
  std::int64_t pid = 0;
  std::string process;
  std::string kernel;  // as ncu was told to print it: demangled, mangled, or the function's name
  std::array<std::int32_t, 3> grid = {0, 0, 0};
  std::array<std::int32_t, 3> block = {0, 0, 0};
  std::int32_t device_id = 0;
  std::int32_t context_id = 0;
  std::int32_t stream_id = 0;
  int compute_major = 0;  // 0: not known
  int compute_minor = 0;
  std::string gpu_name;  // "": not known
  std::optional<int> sm_count;
  // By metric, in base units (bytes, ns, Hz, a second); NaN: not available.
  std::map<std::string, double, std::less<>> values;
  // By how many bytes the sizes of shared memory may be off, as they were printed: 5 for "49.15
  // Kbyte" (--page details), 0 for bytes.
  double shared_rounding_bytes = 0;

  std::optional<double> value(std::string_view metric) const;  // none also for NaN
  // As a size or a number of things; none for what cannot be one.
  std::optional<std::int64_t> whole(std::string_view metric) const;
  std::optional<std::int64_t> static_shared_bytes() const;
  std::optional<std::int64_t> dynamic_shared_bytes() const;
  std::optional<double> duration_ns() const;
};

struct NcuTable {
  std::vector<NcuLaunch> launches;
  std::int64_t other_lines = 0;  // of the program's own output, and messages of ncu
  std::int64_t broken_rows = 0;  // without a kernel's name, or shorter than their header
};

// Throws std::runtime_error that names the file when it holds no such table.
NcuTable read_ncu_table(const std::filesystem::path& file);

// Adds the counts that follow from others, in the names that the analyses know: reads plus writes,
// rates times the duration, and what older versions call otherwise.
void complete_counts(NcuLaunch& launch);

}  // namespace mansard::collector
