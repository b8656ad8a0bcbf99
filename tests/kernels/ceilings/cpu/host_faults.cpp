// SPDX-License-Identifier: Apache-2.0
// verify() must detect a wrong loop. Each case runs a kernel on a copy of the real loops with one
// replaced by a faulty one.
#include <gtest/gtest.h>

#include "kernels/ceilings/cpu/fma_kernel.h"
#include "kernels/ceilings/cpu/read.h"
#include "kernels/ceilings/cpu/triad.h"

namespace mansard::kernels {
namespace {

const VectorLoops& right() {
  static const VectorLoops loops = vector_loops(supported_instruction_sets().back());
  return loops;
}

std::string verify_triad(decltype(VectorLoops::triad) triad) {
  VectorLoops loops = right();
  loops.triad = triad;
  PrepareOptions options;
  options.shape = {1024 * 1024};
  return prepare_triad(loops, host_device(), options)->verify();
}

TEST(HostFaults, CorrectTriadPasses) { EXPECT_EQ(verify_triad(right().triad), ""); }

TEST(HostFaults, TriadThatMissesTheLastElementsIsDetected) {
  EXPECT_NE(verify_triad([](double* a, const double* b, const double* c, double s, std::int64_t n,
                            std::int64_t repetitions) {
              right().triad(a, b, c, s, n - kLoopGranuleBytes / 8, repetitions);
            }),
            "");
}

TEST(HostFaults, TriadWithOneElementOffByAFewRoundingsIsDetected) {
  const std::string found = verify_triad([](double* a, const double* b, const double* c, double s,
                                            std::int64_t n, std::int64_t repetitions) {
    right().triad(a, b, c, s, n, repetitions);
    a[77] += 1e-14;
  });
  EXPECT_NE(found.find("element 77"), std::string::npos) << found;
}

TEST(HostFaults, TriadThatChangesItsInputsIsDetected) {
  EXPECT_NE(verify_triad([](double* a, const double* b, const double* c, double s, std::int64_t n,
                            std::int64_t repetitions) {
              const_cast<double*>(b)[5] += 1;
              right().triad(a, b, c, s, n, repetitions);
            }),
            "");
}

std::string verify_read(decltype(VectorLoops::dot) dot) {
  VectorLoops loops = right();
  loops.dot = dot;
  PrepareOptions options;
  options.shape = {1024 * 1024};
  return prepare_read("cpu_read", loops, host_device(), options)->verify();
}

TEST(HostFaults, CorrectReadPasses) { EXPECT_EQ(verify_read(right().dot), ""); }

TEST(HostFaults, ReadThatSkipsOneElementIsDetected) {
  EXPECT_NE(verify_read([](const double* x, const double* y, std::int64_t n, std::int64_t passes) {
              return right().dot(x, y, n, passes) - x[3] * y[3];
            }),
            "");
}

TEST(HostFaults, ReadThatSkipsOneRepetitionIsDetected) {
  EXPECT_NE(verify_read([](const double* x, const double* y, std::int64_t n, std::int64_t passes) {
              return right().dot(x, y, n, passes - (passes > 1 ? 1 : 0));
            }),
            "");
}

template <class T>
class HostFaultsOfFma : public testing::Test {
 protected:
  static std::string verify(FmaLoop<T> loop) {
    VectorLoops loops = right();
    if constexpr (sizeof(T) == 8) {
      loops.fma_fp64 = loop;
    } else {
      loops.fma_fp32 = loop;
    }
    return FmaKernel<T>(loops, {}).verify();
  }
};
using Precisions = testing::Types<double, float>;
TYPED_TEST_SUITE(HostFaultsOfFma, Precisions);

TYPED_TEST(HostFaultsOfFma, CorrectLoopPasses) {
  EXPECT_EQ(this->verify(right().fma<TypeParam>()), "");
}

TYPED_TEST(HostFaultsOfFma, MissingRoundIsDetected) {
  EXPECT_NE(this->verify([](TypeParam* lanes, TypeParam m, TypeParam a, std::int64_t rounds) {
    right().fma<TypeParam>()(lanes, m, a, rounds - 1);
  }),
            "");
}

// In the long launch only: two rounds fewer preserve the sign.
TYPED_TEST(HostFaultsOfFma, TwoMissingRoundsOfManyAreDetected) {
  EXPECT_NE(this->verify([](TypeParam* lanes, TypeParam m, TypeParam a, std::int64_t rounds) {
    right().fma<TypeParam>()(lanes, m, a, rounds > 3 ? rounds - 2 : rounds);
  }),
            "");
}

TYPED_TEST(HostFaultsOfFma, OneWrongLaneIsDetected) {
  EXPECT_NE(this->verify([](TypeParam* lanes, TypeParam m, TypeParam a, std::int64_t rounds) {
    right().fma<TypeParam>()(lanes, m, a, rounds);
    lanes[11] *= TypeParam{1.01};
  }),
            "");
}

TYPED_TEST(HostFaultsOfFma, NanIsDetected) {
  EXPECT_NE(this->verify([](TypeParam* lanes, TypeParam, TypeParam, std::int64_t) {
    lanes[0] = std::numeric_limits<TypeParam>::quiet_NaN();
  }),
            "");
}

}  // namespace
}  // namespace mansard::kernels
