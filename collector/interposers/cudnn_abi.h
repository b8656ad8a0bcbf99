// SPDX-License-Identifier: Apache-2.0
// The part of the graph API of cuDNN 8 and 9 that is used. Declared here, because cuDNN is often
// not installed where Mansard is built; the values are part of cuDNN's binary interface. Source:
// cudnn_graph_v9.h, cuDNN 9.19; tests/collector/interposers/cudnn_test.cpp compares them with the
// header where it is installed.
#pragma once

#include <cstdint>

namespace mansard::collector::cudnn {

using Handle = void*;
using Descriptor = void*;
using Status = int;  // 0: success
inline constexpr Status kNotInitialized = 1001;

// cudnnBackendDescriptorType_t
enum Kind : int {
  kPointwise = 0,
  kConvolution = 1,
  kEngine = 2,
  kEngineConfig = 3,
  kHeuristic = 4,
  kPlan = 5,
  kConvolutionForward = 10,
  kConvolutionBackwardFilter = 11,
  kConvolutionBackwardData = 12,
  kPointwiseOperation = 13,
  kOperationGraph = 15,
  kTensor = 17,
  kMatmulOperation = 19,
  kReductionOperation = 22,
  kReshapeOperation = 31,
  kRngOperation = 33,
};

// cudnnBackendAttributeName_t
enum Attribute : int {
  kPointwiseMode = 0,
  kPointwiseAxis = 9,
  kHeuristicGraph = 201,
  kHeuristicResults = 202,
  kEngineConfigEngine = 300,
  kPlanEngineConfig = 401,
  kPlanJson = 405,
  kForwardW = 703,
  kForwardX = 704,
  kForwardY = 705,
  kBackwardDataW = 709,
  kBackwardDataDx = 710,
  kBackwardDataDy = 711,
  kBackwardFilterDw = 715,
  kBackwardFilterX = 716,
  kBackwardFilterDy = 717,
  kPointwiseDescriptor = 750,
  kPointwiseX = 751,
  kPointwiseB = 752,
  kPointwiseY = 753,
  kPointwiseT = 758,
  kGraphOperations = 801,
  kTensorType = 901,
  kTensorSizes = 902,
  kTensorStrides = 903,
  kTensorVectorCount = 904,
  kTensorId = 906,
  kTensorIsVirtual = 907,
  kEngineGraph = 1300,
  kMatmulA = 1520,
  kMatmulB = 1521,
  kMatmulC = 1522,
  kMatmulOverrideM = 1525,
  kMatmulOverrideN = 1526,
  kMatmulOverrideK = 1527,
};

// cudnnBackendAttributeType_t
enum AttributeType : int {
  kTypeDataType = 1,
  kTypeBoolean = 2,
  kTypeInt64 = 3,
  kTypePointwiseMode = 14,
  kTypeDescriptor = 15,
  kTypeChar = 24,
};

// cudnnPointwiseMode_t
enum PointwiseMode : int {
  kAdd = 0,
  kCompareEqual = 300,  // the first comparison
  kCompareGreaterOrEqual = 303,
  kCompareLessOrEqual = 305,  // the last one
  kGenerateIndex = 501,
  kBinarySelect = 601,
};

// cudnnDataType_t
enum DataType : int {
  kFloat = 0,
  kDouble = 1,
  kHalf = 2,
  kInt8 = 3,
  kInt32 = 4,
  kUint8 = 6,
  kBfloat16 = 9,
  kInt64 = 10,
  kBoolean = 11,
  kFp8E4m3 = 12,
  kFp8E5m2 = 13,
  kFp8E8m0 = 15,
  kFp4E2m1 = 16,
};

}  // namespace mansard::collector::cudnn
