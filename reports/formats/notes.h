// SPDX-License-Identifier: Apache-2.0
// Notes on a result as a finding.
#pragma once

#include <string>
#include <vector>

#include "analyzer/run_analysis.h"

namespace mansard::reports {

inline analysis::Finding notes_finding(const std::vector<std::string>& notes) {
  analysis::Finding finding;
  finding.id = "notes";
  finding.title = "Notes";
  analysis::Table table{"notes",
                        "Notes",
                        {{"note", "note", analysis::CellFormat::text, "", "Caveat of the result"}},
                        {}};
  for (const std::string& note : notes) table.rows.push_back({note});
  finding.tables.push_back(std::move(table));
  return finding;
}

}  // namespace mansard::reports
