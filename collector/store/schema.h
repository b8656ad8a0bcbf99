// SPDX-License-Identifier: Apache-2.0
// The version of the schema, and the names of its parts that are not tables (tables.h).
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace mansard::store {

// Raised when a reader of the previous version would misread the file. Adding tables or columns
// does not raise it.
inline constexpr int kStoreSchemaVersion = 1;

// jsonText of a range that was already open when recording started. With a structured payload, the
// members of the payload follow in the same object.
inline constexpr std::string_view kBeganEarlier = R"({"beganBeforeRecording":true})";

// In MANSARD_SESSION: when the launcher started, UTC in ns, which identifies a launch.
inline constexpr std::string_view kLaunchTime = "launchUtcNs";

// In MANSARD_SESSION: number of ranks of the job, if the launcher says so.
inline constexpr std::string_view kWorldSize = "worldSize";

// Tables with analysis results instead of recorded data. `mansard export --to sqlite` adds them;
// code that modifies a profile drops them.
inline constexpr std::array<std::string_view, 3> kAnalysisTables = {
    "MANSARD_KERNEL_ROWS", "MANSARD_KERNEL_ROW_BYTES", "MANSARD_KERNEL_LAUNCHES"};

// Creates and fills every ENUM_ table.
std::string enum_tables();

}  // namespace mansard::store
