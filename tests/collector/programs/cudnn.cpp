// SPDX-License-Identifier: Apache-2.0
// usage: collector_program_cudnn linked|looked_up
// Executes a matrix product of 64 x 16 by 16 x 32 with the fake cuDNN, twice, and adds it to a CUDA
// graph. Prints the second status, what reached the library, and the status of the addition.
#include <cstdint>
#include <cstdio>
#include <dlfcn.h>
#include <string_view>

#include "collector/interposers/cudnn_abi.h"

extern "C" {
int fake_cudnn_executions();
void* fake_cuda_graph();
int cudnnBackendCreateDescriptor(int, void**);
int cudnnBackendDestroyDescriptor(void*);
int cudnnBackendSetAttribute(void*, int, int, std::int64_t, const void*);
int cudnnBackendGetAttribute(void*, int, int, std::int64_t, std::int64_t*, void*);
int cudnnBackendFinalize(void*);
int cudnnBackendExecute(void*, void*, void*);
int cudnnBackendPopulateCudaGraph(void*, void*, void*, void*);
}

namespace {

using namespace mansard::collector::cudnn;

struct Functions {
  decltype(&cudnnBackendCreateDescriptor) create = cudnnBackendCreateDescriptor;
  decltype(&cudnnBackendDestroyDescriptor) destroy = cudnnBackendDestroyDescriptor;
  decltype(&cudnnBackendSetAttribute) set = cudnnBackendSetAttribute;
  decltype(&cudnnBackendGetAttribute) get = cudnnBackendGetAttribute;
  decltype(&cudnnBackendFinalize) finalize = cudnnBackendFinalize;
  decltype(&cudnnBackendExecute) execute = cudnnBackendExecute;
  decltype(&cudnnBackendPopulateCudaGraph) populate = cudnnBackendPopulateCudaGraph;
};

template <class Function>
void look_up(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
}

}  // namespace

int main(int argc, char** argv) {
  Functions f;
  if (argc > 1 && std::string_view(argv[1]) == "looked_up") {
    void* library = dlopen("libcudnn.so.99", RTLD_NOW);
    look_up(library, "cudnnBackendCreateDescriptor", f.create);
    look_up(library, "cudnnBackendDestroyDescriptor", f.destroy);
    look_up(library, "cudnnBackendSetAttribute", f.set);
    look_up(library, "cudnnBackendGetAttribute", f.get);
    look_up(library, "cudnnBackendFinalize", f.finalize);
    look_up(library, "cudnnBackendExecute", f.execute);
    look_up(library, "cudnnBackendPopulateCudaGraph", f.populate);
  }
  const auto create = [&](int kind) {
    void* descriptor = nullptr;
    f.create(kind, &descriptor);
    return descriptor;
  };
  const auto link = [&](void* from, int attribute, void* to) {
    f.set(from, attribute, kTypeDescriptor, 1, &to);
  };
  std::int64_t id = 0;
  const auto tensor = [&](std::int64_t rows, std::int64_t columns) {
    void* made = create(kTensor);
    const std::int64_t sizes[] = {rows, columns};
    const int type = kHalf;
    f.set(made, kTensorSizes, kTypeInt64, 2, sizes);
    f.set(made, kTensorType, kTypeDataType, 1, &type);
    f.set(made, kTensorId, kTypeInt64, 1, &++id);
    f.finalize(made);
    return made;
  };
  void* matmul = create(kMatmulOperation);
  link(matmul, kMatmulA, tensor(64, 16));
  link(matmul, kMatmulB, tensor(16, 32));
  link(matmul, kMatmulC, tensor(64, 32));
  void* graph = create(kOperationGraph);
  link(graph, kGraphOperations, matmul);
  f.finalize(graph);
  void* heuristic = create(kHeuristic);
  link(heuristic, kHeuristicGraph, graph);
  void* config = create(kEngineConfig);
  std::int64_t count = 0;
  f.get(heuristic, kHeuristicResults, kTypeDescriptor, 1, &count, &config);
  void* plan = create(kPlan);
  link(plan, kPlanEngineConfig, config);
  f.finalize(plan);
  for (void* descriptor : {matmul, graph, heuristic, config}) f.destroy(descriptor);
  f.execute(nullptr, plan, nullptr);
  const int status = f.execute(nullptr, plan, nullptr);
  const int added = f.populate(nullptr, plan, nullptr, fake_cuda_graph());
  std::printf("%d %d %d\n", status, fake_cudnn_executions(), added);
}
