// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "kernels/device/device_buffer.h"
#include "kernels/recipes/fill_random.h"

namespace mansard::kernels {
namespace {

TEST(FillOnDevice, MatchesTheHostBitForBit) {
  constexpr std::int64_t kCount = 100000;
  for (const ElementFormat format :
       {ElementFormat::fp64, ElementFormat::fp32, ElementFormat::tf32, ElementFormat::fp16,
        ElementFormat::bf16, ElementFormat::fp8_e4m3, ElementFormat::int8, ElementFormat::fp4_e2m1,
        ElementFormat::scale_e8m0, ElementFormat::scale_e4m3}) {
    for (const DataPattern pattern :
         {DataPattern::zeros, DataPattern::random_uniform, DataPattern::random_normal}) {
      const int bits = bits_per_element(format);
      DeviceBuffer<unsigned char> buffer(static_cast<std::size_t>(kCount * bits / 8));
      buffer.fill_bytes(0xff);
      fill_random_on_device(format, buffer.get(), kCount, pattern, 21, nullptr);
      const std::vector<unsigned char> bytes = buffer.to_host();
      int different = 0;
      for (std::int64_t i = 0; i < kCount; ++i) {
        const std::uint64_t expected =
            random_bits(format, pattern, 21, static_cast<std::uint64_t>(i));
        for (int bit = 0; bit < bits; ++bit) {
          const std::int64_t place = i * bits + bit;
          const int got = bytes[static_cast<std::size_t>(place / 8)] >> (place % 8) & 1;
          different += got != static_cast<int>(expected >> bit & 1);
        }
      }
      EXPECT_EQ(different, 0) << "format " << static_cast<int>(format) << ", "
                              << to_string(pattern);
    }
  }
}

class LibraryCeiling : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    spec_ = kernel_registry().find(GetParam());
    if (spec_ == nullptr) GTEST_SKIP() << "this build has no cublasLt.h";
    const std::string reason = spec_->unsupported(device_);
    if (!reason.empty()) GTEST_SKIP() << reason;
  }
  std::unique_ptr<PreparedKernel> prepare(const PrepareOptions& options) const {
    return spec_->prepare(device_, options);
  }
  const KernelSpec* spec_ = nullptr;
  DeviceInfo device_ = cuda_devices().front();
};

TEST_P(LibraryCeiling, MatchesItsReference) {
  PrepareOptions options;
  options.pattern = DataPattern::zeros;  // verification must not depend on it
  options.shape = {512, 768, 1024};
  const auto kernel = prepare(options);
  EXPECT_EQ(kernel->work().flop, 2.0 * 512 * 768 * 1024);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(kernel->verify(), "");
}

TEST_P(LibraryCeiling, RepeatsItsChoiceWithoutASearch) {
  PrepareOptions options;
  options.shape = {1024, 1024, 2048};
  const auto first = prepare(options);
  const PrepareOptions chosen = first->chosen(options);
  ASSERT_EQ(chosen.shape.size(), 4u);
  const auto again = prepare(chosen);
  EXPECT_EQ(again->verify(), "");
  const auto before = first->parameters();
  const auto after = again->parameters();
  EXPECT_EQ(after.at("candidates"), "1");
  for (const char* key : {"shape", "layout", "algorithm", "tile", "stages", "cluster", "split_k"}) {
    EXPECT_EQ(before.count(key), after.count(key)) << key;
    if (before.count(key) != 0) {
      EXPECT_EQ(before.at(key), after.at(key)) << key;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, LibraryCeiling,
                         testing::Values("cublaslt_bf16", "cublaslt_fp16", "cublaslt_tf32",
                                         "cublaslt_fp8_e4m3", "cublaslt_int8", "cublaslt_fp64",
                                         "cublaslt_mxfp8", "cublaslt_nvfp4"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace mansard::kernels
