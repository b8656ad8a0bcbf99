// SPDX-License-Identifier: Apache-2.0
// Writes CSV row by row.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/attribution/range_stacks.h"
#include "reports/export/export.h"
#include "reports/formats/writers.h"
#include "support/csv.h"

namespace mansard::reports {

class CsvWriter {
 public:
  CsvWriter(ByteSink& sink, const std::vector<std::string>& header) : sink_(sink) {
    for (const std::string& key : header) add(key);
    end_row();
  }

  void add(std::string_view text) {
    begin_field();
    row_ += csv_field(text);
  }
  void add(const char* text) { add(std::string_view(text)); }
  void add(std::int64_t value) {
    begin_field();
    row_ += std::to_string(value);
  }
  void add(double value) {
    begin_field();
    row_ += csv_number(value);
  }
  void add_unknown() { begin_field(); }
  // Zero means unknown.
  void add_positive(double value) { value > 0 ? add(value) : add_unknown(); }
  // Start and duration; both are empty if the timestamps are lost.
  void add_times(std::int64_t start_ns, std::int64_t end_ns) {
    if (store::has_times(start_ns, end_ns)) {
      add(start_ns);
      add(end_ns - start_ns);
    } else {
      add_unknown();
      add_unknown();
    }
  }

  void end_row() {
    row_ += '\n';
    first_ = true;
    constexpr std::size_t kBlock = std::size_t{1} << 16;
    if (row_.size() >= kBlock) finish();
  }
  void finish() {
    sink_.write(row_);
    row_.clear();
  }

 private:
  void begin_field() {
    if (!first_) row_ += ',';
    first_ = false;
  }

  ByteSink& sink_;
  std::string row_;
  bool first_ = true;
};

// One row per kernel launch.
void write_launches(const ExportInput& input, ByteSink& sink);

}  // namespace mansard::reports
