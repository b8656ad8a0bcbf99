// SPDX-License-Identifier: Apache-2.0
// Work of operations by hand: FLOPs from the formula of each operation, bytes of its operands.
#include "kernels/annotation/operation_work.h"

#include <gtest/gtest.h>

namespace mansard::kernels {
namespace {

using Arguments = std::vector<OperationArgument>;

const OperationArgument kNumber{{}, "Scalar", "1"};

OperationArgument bf16(std::vector<std::int64_t> sizes) {
  return {std::move(sizes), "c10::BFloat16", ""};
}

OperationArgument other(std::string value) { return {{}, "", std::move(value)}; }

WorkAnnotation work_of(std::string_view operation, const Arguments& arguments) {
  const std::optional<WorkAnnotation> work = operation_work(operation, arguments);
  EXPECT_TRUE(work) << operation;
  return work.value_or(WorkAnnotation{});
}

double hbm(const WorkAnnotation& work) { return work.bytes.at(MemoryLevel::hbm); }

TEST(OperationWork, Addmm) {
  const OperationArgument bias{{512}, "float", ""};
  const OperationArgument a{{1024, 1705}, "float", ""};
  const OperationArgument b{{1705, 512}, "float", ""};
  const WorkAnnotation work = work_of("aten::addmm", {bias, a, b, kNumber, kNumber});
  EXPECT_DOUBLE_EQ(work.flop, 2.0 * 1024 * 1705 * 512);
  EXPECT_DOUBLE_EQ(hbm(work), 4.0 * (1024 * 1705 + 1705 * 512 + 1024 * 512 + 512));
  EXPECT_EQ(work.operation_class, "gemm");
  EXPECT_EQ(work.shape, "1024x512x1705");
  EXPECT_EQ(work.precision, std::nullopt) << "FP32 or TF32";
}

TEST(OperationWork, BatchedProducts) {
  const WorkAnnotation bmm = work_of("aten::bmm", {bf16({96, 128, 64}), bf16({96, 64, 256})});
  EXPECT_DOUBLE_EQ(bmm.flop, 96 * 2.0 * 128 * 256 * 64);
  EXPECT_DOUBLE_EQ(hbm(bmm), 96 * 2.0 * (128 * 64 + 64 * 256 + 128 * 256));
  EXPECT_EQ(bmm.shape, "96x128x256x64");
  EXPECT_EQ(bmm.precision, Precision::bf16);
  const WorkAnnotation with_c =
      work_of("aten::baddbmm", {bf16({96, 128, 256}), bf16({96, 128, 64}), bf16({96, 64, 256})});
  EXPECT_DOUBLE_EQ(with_c.flop, bmm.flop);
  EXPECT_DOUBLE_EQ(hbm(with_c), hbm(bmm) + 96 * 2.0 * 128 * 256);
}

TEST(OperationWork, ScaledProducts) {
  const auto of = [](std::string type, std::string scale, std::int64_t k, std::string output) {
    const OperationArgument scales{{1}, std::move(scale), ""};
    return Arguments{{{64, k}, type, ""}, {{k, 32}, type, ""},     scales, scales, other(""),
                     other(""),           other(std::move(output))};
  };
  const WorkAnnotation fp8 =
      work_of("aten::_scaled_mm", of("c10::Float8_e4m3fn", "float", 128, "15"));
  EXPECT_DOUBLE_EQ(fp8.flop, 2.0 * 64 * 32 * 128);
  EXPECT_DOUBLE_EQ(hbm(fp8), 64 * 128 + 128 * 32 + 2 * 64 * 32);
  EXPECT_EQ(fp8.precision, Precision::fp8_e4m3);
  const WorkAnnotation to_fp32 =
      work_of("aten::_scaled_mm", of("c10::Float8_e4m3fn", "float", 128, "6"));
  EXPECT_DOUBLE_EQ(hbm(to_fp32), hbm(fp8) + 2 * 64 * 32);
  const WorkAnnotation mx =
      work_of("aten::_scaled_mm", of("c10::Float8_e4m3fn", "c10::Float8_e8m0fnu", 128, "15"));
  EXPECT_EQ(mx.precision, Precision::mxfp8);
  EXPECT_DOUBLE_EQ(hbm(mx), (64 * 128 + 128 * 32) * (1 + 1.0 / 32) + 2 * 64 * 32);
  // 64 bytes of packed pairs along K.
  const WorkAnnotation nvfp4 =
      work_of("aten::_scaled_mm", of("c10::Float4_e2m1fn_x2", "c10::Float8_e4m3fn", 64, "15"));
  EXPECT_EQ(nvfp4.precision, Precision::nvfp4);
  EXPECT_DOUBLE_EQ(nvfp4.flop, fp8.flop);
  EXPECT_DOUBLE_EQ(hbm(nvfp4), (64 * 128 + 128 * 32) * (0.5 + 1.0 / 16) + 2 * 64 * 32);
}

// The first layer of AlexNet: 224 x 224 images, 64 filters of 11 x 11, stride 4, padding 2 give
// 55 x 55 outputs.
TEST(OperationWork, Convolution) {
  const OperationArgument input = bf16({16, 3, 224, 224});
  const OperationArgument weight = bf16({64, 3, 11, 11});
  const double forward = 2.0 * 16 * 64 * 55 * 55 * 3 * 11 * 11;
  const double bytes = 2.0 * (16 * 3 * 224 * 224 + 64 * 3 * 11 * 11 + 16 * 64 * 55 * 55);
  const WorkAnnotation work =
      work_of("aten::convolution", {input, weight, bf16({64}), other("[4, 4]"), other("[2, 2]"),
                                    other("[1, 1]"), other("False"), other("[0, 0]"), other("1")});
  EXPECT_DOUBLE_EQ(work.flop, forward);
  EXPECT_DOUBLE_EQ(hbm(work), bytes);
  EXPECT_EQ(work.operation_class, "convolution");

  const auto backward = [&](std::string mask) {
    return work_of(
        "aten::convolution_backward",
        {bf16({16, 64, 55, 55}), input, weight, other("[64]"), other("[4, 4]"), other("[2, 2]"),
         other("[1, 1]"), other("False"), other("[0, 0]"), other("1"), other(std::move(mask))});
  };
  EXPECT_DOUBLE_EQ(backward("[True, True, True]").flop, 2 * forward);
  EXPECT_DOUBLE_EQ(hbm(backward("[True, True, True]")), 2 * bytes);
  EXPECT_DOUBLE_EQ(backward("[False, True, False]").flop, forward) << "of the first layer";
  // Without stride and padding the size of the output is unknown.
  EXPECT_FALSE(operation_work("aten::convolution", Arguments{input, weight}));
}

TEST(OperationWork, GroupedAndTransposedConvolution) {
  const auto with = [](const OperationArgument& weight, const char* transposed) {
    return work_of("aten::convolution",
                   {bf16({1, 8, 10, 10}), weight, other(""), other("[1]"), other("[1]"),
                    other("[1]"), other(transposed), other("[0]"), other("4")});
  };
  EXPECT_DOUBLE_EQ(with(bf16({16, 2, 3, 3}), "False").flop, 2.0 * 16 * 10 * 10 * 2 * 9);
  EXPECT_DOUBLE_EQ(with(bf16({8, 4, 3, 3}), "True").flop, 2.0 * 8 * 10 * 10 * 4 * 9);
}

// With a causal mask, query i needs the first i + 1 keys: about half of all pairs.
TEST(OperationWork, Attention) {
  const OperationArgument q = bf16({2, 32, 4096, 64});
  const OperationArgument k = bf16({2, 8, 4096, 64});
  const auto forward = [&](std::string causal) {
    return work_of("aten::_scaled_dot_product_flash_attention",
                   {q, k, k, other("0."), other(std::move(causal)), other("False")});
  };
  const double full = 4.0 * 2 * 32 * 4096 * 4096 * 64;
  EXPECT_DOUBLE_EQ(forward("False").flop, full);
  EXPECT_DOUBLE_EQ(forward("True").flop, full * 4097 / 4096 / 2);
  EXPECT_DOUBLE_EQ(hbm(forward("True")), 2.0 * 2 * 4096 * 64 * (32 + 8 + 8 + 32));
  EXPECT_DOUBLE_EQ(forward("").flop, 0) << "the mask was not recorded";
  EXPECT_EQ(forward("True").operation_class, "attention");

  const OperationArgument scale = other("0.");
  const WorkAnnotation backward = work_of("aten::_scaled_dot_product_flash_attention_backward",
                                          {q, q, k, k, q, bf16({2, 32, 4096}), other(""), other(""),
                                           other("4096"), other("4096"), scale, other("True")});
  EXPECT_DOUBLE_EQ(backward.flop, 2.5 * forward("True").flop);
}

// A tensor that is added to the scores: all pairs are computed, half are needed if it is causal.
TEST(OperationWork, AttentionWithAMaskTensor) {
  const OperationArgument q = bf16({2, 32, 4096, 64});
  const auto forward = [&](const OperationArgument& mask, std::string causal) {
    return work_of("aten::_scaled_dot_product_efficient_attention",
                   {q, q, q, mask, other("True"), other("0."), other(std::move(causal))});
  };
  const double full = 4.0 * 2 * 32 * 4096 * 4096 * 64;
  const WorkAnnotation masked = forward(bf16({2, 32, 4096, 4096}), "False");
  EXPECT_DOUBLE_EQ(masked.flop, full);
  EXPECT_DOUBLE_EQ(masked.causal_flop, full * 4097 / 4096 / 2);
  EXPECT_DOUBLE_EQ(hbm(masked), 2.0 * 4 * 2 * 32 * 4096 * 64 + 2.0 * 4096 * 4096)
      << "dimensions of the mask may be expanded";
  EXPECT_DOUBLE_EQ(forward(other(""), "False").causal_flop, 0) << "no mask";
  EXPECT_DOUBLE_EQ(forward(other(""), "False").flop, full);
  EXPECT_DOUBLE_EQ(forward(other(""), "True").causal_flop, 0);
  const std::optional<WorkAnnotation> again = parse_work_annotation(to_text(masked));
  ASSERT_TRUE(again);
  EXPECT_DOUBLE_EQ(again->causal_flop, masked.causal_flop);
  EXPECT_EQ(again->shape, "2x32x4096x4096x64,mask");
}

TEST(OperationWork, AttentionWithLengthBeforeHeads) {
  const WorkAnnotation work =
      work_of("flash_attn::_flash_attn_forward",
              {bf16({1, 128, 4, 64}), bf16({1, 512, 2, 64}), bf16({1, 512, 2, 64}), other("0."),
               other("0.125"), other("False")});
  EXPECT_DOUBLE_EQ(work.flop, 4.0 * 4 * 128 * 512 * 64);
}

TEST(OperationWork, LeastBytesOfMemoryOperations) {
  const OperationArgument x = bf16({8, 1, 256});
  const OperationArgument y{{4, 256}, "float", ""};
  EXPECT_DOUBLE_EQ(hbm(work_of("aten::add", {x, y, kNumber})),
                   8 * 256 * 2 + 4 * 256 * 4 + 8 * 4 * 256 * 2)
      << "the output has the broadcast shape";
  EXPECT_DOUBLE_EQ(hbm(work_of("aten::add_", {x, x})), 3 * 8 * 256 * 2);
  EXPECT_DOUBLE_EQ(hbm(work_of("aten::copy_", {x, y, kNumber})), 8 * 256 * 2 + 4 * 256 * 4);
  EXPECT_DOUBLE_EQ(hbm(work_of("aten::zero_", {y})), 4 * 256 * 4);
  EXPECT_DOUBLE_EQ(hbm(work_of("aten::sum", {y})), 4 * 256 * 4);
  EXPECT_DOUBLE_EQ(hbm(work_of("aten::gt", {y, kNumber})), 4 * 256 * 4 + 4 * 256);
  const OperationArgument tokens{{16, 32}, "long int", ""};
  EXPECT_DOUBLE_EQ(hbm(work_of("aten::embedding", {bf16({50257, 256}), tokens})),
                   16 * 32 * 8 + 16 * 32 * 256 * 2);
  EXPECT_EQ(work_of("aten::add", {x, y}).operation_class, "") << "the kernel's name decides";
}

// torch.autograd.profiler.emit_nvtx(record_shapes=True)
TEST(OperationWork, TextOfARange) {
  const auto work = work_of_text("aten::mm, op_id = 12, sizes = [[4096, 2048], [2048, 8192]]");
  ASSERT_TRUE(work);
  EXPECT_EQ(work->name, "aten::mm");
  EXPECT_DOUBLE_EQ(work->flop, 2.0 * 4096 * 2048 * 8192);
  EXPECT_TRUE(work->bytes.empty()) << "the types are unknown";
  EXPECT_TRUE(work->modeled);
  EXPECT_DOUBLE_EQ(
      work_of_text("aten::addmm, seq = 3, op_id = 9, sizes = [[8], [4, 2], [2, 8], [], []], "
                   "input_op_ids = []")
          .value_or(WorkAnnotation{})
          .flop,
      2.0 * 4 * 2 * 8);
  EXPECT_FALSE(work_of_text("aten::add, op_id = 12, sizes = [[4096, 2048], [2048]]"));
  EXPECT_FALSE(work_of_text("aten::mm, op_id = 12, sizes = [[4096, 2048], [2048"));
  EXPECT_FALSE(work_of_text("aten::mm"));
  EXPECT_FALSE(work_of_text("fprop | flop=1e6 sizes = [[1, 2], [2, 3]]")->modeled);
}

TEST(OperationWork, UnknownOperationsAndArgumentsThatDoNotFit) {
  EXPECT_FALSE(operation_work("aten::linear", Arguments{bf16({4, 4}), bf16({4, 4})}))
      << "its aten::addmm has the work";
  EXPECT_FALSE(operation_work("ProfilerStep#3", Arguments{}));
  EXPECT_FALSE(operation_work("aten::mm", Arguments{bf16({4, 5}), bf16({6, 7})}));
  EXPECT_FALSE(operation_work("aten::mm", Arguments{bf16({4, 0}), bf16({0, 7})}));
  EXPECT_FALSE(operation_work("aten::mm", Arguments{bf16({4, 5})}));
  EXPECT_FALSE(operation_work("aten::mm", Arguments{bf16({-4, 5}), bf16({5, 7})}));
  EXPECT_FALSE(operation_work("aten::bmm", Arguments{bf16({2, 4, 5}), bf16({3, 5, 6})}));
  EXPECT_FALSE(operation_work("aten::add", Arguments{kNumber, kNumber}));
  const std::int64_t large = INT64_MAX;
  EXPECT_FALSE(operation_work("aten::mm", Arguments{bf16({large, 5}), bf16({5, large})}));
}

}  // namespace
}  // namespace mansard::kernels
