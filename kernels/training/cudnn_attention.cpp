// SPDX-License-Identifier: Apache-2.0
#if MANSARD_HAVE_CUDNN

#include "kernels/training/cudnn_attention.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <initializer_list>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

#include "kernels/device/device_buffer.h"
#include "kernels/training/cudnn_backend.h"

namespace mansard::kernels {
namespace {

// Older versions have known errors in the gradients of some shapes.
constexpr std::size_t kOldestVersion = 91501;

// ---- Operation graphs ----

using Dimensions = std::array<std::int64_t, 4>;

Dimensions transposed(Dimensions d) {
  std::swap(d[2], d[3]);
  return d;
}

struct Tensor {
  Dimensions sizes;
  Dimensions strides;
  CudnnDescriptor descriptor;
};

// Tensors that are bound to memory when a graph runs.
enum TensorId : std::int64_t {
  kQ,
  kK,
  kV,
  kOut,
  kStats,
  kOutGradient,
  kQGradient,
  kKGradient,
  kVGradient,
  kRowSums,       // of d_out * out
  kQGradientSum,  // in FP32
  kScale,         // 1 / sqrt(head_size)
  kMaskedScore,   // -infinity
  kOne,
  kIntermediate,  // not bound
};

struct Plan {
  CudnnDescriptor descriptor;
  std::int64_t workspace_bytes;
};

// The operations of one pass, in the order of the data flow. cuDNN 9.19 has no single operation for
// causal attention in training. It recognizes attention in a graph of elementary operations, so
// these operations and the formats of their results must be the ones that it expects.
class GraphBuilder {
 public:
  explicit GraphBuilder(const AttentionShape& shape) : shape_(shape) {}

  // [batch x heads x sequence x head_size] in a matrix of `cols` columns with a row per token.
  const Tensor* heads(TensorId id, std::int64_t heads, std::int64_t cols) {
    return add(id, head_sizes(heads), head_strides(cols), CUDNN_DATA_BFLOAT16);
  }
  // This memory as [batch x heads x head_size x sequence].
  const Tensor* transposed_heads(TensorId id, std::int64_t heads, std::int64_t cols) {
    return add(id, transposed(head_sizes(heads)), transposed(head_strides(cols)),
               CUDNN_DATA_BFLOAT16);
  }
  // An FP32 value in host memory, which is read when the graph is launched.
  const Tensor* constant(TensorId id) { return packed(id, {1, 1, 1, 1}, CUDNN_DATA_FLOAT); }
  // Packed tensors with the heads of Q. Each head has scores [sequence x sequence], with a value
  // [sequence x 1] or a row [sequence x head_size] for each row of scores.
  const Tensor* scores(cudnnDataType_t type = CUDNN_DATA_FLOAT) {
    return packed(kIntermediate, {shape_.batch, shape_.heads, shape_.sequence, shape_.sequence},
                  type);
  }
  const Tensor* values(TensorId id = kIntermediate) {
    return packed(id, {shape_.batch, shape_.heads, shape_.sequence, 1}, CUDNN_DATA_FLOAT);
  }
  const Tensor* rows(cudnnDataType_t type, TensorId id = kIntermediate) {
    return packed(id, head_sizes(shape_.heads), type);
  }

  // An operation returns its result.
  const Tensor* matmul(const Tensor* a, const Tensor* b, const Tensor* c) {
    CudnnDescriptor function(CUDNN_BACKEND_MATMUL_DESCRIPTOR, "the function of a matrix product");
    function.set(CUDNN_ATTR_MATMUL_COMP_TYPE, CUDNN_DATA_FLOAT);
    function.finalize();
    CudnnDescriptor o(CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR, "a matrix product");
    o.set(CUDNN_ATTR_OPERATION_MATMUL_DESC, function);
    o.set(CUDNN_ATTR_OPERATION_MATMUL_ADESC, a->descriptor);
    o.set(CUDNN_ATTR_OPERATION_MATMUL_BDESC, b->descriptor);
    o.set(CUDNN_ATTR_OPERATION_MATMUL_CDESC, c->descriptor);
    return finish(std::move(o), c);
  }

  // `x`: one to three operands. `axis`: for CUDNN_POINTWISE_GEN_INDEX only.
  const Tensor* pointwise(cudnnPointwiseMode_t mode, std::initializer_list<const Tensor*> x,
                          const Tensor* y, cudnnDataType_t precision = CUDNN_DATA_FLOAT,
                          std::int64_t axis = -1) {
    constexpr std::array kOperands{CUDNN_ATTR_OPERATION_POINTWISE_XDESC,
                                   CUDNN_ATTR_OPERATION_POINTWISE_BDESC,
                                   CUDNN_ATTR_OPERATION_POINTWISE_TDESC};
    CudnnDescriptor function(CUDNN_BACKEND_POINTWISE_DESCRIPTOR, "an elementwise function");
    function.set(CUDNN_ATTR_POINTWISE_MODE, mode);
    function.set(CUDNN_ATTR_POINTWISE_MATH_PREC, precision);
    if (mode == CUDNN_POINTWISE_GEN_INDEX) function.set(CUDNN_ATTR_POINTWISE_AXIS, axis);
    function.finalize();
    CudnnDescriptor o(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR, "an elementwise operation");
    o.set(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, function);
    for (std::size_t i = 0; i < x.size(); ++i) o.set(kOperands.at(i), x.begin()[i]->descriptor);
    o.set(CUDNN_ATTR_OPERATION_POINTWISE_YDESC, y->descriptor);
    return finish(std::move(o), y);
  }

  // Reduces the axes along which `y` is smaller than `x`.
  const Tensor* reduce(cudnnReduceTensorOp_t mode, const Tensor* x, const Tensor* y) {
    CudnnDescriptor function(CUDNN_BACKEND_REDUCTION_DESCRIPTOR, "the function of a reduction");
    function.set(CUDNN_ATTR_REDUCTION_OPERATOR, mode);
    function.set(CUDNN_ATTR_REDUCTION_COMP_TYPE, CUDNN_DATA_FLOAT);
    function.finalize();
    CudnnDescriptor o(CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR, "a reduction");
    o.set(CUDNN_ATTR_OPERATION_REDUCTION_DESC, function);
    o.set(CUDNN_ATTR_OPERATION_REDUCTION_XDESC, x->descriptor);
    o.set(CUDNN_ATTR_OPERATION_REDUCTION_YDESC, y->descriptor);
    return finish(std::move(o), y);
  }

  // The transposed matrices of `x`, in BF16.
  const Tensor* transpose(const Tensor* x) {
    const Tensor* y =
        add(kIntermediate, transposed(x->sizes), transposed(x->strides), CUDNN_DATA_BFLOAT16);
    CudnnDescriptor o(CUDNN_BACKEND_OPERATION_RESHAPE_DESCRIPTOR, "a transposition");
    o.set(CUDNN_ATTR_OPERATION_RESHAPE_XDESC, x->descriptor);
    o.set(CUDNN_ATTR_OPERATION_RESHAPE_YDESC, y->descriptor);
    return finish(std::move(o), y);
  }

  // `x` where the row is at least the column, otherwise -infinity.
  const Tensor* causal(const Tensor* x) {
    const auto index = [&](std::int64_t axis) {
      return pointwise(CUDNN_POINTWISE_GEN_INDEX, {x}, scores(CUDNN_DATA_INT32), CUDNN_DATA_FLOAT,
                       axis);
    };
    const Tensor* row = index(2);
    const Tensor* col = index(3);
    const Tensor* visible = pointwise(CUDNN_POINTWISE_CMP_GE, {row, col},
                                      scores(CUDNN_DATA_BOOLEAN), CUDNN_DATA_BOOLEAN);
    return pointwise(CUDNN_POINTWISE_BINARY_SELECT, {x, constant(kMaskedScore), visible}, scores());
  }

  // Chooses an engine. `name` is for error messages: "the forward pass of attention".
  Plan build(const CudnnHandle& handle, const std::string& name) const {
    CudnnDescriptor graph(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR, "the graph of " + name);
    graph.set(CUDNN_ATTR_OPERATIONGRAPH_HANDLE, handle.get());
    graph.set(CUDNN_ATTR_OPERATIONGRAPH_OPS, operations_);
    graph.finalize();
    std::string reasons;
    for (const cudnnBackendHeurMode_t mode : {CUDNN_HEUR_MODE_A, CUDNN_HEUR_MODE_FALLBACK}) {
      CudnnDescriptor heuristic(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR,
                                "the list of engines for " + name);
      heuristic.set(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph);
      heuristic.set(CUDNN_ATTR_ENGINEHEUR_MODE, mode);
      heuristic.finalize();
      for (const CudnnDescriptor& config : supported_configs(heuristic)) {
        CudnnDescriptor plan(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR,
                             "the execution plan of " + name);
        plan.set(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, config);
        if (const cudnnStatus_t status = plan.try_finalize(); status != CUDNN_STATUS_SUCCESS) {
          reasons += (reasons.empty() ? ": " : "; ") + cudnn_reason(status);
          continue;
        }
        std::int64_t bytes = 0;
        plan.read(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, CUDNN_TYPE_INT64, 1, &bytes);
        return {std::move(plan), bytes};
      }
    }
    throw std::runtime_error("no engine of " + cudnn_name(cudnn().version()) + " supports " + name +
                             reasons +
                             ". cuDNN prints its reasons if CUDNN_LOGLEVEL_DBG=2 and "
                             "CUDNN_LOGDEST_DBG=stderr are set in the environment");
  }

 private:
  Dimensions head_sizes(std::int64_t heads) const {
    return {shape_.batch, heads, shape_.sequence, shape_.head_size};
  }
  Dimensions head_strides(std::int64_t cols) const {
    return {shape_.sequence * cols, shape_.head_size, cols, 1};
  }
  const Tensor* packed(TensorId id, const Dimensions& n, cudnnDataType_t type) {
    return add(id, n, {n[1] * n[2] * n[3], n[2] * n[3], n[3], 1}, type);
  }
  const Tensor* add(TensorId id, const Dimensions& sizes, const Dimensions& strides,
                    cudnnDataType_t type) {
    CudnnDescriptor d(CUDNN_BACKEND_TENSOR_DESCRIPTOR, "a tensor");
    d.set(CUDNN_ATTR_TENSOR_UNIQUE_ID, id == kIntermediate ? next_id_++ : std::int64_t{id});
    d.set(CUDNN_ATTR_TENSOR_DATA_TYPE, type);
    d.set_all(CUDNN_ATTR_TENSOR_DIMENSIONS, sizes);
    d.set_all(CUDNN_ATTR_TENSOR_STRIDES, strides);
    d.set(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, std::int64_t{16});
    d.set(CUDNN_ATTR_TENSOR_IS_VIRTUAL, id == kIntermediate);
    d.set(CUDNN_ATTR_TENSOR_IS_BY_VALUE, id == kScale || id == kMaskedScore || id == kOne);
    d.finalize();
    return &tensors_.emplace_back(Tensor{sizes, strides, std::move(d)});
  }

  const Tensor* finish(CudnnDescriptor operation, const Tensor* result) {
    operation.finalize();
    operations_.push_back(std::move(operation));
    return result;
  }

  // The best first.
  static std::deque<CudnnDescriptor> supported_configs(const CudnnDescriptor& heuristic) {
    constexpr auto kResults = CUDNN_ATTR_ENGINEHEUR_RESULTS;
    std::deque<CudnnDescriptor> configs;
    std::vector<cudnnBackendDescriptor_t> raw;
    const std::int64_t found = heuristic.read(kResults, CUDNN_TYPE_BACKEND_DESCRIPTOR, 0, nullptr);
    for (std::int64_t i = 0; i < found; ++i) {
      configs.emplace_back(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR, "an engine configuration");
      raw.push_back(configs.back().get());
    }
    // The second query skips configurations that the device does not support.
    const std::int64_t supported =
        heuristic.read(kResults, CUDNN_TYPE_BACKEND_DESCRIPTOR, found, raw.data());
    while (std::ssize(configs) > supported) configs.pop_back();
    return configs;
  }

  AttentionShape shape_;
  std::int64_t next_id_ = kIntermediate;
  std::deque<Tensor> tensors_;  // a deque, because its elements stay in place
  std::deque<CudnnDescriptor> operations_;
};

// ---- Attention ----

std::string describe(const AttentionShape& s) {
  return "causal attention with " + std::to_string(s.batch) + " sequences of " +
         std::to_string(s.sequence) + " tokens, " + std::to_string(s.heads) + " heads, " +
         std::to_string(s.kv_heads) + " heads of K and V, and head size " +
         std::to_string(s.head_size);
}

// P = softmax(Q K^T * scale), out = P V.
Plan forward_plan(const CudnnHandle& handle, const AttentionShape& s) {
  GraphBuilder g(s);
  const Tensor* q = g.heads(kQ, s.heads, s.qkv_cols());
  const Tensor* k = g.transposed_heads(kK, s.kv_heads, s.qkv_cols());
  const Tensor* v = g.heads(kV, s.kv_heads, s.qkv_cols());
  const Tensor* qk = g.matmul(q, k, g.scores());
  const Tensor* scaled = g.pointwise(CUDNN_POINTWISE_MUL, {qk, g.constant(kScale)}, g.scores());
  const Tensor* scores = g.causal(scaled);
  const Tensor* max = g.reduce(CUDNN_REDUCE_TENSOR_MAX, scores, g.values());
  const Tensor* shifted = g.pointwise(CUDNN_POINTWISE_SUB, {scores, max}, g.scores());
  const Tensor* exp = g.pointwise(CUDNN_POINTWISE_EXP, {shifted}, g.scores());
  const Tensor* sum = g.reduce(CUDNN_REDUCE_TENSOR_ADD, exp, g.values());
  const Tensor* log = g.pointwise(CUDNN_POINTWISE_LOG, {sum}, g.values());
  g.pointwise(CUDNN_POINTWISE_ADD, {max, log}, g.values(kStats));
  const Tensor* p = g.pointwise(CUDNN_POINTWISE_DIV, {exp, sum}, g.scores(CUDNN_DATA_BFLOAT16));
  g.matmul(p, v, g.heads(kOut, s.heads, s.out_cols()));
  return g.build(handle, "the forward pass of " + describe(s));
}

// P = exp(Q K^T * scale - stats), dV = P^T d_out, dS = P * (d_out V^T - D) * scale, dK = dS^T Q,
// dQ = dS K, where D are the row sums of d_out * out.
Plan backward_plan(const CudnnHandle& handle, const AttentionShape& s, bool deterministic) {
  GraphBuilder g(s);
  const Tensor* q = g.heads(kQ, s.heads, s.qkv_cols());
  const Tensor* k = g.transposed_heads(kK, s.kv_heads, s.qkv_cols());
  const Tensor* v = g.transposed_heads(kV, s.kv_heads, s.qkv_cols());
  const Tensor* out = g.heads(kOut, s.heads, s.out_cols());
  const Tensor* d_out = g.heads(kOutGradient, s.heads, s.out_cols());
  const Tensor* scale = g.constant(kScale);

  const Tensor* products = g.pointwise(CUDNN_POINTWISE_MUL, {d_out, out}, g.rows(CUDNN_DATA_FLOAT));
  const Tensor* sums = g.reduce(CUDNN_REDUCE_TENSOR_ADD, products, g.values());
  // cuDNN expects a factor here, which is 1 without dropout.
  const Tensor* row_sums =
      g.pointwise(CUDNN_POINTWISE_MUL, {sums, g.constant(kOne)}, g.values(kRowSums));

  const Tensor* qk = g.matmul(q, k, g.scores());
  const Tensor* scaled = g.pointwise(CUDNN_POINTWISE_MUL, {qk, scale}, g.scores());
  const Tensor* shifted = g.pointwise(CUDNN_POINTWISE_SUB, {scaled, g.values(kStats)}, g.scores());
  const Tensor* p = g.pointwise(CUDNN_POINTWISE_EXP, {g.causal(shifted)}, g.scores());

  // a^T b, summed over the heads of Q that share a head of K and V.
  const auto kv_gradient = [&](const Tensor* a, const Tensor* b, TensorId id) {
    const Tensor* gradient = g.heads(id, s.kv_heads, s.qkv_cols());
    const Tensor* a_t = g.transpose(a);
    if (s.heads == s.kv_heads) {
      g.matmul(a_t, b, gradient);
    } else {
      const Tensor* per_head = g.matmul(a_t, b, g.rows(CUDNN_DATA_BFLOAT16));
      g.reduce(CUDNN_REDUCE_TENSOR_ADD, per_head, gradient);
    }
  };
  kv_gradient(p, d_out, kVGradient);
  const Tensor* dp = g.matmul(d_out, v, g.scores());
  const Tensor* centered = g.pointwise(CUDNN_POINTWISE_SUB, {dp, row_sums}, g.scores());
  const Tensor* weighted = g.pointwise(CUDNN_POINTWISE_MUL, {centered, p}, g.scores());
  const Tensor* ds = g.pointwise(CUDNN_POINTWISE_MUL, {weighted, scale}, g.scores());
  kv_gradient(ds, q, kKGradient);

  const Tensor* k_rows = g.transpose(k);
  const Tensor* dq = g.heads(kQGradient, s.heads, s.qkv_cols());
  if (deterministic) {
    g.matmul(ds, k_rows, dq);
  } else {
    // Makes cuDNN add partial sums to FP32 memory, in the order in which thread blocks run.
    const Tensor* sum = g.matmul(ds, k_rows, g.rows(CUDNN_DATA_FLOAT, kQGradientSum));
    g.pointwise(CUDNN_POINTWISE_IDENTITY, {sum}, dq);
  }
  return g.build(handle, "the backward pass of " + describe(s));
}

}  // namespace

struct CudnnAttention::Graphs {
  struct Operand {
    TensorId id;
    const void* memory;
  };

  Graphs(const AttentionShape& s, cudaStream_t stream, bool deterministic)
      : shape(s),
        handle(make_cudnn_handle(stream)),
        forward(forward_plan(handle, s)),
        backward(backward_plan(handle, s, deterministic)),
        workspace(
            static_cast<std::size_t>(std::max(forward.workspace_bytes, backward.workspace_bytes))),
        row_sums(static_cast<std::size_t>(s.rows() * s.heads)),
        scale(1 / std::sqrt(static_cast<float>(s.head_size))) {
    if (!deterministic) {
      q_gradient_sum = DeviceBuffer<float>(static_cast<std::size_t>(s.rows() * s.out_cols()));
    }
  }

  void run(const Plan& plan, const std::vector<Operand>& operands) {
    std::vector<std::int64_t> ids;
    std::vector<void*> memory;
    for (const Operand& operand : operands) {
      ids.push_back(operand.id);
      memory.push_back(const_cast<void*>(operand.memory));  // results and inputs in one list
    }
    CudnnDescriptor pack(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR, "the operands of attention");
    pack.set_all(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, ids);
    pack.set_all(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, memory);
    pack.set(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, static_cast<void*>(workspace.get()));
    pack.finalize();
    cudnn_check(cudnn().execute(handle.get(), plan.descriptor.get(), pack.get()),
                "launch " + describe(shape));
  }

  AttentionShape shape;
  CudnnHandle handle;
  Plan forward;
  Plan backward;
  DeviceBuffer<std::byte> workspace;
  DeviceBuffer<float> row_sums;
  DeviceBuffer<float> q_gradient_sum;  // empty if deterministic
  float scale;
  float masked_score = -std::numeric_limits<float>::infinity();
  float one = 1;
};

CudnnAttention::CudnnAttention(const AttentionShape& shape, cudaStream_t stream,
                               bool deterministic) {
  if (cudnn().version() < kOldestVersion) {
    throw std::runtime_error("cannot compute attention with " + name() + "; install " +
                             cudnn_name(kOldestVersion) + " or newer");
  }
  graphs_ = std::make_unique<Graphs>(shape, stream, deterministic);
}

CudnnAttention::~CudnnAttention() = default;

std::string CudnnAttention::name() { return cudnn_name(cudnn().version()); }

void CudnnAttention::run(const AttentionForward& o) {
  const AttentionShape& s = graphs_->shape;
  const Bf16* k = o.qkv + s.heads * s.head_size;
  const Bf16* v = k + s.kv_heads * s.head_size;
  graphs_->run(graphs_->forward, {{kQ, o.qkv},
                                  {kK, k},
                                  {kV, v},
                                  {kOut, o.out},
                                  {kStats, o.stats},
                                  {kScale, &graphs_->scale},
                                  {kMaskedScore, &graphs_->masked_score}});
}

void CudnnAttention::run(const AttentionBackward& o) {
  const AttentionShape& s = graphs_->shape;
  const std::int64_t k = s.heads * s.head_size;
  const std::int64_t v = k + s.kv_heads * s.head_size;
  std::vector<Graphs::Operand> operands{{kQ, o.qkv},
                                        {kK, o.qkv + k},
                                        {kV, o.qkv + v},
                                        {kOut, o.out},
                                        {kStats, o.stats},
                                        {kOutGradient, o.d_out},
                                        {kQGradient, o.d_qkv},
                                        {kKGradient, o.d_qkv + k},
                                        {kVGradient, o.d_qkv + v},
                                        {kRowSums, graphs_->row_sums.get()},
                                        {kScale, &graphs_->scale},
                                        {kMaskedScore, &graphs_->masked_score},
                                        {kOne, &graphs_->one}};
  if (graphs_->q_gradient_sum.size() > 0) {
    operands.push_back({kQGradientSum, graphs_->q_gradient_sum.get()});
  }
  graphs_->run(graphs_->backward, operands);
}

}  // namespace mansard::kernels

#endif
