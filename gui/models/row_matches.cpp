// SPDX-License-Identifier: Apache-2.0
#include "gui/models/row_matches.h"

#include <algorithm>
#include <deque>
#include <map>

#include "analyzer/compare/match_kernels.h"

namespace mansard::gui {
namespace {

// One entry per row, so that indices are equal.
std::vector<analysis::SignatureLaunches> signatures_of(const analysis::RunAnalysis& run) {
  std::vector<analysis::SignatureLaunches> out;
  out.reserve(run.rows.size());
  for (const analysis::KernelRow& row : run.rows) {
    analysis::SignatureLaunches s;
    s.name = row.name;
    s.short_name = row.short_name;
    s.operation_class = row.operation_class;
    s.grid = row.grid;
    s.block = row.block;
    s.shared_bytes = row.shared_bytes;
    s.launches = row.launches;
    s.time_s = row.time_s;
    out.push_back(std::move(s));
  }
  return out;
}

using Rows = std::deque<std::uint32_t>;  // by descending time

Rows rows_of(const std::vector<const analysis::SignatureLaunches*>& matched,
             const std::vector<analysis::SignatureLaunches>& all) {
  Rows rows;
  for (const analysis::SignatureLaunches* s : matched) {
    rows.push_back(static_cast<std::uint32_t>(s - all.data()));
  }
  std::ranges::sort(rows);  // the order of a run's rows
  return rows;
}

class Pairing {
 public:
  Pairing(const analysis::RunAnalysis& run, const analysis::RunAnalysis& baseline)
      : run_(run), baseline_(baseline) {
    out_.of_run.assign(run.rows.size(), RowMatches::kNone);
    out_.of_baseline.assign(baseline.rows.size(), RowMatches::kNone);
  }

  void pair_up(const Rows& baseline_rows, const Rows& run_rows) {
    std::map<Key, Rows> alike;
    for (const std::uint32_t row : run_rows) alike[key(run_.rows[row])].push_back(row);
    Rows left;
    for (const std::uint32_t row : baseline_rows) {
      Rows& candidates = alike[key(baseline_.rows[row])];
      if (candidates.empty()) {
        left.push_back(row);
        continue;
      }
      join(row, candidates.front());
      candidates.pop_front();
    }
    for (const std::uint32_t row : run_rows) {
      if (left.empty()) return;
      if (out_.of_run[row] != RowMatches::kNone) continue;
      join(left.front(), row);
      left.pop_front();
    }
  }

  RowMatches take() { return std::move(out_); }

 private:
  using Key = std::pair<analysis::OperationClass, std::optional<Precision>>;
  static Key key(const analysis::KernelRow& row) { return {row.operation_class, row.precision}; }

  void join(std::uint32_t baseline_row, std::uint32_t run_row) {
    out_.of_run[run_row] = baseline_row;
    out_.of_baseline[baseline_row] = run_row;
  }

  const analysis::RunAnalysis& run_;
  const analysis::RunAnalysis& baseline_;
  RowMatches out_;
};

}  // namespace

RowMatches match_rows(const analysis::RunAnalysis& run, const analysis::RunAnalysis& baseline) {
  const std::vector<analysis::SignatureLaunches> a = signatures_of(baseline);
  const std::vector<analysis::SignatureLaunches> b = signatures_of(run);
  Pairing pairing(run, baseline);
  for (const analysis::MatchedLaunches& matched : analysis::match_kernels(a, b)) {
    pairing.pair_up(rows_of(matched.a, a), rows_of(matched.b, b));
  }
  return pairing.take();
}

}  // namespace mansard::gui
