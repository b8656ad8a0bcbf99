// SPDX-License-Identifier: Apache-2.0
// Helpers of the trace layout: lanes, exact times, and merged lists of records.
#include <random>

#include <gtest/gtest.h>

#include "collector/import/decimal_time.h"
#include "reports/export/decimal_microseconds.h"
#include "reports/export/lanes.h"
#include "reports/export/start_merge.h"

namespace mansard::reports {
namespace {

TEST(SerialLanes, UseTheFirstFreeLane) {
  SerialLanes lanes;
  EXPECT_EQ(lanes.place(0, 10), 0u);
  EXPECT_EQ(lanes.place(10, 20), 0u) << "one may begin where another ends";
  EXPECT_EQ(lanes.place(15, 18), 1u) << "inside another is an overlap here";
  EXPECT_EQ(lanes.place(16, 30), 2u);
  EXPECT_EQ(lanes.place(19, 21), 1u);
}

TEST(NestingLanes, KeepNestedEventsTogether) {
  NestingLanes lanes;
  EXPECT_EQ(lanes.place(0, 100), 0u);
  EXPECT_EQ(lanes.place(0, 50), 0u);
  EXPECT_EQ(lanes.place(50, 100), 0u) << "beside the last, inside the first";
  EXPECT_EQ(lanes.place(60, 120), 1u) << "ends after what it would be in";
  EXPECT_EQ(lanes.place(70, 80), 0u);
  EXPECT_EQ(lanes.place(75, 90), 1u) << "overlaps on the first, nests on the second";
  EXPECT_EQ(lanes.place(130, 140), 0u);
}

// Checks the definition: two events of a lane are disjoint or nested.
TEST(NestingLanes, NeverContainOverlaps) {
  std::mt19937 random(7);
  struct Event {
    std::int64_t start, end;
    std::size_t lane = 0;
  };
  std::vector<Event> events;
  for (int i = 0; i < 400; ++i) {
    const auto start = static_cast<std::int64_t>(random() % 1000);
    events.push_back({start, start + static_cast<std::int64_t>(random() % 60)});
  }
  std::sort(events.begin(), events.end(), [](const Event& a, const Event& b) {
    return a.start != b.start ? a.start < b.start : a.end > b.end;
  });
  NestingLanes lanes;
  for (Event& e : events) e.lane = lanes.place(e.start, e.end);
  std::size_t nested = 0;
  for (std::size_t i = 0; i < events.size(); ++i) {
    for (std::size_t j = i + 1; j < events.size(); ++j) {
      const Event &a = events[i], &b = events[j];
      if (a.lane != b.lane || b.start >= a.end) continue;
      EXPECT_LE(b.end, a.end) << a.start << " to " << a.end << " and " << b.start << " to "
                              << b.end;
      ++nested;
    }
  }
  EXPECT_GT(nested, 100u) << "the case tries too little";
}

std::string microseconds(std::int64_t time_ns) {
  std::string text;
  append_microseconds(text, time_ns);
  return text;
}

TEST(DecimalMicroseconds, AreExact) {
  EXPECT_EQ(microseconds(0), "0.000");
  EXPECT_EQ(microseconds(7), "0.007");
  EXPECT_EQ(microseconds(1'050), "1.050");
  EXPECT_EQ(microseconds(-1), "-0.001");
  EXPECT_EQ(microseconds(6'048'000'000'000'001), "6048000000000.001");
  EXPECT_EQ(microseconds(INT64_MAX), "9223372036854775.807");
  EXPECT_EQ(microseconds(INT64_MIN), "-9223372036854775.808");
  for (const std::int64_t time_ns : {std::int64_t{1'762'248'093'000'000'123}, INT64_MAX}) {
    EXPECT_EQ(collector::nanoseconds_of_microseconds(microseconds(time_ns)), time_ns)
        << "not as import reads";
  }
}

struct List {
  std::vector<std::pair<std::int64_t, std::int64_t>> records;
  std::size_t size() const { return records.size(); }
  std::pair<std::int64_t, std::int64_t> at(std::size_t i) const { return records[i]; }
};

TEST(MergeByStart, OrdersListsAndTies) {
  const List a{{{1, 2}, {5, 6}, {5, 9}}};
  const List b{{{0, 1}, {5, 7}, {5, 9}}};
  std::vector<std::pair<std::size_t, std::size_t>> order;
  const auto note = [&](const TimedRecord& r) { order.emplace_back(r.list, r.index); };
  merge_by_start(longest_first, note, a, b, List{});
  using Order = decltype(order);
  EXPECT_EQ(order, (Order{{1, 0}, {0, 0}, {0, 2}, {1, 2}, {1, 1}, {0, 1}}));
  order.clear();
  merge_by_start(shortest_first, note, a, b);
  EXPECT_EQ(order, (Order{{1, 0}, {0, 0}, {0, 1}, {1, 1}, {0, 2}, {1, 2}}));
}

}  // namespace
}  // namespace mansard::reports
