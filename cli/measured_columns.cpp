// SPDX-License-Identifier: Apache-2.0
#include "cli/measured_columns.h"

#include "support/statistics.h"

namespace mansard::cli {
namespace {

const std::vector<analysis::Column>& measured_columns() {
  static const std::vector<analysis::Column> columns = {
      {"time_s", "time", analysis::CellFormat::quantity, "s",
       "T: median over the timed steps or launches."},
      {"spread", "spread", analysis::CellFormat::fraction, "", "Interquartile range / median."},
      {"flop", "FLOP", analysis::CellFormat::quantity, "FLOP",
       "Floating-point operations F of the GEMMs."},
      {"flop_per_s", "rate", analysis::CellFormat::quantity, "FLOP/s", "F / T."},
      {"bytes", "traffic", analysis::CellFormat::quantity, "B",
       "Bytes B that the operations must move: each operand once per operation."},
      {"bytes_per_s", "bandwidth", analysis::CellFormat::quantity, "B/s", "B / T."},
  };
  return columns;
}

}  // namespace

void add_measured_columns(analysis::Table& table, const SolColumns& roof) {
  for (const std::vector<analysis::Column>& more : {measured_columns(), roof.columns()}) {
    table.columns.insert(table.columns.end(), more.begin(), more.end());
  }
}

void append_measured(std::vector<analysis::Cell>& row, const Measured& m, const SolColumns& roof) {
  const double time_s = median(m.times_s);
  const auto known = [](double value) {
    return value > 0 ? analysis::Cell(value) : analysis::Cell();
  };
  row.insert(row.end(),
             {analysis::Cell(time_s),
              m.times_s.size() > 1 ? analysis::Cell(relative_spread(m.times_s)) : analysis::Cell(),
              known(m.flop), known(m.flop / time_s), known(m.bytes), known(m.bytes / time_s)});
  const std::vector<analysis::Cell> sol_fraction = roof.cells(m.work, time_s);
  row.insert(row.end(), sol_fraction.begin(), sol_fraction.end());
}

}  // namespace mansard::cli
