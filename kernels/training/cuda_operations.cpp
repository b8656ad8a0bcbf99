// SPDX-License-Identifier: Apache-2.0
#include "kernels/training/cuda_operations.h"

#include <stdexcept>

#if MANSARD_HAVE_CUDA

#include "kernels/training/attention.h"
#include "kernels/training/cuda_kernels.h"
#if MANSARD_HAVE_CUDNN
#include "kernels/training/cudnn_attention.h"
#endif

namespace mansard::kernels {
namespace {

class CudaOperations : public Operations {
 public:
  CudaOperations(cudaStream_t stream, const OperationOptions& options)
      : Operations(MemoryLevel::hbm), stream_(stream), options_(options) {}

  void prepare_attention(const AttentionShape& shape) override {
#if MANSARD_HAVE_CUDNN
    cudnn_.reset();
    if (options_.cudnn) {
      try {
        cudnn_ = std::make_unique<CudnnAttention>(shape, stream_, options_.deterministic);
        return;
      } catch (const std::runtime_error& error) {
        cudnn_unavailable_ = error.what();
      }
    }
#endif
    const std::string reason = attention_unsupported(shape);
    if (reason.empty()) return;
    throw std::invalid_argument(
        "cannot compute this attention: " + reason +
        (cudnn_unavailable_.empty() ? "" : ". cuDNN is not available: " + cudnn_unavailable_));
  }

  bool attention_finds_amax() const override { return !uses_cudnn(); }

  std::int64_t attention_scratch_bytes(const AttentionShape& shape) const override {
    return uses_cudnn() ? 0 : kernels::attention_scratch_bytes(shape);
  }

  std::string attention_name() const override {
#if MANSARD_HAVE_CUDNN
    if (uses_cudnn()) return CudnnAttention::name();
#endif
    return "Mansard's kernels" +
           (cudnn_unavailable_.empty() ? "" : " (" + cudnn_unavailable_ + ")");
  }

 protected:
  void run(const EmbeddingForward& o) override { launch(o, stream_); }
  void run(const EmbeddingBackward& o) override { launch(o, stream_); }
  void run(const ClearAmax& o) override { launch(o, stream_); }
  void run(const NormForward& o) override { launch(o, stream_); }
  void run(const NormBackward& o) override { launch(o, stream_); }
  void run(const Rope& o) override { launch(o, stream_); }
  void run(const AttentionForward& o) override {
    if (uses_cudnn() && o.amax != nullptr) {
      throw std::logic_error("cuDNN's attention does not find the amax of its output");
    }
    if (!run_cudnn(o)) attention_forward(o, stream_);
  }
  void run(const AttentionBackward& o) override {
    if (!run_cudnn(o)) attention_backward(o, stream_);
  }
  void run(const SwigluForward& o) override { launch(o, stream_); }
  void run(const SwigluBackward& o) override { launch(o, stream_); }
  void run(const GeluForward& o) override { launch(o, stream_); }
  void run(const GeluBackward& o) override { launch(o, stream_); }
  void run(const BiasForward& o) override { launch(o, stream_); }
  void run(const BiasBackward& o) override { launch(o, stream_); }
  void run(const CrossEntropy& o) override { launch(o, stream_); }
  void run(const Sum& o) override { launch(o, stream_); }
  void run(const AdamW& o) override { launch(o, stream_); }
  void run(const CopyWeights& o) override { launch(o, stream_); }
  void run(const ScaleWeights& o) override { launch(o, stream_); }
  void run(const ElasticStep& o) override { launch(o, stream_); }
  void run(const CenterStep& o) override { launch(o, stream_); }
  void run(const BlockUpdate& o) override { launch(o, stream_); }

 private:
#if MANSARD_HAVE_CUDNN
  bool uses_cudnn() const { return cudnn_ != nullptr; }
  template <class Operation>
  bool run_cudnn(const Operation& o) {
    if (uses_cudnn()) cudnn_->run(o);
    return uses_cudnn();
  }
  std::unique_ptr<CudnnAttention> cudnn_;
#else
  bool uses_cudnn() const { return false; }
  template <class Operation>
  bool run_cudnn(const Operation&) {
    return false;
  }
#endif
  cudaStream_t stream_;
  OperationOptions options_;
  std::string cudnn_unavailable_;
};

}  // namespace

std::unique_ptr<Operations> make_cuda_operations(void* stream, const OperationOptions& options) {
  return std::make_unique<CudaOperations>(static_cast<cudaStream_t>(stream), options);
}

}  // namespace mansard::kernels

#else

namespace mansard::kernels {
std::unique_ptr<Operations> make_cuda_operations(void*, const OperationOptions&) {
  throw std::logic_error("Mansard was built without CUDA");
}
}  // namespace mansard::kernels

#endif
