// SPDX-License-Identifier: Apache-2.0
#include "collector/store/load_watch.h"

#include <algorithm>
#include <array>
#include <utility>

#include "collector/store/read_tables.h"

namespace mansard::store {
namespace {

// The tables that can be large, and the SQLite steps per row: one for each column read, one to
// return the row and one to advance.
constexpr std::array<std::pair<const char*, int>, 3> kSteps = {
    {{"CUPTI_ACTIVITY_KIND_KERNEL", 30}, {"CUPTI_ACTIVITY_KIND_RUNTIME", 9}, {"NVTX_EVENTS", 21}}};

constexpr int kInterval = 50000;  // steps; about 2000 kernels, 1 to 2 ms

// A row of 28 columns takes about 60 bytes and 30 steps.
constexpr std::int64_t kMaxStepsPerByte = 16;
constexpr std::int64_t kFewSteps = 50'000'000;  // 1 to 2 s

}  // namespace

LoadWatch::LoadWatch(const LoadControl& control, std::uintmax_t file_bytes)
    : control_(control),
      most_steps_(kFewSteps + kMaxStepsPerByte * static_cast<std::int64_t>(file_bytes)) {}

void LoadWatch::expect(Database& database) {
  double expected = 0;
  for (const auto& [table, steps] : kSteps) {
    const RowSpan rows = row_span(database, table);
    expected += steps * (static_cast<double>(rows.last) - static_cast<double>(rows.first) + 1);
  }
  expected_steps_ = expected;
}

void LoadWatch::watch(Database& database) {
  database.watch(kInterval, [this] { return go_on(); });
}

bool LoadWatch::go_on() {
  if (control_.canceled != nullptr && control_.canceled->load(std::memory_order_relaxed)) {
    return false;
  }
  steps_.fetch_add(kInterval, std::memory_order_relaxed);
  if (took_too_many_steps()) return false;
  // The other thread's report is enough.
  const std::unique_lock lock(reporting_, std::try_to_lock);
  if (lock && control_.progress && expected_steps_ > 0) {
    const auto steps = static_cast<double>(steps_.load(std::memory_order_relaxed));
    control_.progress("Reading the profile", std::min(1.0, steps / expected_steps_));
  }
  return true;
}

}  // namespace mansard::store
