// SPDX-License-Identifier: Apache-2.0
// cuDNN's backend interface, loaded when first used, so that everything else works without it.
// Include only in files that are compiled with MANSARD_HAVE_CUDNN == 1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <iterator>
#include <memory>
#include <string>

#include <cudnn.h>

namespace mansard::kernels {

struct Cudnn {
  decltype(&cudnnGetVersion) version;
  decltype(&cudnnGetErrorString) error_string;
  decltype(&cudnnGetLastErrorString) last_error_string;
  decltype(&cudnnCreate) create;
  decltype(&cudnnDestroy) destroy;
  decltype(&cudnnSetStream) set_stream;
  decltype(&cudnnBackendCreateDescriptor) create_descriptor;
  decltype(&cudnnBackendDestroyDescriptor) destroy_descriptor;
  decltype(&cudnnBackendSetAttribute) set_attribute;
  decltype(&cudnnBackendGetAttribute) get_attribute;
  decltype(&cudnnBackendFinalize) finalize;
  decltype(&cudnnBackendExecute) execute;
};

// Throws std::runtime_error with the loader's reasons if cuDNN 9 cannot be loaded.
const Cudnn& cudnn();

// "cuDNN 9.19.0". `version`: as cudnnGetVersion() gives it.
std::string cudnn_name(std::size_t version);

// The name of the status and cuDNN's message about this thread's last error, if there is one.
std::string cudnn_reason(cudnnStatus_t status);

// Throws std::runtime_error unless `status` is success.
void cudnn_check(cudnnStatus_t status, const std::string& attempted);

struct DestroyCudnn {
  void operator()(cudnnHandle_t handle) const { cudnn().destroy(handle); }
};
using CudnnHandle = std::unique_ptr<cudnnContext, DestroyCudnn>;

// For the current device.
CudnnHandle make_cudnn_handle(cudaStream_t stream);

// An object of the interface. A finalized descriptor does not need those that it was made from.
class CudnnDescriptor {
 public:
  using Attribute = cudnnBackendAttributeName_t;
  using Type = cudnnBackendAttributeType_t;

  // `name` is for error messages: "a tensor".
  CudnnDescriptor(cudnnBackendDescriptorType_t type, std::string name);

  cudnnBackendDescriptor_t get() const { return descriptor_.get(); }

  template <typename T>
  void set(Attribute attribute, const T& value) {
    set_values(attribute, type_of(value), 1, &value);
  }
  void set(Attribute attribute, const CudnnDescriptor& value);
  void set(Attribute attribute, const std::deque<CudnnDescriptor>& values);
  // `values`: a vector or an array of at least one element.
  template <typename Values>
  void set_all(Attribute attribute, const Values& values) {
    set_values(attribute, type_of(values[0]), std::ssize(values), values.data());
  }

  // Copies at most `capacity` values; returns how many there are.
  std::int64_t read(Attribute attribute, Type type, std::int64_t capacity, void* values) const;

  void finalize() { cudnn_check(try_finalize(), "create " + name_); }
  cudnnStatus_t try_finalize() { return cudnn().finalize(get()); }

 private:
  struct Destroy {
    void operator()(cudnnBackendDescriptor_t d) const { cudnn().destroy_descriptor(d); }
  };

  static constexpr Type type_of(bool) { return CUDNN_TYPE_BOOLEAN; }
  static constexpr Type type_of(std::int64_t) { return CUDNN_TYPE_INT64; }
  static constexpr Type type_of(void*) { return CUDNN_TYPE_VOID_PTR; }
  static constexpr Type type_of(cudnnHandle_t) { return CUDNN_TYPE_HANDLE; }
  static constexpr Type type_of(cudnnDataType_t) { return CUDNN_TYPE_DATA_TYPE; }
  static constexpr Type type_of(cudnnPointwiseMode_t) { return CUDNN_TYPE_POINTWISE_MODE; }
  static constexpr Type type_of(cudnnReduceTensorOp_t) {
    return CUDNN_TYPE_REDUCTION_OPERATOR_TYPE;
  }
  static constexpr Type type_of(cudnnBackendHeurMode_t) { return CUDNN_TYPE_HEUR_MODE; }

  void set_values(Attribute attribute, Type type, std::int64_t count, const void* values);

  std::string name_;
  std::unique_ptr<void, Destroy> descriptor_;
};

}  // namespace mansard::kernels
