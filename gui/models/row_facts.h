// SPDX-License-Identifier: Apache-2.0
// What the views say about a row: derived figures, and their text.
#pragma once

#include <QString>
#include <optional>
#include <string_view>
#include <vector>

#include "analyzer/kernel_columns.h"

namespace mansard::gui {

// A name, on one line. Of names that fill more than a window, the middle is left out: laying
// them out takes seconds.
QString label_text(std::string_view name);
QString display_name(const analysis::KernelRow& row);  // the short name, else the whole one
QString precision_text(const analysis::KernelRow& row);
QString bound_text(const analysis::KernelRow& row);

// "-" when not known.
QString quantity_text(std::optional<double> value, const char* unit);
QString ratio_text(std::optional<double> ratio);  // "0.75", not "750 m"
// "12.5 ms"; whole nanoseconds below a microsecond.
QString duration_text(std::int64_t duration_ns);
QString intensity_text(std::optional<double> flop_per_byte);
QString percent_text(std::optional<double> fraction);
QString count_text(std::int64_t count, const char* one, const char* many);  // "1024 launches"

struct Fact {
  QString label;
  QString value;
};

struct FactSection {
  QString title;
  std::vector<Fact> facts;
};

// Everything known of a row, for the details view.
std::vector<FactSection> facts(const analysis::KernelRow& row);

}  // namespace mansard::gui
