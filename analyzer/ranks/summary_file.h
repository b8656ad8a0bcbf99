// SPDX-License-Identifier: Apache-2.0
// A rank summary as a SQLite file with the tables MANSARD_RANK, MANSARD_RANK_STEP,
// MANSARD_RANK_PART, MANSARD_RANK_COLLECTIVE and MANSARD_RANK_SAMPLE (docs/ranks.md). Every row
// has the rank, so that the tables of many files can be queried together.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "analyzer/ranks/rank_summary.h"

namespace mansard::analysis {

inline constexpr std::string_view kSummarySuffix = ".summary.sqlite";

// "run.3.summary.sqlite" in `folder` for "/data/run.3.sqlite".
std::filesystem::path summary_path(const std::filesystem::path& folder,
                                   const std::filesystem::path& profile);

// Replaces `file` when the new one is complete. Throws std::runtime_error.
void write_summary(const RankSummary& summary, const std::filesystem::path& file);

// Throws std::runtime_error if `file` is not a summary, or one of another version of Mansard.
RankSummary read_summary(const std::filesystem::path& file);

// Whether `file` is a database with the tables of a summary. False for unreadable files.
bool is_summary(const std::filesystem::path& file);

// The CREATE statements of the tables: docs/schema/summary.sql.
std::string summary_schema();

}  // namespace mansard::analysis
