// SPDX-License-Identifier: Apache-2.0
// The work of GEMMs from the arguments of their calls, in programs that know nothing of it.
#include <cstdlib>

#include <gtest/gtest.h>

#include "tests/collector/run_program.h"

namespace mansard::collector {
namespace {

using namespace test;

// The output of the program: the status that a failing call returned, the GEMMs that reached cuBLAS
// and cuBLASLt, the answer of dlsym(RTLD_NEXT), and whether the user's hook was called.
struct Printed {
  int status = -1;
  int cublas = -1;
  int cublaslt = -1;
  int next = -1;
  int hooked = -1;
};

Printed printed(const Ran& ran) {
  Printed p;
  std::istringstream text(ran.out);
  text >> p.status >> p.cublas >> p.cublaslt >> p.next >> p.hooked;
  return p;
}

std::vector<kernels::WorkAnnotation> works_of(const store::Profile& p) {
  std::vector<kernels::WorkAnnotation> works;
  for (const store::NvtxRecord& range : p.nvtx) {
    if (const auto* work = p.work.find(range.row_id)) works.push_back(*work);
  }
  return works;
}

TEST(Gemms, OfALinkedProgram) {
  const Scratch scratch;
  const Ran ran = run(scratch, "gemm", "linked");
  EXPECT_EQ(ran.result.exit_code, 0) << ran.err;
  const Printed p = printed(ran);
  EXPECT_EQ(p.status, 13) << "CUBLAS_STATUS_EXECUTION_FAILED reaches the caller";
  EXPECT_EQ(p.cublas, 3);
  EXPECT_EQ(p.cublaslt, 1);
  EXPECT_EQ(p.next, 2) << "RTLD_NEXT is relative to the library that calls dlsym";

  const auto works = works_of(store::load_profile(scratch / "run.sqlite"));
  ASSERT_EQ(works.size(), 3u) << "the call of cuBLASLt inside cublasGemmEx has no range";
  for (const kernels::WorkAnnotation& work : works) {
    EXPECT_TRUE(work.modeled);
    EXPECT_EQ(work.operation_class, "gemm");
  }
  EXPECT_EQ(works[0].name, "cublasSgemm_v2");
  EXPECT_EQ(works[0].flop, 2.0 * 64 * 32 * 16);
  EXPECT_EQ(works[0].bytes.at(MemoryLevel::hbm), 4.0 * (64 * 16 + 16 * 32 + 2 * 64 * 32))
      << "beta is not zero: C is read";
  EXPECT_EQ(works[0].precision, std::nullopt);
  EXPECT_EQ(works[1].name, "cublasGemmEx");
  EXPECT_EQ(works[1].flop, 2.0 * 128 * 256 * 512);
  EXPECT_EQ(works[1].bytes.at(MemoryLevel::hbm), 2.0 * (128 * 512 + 512 * 256 + 128 * 256));
  EXPECT_EQ(works[1].precision, Precision::bf16);
  EXPECT_EQ(works[1].shape, "128x256x512");
  EXPECT_EQ(works[2].flop, 10 * 2.0 * 8 * 4 * 2);
  EXPECT_EQ(works[2].bytes.at(MemoryLevel::hbm), 10.0 * (2 * (8 * 2 + 2 * 4) + 4 * 8 * 4));
}

TEST(Gemms, LookedUpByName) {
  const Scratch scratch;
  const Ran ran = run(scratch, "gemm", "looked_up");
  EXPECT_EQ(ran.result.exit_code, 0) << ran.err;
  const Printed p = printed(ran);
  EXPECT_EQ(p.status, 0);
  EXPECT_EQ(p.cublaslt, 2);
  const auto works = works_of(store::load_profile(scratch / "run.sqlite"));
  ASSERT_EQ(works.size(), 2u);
  EXPECT_EQ(works[0].name, "cublasLtMatmul");
  EXPECT_EQ(works[0].flop, 3 * 2.0 * 128 * 256 * 512);
  EXPECT_EQ(works[0].bytes.at(MemoryLevel::hbm), 3.0 * (128 * 512 + 512 * 256 + 2 * 128 * 256));
  EXPECT_EQ(works[0].precision, Precision::fp8_e4m3);
  EXPECT_EQ(works[1].precision, Precision::mxfp8);
}

// A user's preloaded library stays preloaded, and its own hook of dlsym is called.
TEST(Gemms, WithAUsersPreloadedHook) {
  const Scratch scratch;
  setenv("LD_PRELOAD", MANSARD_DLSYM_HOOK, 1);
  const Ran ran = run(scratch, "gemm", "looked_up");
  unsetenv("LD_PRELOAD");
  const Printed p = printed(ran);
  EXPECT_EQ(p.hooked, 1);
  EXPECT_EQ(p.cublaslt, 2);
  EXPECT_EQ(works_of(store::load_profile(scratch / "run.sqlite")).size(), 2u);
}

}  // namespace
}  // namespace mansard::collector
