// SPDX-License-Identifier: Apache-2.0
#include "reports/figure/chart_data.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "support/text.h"

namespace mansard::figure {
namespace {

class Reader {
 public:
  Reader(const analysis::Table& table, std::size_t max_bars)
      : table_(table), chart_(*table.chart), max_bars_(max_bars), rows_(chart_.rows) {
    if (rows_.empty()) {
      rows_.resize(table.rows.size());
      std::iota(rows_.begin(), rows_.end(), std::size_t{0});
    }
    std::erase_if(rows_, [&](std::size_t row) { return row >= table.rows.size(); });
  }

  std::optional<ChartData> read() {
    for (const std::string& key : chart_.label_keys) {
      const std::optional<std::size_t> found = column(key);
      if (!found) return std::nullopt;
      label_columns_.push_back(*found);
    }
    for (const std::string& key : chart_.value_keys) {
      const std::optional<std::size_t> found = column(key);
      if (!found) return std::nullopt;
      value_columns_.push_back(*found);
    }
    if (label_columns_.empty() || value_columns_.empty() || rows_.empty()) return std::nullopt;
    if (chart_.kind != analysis::ChartKind::lines) leave_out_constant_labels();
    data_.kind = chart_.kind;
    data_.title = one_line(table_.title);
    data_.column = table_.columns[value_columns_.front()];
    data_.more_is_better = chart_.more_is_better;
    switch (chart_.kind) {
      case analysis::ChartKind::waterfall:
        read_waterfall();
        break;
      case analysis::ChartKind::stacked_bars:
        if (!(chart_.part_key.empty() ? read_wide_parts() : read_long_parts())) return std::nullopt;
        leave_out_empty_series();
        break;
      case analysis::ChartKind::bars:
        read_bars();
        break;
      case analysis::ChartKind::lines:
        read_lines();
        break;
    }
    return std::move(data_);
  }

 private:
  std::optional<std::size_t> column(const std::string& key) const {
    const auto found = std::ranges::find(table_.columns, key, &analysis::Column::key);
    if (key.empty() || found == table_.columns.end()) return std::nullopt;
    return static_cast<std::size_t>(found - table_.columns.begin());
  }

  analysis::Cell cell(std::size_t row, std::size_t column) const {
    return column < table_.rows[row].size() ? table_.rows[row][column] : analysis::Cell();
  }

  ChartValue value(std::size_t row, std::size_t column, bool difference = false) const {
    const analysis::Cell at = cell(row, column);
    analysis::Column head = table_.columns[column];
    head.difference = head.difference || difference;
    ChartValue out;
    out.text = one_line(analysis::format_cell(at, head));
    if (const auto* integer = std::get_if<std::int64_t>(&at)) {
      out.value = static_cast<double>(*integer);
    } else if (const auto* number = std::get_if<double>(&at)) {
      out.value = *number;
    }
    return out;
  }

  void leave_out_constant_labels() {
    std::vector<std::size_t> telling;
    for (const std::size_t column : label_columns_) {
      const bool differs = std::ranges::any_of(
          rows_, [&](std::size_t row) { return cell(row, column) != cell(rows_.front(), column); });
      if (differs) telling.push_back(column);
    }
    if (!telling.empty()) label_columns_ = std::move(telling);
  }

  // Labels that are only a number are prefixed with the column's label: "GPU 0".
  std::string label(std::size_t row) const {
    std::string text;
    for (const std::size_t at : label_columns_) {
      const analysis::Column& column = table_.columns[at];
      if (!text.empty()) text += ", ";
      if (column.format != analysis::CellFormat::text) text += column.label + ' ';
      text += analysis::format_cell(cell(row, at), column);
    }
    return one_line(text);
  }

  // Adds a bar, unless the limit is reached.
  ChartBar* add_bar(std::size_t row) {
    if (data_.bars.size() == max_bars_) {
      ++data_.left_out;
      return nullptr;
    }
    return &data_.bars.emplace_back(ChartBar{row, 0, label(row), {}, {}});
  }

  // Returns the bar with the row's label, adding one if needed.
  ChartBar* bar_of_label(std::size_t row) {
    const auto [known, is_new] = bar_of_label_.try_emplace(label(row), data_.bars.size());
    if (is_new) return add_bar(row);
    return known->second < data_.bars.size() ? &data_.bars[known->second] : nullptr;
  }

  void read_waterfall() {
    const std::size_t difference = value_columns_.front();
    const std::size_t total = column(chart_.total_key).value_or(difference);
    data_.column = table_.columns[total];
    for (const std::size_t row : rows_) {
      const bool end = row == rows_.front() || row == rows_.back();
      ChartValue read = value(row, end ? total : difference, !end);
      data_.bars.push_back({row, 0, label(row), {std::move(read)}, {}});
      if (const auto description = column(chart_.description_key)) {
        const analysis::Cell text = cell(row, *description);
        if (const auto* words = std::get_if<std::string>(&text)) {
          data_.bars.back().description = one_line(*words);
        }
      }
    }
  }

  void read_bars() {
    const std::optional<std::size_t> reference = column(chart_.reference_key);
    const std::optional<std::size_t> fraction = column(chart_.fraction_key);
    if (reference) {
      data_.reference_label = one_line(table_.columns[*reference].label);
    } else if (fraction) {
      data_.reference_label = one_line(std::string("100 % ") + table_.columns[*fraction].label);
    }
    for (const std::size_t row : rows_) {
      ChartBar* const read = add_bar(row);
      if (read == nullptr) continue;
      read->values = {value(row, value_columns_.front())};
      ChartValue against;
      if (reference) {
        against = value(row, *reference);
      } else if (fraction) {
        against.value = read->values.front().value / value(row, *fraction).value;
        against.text = value_text(against.value, data_.column);
      }
      if (against.drawable()) read->reference = against;
    }
  }

  bool read_wide_parts() {
    for (std::size_t i = 0; i < value_columns_.size(); ++i) {
      const std::string kind =
          i < chart_.value_kinds.size() ? chart_.value_kinds[i] : std::string();
      data_.series.push_back({kind, "", one_line(table_.columns[value_columns_[i]].label)});
    }
    for (const std::size_t row : rows_) {
      ChartBar* const read = add_bar(row);
      if (read == nullptr) continue;
      for (const std::size_t at : value_columns_) read->values.push_back(value(row, at));
    }
    if (const std::optional<std::size_t> total = column(chart_.total_key)) {
      add_rest(*total);
      data_.column = table_.columns[*total];
    }
    return true;
  }

  // The part of the total that is in none of the part columns.
  void add_rest(std::size_t total) {
    constexpr double kRounding = 1e-9;
    std::vector<double> rests;
    bool any = false;
    for (const ChartBar& bar : data_.bars) {
      const ChartValue whole = value(bar.row, total);
      const double rest = whole.drawable() ? whole.value - bar.sum() : 0;
      rests.push_back(rest > kRounding * std::fabs(whole.value) ? rest : 0);
      any = any || rests.back() > 0;
    }
    if (!any) return;
    data_.series.push_back({"", "", "other"});
    for (std::size_t i = 0; i < rests.size(); ++i) {
      data_.bars[i].values.push_back({rests[i], value_text(rests[i], table_.columns[total])});
    }
  }

  bool read_long_parts() {
    const std::optional<std::size_t> name = column(chart_.part_key);
    const std::optional<std::size_t> kind = column(chart_.part_kind_key);
    if (!name) return false;
    struct Entry {
      std::size_t bar;
      std::size_t series;
      ChartValue value;
    };
    std::vector<Entry> entries;
    for (const std::size_t row : rows_) {
      const ChartBar* const read = bar_of_label(row);
      if (read == nullptr) continue;
      const auto text = [&](std::size_t at) {
        return one_line(analysis::format_cell(cell(row, at), table_.columns[at]));
      };
      entries.push_back({static_cast<std::size_t>(read - data_.bars.data()),
                         series(kind ? text(*kind) : std::string(), text(*name)),
                         value(row, value_columns_.front())});
    }
    const std::vector<std::size_t> place = keep_kinds_together();
    for (ChartBar& bar : data_.bars) {
      bar.values.assign(data_.series.size(), {0, value_text(0, data_.column)});
    }
    for (Entry& entry : entries) {
      data_.bars[entry.bar].values[place[entry.series]] = std::move(entry.value);
    }
    return true;
  }

  // Rows without a number in the x column are left out.
  void read_lines() {
    const std::size_t x_column = label_columns_.front();
    const std::optional<std::size_t> part = column(chart_.part_key);
    const std::optional<std::size_t> low = column(chart_.low_key);
    const std::optional<std::size_t> high = column(chart_.high_key);
    data_.x_column = table_.columns[x_column];
    if (!part) {
      // The legend names the columns, the axis their unit.
      if (value_columns_.size() > 1) data_.column.label.clear();
      for (const std::size_t at : value_columns_) {
        data_.series.push_back({"", "", one_line(table_.columns[at].label)});
      }
    }
    std::map<double, std::size_t> positions;
    for (const std::size_t row : rows_) {
      const double x = value(row, x_column).value;
      if (!(x > -1e300 && x < 1e300)) continue;
      const auto [known, is_new] = positions.try_emplace(x, data_.bars.size());
      if (is_new) data_.bars.push_back({row, x, label(row), {}, {}});
      ChartBar& bar = data_.bars[known->second];
      for (std::size_t i = 0; i < value_columns_.size(); ++i) {
        const std::size_t at = value_columns_[i];
        std::size_t line = i;
        if (part) {
          line =
              series("", one_line(analysis::format_cell(cell(row, *part), table_.columns[*part])));
        }
        if (bar.values.size() <= line) bar.values.resize(line + 1);
        bar.values[line] = value(row, at);
        if (low && high) {
          bar.values[line].low = value(row, *low).value;
          bar.values[line].high = value(row, *high).value;
        }
      }
    }
    for (ChartBar& bar : data_.bars) bar.values.resize(data_.series.size());
    std::ranges::stable_sort(data_.bars, {}, &ChartBar::x);
    leave_out_empty_series();
  }

  // Drops series that are zero in all bars, and lines without values.
  void leave_out_empty_series() {
    const bool lines = data_.kind == analysis::ChartKind::lines;
    for (std::size_t i = data_.series.size(); i-- > 0;) {
      const bool empty = std::ranges::all_of(data_.bars, [&](const ChartBar& bar) {
        return lines ? !bar.values[i].drawable() : bar.values[i].value == 0;
      });
      if (!empty) continue;
      const auto at = static_cast<std::ptrdiff_t>(i);
      data_.series.erase(data_.series.begin() + at);
      for (ChartBar& bar : data_.bars) bar.values.erase(bar.values.begin() + at);
    }
  }

  std::size_t series(std::string kind, std::string name) {
    const auto found = std::ranges::find_if(data_.series, [&](const ChartSeries& known) {
      return known.kind == kind && known.name == name;
    });
    const std::ptrdiff_t at = found - data_.series.begin();
    if (found == data_.series.end()) {
      // Names of kernel classes, and of the only series of memcpys and memsets, need no prefix.
      const bool says_kind =
          kind.empty() || kind == "kernels" || kind == "memcpy_memset" || name.starts_with(kind);
      std::string label = says_kind ? name : kind + ": " + name;
      data_.series.push_back({std::move(kind), std::move(name), std::move(label)});
    }
    return static_cast<std::size_t>(at);
  }

  // Sorts series by kind, so that a series found in a later bar is next to its kind. Returns the
  // new index of each.
  std::vector<std::size_t> keep_kinds_together() {
    std::vector<std::string> kinds;
    for (const ChartSeries& s : data_.series) {
      if (std::ranges::find(kinds, s.kind) == kinds.end()) kinds.push_back(s.kind);
    }
    std::vector<std::size_t> place(data_.series.size());
    std::vector<ChartSeries> sorted;
    for (const std::string& kind : kinds) {
      for (std::size_t i = 0; i < data_.series.size(); ++i) {
        if (data_.series[i].kind != kind) continue;
        place[i] = sorted.size();
        sorted.push_back(data_.series[i]);
      }
    }
    data_.series = std::move(sorted);
    return place;
  }

  const analysis::Table& table_;
  const analysis::Chart& chart_;
  std::size_t max_bars_;
  std::vector<std::size_t> rows_;
  std::vector<std::size_t> label_columns_;
  std::vector<std::size_t> value_columns_;
  std::map<std::string, std::size_t> bar_of_label_;
  ChartData data_;
};

}  // namespace

double ChartBar::sum() const {
  double sum = 0;
  for (const ChartValue& v : values) sum += v.drawable() && v.value > 0 ? v.value : 0;
  return sum;
}

std::string value_text(double value, const analysis::Column& column) {
  return one_line(analysis::format_cell(analysis::Cell{value}, column));
}

std::optional<ChartData> read_chart(const analysis::Table& table, std::size_t max_bars) {
  if (!table.chart) return std::nullopt;
  return Reader(table, max_bars).read();
}

}  // namespace mansard::figure
