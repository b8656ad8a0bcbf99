// SPDX-License-Identifier: Apache-2.0
// Runs of one step for tests of ledgers. The test GPU does 1e12 BF16 and 2e12 FP8 FLOP/s and moves
// 1e10 B/s, so the ratio of ceilings is 2. Times are us.
#pragma once

#include <cmath>
#include <string>

#include "analyzer/explain/ledger.h"
#include "tests/analyzer/profile_builder.h"

namespace mansard::test {

// One step: kernels one after the other, each in a range that says what it does.
class TinyRun {
 public:
  // `work`: an annotation without its name; empty: none.
  TinyRun& kernel(double time_us, const std::string& name, const std::string& work = "") {
    const std::int64_t call = 10 * ++calls_;
    if (!work.empty()) builder_.range(call - 1, call + 5, name + " | " + work);
    const std::int64_t end = now_ns_ + std::llround(1e3 * time_us);
    builder_.launch(call, now_ns_, end, name);
    now_ns_ = end;
    return *this;
  }
  TinyRun& idle(double time_us) {
    now_ns_ += std::llround(1e3 * time_us);
    return *this;
  }
  TinyRun& clock(double hz) {
    for (int i = 0; i < 10; ++i) {
      store::DeviceStateSample sample;
      sample.timestamp_ns = 1100 + i;  // while the first kernel runs
      sample.sm_clock_hz = hz;
      builder_.profile().device_states.push_back(sample);
    }
    return *this;
  }
  analysis::RunAnalysis analyze(const roofline::MachineModel& machine = test_machine()) {
    return analysis::analyze_run(builder_.build(), {machine});
  }

  store::Profile& profile() { return builder_.profile(); }

 private:
  ProfileBuilder builder_;
  std::int64_t now_ns_ = 1000;  // after all calls: nothing waits for the host
  int calls_ = 0;
};

inline const analysis::LedgerLine* find(const analysis::Ledger& ledger, const std::string& id) {
  for (const analysis::LedgerLine& line : ledger.lines) {
    if (line.id == id) return &line;
  }
  return nullptr;
}

// 0 where there is no such line: nothing that is zero has one.
inline double time_us(const analysis::Ledger& ledger, const std::string& id) {
  const analysis::LedgerLine* line = find(ledger, id);
  return line == nullptr ? 0 : 1e6 * line->time_s;
}

inline constexpr const char* kBf16 = "flop=2e6 precision=bf16 class=gemm";
inline constexpr const char* kFp8 = "flop=2e6 precision=fp8_e4m3 class=gemm";

}  // namespace mansard::test
