// SPDX-License-Identifier: Apache-2.0
#include "kernels/training/row_priority.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

#include "support/hash.h"

namespace mansard::kernels {
namespace {

constexpr std::array<std::pair<RowPriority, std::string_view>, 3> kPriorityNames = {
    {{RowPriority::mfu, "mfu"}, {RowPriority::ssu, "ssu"}, {RowPriority::scar, "scar"}}};

std::size_t index_of(std::int32_t row) { return static_cast<std::size_t>(row); }

void require_row(std::int32_t row, std::size_t rows) {
  if (row >= 0 && index_of(row) < rows) return;
  throw std::out_of_range("row " + std::to_string(row) + " is not among the " +
                          std::to_string(rows) + " rows of the embedding");
}

std::vector<std::int32_t> all_rows(std::int64_t count) {
  std::vector<std::int32_t> rows(static_cast<std::size_t>(count));
  std::iota(rows.begin(), rows.end(), 0);
  return rows;
}

// The `count` rows with the highest values, of equal ones the first, in ascending order.
template <class Value>
std::vector<std::int32_t> highest(const std::vector<Value>& values, std::int64_t count) {
  std::vector<std::int32_t> rows = all_rows(static_cast<std::int64_t>(values.size()));
  const auto end = rows.begin() + count;
  std::nth_element(rows.begin(), end, rows.end(), [&](std::int32_t a, std::int32_t b) {
    const Value of_a = values[index_of(a)];
    const Value of_b = values[index_of(b)];
    return of_a != of_b ? of_a > of_b : a < b;
  });
  rows.erase(end, rows.end());
  std::sort(rows.begin(), rows.end());
  return rows;
}

class MostFrequentlyUsed : public RowSelection {
 public:
  MostFrequentlyUsed(std::int64_t count, std::int64_t rows)
      : count_(count), accesses_(static_cast<std::size_t>(rows)) {}

  void access(const std::int32_t* rows, std::int64_t count) override {
    for (std::int64_t i = 0; i < count; ++i) {
      require_row(rows[i], accesses_.size());
      ++accesses_[index_of(rows[i])];
    }
  }
  std::vector<std::int32_t> choose() override { return highest(accesses_, count_); }
  void saved(const std::vector<std::int32_t>& rows) override {
    for (const std::int32_t row : rows) accesses_[index_of(row)] = 0;
  }
  void all_saved() override { std::fill(accesses_.begin(), accesses_.end(), 0); }

 private:
  std::int64_t count_;
  std::vector<std::uint64_t> accesses_;  // since the row was last saved
};

class SubSampledUsed : public RowSelection {
 public:
  static constexpr std::uint64_t kPeriod = 2;  // the paper's

  SubSampledUsed(std::int64_t count, std::int64_t rows, std::uint64_t seed)
      : count_(static_cast<std::size_t>(count)),
        seed_(seed),
        is_listed_(static_cast<std::size_t>(rows)) {}

  void access(const std::int32_t* rows, std::int64_t count) override {
    for (std::int64_t i = 0; i < count; ++i) {
      require_row(rows[i], is_listed_.size());
      if (accesses_++ % kPeriod == 0) add(rows[i]);
    }
  }

  // A list that is not full is completed with other rows in turn: momentum and weight decay change
  // rows without an access, too.
  std::vector<std::int32_t> choose() override {
    std::vector<std::int32_t> rows = list_;
    while (rows.size() < count_) {
      if (!is_listed_[next_]) rows.push_back(static_cast<std::int32_t>(next_));
      next_ = (next_ + 1) % is_listed_.size();
    }
    std::sort(rows.begin(), rows.end());
    return rows;
  }
  void saved(const std::vector<std::int32_t>&) override { all_saved(); }
  void all_saved() override {
    for (const std::int32_t row : list_) is_listed_[index_of(row)] = false;
    list_.clear();
  }

 private:
  void add(std::int32_t row) {
    if (is_listed_[index_of(row)]) return;
    is_listed_[index_of(row)] = true;
    if (list_.size() < count_) {
      list_.push_back(row);
      return;
    }
    std::int32_t& dropped = list_[HashBuilder().add(seed_).add(drops_++).hash() % list_.size()];
    is_listed_[index_of(dropped)] = false;
    dropped = row;
  }

  std::size_t count_;
  std::uint64_t seed_;
  std::uint64_t accesses_ = 0, drops_ = 0;
  std::vector<std::int32_t> list_;
  std::vector<bool> is_listed_;
  std::size_t next_ = 0;  // row to complete the list with
};

class MostChanged : public RowSelection {
 public:
  MostChanged(std::int64_t count, const RowTable& table)
      : count_(count),
        table_(table),
        all_(all_rows(table.rows())),
        copy_(static_cast<std::size_t>(table.rows() * table.cols())) {
    all_saved();
  }

  void access(const std::int32_t*, std::int64_t) override {}
  std::vector<std::int32_t> choose() override {
    std::vector<double> squares(all_.size());
    table_.read(all_, [&](std::size_t i, const float* values) {
      const float* const before = copy_of(all_[i]);
      double sum = 0;
      for (std::int64_t c = 0; c < table_.cols(); ++c) {
        const double change = double{values[c]} - double{before[c]};
        sum += change * change;
      }
      squares[i] = sum;
    });
    return highest(squares, count_);
  }
  void saved(const std::vector<std::int32_t>& rows) override {
    table_.read(rows, [&](std::size_t i, const float* values) {
      std::memcpy(copy_of(rows[i]), values, static_cast<std::size_t>(4 * table_.cols()));
    });
  }
  void all_saved() override { saved(all_); }

 private:
  float* copy_of(std::int32_t row) { return copy_.data() + row * table_.cols(); }

  std::int64_t count_;
  RowTable table_;
  std::vector<std::int32_t> all_;
  std::vector<float> copy_;  // each row as it was last saved
};

}  // namespace

std::string_view to_string(RowPriority priority) {
  for (const auto& [value, name] : kPriorityNames) {
    if (value == priority) return name;
  }
  return "";
}

std::optional<RowPriority> parse_row_priority(std::string_view key) {
  for (const auto& [value, name] : kPriorityNames) {
    if (name == key) return value;
  }
  return std::nullopt;
}

std::unique_ptr<RowSelection> make_row_selection(const RowPriorityOptions& options,
                                                 const RowTable& table) {
  if (!(options.share > 0) || !(options.share <= 1)) {
    throw std::invalid_argument("the share of the rows to save must be above 0 and up to 1");
  }
  const auto count =
      static_cast<std::int64_t>(std::ceil(options.share * static_cast<double>(table.rows())));
  switch (options.priority) {
    case RowPriority::mfu:
      return std::make_unique<MostFrequentlyUsed>(count, table.rows());
    case RowPriority::ssu:
      return std::make_unique<SubSampledUsed>(count, table.rows(), options.seed);
    case RowPriority::scar:
      return std::make_unique<MostChanged>(count, table);
  }
  throw std::invalid_argument("unknown priority of rows");
}

}  // namespace mansard::kernels
