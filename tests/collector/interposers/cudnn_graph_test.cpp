// SPDX-License-Identifier: Apache-2.0
// The work of cuDNN's plans, with the descriptors that cudnn-frontend creates for attention and
// convolutions.
#include "collector/interposers/cudnn_graph.h"

#include <gtest/gtest.h>

#include "tests/collector/interposers/cudnn_calls.h"

#if __has_include(<cudnn_graph.h>)
#include <cudnn_graph.h>
#endif

namespace mansard::collector {
namespace {

using test::CudnnCalls;
using Tensor = CudnnCalls::Descriptor;

#ifdef CUDNN_GRAPH_H_
TEST(CudnnAbi, IsThatOfTheHeader) {
  using namespace cudnn;
  EXPECT_EQ(int{kConvolutionForward}, CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR);
  EXPECT_EQ(int{kConvolutionBackwardFilter},
            CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR);
  EXPECT_EQ(int{kConvolutionBackwardData},
            CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR);
  EXPECT_EQ(int{kPointwise}, CUDNN_BACKEND_POINTWISE_DESCRIPTOR);
  EXPECT_EQ(int{kPointwiseOperation}, CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
  EXPECT_EQ(int{kReductionOperation}, CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR);
  EXPECT_EQ(int{kReshapeOperation}, CUDNN_BACKEND_OPERATION_RESHAPE_DESCRIPTOR);
  EXPECT_EQ(int{kRngOperation}, CUDNN_BACKEND_OPERATION_RNG_DESCRIPTOR);
  EXPECT_EQ(int{kMatmulOperation}, CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR);
  EXPECT_EQ(int{kOperationGraph}, CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
  EXPECT_EQ(int{kTensor}, CUDNN_BACKEND_TENSOR_DESCRIPTOR);
  EXPECT_EQ(int{kEngine}, CUDNN_BACKEND_ENGINE_DESCRIPTOR);
  EXPECT_EQ(int{kEngineConfig}, CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
  EXPECT_EQ(int{kHeuristic}, CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
  EXPECT_EQ(int{kPlan}, CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);

  EXPECT_EQ(int{kPointwiseMode}, CUDNN_ATTR_POINTWISE_MODE);
  EXPECT_EQ(int{kPointwiseAxis}, CUDNN_ATTR_POINTWISE_AXIS);
  EXPECT_EQ(int{kHeuristicGraph}, CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH);
  EXPECT_EQ(int{kHeuristicResults}, CUDNN_ATTR_ENGINEHEUR_RESULTS);
  EXPECT_EQ(int{kEngineConfigEngine}, CUDNN_ATTR_ENGINECFG_ENGINE);
  EXPECT_EQ(int{kPlanEngineConfig}, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG);
  EXPECT_EQ(int{kForwardW}, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W);
  EXPECT_EQ(int{kForwardX}, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X);
  EXPECT_EQ(int{kForwardY}, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y);
  EXPECT_EQ(int{kBackwardDataW}, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W);
  EXPECT_EQ(int{kBackwardDataDx}, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX);
  EXPECT_EQ(int{kBackwardDataDy}, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY);
  EXPECT_EQ(int{kBackwardFilterDw}, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW);
  EXPECT_EQ(int{kBackwardFilterX}, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X);
  EXPECT_EQ(int{kBackwardFilterDy}, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY);
  EXPECT_EQ(int{kPointwiseDescriptor}, CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR);
  EXPECT_EQ(int{kPointwiseX}, CUDNN_ATTR_OPERATION_POINTWISE_XDESC);
  EXPECT_EQ(int{kPointwiseB}, CUDNN_ATTR_OPERATION_POINTWISE_BDESC);
  EXPECT_EQ(int{kPointwiseY}, CUDNN_ATTR_OPERATION_POINTWISE_YDESC);
  EXPECT_EQ(int{kPointwiseT}, CUDNN_ATTR_OPERATION_POINTWISE_TDESC);
  EXPECT_EQ(int{kGraphOperations}, CUDNN_ATTR_OPERATIONGRAPH_OPS);
  EXPECT_EQ(int{kTensorType}, CUDNN_ATTR_TENSOR_DATA_TYPE);
  EXPECT_EQ(int{kTensorSizes}, CUDNN_ATTR_TENSOR_DIMENSIONS);
  EXPECT_EQ(int{kTensorStrides}, CUDNN_ATTR_TENSOR_STRIDES);
  EXPECT_EQ(int{kTensorVectorCount}, CUDNN_ATTR_TENSOR_VECTOR_COUNT);
  EXPECT_EQ(int{kTensorId}, CUDNN_ATTR_TENSOR_UNIQUE_ID);
  EXPECT_EQ(int{kTensorIsVirtual}, CUDNN_ATTR_TENSOR_IS_VIRTUAL);
  EXPECT_EQ(int{kEngineGraph}, CUDNN_ATTR_ENGINE_OPERATION_GRAPH);
  EXPECT_EQ(int{kMatmulA}, CUDNN_ATTR_OPERATION_MATMUL_ADESC);
  EXPECT_EQ(int{kMatmulB}, CUDNN_ATTR_OPERATION_MATMUL_BDESC);
  EXPECT_EQ(int{kMatmulC}, CUDNN_ATTR_OPERATION_MATMUL_CDESC);
  EXPECT_EQ(int{kMatmulOverrideM}, CUDNN_ATTR_OPERATION_MATMUL_GEMM_M_OVERRIDE_DESC);
  EXPECT_EQ(int{kMatmulOverrideN}, CUDNN_ATTR_OPERATION_MATMUL_GEMM_N_OVERRIDE_DESC);
  EXPECT_EQ(int{kMatmulOverrideK}, CUDNN_ATTR_OPERATION_MATMUL_GEMM_K_OVERRIDE_DESC);

  EXPECT_EQ(int{kTypeDataType}, CUDNN_TYPE_DATA_TYPE);
  EXPECT_EQ(int{kTypeBoolean}, CUDNN_TYPE_BOOLEAN);
  EXPECT_EQ(int{kTypeInt64}, CUDNN_TYPE_INT64);
  EXPECT_EQ(int{kTypePointwiseMode}, CUDNN_TYPE_POINTWISE_MODE);
  EXPECT_EQ(int{kTypeDescriptor}, CUDNN_TYPE_BACKEND_DESCRIPTOR);
  EXPECT_EQ(int{kTypeChar}, CUDNN_TYPE_CHAR);
  EXPECT_EQ(int{kPlanJson}, CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION);
  EXPECT_EQ(int{kAdd}, CUDNN_POINTWISE_ADD);
  EXPECT_EQ(int{kCompareEqual}, CUDNN_POINTWISE_CMP_EQ);
  EXPECT_EQ(int{kCompareGreaterOrEqual}, CUDNN_POINTWISE_CMP_GE);
  EXPECT_EQ(int{kCompareLessOrEqual}, CUDNN_POINTWISE_CMP_LE);
  EXPECT_EQ(int{kGenerateIndex}, CUDNN_POINTWISE_GEN_INDEX);
  EXPECT_EQ(int{kBinarySelect}, CUDNN_POINTWISE_BINARY_SELECT);
  EXPECT_EQ(int{kHalf}, CUDNN_DATA_HALF);
  EXPECT_EQ(int{kBfloat16}, CUDNN_DATA_BFLOAT16);
  EXPECT_EQ(int{kFp8E4m3}, CUDNN_DATA_FP8_E4M3);
  EXPECT_EQ(int{kFp8E5m2}, CUDNN_DATA_FP8_E5M2);
  EXPECT_EQ(int{kFp4E2m1}, CUDNN_DATA_FP4_E2M1);
  EXPECT_EQ(int{kNotInitialized}, CUDNN_STATUS_NOT_INITIALIZED);
}
#endif

constexpr std::int64_t kBatch = 2, kHeads = 8, kKvHeads = 2, kLength = 512, kSize = 64;
constexpr double kAllFlop = 4.0 * kBatch * kHeads * kLength * kLength * kSize;
constexpr double kCausalFlop = kAllFlop * (kLength + 1) / (2 * kLength);
constexpr double kOperandBytes = 2.0 * kBatch * kLength * kSize * (2 * kHeads + 2 * kKvHeads);

// The forward pass of attention: what is done with the scores is `modify`, which returns the
// operations that it adds.
struct Attention {
  CudnnCalls& c;
  Tensor q = c.tensor({kBatch, kHeads, kLength, kSize});
  Tensor k = c.tensor({kBatch, kKvHeads, kSize, kLength});
  Tensor v = c.tensor({kBatch, kKvHeads, kLength, kSize});
  Tensor o = c.tensor({kBatch, kHeads, kLength, kSize});
  Tensor scores = c.between({kBatch, kHeads, kLength, kLength});
  Tensor p = c.between({kBatch, kHeads, kLength, kLength});

  Tensor index(int axis, std::vector<Tensor>& operations) {
    Tensor out = c.between({kBatch, kHeads, kLength, kLength}, cudnn::kInt32);
    operations.push_back(c.pointwise(cudnn::kGenerateIndex, {scores, nullptr, out}, axis));
    return out;
  }
  std::vector<Tensor> causal(int mode = cudnn::kCompareGreaterOrEqual) {
    std::vector<Tensor> operations;
    const Tensor row = index(2, operations);
    const Tensor column = index(3, operations);
    operations.push_back(c.pointwise(mode, {row, column, c.between(kScores, cudnn::kBoolean)}));
    return operations;
  }
  std::vector<Tensor> mask() {
    // Expanded over the batch and the heads: strides of 0.
    const Tensor bias = c.tensor({kBatch, kHeads, kLength, kLength}, {0, 0, kLength, 1});
    return {c.pointwise(cudnn::kAdd, {scores, bias, c.between(kScores)})};
  }
  kernels::WorkAnnotation work(std::vector<Tensor> modify = {},
                               const std::vector<std::pair<int, Tensor>>& more = {}) {
    std::vector<Tensor> operations = {c.matmul(q, k, scores, more)};
    operations.insert(operations.end(), modify.begin(), modify.end());
    operations.push_back(c.matmul(p, v, o));
    return c.work_of(c.plan(operations));
  }

  const std::vector<std::int64_t> kScores{kBatch, kHeads, kLength, kLength};
};

TEST(CudnnGraph, AttentionOfAllPairs) {
  CudnnCalls c;
  const kernels::WorkAnnotation work = Attention{c}.work();
  EXPECT_EQ(work.flop, kAllFlop);
  EXPECT_EQ(work.bytes.at(MemoryLevel::hbm), kOperandBytes);
  EXPECT_EQ(work.precision, Precision::bf16);
  EXPECT_EQ(work.operation_class, "attention");
  EXPECT_EQ(work.shape, "2x8x512x512x64");
  EXPECT_EQ(work.causal_flop, 0);
  EXPECT_TRUE(work.modeled);
}

TEST(CudnnGraph, CausalAttention) {
  CudnnCalls c;
  Attention call{c};
  const kernels::WorkAnnotation work = call.work(call.causal());
  EXPECT_EQ(work.flop, kCausalFlop);
  EXPECT_EQ(work.shape, "2x8x512x512x64,causal");
}

TEST(CudnnGraph, AttentionWithAMaskTensor) {
  CudnnCalls c;
  Attention call{c};
  const kernels::WorkAnnotation work = call.work(call.mask());
  EXPECT_EQ(work.flop, kAllFlop);
  EXPECT_EQ(work.causal_flop, kCausalFlop);
  EXPECT_EQ(work.bytes.at(MemoryLevel::hbm), kOperandBytes + 2.0 * kLength * kLength);
  // A learned bias with a causal mask is not such a mask.
  std::vector<Tensor> both = call.mask();
  for (const Tensor operation : call.causal()) both.push_back(operation);
  EXPECT_EQ(call.work(both).flop, kCausalFlop);
  EXPECT_EQ(call.work(both).causal_flop, 0);
}

// Where the pairs are not known, neither are the FLOPs. The bytes are.
TEST(CudnnGraph, AttentionOfUnknownPairs) {
  CudnnCalls c;
  Attention call{c};
  std::vector<Tensor> window = call.causal();
  for (const Tensor operation : call.causal(cudnn::kCompareEqual)) window.push_back(operation);
  const Tensor lengths = c.tensor({kBatch, 1, 1, 1}, {}, cudnn::kInt32);
  for (const kernels::WorkAnnotation& work :
       {call.work(window), call.work({}, {{cudnn::kMatmulOverrideM, lengths}}),
        call.work({c.operation(/*expand band matrix*/ 39, {})})}) {
    EXPECT_EQ(work.flop, 0);
    EXPECT_GE(work.bytes.at(MemoryLevel::hbm), kOperandBytes);
    EXPECT_EQ(work.operation_class, "attention");
  }
}

TEST(CudnnGraph, AttentionBackward) {
  CudnnCalls c;
  Attention call{c};
  const std::vector<std::int64_t> of_q = {kBatch, kHeads, kLength, kSize};
  const Tensor d_o = c.tensor(of_q);
  const Tensor v_t = c.tensor({kBatch, kKvHeads, kSize, kLength});
  std::vector<Tensor> operations = {c.matmul(call.q, call.k, call.scores)};
  for (const Tensor operation : call.causal()) operations.push_back(operation);
  operations.push_back(c.matmul(c.between(call.kScores), d_o, c.tensor(of_q)));
  operations.push_back(c.matmul(d_o, v_t, c.between(call.kScores)));
  operations.push_back(c.matmul(c.between(call.kScores), call.k, c.tensor(of_q)));
  operations.push_back(c.matmul(c.between(call.kScores), call.q, c.tensor(of_q)));
  EXPECT_EQ(c.work_of(c.plan(operations)).flop, 2.5 * kCausalFlop);
}

TEST(CudnnGraph, Convolutions) {
  CudnnCalls c;
  const Tensor x = c.tensor({32, 64, 56, 56});
  const Tensor w = c.tensor({128, 32, 3, 3});  // two groups
  const Tensor y = c.tensor({32, 128, 28, 28});
  const double flop = 2.0 * 32 * 128 * 28 * 28 * 32 * 3 * 3;
  using namespace cudnn;
  const Tensor forward =
      c.operation(kConvolutionForward, {{kForwardX, x}, {kForwardW, w}, {kForwardY, y}});
  const Tensor data = c.operation(
      kConvolutionBackwardData, {{kBackwardDataDx, x}, {kBackwardDataW, w}, {kBackwardDataDy, y}});
  const Tensor filter =
      c.operation(kConvolutionBackwardFilter,
                  {{kBackwardFilterX, x}, {kBackwardFilterDw, w}, {kBackwardFilterDy, y}});
  for (const Tensor operation : {forward, data, filter}) {
    const kernels::WorkAnnotation work = c.work_of(c.plan({operation}));
    EXPECT_EQ(work.flop, flop);
    EXPECT_EQ(work.operation_class, "convolution");
    EXPECT_EQ(work.bytes.at(MemoryLevel::hbm),
              2.0 * (32 * 64 * 56 * 56 + 128 * 32 * 9 + 32 * 128 * 28 * 28));
  }
}

TEST(CudnnGraph, OtherOperationsHaveBytes) {
  CudnnCalls c;
  const Tensor x = c.tensor({1024, 1024});
  const Tensor y = c.tensor({1024, 1024});
  const kernels::WorkAnnotation work = c.work_of(c.plan({c.pointwise(cudnn::kAdd, {x, x, y})}));
  EXPECT_EQ(work.flop, 0);
  EXPECT_EQ(work.bytes.at(MemoryLevel::hbm), 2.0 * 2 * 1024 * 1024) << "x is read once";
  EXPECT_EQ(work.operation_class, "") << "left to the kernel's name";
  const Tensor gemm = c.matmul(c.tensor({3, 64, 16}), c.tensor({3, 16, 32}), c.tensor({3, 64, 32}));
  EXPECT_EQ(c.work_of(c.plan({gemm})).flop, 3 * 2.0 * 64 * 16 * 32);
}

// The program may destroy each descriptor as soon as another refers to it, and cuDNN reuses their
// addresses.
TEST(CudnnGraph, DescriptorsAreDestroyedAndReused) {
  CudnnCalls c;
  const Tensor plan =
      c.plan({c.matmul(c.tensor({64, 16}), c.tensor({16, 32}), c.tensor({64, 32}))});
  for (const Tensor descriptor : c.all()) {
    if (descriptor != plan) c.plans.destroy(descriptor);
  }
  EXPECT_EQ(c.work_of(plan).flop, 2.0 * 64 * 16 * 32);
  c.plans.create(plan, cudnn::kPlan);
  EXPECT_EQ(c.plans.text_of(plan), "");
  c.plans.destroy(plan);
  EXPECT_EQ(c.plans.text_of(plan), "");
  c.plans.set(plan, cudnn::kTensorType, cudnn::kTypeDataType, 1, &plan);  // unknown: no effect
}

// XLA executes a plan that it makes from the text of another one.
TEST(CudnnGraph, PlansFromTextHaveTheWorkOfTheirGraph) {
  CudnnCalls c;
  const Tensor plan =
      c.plan({c.matmul(c.tensor({64, 16}), c.tensor({16, 32}), c.tensor({64, 32}))});
  const char text[] = "{\"engine\": 3}";
  c.plans.got(plan, cudnn::kPlanJson, cudnn::kTypeChar, 0, nullptr);  // only asks for the size
  c.plans.got(plan, cudnn::kPlanJson, cudnn::kTypeChar, sizeof text, text);
  c.plans.destroy(plan);
  int made = 0;
  int other = 0;
  c.plans.create(&made, cudnn::kPlan);
  c.plans.set(&made, cudnn::kPlanJson, cudnn::kTypeChar, sizeof text - 1, text);
  EXPECT_EQ(c.work_of(&made).flop, 2.0 * 64 * 16 * 32);
  c.plans.create(&other, cudnn::kPlan);
  c.plans.set(&other, cudnn::kPlanJson, cudnn::kTypeChar, 2, "{}");
  EXPECT_EQ(c.plans.text_of(&other), "");
}

}  // namespace
}  // namespace mansard::collector
