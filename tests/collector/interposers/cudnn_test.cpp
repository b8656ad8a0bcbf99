// SPDX-License-Identifier: Apache-2.0
// cuDNN's plans in programs that know nothing of it.
#include <gtest/gtest.h>

#include "tests/collector/run_program.h"

namespace mansard::collector {
namespace {

using namespace test;

class Cudnn : public testing::TestWithParam<const char*> {};

TEST_P(Cudnn, ExecutionsHaveTheWorkOfTheirGraph) {
  const Scratch scratch;
  const Ran ran = run(scratch, "cudnn", GetParam());
  EXPECT_EQ(ran.result.exit_code, 0) << ran.err;
  EXPECT_EQ(ran.out, "5000 2 0\n") << "a failed execution's status reaches the caller";
  const store::Profile p = store::load_profile(scratch / "run.sqlite");
  int ranges = 0;
  for (const store::NvtxRecord& range : p.nvtx) {
    const auto* work = p.work.find(range.row_id);
    if (work == nullptr) continue;
    ++ranges;
    EXPECT_EQ(work->name, "cudnnBackendExecute");
    EXPECT_EQ(work->flop, 2.0 * 64 * 16 * 32);
    EXPECT_EQ(work->bytes.at(MemoryLevel::hbm), 2.0 * (64 * 16 + 16 * 32 + 64 * 32));
    EXPECT_EQ(work->precision, Precision::fp16);
  }
  EXPECT_EQ(ranges, 3);
}

INSTANTIATE_TEST_SUITE_P(Calls, Cudnn, testing::Values("linked", "looked_up"));

}  // namespace
}  // namespace mansard::collector
