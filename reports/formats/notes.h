// SPDX-License-Identifier: Apache-2.0
// Notes as a finding: they belong to whatever was asked for.
#pragma once

#include <string>
#include <vector>

#include "reports/formats/format.h"

namespace mansard {

// As a table for programs; for a terminal, whose cells are cut to its width, as a paragraph.
inline Finding notes_finding(const std::vector<std::string>& notes, Format format) {
  Finding finding;
  finding.id = "notes";
  finding.title = "Notes";
  if (format == Format::table) {
    for (std::size_t i = 0; i < notes.size(); ++i) {
      finding.summary += (i > 0 ? " (" : "(") + std::to_string(i + 1) + ") " + notes[i];
    }
    return finding;
  }
  Table table{"notes", "Notes", {{"note", "note", CellFormat::text, "", "What to know"}}, {}};
  for (const std::string& note : notes) table.rows.push_back({note});
  finding.tables.push_back(std::move(table));
  return finding;
}

}  // namespace mansard
