// SPDX-License-Identifier: Apache-2.0
#if MANSARD_HAVE_CUDNN

#include "kernels/training/cudnn_backend.h"

#include <array>
#include <stdexcept>
#include <utility>
#include <vector>

#include "kernels/device/shared_library.h"

namespace mansard::kernels {
namespace {

Cudnn load_cudnn() {
  const std::string major = std::to_string(CUDNN_MAJOR);
  const std::string file = "libcudnn.so." + major;
  // First the loader's search path (LD_LIBRARY_PATH, ldconfig), then the toolkit of this build.
  const SharedLibrary library("cuDNN", "cuDNN " + major,
                              {file, MANSARD_CUDA_LIBRARY_FOLDER "/" + file});
  Cudnn c{};
  library.load("cudnnGetVersion", c.version);
  library.load("cudnnGetErrorString", c.error_string);
  library.load("cudnnGetLastErrorString", c.last_error_string);
  library.load("cudnnCreate", c.create);
  library.load("cudnnDestroy", c.destroy);
  library.load("cudnnSetStream", c.set_stream);
  library.load("cudnnBackendCreateDescriptor", c.create_descriptor);
  library.load("cudnnBackendDestroyDescriptor", c.destroy_descriptor);
  library.load("cudnnBackendSetAttribute", c.set_attribute);
  library.load("cudnnBackendGetAttribute", c.get_attribute);
  library.load("cudnnBackendFinalize", c.finalize);
  library.load("cudnnBackendExecute", c.execute);
  return c;
}

}  // namespace

const Cudnn& cudnn() {
  static const Cudnn loaded = load_cudnn();
  return loaded;
}

std::string cudnn_name(std::size_t version) {
  return "cuDNN " + std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) +
         "." + std::to_string(version % 100);
}

std::string cudnn_reason(cudnnStatus_t status) {
  std::array<char, 1024> message{};
  cudnn().last_error_string(message.data(), message.size());
  const std::string text = message.data();
  return cudnn().error_string(status) + (text.empty() ? "" : " (" + text + ")");
}

void cudnn_check(cudnnStatus_t status, const std::string& attempted) {
  if (status == CUDNN_STATUS_SUCCESS) return;
  throw std::runtime_error("cannot " + attempted + ": cuDNN reports " + cudnn_reason(status));
}

CudnnHandle make_cudnn_handle(cudaStream_t stream) {
  cudnnHandle_t raw = nullptr;
  cudnn_check(cudnn().create(&raw), "initialize cuDNN");
  CudnnHandle handle(raw);
  cudnn_check(cudnn().set_stream(raw, stream), "set the stream of cuDNN");
  return handle;
}

CudnnDescriptor::CudnnDescriptor(cudnnBackendDescriptorType_t type, std::string name)
    : name_(std::move(name)) {
  cudnnBackendDescriptor_t raw = nullptr;
  cudnn_check(cudnn().create_descriptor(type, &raw), "create " + name_);
  descriptor_.reset(raw);
}

void CudnnDescriptor::set(Attribute attribute, const CudnnDescriptor& value) {
  const cudnnBackendDescriptor_t raw = value.get();
  set_values(attribute, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &raw);
}

void CudnnDescriptor::set(Attribute attribute, const std::deque<CudnnDescriptor>& values) {
  std::vector<cudnnBackendDescriptor_t> raw;
  for (const CudnnDescriptor& value : values) raw.push_back(value.get());
  set_values(attribute, CUDNN_TYPE_BACKEND_DESCRIPTOR, std::ssize(raw), raw.data());
}

std::int64_t CudnnDescriptor::read(Attribute attribute, Type type, std::int64_t capacity,
                                   void* values) const {
  std::int64_t count = 0;
  cudnn_check(cudnn().get_attribute(get(), attribute, type, capacity, &count, values),
              "read attribute " + std::to_string(attribute) + " of " + name_);
  return count;
}

void CudnnDescriptor::set_values(Attribute attribute, Type type, std::int64_t count,
                                 const void* values) {
  cudnn_check(cudnn().set_attribute(get(), attribute, type, count, values),
              "set attribute " + std::to_string(attribute) + " of " + name_);
}

}  // namespace mansard::kernels

#endif
