// SPDX-License-Identifier: Apache-2.0
// A library with the name of cuDNN: its descriptors hold nothing, and it computes nothing.
#include <cstdint>

namespace {
int executions = 0;
std::uintptr_t created = 0;
}  // namespace

extern "C" {

int fake_cudnn_executions() { return executions; }

int cudnnBackendCreateDescriptor(int, void** descriptor) {
  *descriptor = reinterpret_cast<void*>(++created);
  return 0;
}
int cudnnBackendDestroyDescriptor(void*) { return 0; }
int cudnnBackendSetAttribute(void*, int, int, std::int64_t, const void*) { return 0; }
int cudnnBackendGetAttribute(void*, int, int, std::int64_t, std::int64_t* count, void*) {
  *count = 1;
  return 0;
}
int cudnnBackendFinalize(void*) { return 0; }
int cudnnBackendExecute(void*, void*, void*) { return ++executions == 2 ? 5000 : 0; }
int cudnnBackendPopulateCudaGraph(void*, void*, void*, void* graph) {
  return graph == &executions ? 0 : 5000;
}
void* fake_cuda_graph() { return &executions; }

}  // extern "C"
