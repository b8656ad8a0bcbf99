// SPDX-License-Identifier: Apache-2.0
// A layer called through the C interface, and the same LinearLayer, with equal inputs.
#pragma once

#include <cstring>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/interface/mansard_layers.h"
#include "kernels/recipes/linear_layer.h"

namespace mansard::kernels {

inline const LinearProblem kCalledProblem = {"called", 160, 96, 224, DataPattern::random_normal, 7};

struct LayerResults {
  std::vector<Bf16> y, dx;
  std::vector<float> dw;
};

template <typename T>
bool same_bytes(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), sizeof(T) * a.size()) == 0;
}

inline void expect_same(const LayerResults& a, const LayerResults& b) {
  EXPECT_TRUE(same_bytes(a.y, b.y));
  EXPECT_TRUE(same_bytes(a.dx, b.dx));
  EXPECT_TRUE(same_bytes(a.dw, b.dw));
}

// Tensors of a layer in the backend's memory. The inputs depend on `batch`, except W.
class LayerTensorsInMemory {
 public:
  LayerTensorsInMemory(const LinearProblem& p, Backend& backend, std::uint64_t batch)
      : problem_(p), backend_(&backend) {
    const std::int64_t x_size = p.tokens * p.in_features, y_size = p.tokens * p.out_features;
    const std::int64_t w_size = p.in_features * p.out_features;
    x = allocate<Bf16>(x_size), dx = allocate<Bf16>(x_size);
    y = allocate<Bf16>(y_size), dy = allocate<Bf16>(y_size);
    w = allocate<Bf16>(w_size), dw = allocate<float>(w_size);
    backend.fill(x, x_size, p.pattern, 100 + 3 * batch, 0);
    backend.fill(dy, y_size, p.pattern, 101 + 3 * batch, -10);
    backend.fill(w, w_size, p.pattern, 1, -6);
    backend.synchronize();
  }

  LayerResults results() const {
    const LinearProblem& p = problem_;
    return {read(y, p.tokens * p.out_features), read(dx, p.tokens * p.in_features),
            read(dw, p.in_features * p.out_features)};
  }

  Bf16 *x, *y, *w, *dx, *dy;
  float* dw;

 private:
  template <typename T>
  T* allocate(std::int64_t count) {
    memory_.push_back(backend_->allocate(static_cast<std::int64_t>(sizeof(T)) * count));
    return static_cast<T*>(memory_.back().get());
  }
  template <typename T>
  std::vector<T> read(const T* values, std::int64_t count) const {
    std::vector<T> host(static_cast<std::size_t>(count));
    backend_->read(host.data(), values, static_cast<std::int64_t>(sizeof(T)) * count);
    return host;
  }

  LinearProblem problem_;
  Backend* backend_;
  std::vector<std::shared_ptr<void>> memory_;
};

// LinearLayer on the given tensors.
class ReferenceLayer {
 public:
  ReferenceLayer(const LinearProblem& problem, Recipe recipe, Backend& backend)
      : problem_(problem), backend_(&backend) {
    ReservedLayer reserved = reserve_layer(problem, recipe, backend, arena_);
    const Buffer workspace = arena_.share(Scratch::gemm_workspace, backend.gemm_workspace_bytes());
    arena_.allocate(backend);
    tensors_ = reserved.tensors;
    layer_.emplace_back(std::move(reserved), 2, workspace.as<void>(), backend);
  }

  // All passes of a micro-batch, whose inputs are copied from `from`.
  LayerResults run(const LayerTensorsInMemory& from, MicroBatch which = MicroBatch::first) {
    const LinearProblem& p = problem_;
    const std::int64_t x_size = p.tokens * p.in_features, y_size = p.tokens * p.out_features;
    const std::int64_t w_size = p.in_features * p.out_features;
    copy(tensors_.x.as<Bf16>(), from.x, x_size);
    copy(tensors_.w.as<Bf16>(), from.w, w_size);
    copy(tensors_.dy.as<Bf16>(), from.dy, y_size);
    for (const Pass pass : kPasses) layer_.front().run(pass, which);
    return {read(tensors_.y.as<Bf16>(), y_size), read(tensors_.dx.as<Bf16>(), x_size),
            read(tensors_.dw.as<float>(), w_size)};
  }

 private:
  template <typename T>
  std::vector<T> read(const T* values, std::int64_t count) const {
    std::vector<T> host(static_cast<std::size_t>(count));
    backend_->read(host.data(), values, static_cast<std::int64_t>(sizeof(T)) * count);
    return host;
  }
  void copy(Bf16* to, const Bf16* from, std::int64_t count) const {
    backend_->write(to, read(from, count).data(), 2 * count);
  }

  LinearProblem problem_;
  Backend* backend_;
  Arena arena_;
  LayerTensors tensors_;
  std::vector<LinearLayer> layer_;
};

// A layer of the C interface with memory for one forward pass.
class CalledLayer {
 public:
  CalledLayer(const LinearProblem& p, Recipe recipe, Backend& backend, int device)
      : stream(backend.cuda_stream()) {
    const std::string name(to_string(recipe));
    const mansard_layer_config config = {name.c_str(),   p.tokens, p.in_features,
                                         p.out_features, p.seed,   device};
    EXPECT_EQ(mansard_layer_create(&config, &layer), MANSARD_OK) << mansard_layers_error();
    EXPECT_EQ(mansard_layer_get_sizes(layer, &sizes), MANSARD_OK);
    memory = allocate(backend);
  }
  ~CalledLayer() { mansard_layer_destroy(layer); }
  CalledLayer(const CalledLayer&) = delete;
  CalledLayer& operator=(const CalledLayer&) = delete;

  // Filled with 0xff, which is NaN in all formats.
  mansard_layer_memory allocate(Backend& backend) {
    mansard_layer_memory m;
    m.activation = poisoned(sizes.activation, backend);
    m.weight = poisoned(sizes.weight, backend);
    m.scratch = poisoned(std::max(sizes.forward_scratch, sizes.backward_scratch), backend);
    return m;
  }

  mansard_status fprop(const LayerTensorsInMemory& t, int weight = MANSARD_WEIGHT_NEW) {
    return mansard_layer_fprop(layer, stream, &memory, t.x, t.w, t.y, weight, &pass);
  }
  mansard_status dgrad(const LayerTensorsInMemory& t) {
    return mansard_layer_dgrad(layer, stream, &memory, pass, t.dy, t.w, t.dx);
  }
  mansard_status wgrad(const LayerTensorsInMemory& t, int result = MANSARD_OVERWRITE) {
    return mansard_layer_wgrad(layer, stream, &memory, pass, t.dy, t.x, t.dw, result);
  }
  void run(const LayerTensorsInMemory& t, int weight = MANSARD_WEIGHT_NEW,
           int result = MANSARD_OVERWRITE) {
    EXPECT_EQ(fprop(t, weight), MANSARD_OK) << mansard_layers_error();
    EXPECT_EQ(dgrad(t), MANSARD_OK) << mansard_layers_error();
    EXPECT_EQ(wgrad(t, result), MANSARD_OK) << mansard_layers_error();
  }

  void* stream;
  mansard_layer* layer = nullptr;
  mansard_layer_sizes sizes{};
  mansard_layer_memory memory{};
  std::uint64_t pass = 0;

 private:
  void* poisoned(std::int64_t bytes, Backend& backend) {
    if (bytes == 0) return nullptr;
    held_.push_back(backend.allocate(bytes));
    const std::vector<std::uint8_t> poison(static_cast<std::size_t>(bytes), 0xff);
    backend.write(held_.back().get(), poison.data(), bytes);
    return held_.back().get();
  }

  std::vector<std::shared_ptr<void>> held_;
};

}  // namespace mansard::kernels
