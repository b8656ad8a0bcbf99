// SPDX-License-Identifier: Apache-2.0
// Names in exports of Nsight Systems other than those of schema 3.25.0, which tables.h declares.
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
  std::string_view table;  // as it is named today
  std::string_view name;
  std::string_view old_name;
};
// Where the column of today is missing, NULL or 0, the old one has the value.
inline constexpr std::array kOldColumns = {
    OldColumn{"TARGET_INFO_GPU", "id", "deviceId"},
    OldColumn{"TARGET_INFO_GPU", "smCount", "numMultiprocessors"},
    OldColumn{"TARGET_INFO_GPU", "computeMajor", "computeCapabilityMajor"},
    OldColumn{"TARGET_INFO_GPU", "computeMinor", "computeCapabilityMinor"},
    // Since schema 3.17 reports of older versions have theirs in a column of its own.
    OldColumn{"CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", "syncType", "deprecatedSyncType"},
};

// Returns what a column refers to. A table that is not declared, of a later version or of a feature
// that nothing here reads, is told by the names of its columns.
ColumnKind column_kind(std::string_view table, std::string_view column);

}  // namespace mansard::store
