// SPDX-License-Identifier: Apache-2.0
// Tests programs annotated with the public header kernels/annotation/annotate.h.
#include <cstdlib>

#include <gtest/gtest.h>

#include "tests/collector/run_program.h"

namespace mansard::collector {
namespace {

using namespace test;

const kernels::WorkAnnotation& work_of(const store::Profile& p, std::string_view name) {
  static const kernels::WorkAnnotation none;
  const kernels::WorkAnnotation* found = nullptr;
  p.work.for_each([&](std::int64_t, const kernels::WorkAnnotation& work) {
    if (work.name == name) found = &work;
  });
  if (found != nullptr) return *found;
  ADD_FAILURE() << "no annotation '" << name << "'";
  return none;
}

TEST(Annotate, FromC) {
  const Scratch scratch;
  const Ran ran = run(scratch, "annotate_c", "");
  EXPECT_EQ(ran.result.exit_code, 0) << ran.err;
  const store::Profile p = store::load_profile(scratch / "run.sqlite");
  ASSERT_EQ(p.nvtx.size(), 2u);
  ASSERT_EQ(p.work.size(), 1u);
  const kernels::WorkAnnotation& work = work_of(p, "fprop");
  EXPECT_EQ(work.flop, 1234567890123456);
  EXPECT_EQ(work.bytes,
            (std::map<MemoryLevel, double>{{MemoryLevel::hbm, 4.03e8}, {MemoryLevel::l2, 0.5}}));
  EXPECT_EQ(work.precision, Precision::bf16);
  EXPECT_EQ(work.operation_class, "gemm");
  EXPECT_EQ(work.shape, "8192_x_4096");
  EXPECT_EQ(work.unknown_keys, 0);
  ASSERT_NE(find(p, "no work"), nullptr);
}

TEST(Annotate, FromCpp) {
  const Scratch scratch;
  const Ran ran = run(scratch, "annotate_cpp", "");
  EXPECT_EQ(ran.result.exit_code, 0) << ran.err;
  EXPECT_EQ(ran.out, "1\n");
  const store::Profile p = store::load_profile(scratch / "run.sqlite");
  EXPECT_EQ(p.nvtx.size(), 4u);
  const kernels::WorkAnnotation& gemm = work_of(p, "fprop");
  EXPECT_EQ(gemm.flop, 2.0 * 8192 * 4096 * 14336);
  EXPECT_EQ(gemm.shape, "8192x4096x14336");
  EXPECT_EQ(gemm.bytes.at(MemoryLevel::l2), 1.5e9);
  EXPECT_EQ(gemm.precision, Precision::nvfp4);
  EXPECT_EQ(work_of(p, "left by a throw").shape, "mine");
  // Each range ended with its scope.
  for (const store::NvtxRecord& r : p.nvtx) EXPECT_GE(r.end_ns, r.start_ns) << p.text(r);
  EXPECT_GE(find(p, "after")->start_ns, find(p, "step 0")->end_ns);
}

TEST(Annotate, WithoutAToolNothingHappens) {
  const Scratch scratch;
  const std::string out = (scratch / "out").string();
  EXPECT_EQ(std::system((program("annotate_c") + " >" + out + " 2>&1").c_str()), 0);
  EXPECT_EQ(contents(out), "");
  EXPECT_EQ(std::system((program("annotate_cpp") + " >" + out + " 2>&1").c_str()), 0);
  EXPECT_EQ(contents(out), "0\n");
}

}  // namespace
}  // namespace mansard::collector
