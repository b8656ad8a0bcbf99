// SPDX-License-Identifier: Apache-2.0
// What the views say about a row: derived figures, and their text.
#pragma once

#include <QString>
#include <optional>
#include <string_view>
#include <vector>

#include "analyzer/run_analysis.h"

namespace mansard::gui {

// The tier at which intensities are compared where one must be chosen: a device's own memory.
MemoryLevel main_memory(kernels::Target target);

// Empty where the work, or the time, is not known.
std::optional<double> flop_per_s(const analysis::KernelRow& row);
std::optional<double> intensity(const analysis::KernelRow& row, MemoryLevel level);
std::optional<double> fraction_of_light(
    const analysis::KernelRow& row);  // 1: as fast as the machine allows

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
