// SPDX-License-Identifier: Apache-2.0
// Notes on a result as a finding.
#pragma once

#include <string>
#include <vector>

#include "analyzer/run_analysis.h"

namespace mansard {

inline Finding notes_finding(const std::vector<std::string>& notes) {
  Finding finding;
  finding.id = "notes";
  finding.title = "Notes";
  Table table{"notes", "Notes", {{"note", "note", CellFormat::text, "", "What to know"}}, {}};
  for (const std::string& note : notes) table.rows.push_back({note});
  finding.tables.push_back(std::move(table));
  return finding;
}

}  // namespace mansard
