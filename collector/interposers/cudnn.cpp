// SPDX-License-Identifier: Apache-2.0
// The graphs that cuDNN executes: each execution of a plan, and each addition of its kernels to a
// CUDA graph, is in a range with the graph's work.
// cuDNN's older functions (cudnnConvolutionForward) are not interposed.
#include <algorithm>
#include <cstdint>

#include "collector/interposers/cudnn_abi.h"
#include "collector/interposers/cudnn_graph.h"
#include "collector/interposers/library_call.h"
#include "collector/interposers/original.h"

namespace mansard::collector {
namespace {

// Never destroyed: programs destroy descriptors while they exit.
CudnnPlans& plans() noexcept {
  static CudnnPlans& all = *new CudnnPlans;
  return all;
}

// Calls cuDNN's function, and `follow()` if that succeeded.
template <class Follow, class... Arguments>
cudnn::Status call(EntryPoint& entry, const Follow& follow, Arguments... arguments) noexcept {
  auto* original = entry.original<cudnn::Status(Arguments...)>();
  if (original == nullptr) return cudnn::kNotInitialized;
  const cudnn::Status status = original(arguments...);
  if (status != 0 || !LibraryCall::collector_is_loaded()) return status;
  try {
    follow();
  } catch (...) {
    // Out of memory: the plan's work stays unknown.
  }
  return status;
}

}  // namespace
}  // namespace mansard::collector

// Defines NAME, which calls cuDNN's function and then does FOLLOW.
#define MANSARD_CUDNN(NAME, PARAMETERS, ARGUMENTS, FOLLOW)                              \
  namespace mansard::collector {                                                        \
  extern EntryPoint entry_##NAME;                                                       \
  }                                                                                     \
  MANSARD_EXPORT int NAME PARAMETERS {                                                  \
    using namespace mansard::collector;                                                 \
    return call(                                                                        \
        entry_##NAME, [&] { FOLLOW; }, MANSARD_UNPACK ARGUMENTS);                       \
  }                                                                                     \
  mansard::collector::EntryPoint mansard::collector::entry_##NAME("libcudnn.so", #NAME, \
                                                                  reinterpret_cast<void*>(&NAME));

MANSARD_CUDNN(cudnnBackendCreateDescriptor, (int kind, void** descriptor), (kind, descriptor),
              plans().create(*descriptor, kind))
MANSARD_CUDNN(cudnnBackendSetAttribute,
              (void* descriptor, int attribute, int type, std::int64_t count, const void* elements),
              (descriptor, attribute, type, count, elements),
              plans().set(descriptor, attribute, type, count, elements))
MANSARD_CUDNN(cudnnBackendGetAttribute,
              (void* descriptor, int attribute, int type, std::int64_t requested,
               std::int64_t* count, void* elements),
              (descriptor, attribute, type, requested, count, elements),
              if (count != nullptr) plans().got(descriptor, attribute, type,
                                                std::min(*count, requested), elements))
MANSARD_CUDNN(cudnnBackendFinalize, (void* descriptor), (descriptor), plans().finalize(descriptor))

namespace mansard::collector {
extern EntryPoint entry_destroy;
extern EntryPoint entry_execute;
extern EntryPoint entry_populate;
}  // namespace mansard::collector

// The address may be reused as soon as cuDNN has freed the descriptor.
MANSARD_EXPORT int cudnnBackendDestroyDescriptor(void* descriptor) {
  using namespace mansard::collector;
  plans().destroy(descriptor);
  return call(
      entry_destroy, [] {}, descriptor);
}

MANSARD_EXPORT int cudnnBackendExecute(void* handle, void* plan, void* operands) {
  using namespace mansard::collector;
  const LibraryCall range([&] { return plans().text_of(plan); });
  return call(
      entry_execute, [] {}, handle, plan, operands);
}

MANSARD_EXPORT int cudnnBackendPopulateCudaGraph(void* handle, void* plan, void* operands,
                                                 void* graph) {
  using namespace mansard::collector;
  const LibraryCall range([&] { return plans().text_of(plan); });
  return call(
      entry_populate, [] {}, handle, plan, operands, graph);
}

namespace mansard::collector {
EntryPoint entry_destroy("libcudnn.so", "cudnnBackendDestroyDescriptor",
                         reinterpret_cast<void*>(&cudnnBackendDestroyDescriptor));
EntryPoint entry_execute("libcudnn.so", "cudnnBackendExecute",
                         reinterpret_cast<void*>(&cudnnBackendExecute));
EntryPoint entry_populate("libcudnn.so", "cudnnBackendPopulateCudaGraph",
                          reinterpret_cast<void*>(&cudnnBackendPopulateCudaGraph));
}  // namespace mansard::collector
