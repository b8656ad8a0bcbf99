// SPDX-License-Identifier: Apache-2.0
#include "kernels/interface/mansard_layers.h"

#include <initializer_list>
#include <string>

#include "kernels/interface/caller_layer.h"

using mansard::kernels::CallerLayer;
using mansard::kernels::kRecipes;
using mansard::kernels::LinearProblem;
using mansard::kernels::MicroBatch;
using mansard::kernels::OutOfOrder;
using mansard::kernels::parse_recipe;
using mansard::kernels::Recipe;
using mansard::kernels::StreamBackends;

struct mansard_layer {
  CallerLayer layer;
};

namespace {

thread_local std::string last_error;

// Runs `body`, whose exceptions become an error code and a text that starts with `function`.
template <typename Body>
mansard_status guarded(const char* function, const Body& body) noexcept {
  const auto failed = [function](mansard_status status, const char* reason) {
    try {
      last_error = std::string(function) + ": " + reason;
    } catch (...) {
      last_error.clear();
    }
    return status;
  };
  try {
    body();
    return MANSARD_OK;
  } catch (const std::invalid_argument& error) {
    return failed(MANSARD_INVALID_ARGUMENT, error.what());
  } catch (const OutOfOrder& error) {
    return failed(MANSARD_OUT_OF_ORDER, error.what());
  } catch (const std::exception& error) {
    return failed(MANSARD_FAILED, error.what());
  } catch (...) {
    return failed(MANSARD_FAILED, "unknown error");
  }
}

struct Pointer {
  const char* name;
  const void* address;
  bool required = true;
};

void require_pointers(std::initializer_list<Pointer> pointers, std::uintptr_t alignment = 1) {
  for (const Pointer& p : pointers) {
    if (p.address == nullptr) {
      if (p.required) throw std::invalid_argument(std::string(p.name) + " is null");
    } else if (reinterpret_cast<std::uintptr_t>(p.address) % alignment != 0) {
      throw std::invalid_argument(std::string(p.name) + " is not aligned to " +
                                  std::to_string(alignment) + " bytes");
    }
  }
}

// Checks `memory` and the tensors of a pass.
CallerLayer& layer_for(mansard_layer* handle, const mansard_layer_memory* memory,
                       std::int64_t scratch_bytes(const CallerLayer&),
                       std::initializer_list<Pointer> tensors) {
  CallerLayer& layer = handle->layer;
  const std::uintptr_t alignment = layer.is_cpu() ? 16 : MANSARD_LAYERS_ALIGNMENT;
  require_pointers({{"memory->activation", memory->activation, layer.activation_bytes() > 0},
                    {"memory->weight", memory->weight, layer.weight_bytes() > 0},
                    {"memory->scratch", memory->scratch, scratch_bytes(layer) > 0}},
                   alignment);
  require_pointers(tensors, alignment);
  return layer;
}

std::int64_t forward_scratch(const CallerLayer& layer) { return layer.forward_scratch_bytes(); }
std::int64_t backward_scratch(const CallerLayer& layer) { return layer.backward_scratch_bytes(); }

CallerLayer::Memory memory_of(const mansard_layer_memory& m) {
  return {m.activation, m.weight, m.scratch};
}

Recipe recipe_named(const char* name) {
  if (const auto recipe = parse_recipe(name)) return *recipe;
  throw std::invalid_argument("there is no recipe '" + std::string(name) + "'; recipes are " +
                              mansard_layers_recipes());
}

MicroBatch micro_batch(int value, const char* name) {
  if (value == 0) return MicroBatch::first;
  if (value == 1) return MicroBatch::later;
  throw std::invalid_argument(std::string(name) + " is neither 0 nor 1");
}

}  // namespace

int mansard_layers_version(void) { return MANSARD_LAYERS_VERSION; }

const char* mansard_layers_error(void) { return last_error.c_str(); }

const char* mansard_layers_recipes(void) {
  static const std::string names = [] {
    std::string joined;
    for (const Recipe recipe : kRecipes) {
      if (!joined.empty()) joined += ' ';
      joined += to_string(recipe);
    }
    return joined;
  }();
  return names.c_str();
}

mansard_status mansard_layer_create(const mansard_layer_config* config, mansard_layer** layer) {
  return guarded("mansard_layer_create", [&] {
    require_pointers({{"layer", layer}});
    *layer = nullptr;
    require_pointers({{"config", config}});
    require_pointers({{"config->recipe", config->recipe}});
    LinearProblem problem;
    problem.name = config->recipe;
    problem.tokens = config->tokens;
    problem.in_features = config->in_features;
    problem.out_features = config->out_features;
    problem.seed = config->seed;
    const Recipe recipe = recipe_named(config->recipe);
    *layer = new mansard_layer{CallerLayer(problem, recipe, StreamBackends::of(config->device))};
  });
}

void mansard_layer_destroy(mansard_layer* layer) { delete layer; }

mansard_status mansard_layer_get_sizes(const mansard_layer* layer, mansard_layer_sizes* sizes) {
  return guarded("mansard_layer_get_sizes", [&] {
    require_pointers({{"layer", layer}, {"sizes", sizes}});
    const CallerLayer& l = layer->layer;
    *sizes = {l.activation_bytes(), l.weight_bytes(), l.forward_scratch_bytes(),
              l.backward_scratch_bytes(), l.backward_reads_x_and_w() ? 1 : 0};
  });
}

mansard_status mansard_layer_fprop(mansard_layer* layer, void* stream,
                                   const mansard_layer_memory* memory, const void* x, const void* w,
                                   void* y, int weight, uint64_t* pass) {
  return guarded("mansard_layer_fprop", [&] {
    require_pointers({{"layer", layer}, {"memory", memory}});
    CallerLayer& l = layer_for(layer, memory, forward_scratch, {{"x", x}, {"w", w}, {"y", y}});
    const std::uint64_t number =
        l.fprop(stream, memory_of(*memory), x, w, y, micro_batch(weight, "weight"));
    if (pass != nullptr) *pass = number;
  });
}

mansard_status mansard_layer_dgrad(mansard_layer* layer, void* stream,
                                   const mansard_layer_memory* memory, uint64_t pass,
                                   const void* dy, const void* w, void* dx) {
  return guarded("mansard_layer_dgrad", [&] {
    require_pointers({{"layer", layer}, {"memory", memory}});
    const bool reads_w = layer->layer.backward_reads_x_and_w();
    CallerLayer& l = layer_for(layer, memory, backward_scratch,
                               {{"dy", dy}, {"w", w, reads_w}, {"dx", dx, false}});
    l.dgrad(stream, memory_of(*memory), pass, dy, reads_w ? w : nullptr, dx);
  });
}

mansard_status mansard_layer_wgrad(mansard_layer* layer, void* stream,
                                   const mansard_layer_memory* memory, uint64_t pass,
                                   const void* dy, const void* x, float* dw, int result) {
  return guarded("mansard_layer_wgrad", [&] {
    require_pointers({{"layer", layer}, {"memory", memory}});
    const bool reads_x = layer->layer.backward_reads_x_and_w();
    CallerLayer& l =
        layer_for(layer, memory, backward_scratch, {{"dy", dy}, {"x", x, reads_x}, {"dw", dw}});
    l.wgrad(stream, memory_of(*memory), pass, dy, reads_x ? x : nullptr, dw,
            micro_batch(result, "result"));
  });
}
