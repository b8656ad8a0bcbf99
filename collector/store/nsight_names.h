// SPDX-License-Identifier: Apache-2.0
// Names in Nsight Systems exports that differ from schema 3.25.0, which tables.h declares.
#pragma once

#include <array>
#include <string_view>

#include "collector/store/table_declaration.h"

namespace mansard::store {

struct OldTable {
  std::string_view name;
  std::string_view old_name;
};
inline constexpr std::array kOldTables = {
    OldTable{"TARGET_INFO_GPU", "TARGET_INFO_CUDA_GPU"},  // up to early 2021
};

struct OldColumn {
  std::string_view table;  // its current name
  std::string_view name;
  std::string_view old_name;
};
// If the current column is missing, NULL or 0, the old one has the value.
inline constexpr std::array kOldColumns = {
    OldColumn{"TARGET_INFO_GPU", "id", "deviceId"},
    OldColumn{"TARGET_INFO_GPU", "smCount", "numMultiprocessors"},
    OldColumn{"TARGET_INFO_GPU", "computeMajor", "computeCapabilityMajor"},
    OldColumn{"TARGET_INFO_GPU", "computeMinor", "computeCapabilityMinor"},
    // Since schema 3.17, reports of older versions have this value in a separate column.
    OldColumn{"CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", "syncType", "deprecatedSyncType"},
};

// Returns what a column refers to. For tables that are not declared (of later versions, or never
// read here), this is derived from the column name.
ColumnKind column_kind(std::string_view table, std::string_view column);

}  // namespace mansard::store
