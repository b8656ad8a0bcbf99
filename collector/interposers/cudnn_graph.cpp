// SPDX-License-Identifier: Apache-2.0
#include "collector/interposers/cudnn_graph.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>

#include "kernels/annotation/attention_work.h"
#include "kernels/annotation/gemm_work.h"

namespace mansard::collector {
namespace {

using namespace cudnn;
using kernels::AttentionMask;
using kernels::WorkAnnotation;
using Nodes = std::vector<const CudnnNode*>;

constexpr const char* kName = "cudnnBackendExecute";
constexpr std::int64_t kMaxElements = std::int64_t{1} << 20;  // of an attribute
constexpr std::int64_t kMaxText = std::int64_t{1} << 28;
constexpr std::size_t kMaxTexts = 10'000;

kernels::ElementTypeInfo element(int type) {
  switch (type) {
    case kDouble:
      return {8, Precision::fp64};
    case kHalf:
      return {2, Precision::fp16};
    case kBfloat16:
      return {2, Precision::bf16};
    case kFp8E4m3:
      return {1, Precision::fp8_e4m3};
    case kFp8E5m2:
      return {1, Precision::fp8_e5m2};
    case kInt8:
      return {1, Precision::int8};
    case kUint8:
    case kBoolean:
    case kFp8E8m0:
      return {1, std::nullopt};
    case kInt64:
      return {8, std::nullopt};
    case kFp4E2m1:
      return {0.5, std::nullopt};  // the scales tell which
    case kFloat:                   // may be multiplied as TF32, which the kernel's name tells
    case kInt32:
      return {4, std::nullopt};
    default:
      return {};
  }
}

double size(const CudnnNode& tensor, std::size_t i) { return static_cast<double>(tensor.sizes[i]); }

double elements(const CudnnNode& tensor) {
  double product = static_cast<double>(tensor.vector_count);
  for (std::size_t i = 0; i < tensor.sizes.size(); ++i) product *= size(tensor, i);
  return product;
}

// Bytes that the tensor takes in memory: a dimension with a stride of 0 is a broadcast.
double bytes(const CudnnNode& tensor) {
  double product = static_cast<double>(tensor.vector_count) * element(tensor.type).bytes;
  for (std::size_t i = 0; i < tensor.sizes.size(); ++i) {
    const bool is_broadcast = i < tensor.strides.size() && tensor.strides[i] == 0;
    if (!is_broadcast) product *= size(tensor, i);
  }
  return product;
}

struct Operations {
  Nodes all;
  Nodes of(std::initializer_list<int> kinds) const {
    Nodes found;
    for (const CudnnNode* operation : all) {
      if (std::ranges::find(kinds, operation->kind) != kinds.end()) found.push_back(operation);
    }
    return found;
  }
};

int mode_of(const CudnnNode& pointwise) {
  const CudnnNode* descriptor = pointwise.child(kPointwiseDescriptor);
  return descriptor != nullptr ? descriptor->mode : -1;
}

double operand_bytes(const Operations& operations) {
  std::map<std::int64_t, double> of_tensor;
  for (const CudnnNode* operation : operations.all) {
    for (const CudnnNode::Child& child : operation->children) {
      const CudnnNode& node = *child.node;
      if (node.kind == kTensor && !node.is_virtual) of_tensor[node.id] = bytes(node);
    }
  }
  double sum = 0;
  for (const auto& [id, of_one] : of_tensor) sum += of_one;
  return sum;
}

// ---- Matrix products and attention -------------------------------------------------------------

// C = A B with A of ... x m x k, B of ... x k x n; the leading dimensions of C count products.
struct Product {
  const CudnnNode* a;
  const CudnnNode* b;
  const CudnnNode* c;
  std::int64_t m, n, k;
  std::int64_t batch = 1;
};

std::optional<Product> product_of(const CudnnNode& operation) {
  Product product{
      operation.child(kMatmulA), operation.child(kMatmulB), operation.child(kMatmulC), 0, 0, 0};
  for (const CudnnNode* tensor : {product.a, product.b, product.c}) {
    if (tensor == nullptr || tensor->sizes.size() < 2) return std::nullopt;
  }
  const auto& sizes = product.c->sizes;
  product.m = sizes[sizes.size() - 2];
  product.n = sizes.back();
  product.k = product.a->sizes.back();
  for (std::size_t i = 0; i + 2 < sizes.size(); ++i) product.batch *= sizes[i];
  return product;
}

// The axis of the index that a tensor holds, if an operation generates it; -1 otherwise.
int index_axis(const Nodes& pointwise, const CudnnNode* tensor) {
  if (tensor == nullptr) return -1;
  for (const CudnnNode* operation : pointwise) {
    if (mode_of(*operation) != kGenerateIndex) continue;
    const CudnnNode* y = operation->child(kPointwiseY);
    if (y != nullptr && y->id == tensor->id) return operation->child(kPointwiseDescriptor)->axis;
  }
  return -1;
}

// `scores`: the product of Q and K.
AttentionMask mask_of(const Operations& operations, const CudnnNode& scores) {
  // An operation that is not known here may mask, as may lengths of sequences.
  const Nodes known = operations.of({kMatmulOperation, kPointwiseOperation, kReductionOperation,
                                     kReshapeOperation, kRngOperation});
  if (known.size() != operations.all.size()) return AttentionMask::unknown;
  for (const int lengths : {kMatmulOverrideM, kMatmulOverrideN, kMatmulOverrideK}) {
    if (scores.child(lengths) != nullptr) return AttentionMask::unknown;
  }
  const Nodes pointwise = operations.of({kPointwiseOperation});
  Nodes comparisons;
  bool has_tensor = false;
  const auto& sizes = scores.child(kMatmulC)->sizes;
  for (const CudnnNode* operation : pointwise) {
    const int mode = mode_of(*operation);
    if (mode >= kCompareEqual && mode <= kCompareLessOrEqual) comparisons.push_back(operation);
    if (mode != kAdd && mode != kBinarySelect) continue;
    for (const int operand : {kPointwiseX, kPointwiseB, kPointwiseT}) {
      const CudnnNode* tensor = operation->child(operand);
      has_tensor =
          has_tensor ||
          (tensor != nullptr && !tensor->is_virtual && tensor->sizes.size() == sizes.size() &&
           std::equal(sizes.end() - 2, sizes.end(), tensor->sizes.end() - 2));
    }
  }
  if (comparisons.empty()) return has_tensor ? AttentionMask::tensor : AttentionMask::none;
  // Causal: the index of the query >= the index of the key. A shift or a second comparison makes it
  // a window, whose width is unknown here.
  const CudnnNode& first = *comparisons.front();
  const int rank = static_cast<int>(sizes.size());
  const bool is_causal = comparisons.size() == 1 && mode_of(first) == kCompareGreaterOrEqual &&
                         index_axis(pointwise, first.child(kPointwiseX)) == rank - 2 &&
                         index_axis(pointwise, first.child(kPointwiseB)) == rank - 1;
  return is_causal ? AttentionMask::causal : AttentionMask::unknown;
}

// Forward: Q K^T and P V. Backward: Q K^T, dO V^T, and three products for dQ, dK and dV.
std::optional<WorkAnnotation> attention(const Operations& operations, const Nodes& matmuls) {
  const bool backward = matmuls.size() == 5;
  if (!backward && matmuls.size() != 2) return std::nullopt;
  const std::optional<Product> scores = product_of(*matmuls[0]);
  if (!scores || scores->c->sizes.size() != 4) return std::nullopt;
  // V is in one of the other products: in the backward pass, in one with the sizes of the scores.
  std::optional<std::int64_t> v_size;
  for (std::size_t i = 1; i < matmuls.size() && !v_size; ++i) {
    const std::optional<Product> product = product_of(*matmuls[i]);
    if (!product) return std::nullopt;
    if (!backward) v_size = product->n;
    if (backward && product->c->sizes == scores->c->sizes) v_size = product->k;
  }
  if (!v_size) return std::nullopt;
  kernels::Attention call;
  call.batch = scores->c->sizes[0];
  call.heads = scores->c->sizes[1];
  call.queries = scores->m;
  call.keys = scores->n;
  call.qk_size = scores->k;
  call.v_size = *v_size;
  call.mask = mask_of(operations, *matmuls[0]);
  call.backward = backward;
  call.bytes = operand_bytes(operations);
  call.precision = element(scores->a->type).precision;
  return kernels::attention_work(kName, call);
}

std::optional<WorkAnnotation> matrix_product(const Operations& operations,
                                             const CudnnNode& matmul) {
  const std::optional<Product> product = product_of(matmul);
  if (!product) return std::nullopt;
  kernels::Gemm gemm;
  gemm.m = product->m;
  gemm.n = product->n;
  gemm.k = product->k;
  gemm.batch = product->batch;
  gemm.precision = element(product->a->type).precision;
  std::optional<WorkAnnotation> work = kernels::gemm_work(kName, gemm);
  if (work) work->bytes[MemoryLevel::hbm] = operand_bytes(operations);
  return work;
}

// ---- Convolutions ------------------------------------------------------------------------------

// Attributes of the weights, the output and the operand that decides the precision.
struct ConvolutionTensors {
  int weights, output, operand;
};

ConvolutionTensors convolution_tensors(int kind) {
  switch (kind) {
    case kConvolutionForward:
      return {kForwardW, kForwardY, kForwardX};
    case kConvolutionBackwardData:
      return {kBackwardDataW, kBackwardDataDy, kBackwardDataDy};
    default:
      return {kBackwardFilterDw, kBackwardFilterDy, kBackwardFilterX};
  }
}

// Each element of the output, or of its gradient, meets the weights of one output channel.
std::optional<WorkAnnotation> convolution(const Operations& operations, const Nodes& convolutions) {
  double flop = 0;
  std::optional<Precision> precision;
  for (const CudnnNode* operation : convolutions) {
    const ConvolutionTensors attributes = convolution_tensors(operation->kind);
    const CudnnNode* weights = operation->child(attributes.weights);
    const CudnnNode* output = operation->child(attributes.output);
    const CudnnNode* operand = operation->child(attributes.operand);
    if (weights == nullptr || output == nullptr || operand == nullptr || weights->sizes.empty()) {
      return std::nullopt;
    }
    flop += 2 * elements(*output) * elements(*weights) / std::max(size(*weights, 0), 1.0);
    precision = element(operand->type).precision;
  }
  return kernels::modeled_work(kName, "convolution", flop, operand_bytes(operations), precision);
}

}  // namespace

const CudnnNode* CudnnNode::child(int attribute) const {
  const auto found = std::ranges::find(children, attribute, &Child::attribute);
  return found != children.end() ? found->node.get() : nullptr;
}

std::string text_of_graph(const CudnnNode& graph) {
  Operations operations;
  for (const CudnnNode::Child& child : graph.children) operations.all.push_back(child.node.get());
  const Nodes matmuls = operations.of({kMatmulOperation});
  const Nodes convolutions =
      operations.of({kConvolutionForward, kConvolutionBackwardData, kConvolutionBackwardFilter});
  std::optional<WorkAnnotation> work;
  if (!convolutions.empty()) {
    work = convolution(operations, convolutions);
  } else if (matmuls.size() == 1) {
    work = matrix_product(operations, *matmuls[0]);
  } else if (matmuls.size() > 1) {
    work = attention(operations, matmuls);
  }
  if (!work) {
    const double all_bytes = operand_bytes(operations);
    if (!(all_bytes > 0)) return "";
    work = kernels::modeled_work(kName, "", 0, all_bytes, std::nullopt);
  }
  return to_text(*work);
}

CudnnPlans::Node CudnnPlans::find(cudnn::Descriptor descriptor) const {
  const auto found = nodes_.find(descriptor);
  return found != nodes_.end() ? found->second : nullptr;
}

// Up to its end, which the program may count or not.
std::size_t hash_of_text(const void* elements, std::int64_t count) {
  const std::string_view all(static_cast<const char*>(elements), static_cast<std::size_t>(count));
  return std::hash<std::string_view>()(all.substr(0, all.find('\0')));
}

void CudnnPlans::create(cudnn::Descriptor descriptor, int kind) {
  const std::lock_guard lock(mutex_);
  Node node = std::make_shared<CudnnNode>();
  node->kind = kind;
  nodes_[descriptor] = std::move(node);
}

void CudnnPlans::set(cudnn::Descriptor descriptor, int attribute, int type, std::int64_t count,
                     const void* elements) {
  const std::int64_t most = type == kTypeChar ? kMaxText : kMaxElements;
  if (elements == nullptr || count < 1 || count > most) return;
  const std::lock_guard lock(mutex_);
  const Node node = find(descriptor);
  if (node == nullptr) return;
  const auto first = [&]<class Value>(Value& value) {
    std::memcpy(&value, elements, sizeof value);
  };
  const auto all = [&](std::vector<std::int64_t>& values) {
    values.resize(static_cast<std::size_t>(count));
    std::memcpy(values.data(), elements, values.size() * sizeof values[0]);
  };
  switch (type) {
    case kTypeInt64:
      if (attribute == kTensorSizes) all(node->sizes);
      if (attribute == kTensorStrides) all(node->strides);
      if (attribute == kTensorId) first(node->id);
      if (attribute == kTensorVectorCount) first(node->vector_count);
      if (attribute == kPointwiseAxis && node->kind == kPointwise) {
        std::int64_t axis = -1;
        first(axis);
        node->axis = static_cast<int>(axis);
      }
      return;
    case kTypeDataType:
      if (attribute == kTensorType) first(node->type);
      return;
    case kTypeBoolean:
      if (attribute == kTensorIsVirtual) first(node->is_virtual);
      return;
    case kTypePointwiseMode:
      if (attribute == kPointwiseMode) first(node->mode);
      return;
    case kTypeChar: {
      const auto known = attribute == kPlanJson ? work_of_text_.find(hash_of_text(elements, count))
                                                : work_of_text_.end();
      if (known != work_of_text_.end()) node->work = known->second;
      return;
    }
    case kTypeDescriptor:
      break;
    default:
      return;
  }
  const bool is_tree = node->kind >= kConvolutionForward && node->kind != kTensor;
  for (std::int64_t i = 0; i < count; ++i) {
    const Node child = find(static_cast<const cudnn::Descriptor*>(elements)[i]);
    if (child == nullptr) continue;
    if (is_tree) node->children.push_back({attribute, child});
    if (child->work != nullptr) node->work = child->work;
  }
}

void CudnnPlans::got(cudnn::Descriptor descriptor, int attribute, int type, std::int64_t count,
                     const void* elements) {
  if (elements == nullptr || count < 1) return;
  const std::lock_guard lock(mutex_);
  if (attribute == kPlanJson && type == kTypeChar && count <= kMaxText) {
    const Node plan = find(descriptor);
    if (plan == nullptr || plan->work == nullptr || work_of_text_.size() >= kMaxTexts) return;
    work_of_text_[hash_of_text(elements, count)] = plan->work;
    return;
  }
  if (type != kTypeDescriptor || attribute != kHeuristicResults) return;
  const Node heuristic = find(descriptor);
  if (heuristic == nullptr || count > kMaxElements) return;
  for (std::int64_t i = 0; i < count; ++i) {
    const Node result = find(static_cast<const cudnn::Descriptor*>(elements)[i]);
    if (result != nullptr) result->work = heuristic->work;
  }
}

void CudnnPlans::finalize(cudnn::Descriptor descriptor) {
  const std::lock_guard lock(mutex_);
  const Node node = find(descriptor);
  if (node == nullptr || node->kind != kOperationGraph) return;
  node->work = std::make_shared<const std::string>(text_of_graph(*node));
  node->children.clear();  // not needed any more
}

void CudnnPlans::destroy(cudnn::Descriptor descriptor) {
  const std::lock_guard lock(mutex_);
  nodes_.erase(descriptor);
}

std::string CudnnPlans::text_of(cudnn::Descriptor plan) const {
  const std::lock_guard lock(mutex_);
  const Node node = find(plan);
  return node != nullptr && node->work != nullptr ? *node->work : std::string();
}

}  // namespace mansard::collector
