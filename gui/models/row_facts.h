// SPDX-License-Identifier: Apache-2.0
// Derived values of a row and their texts in views.
#pragma once

#include <QString>
#include <optional>
#include <string_view>
#include <vector>

#include "analyzer/kernel_columns.h"

namespace mansard::gui {

// A name on one line. The middle of very long names is left out: their layout takes seconds.
QString label_text(std::string_view name);
QString display_name(const analysis::KernelRow& row);  // the short name, otherwise the full one
QString precision_text(const analysis::KernelRow& row);
QString bound_text(const analysis::KernelRow& row);
// "potential saving 1.2 ms per step"; empty if unknown.
QString saving_text(const analysis::KernelRow& row);
// "5.64 ms per step, 8.3 % of it, in 4 launches"; of the whole run if it has no steps.
QString row_time_text(const analysis::KernelRow& row);

// "-" if unknown.
QString quantity_text(std::optional<double> value, const char* unit);
QString ratio_text(std::optional<double> ratio);  // "0.75", not "750 m"
// "12.5 ms"; whole nanoseconds below a microsecond.
QString duration_text(std::int64_t duration_ns);
QString intensity_text(std::optional<double> flop_per_byte);
QString percent_text(std::optional<double> fraction);
QString count_text(std::int64_t count, const char* one, const char* many);  // "1,024 launches"

struct Fact {
  QString label;
  QString value;
};

struct FactSection {
  QString title;
  std::vector<Fact> facts;
};

// All facts about a row, for the details view.
std::vector<FactSection> facts(const analysis::KernelRow& row);

}  // namespace mansard::gui
