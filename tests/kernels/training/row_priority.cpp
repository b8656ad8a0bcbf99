// SPDX-License-Identifier: Apache-2.0
#include "kernels/training/row_priority.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <stdexcept>

#include <gtest/gtest.h>

#include "kernels/recipes/backend.h"

namespace mansard::kernels {
namespace {

using Rows = std::vector<std::int32_t>;

// A table on the CPU whose values are their indices.
struct CountingTable {
  CountingTable(std::int64_t rows, std::int64_t cols,
                std::int64_t piece_bytes = RowTable::kPieceBytes)
      : values(static_cast<std::size_t>(rows * cols)),
        table(*backend, values.data(), rows, cols, piece_bytes) {
    std::iota(values.begin(), values.end(), 0.0f);
  }
  float& at(std::int64_t row, std::int64_t col) {
    return values[static_cast<std::size_t>(row * table.cols() + col)];
  }

  std::unique_ptr<Backend> backend = make_cpu_backend();
  std::vector<float> values;
  RowTable table;
};

// Rows with frequencies that fall as 1 / rank; the rank of a row is not its index.
Rows zipf_rows(std::int64_t rows, std::size_t count, unsigned seed) {
  std::vector<double> weights;
  for (std::int64_t i = 0; i < rows; ++i) {
    weights.push_back(1.0 / static_cast<double>(1 + 37 * i % rows));
  }
  std::mt19937 random(seed);
  std::discrete_distribution<std::int32_t> distribution(weights.begin(), weights.end());
  Rows drawn(count);
  for (std::int32_t& row : drawn) row = distribution(random);
  return drawn;
}

void access(RowSelection& selection, const Rows& rows) {
  selection.access(rows.data(), static_cast<std::int64_t>(rows.size()));
}

bool has_row(const Rows& rows, std::int32_t row) {
  return std::find(rows.begin(), rows.end(), row) != rows.end();
}

std::unique_ptr<RowSelection> selection_of(RowPriority priority, const CountingTable& table,
                                           double share, std::uint64_t seed = 1) {
  return make_row_selection({priority, share, seed}, table.table);
}

TEST(RowTable, TransfersInPiecesOfAnySize) {
  const Rows rows = {0, 1, 5, 6, 7, 30, 62, 63};
  for (const std::int64_t piece : {1, 12, 40, 100, 1 << 20}) {
    CountingTable t(64, 3, piece);
    std::vector<float> expected = t.values;
    std::vector<float> packed;
    std::size_t visits = 0;
    t.table.read(rows, [&](std::size_t i, const float* values) {
      EXPECT_EQ(i, visits++);
      for (std::int64_t c = 0; c < 3; ++c) {
        EXPECT_EQ(values[c], t.at(rows[i], c));
        packed.push_back(-values[c]);
        expected[static_cast<std::size_t>(rows[i] * 3 + c)] *= -1;
      }
    });
    EXPECT_EQ(visits, rows.size());
    t.table.write(rows, packed.data());
    EXPECT_EQ(t.values, expected) << piece << ": other rows stay, these are negative";
  }
}

// Sorts all rows by their counters.
Rows most_accessed(const std::vector<int>& accesses, std::size_t count) {
  Rows rows(accesses.size());
  std::iota(rows.begin(), rows.end(), 0);
  std::stable_sort(rows.begin(), rows.end(), [&](std::int32_t a, std::int32_t b) {
    return accesses[static_cast<std::size_t>(a)] > accesses[static_cast<std::size_t>(b)];
  });
  rows.resize(count);
  std::sort(rows.begin(), rows.end());
  return rows;
}

TEST(RowPriority, MfuChoosesByCountersAndClearsThoseOfSavedRows) {
  constexpr std::int64_t kRows = 1000;
  const CountingTable table(kRows, 1);
  const auto mfu = selection_of(RowPriority::mfu, table, 0.125);
  std::vector<int> accesses(static_cast<std::size_t>(kRows));
  bool reached_later = false;
  for (unsigned round = 0; round < 20; ++round) {
    const Rows drawn = zipf_rows(kRows, 500, round);
    access(*mfu, drawn);
    for (const std::int32_t row : drawn) ++accesses[static_cast<std::size_t>(row)];
    const Rows chosen = mfu->choose();
    ASSERT_EQ(chosen, most_accessed(accesses, 125)) << round;
    EXPECT_EQ(mfu->choose(), chosen) << "nothing has been saved yet";
    if (round % 3 == 2) continue;  // as if the file could not be written
    mfu->saved(chosen);
    for (const std::int32_t row : chosen) {
      // An access in an earlier round has been kept until now.
      reached_later |= !has_row(drawn, row) && accesses[static_cast<std::size_t>(row)] > 0;
      accesses[static_cast<std::size_t>(row)] = 0;
    }
  }
  EXPECT_TRUE(reached_later);
  mfu->all_saved();
  access(*mfu, {7, 999, 500});
  EXPECT_TRUE(has_row(mfu->choose(), 7) && has_row(mfu->choose(), 999));
  EXPECT_EQ(mfu->choose()[122], 122) << "all other counters are 0, and rows of these are the first";
}

TEST(RowPriority, SsuSamplesEverySecondAccess) {
  const CountingTable table(100, 1);
  const auto ssu = selection_of(RowPriority::ssu, table, 0.1);
  access(*ssu, {90, 91, 92, 93, 94});
  access(*ssu, {95, 96, 97});  // continues: 95 is the sixth
  access(*ssu, {90, 90});
  // 90, 92, 94, 96; others in turn, from the first on, complete the list.
  const Rows expected = {0, 1, 2, 3, 4, 5, 90, 92, 94, 96};
  EXPECT_EQ(ssu->choose(), expected);
  ssu->saved(expected);
  access(*ssu, {9, 50});
  EXPECT_EQ(ssu->choose(), (Rows{6, 7, 8, 9, 10, 11, 12, 13, 14, 15}))
      << "the list has been emptied; the turn has come to 6";
  ssu->all_saved();
  access(*ssu, {98});
  EXPECT_TRUE(has_row(ssu->choose(), 98));
  EXPECT_FALSE(has_row(ssu->choose(), 9));
}

TEST(RowPriority, SsuDropsRandomRowsOfAFullList) {
  constexpr int kSeeds = 2000;
  constexpr int kSampled = 40;
  const CountingTable table(1000, 1);
  Rows rows;
  for (std::int32_t i = 0; i < kSampled; ++i) rows.insert(rows.end(), {500 + i, 0});
  int first = 0, middle = 0;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const auto ssu = selection_of(RowPriority::ssu, table, 0.01, seed);
    access(*ssu, rows);
    const Rows chosen = ssu->choose();
    ASSERT_EQ(chosen.size(), 10u);
    ASSERT_TRUE(std::adjacent_find(chosen.begin(), chosen.end(), std::greater_equal<>()) ==
                chosen.end())
        << "ascending and different";
    for (const std::int32_t row : chosen) ASSERT_TRUE(row >= 500 && row < 500 + kSampled) << row;
    EXPECT_EQ(chosen.back(), 500 + kSampled - 1) << "the most recent row";
    first += has_row(chosen, 500);
    middle += has_row(chosen, 500 + 29);
  }
  // Each further row drops one of ten: a row remains after n of them with 0.9^n.
  EXPECT_NEAR(first, kSeeds * std::pow(0.9, 30), 30);
  EXPECT_NEAR(middle, kSeeds * std::pow(0.9, 10), 80);
}

TEST(RowPriority, ScarChoosesByChange) {
  CountingTable t(100, 4);
  const auto scar = selection_of(RowPriority::scar, t, 0.03);
  t.at(10, 0) += 8;
  t.at(20, 3) -= 6;
  t.at(30, 1) += 5, t.at(30, 2) += 5;  // 7.1
  t.at(40, 2) += 2;
  EXPECT_EQ(scar->choose(), (Rows{10, 20, 30}));
  scar->saved({10, 20, 30});
  t.at(10, 0) += 1;
  t.at(50, 0) += 3;
  EXPECT_EQ(scar->choose(), (Rows{10, 40, 50})) << "the change of 40 has not been saved";
  t.at(40, 2) -= 2;
  EXPECT_EQ(scar->choose(), (Rows{0, 10, 50})) << "40 is as it was";
  scar->all_saved();
  t.at(99, 0) += 1;
  EXPECT_EQ(scar->choose(), (Rows{0, 1, 99}));
}

TEST(RowPriority, EqualCallsChooseEqualRows) {
  const CountingTable table(500, 1);
  const auto chosen_of = [&](RowPriority priority, std::uint64_t seed) {
    const auto selection = selection_of(priority, table, 0.1, seed);
    std::vector<Rows> all;
    for (unsigned round = 0; round < 5; ++round) {
      access(*selection, zipf_rows(500, 401, round));
      all.push_back(selection->choose());
      selection->saved(all.back());
    }
    return all;
  };
  for (const RowPriority priority : {RowPriority::mfu, RowPriority::ssu, RowPriority::scar}) {
    EXPECT_EQ(chosen_of(priority, 3), chosen_of(priority, 3)) << to_string(priority);
  }
  EXPECT_NE(chosen_of(RowPriority::ssu, 3), chosen_of(RowPriority::ssu, 4));
}

TEST(RowPriority, NumberOfRowsIsRoundedUp) {
  const CountingTable table(10, 1);
  for (const RowPriority priority : {RowPriority::mfu, RowPriority::ssu, RowPriority::scar}) {
    EXPECT_EQ(parse_row_priority(to_string(priority)), priority);
    for (const auto& [share, count] :
         {std::pair(0.25, 3u), std::pair(1e-9, 1u), std::pair(0.5, 5u), std::pair(1.0, 10u)}) {
      const auto selection = selection_of(priority, table, share);
      access(*selection, {3, 3, 9, 9, 1});
      EXPECT_EQ(selection->choose().size(), count) << to_string(priority);
    }
    for (const double share : {0.0, -0.5, 1.01, std::numeric_limits<double>::quiet_NaN()}) {
      EXPECT_THROW(selection_of(priority, table, share), std::invalid_argument);
    }
  }
  EXPECT_EQ(parse_row_priority("lru"), std::nullopt);
}

TEST(RowPriority, RefusesRowsBeyondTheTable) {
  const CountingTable table(10, 1);
  for (const RowPriority priority : {RowPriority::mfu, RowPriority::ssu}) {
    for (const std::int32_t row : {-1, 10, 127}) {
      const auto selection = selection_of(priority, table, 0.5);
      EXPECT_THROW(access(*selection, {row}), std::out_of_range);
    }
  }
}

}  // namespace
}  // namespace mansard::kernels
