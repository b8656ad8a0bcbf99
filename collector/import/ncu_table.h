// SPDX-License-Identifier: Apache-2.0
// Tables that Nsight Compute prints with --csv: `--page raw` (one row per launch, one column per
// metric, units in the second row) and `--page details` (one row per metric).
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
  std::string kernel;  // as printed by ncu: demangled, mangled, or the function name
  std::array<std::int32_t, 3> grid = {0, 0, 0};
  std::array<std::int32_t, 3> block = {0, 0, 0};
  std::int32_t device_id = 0;
  std::int32_t context_id = 0;
  std::int32_t stream_id = 0;
  int compute_major = 0;  // 0: unknown
  int compute_minor = 0;
  std::string gpu_name;  // "": unknown
  std::optional<int> sm_count;
  // By metric, in base units (bytes, ns, Hz, 1/s); NaN: not available.
  std::map<std::string, double, std::less<>> values;
  // Rounding error of printed shared memory sizes, in bytes: 5 for "49.15 Kbyte" (--page details),
  // 0 for bytes.
  double shared_rounding_bytes = 0;

  std::optional<double> value(std::string_view metric) const;  // also none for NaN
  // The value as a size or count; none if it is not a valid one.
  std::optional<std::int64_t> whole(std::string_view metric) const;
  std::optional<std::int64_t> static_shared_bytes() const;
  std::optional<std::int64_t> dynamic_shared_bytes() const;
  std::optional<double> duration_ns() const;
};

struct NcuTable {
  std::vector<NcuLaunch> launches;
  std::int64_t other_lines = 0;  // program output and ncu messages
  std::int64_t broken_rows = 0;  // without a kernel name, or shorter than the header
};

// Throws std::runtime_error that names the file if it has no such table.
NcuTable read_ncu_table(const std::filesystem::path& file);

// Adds derived counts under the names that the analyses use: reads plus writes, rates times
// duration, and metrics with other names in older versions.
void complete_counts(NcuLaunch& launch);

}  // namespace mansard::collector
