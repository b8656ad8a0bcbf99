// SPDX-License-Identifier: Apache-2.0
// Times of the quantization kernels vs. their lower bound T_sol = bytes read / BW_read + bytes
// written / BW_write, with both bandwidths measured here by hbm_read and hbm_write. Prints a
// Markdown table for single launches between events and for back-to-back launches.
//   benchmark_quantize_kernels [--once] [ROWSxCOLS ...]
// With --once each kernel runs a single time, for use with a profiler.
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <functional>
#include <iostream>
#include <stdexcept>

#include "empirical_roofline/measure/launch_timer.h"
#include "kernels/device/device_buffer.h"
#include "kernels/fp8/fp8.h"
#include "kernels/kernel.h"
#include "kernels/nvfp4/nvfp4.h"
#include "kernels/recipes/fill_random.h"
#include "support/statistics.h"

namespace mansard {
namespace {

using kernels::ScaleLayout;
using kernels::Shape;
using kernels::nvfp4::AmaxScratch;
using kernels::nvfp4::code_bytes;
using kernels::nvfp4::Matrix;
using kernels::nvfp4::Options;
using kernels::nvfp4::RandomState;
using kernels::nvfp4::scale_bytes;
using kernels::nvfp4::Transform;

constexpr int kSamples = 41;
constexpr int kBatch = 20;

class Launch : public kernels::PreparedKernel {
 public:
  explicit Launch(std::function<void(cudaStream_t)> run) : run_(std::move(run)) {}
  kernels::Work work() const override { return {}; }
  void launch(void* stream) override { run_(static_cast<cudaStream_t>(stream)); }
  std::string verify() override { return ""; }

 private:
  std::function<void(cudaStream_t)> run_;
};

struct Times {
  double one_s, batch_s, spread;
};

Times time_of(kernels::PreparedKernel& kernel, const kernels::DeviceInfo& device) {
  const auto single = roofline::make_event_timer(device);
  std::vector<double> times_s;
  for (int i = 0; i < 5; ++i) single->time_s(kernel);
  for (int i = 0; i < kSamples; ++i) times_s.push_back(single->time_s(kernel));
  const auto load = roofline::make_load_timer(device);
  std::vector<double> batches_s;
  for (int i = 0; i < 7; ++i) batches_s.push_back(load->next_s(kernel, kBatch) / kBatch);
  batches_s.erase(batches_s.begin(), batches_s.begin() + 2);
  const double one_s = median(times_s);
  return {one_s, median(batches_s), relative_spread(times_s)};
}

double bandwidth(const char* name, const kernels::DeviceInfo& device) {
  const kernels::KernelSpec* spec = kernels::kernel_registry().find(name);
  const auto kernel = spec->prepare(device, {});
  return kernel->work().bytes.at(MemoryLevel::hbm) / time_of(*kernel, device).one_s;
}

Shape parse_shape(const std::string& text) {
  Shape shape;
  const char* const end = text.data() + text.size();
  const auto rows = std::from_chars(text.data(), end, shape.rows);
  const auto cols = rows.ptr < end ? std::from_chars(rows.ptr + 1, end, shape.cols) : rows;
  if (rows.ec != std::errc{} || cols.ec != std::errc{} || cols.ptr != end ||
      shape.elements() <= 0) {
    throw std::invalid_argument("'" + text + "' is not a shape such as 8192x8192");
  }
  return shape;
}

// Two sets of all buffers, so that a launch never finds its input in the L2.
struct Buffers {
  explicit Buffers(Shape s)
      : x(static_cast<std::size_t>(s.elements())),
        expanded(static_cast<std::size_t>(s.elements())),
        codes(static_cast<std::size_t>(code_bytes(s))),
        scales(static_cast<std::size_t>(scale_bytes(s, ScaleLayout::tiled))),
        codes_t(static_cast<std::size_t>(code_bytes(s.transposed()))),
        scales_t(static_cast<std::size_t>(scale_bytes(s.transposed(), ScaleLayout::tiled))),
        random(std::vector{RandomState{1, 2}}),
        fp8(static_cast<std::size_t>(s.elements())),
        fp8_t(static_cast<std::size_t>(s.elements())),
        fp8_scales(static_cast<std::size_t>(kernels::fp8::mx_scale_bytes(ScaleLayout::tiled, s))),
        fp8_scales_t(static_cast<std::size_t>(
            kernels::fp8::mx_scale_bytes(ScaleLayout::tiled, s.transposed()))) {
    scratch.fill_bytes(0);
    kernels::fill_random_on_device(x.get(), s.elements(), kernels::DataPattern::random_normal, 1, 0,
                                   nullptr);
    kernels::nvfp4::amax_rht(x.get(), s, amax.get(), amax.get() + 4, scratch.get(), nullptr);
    kernels::nvfp4::quantize_1x16(x.get(), s, amax.get(), out(), {}, nullptr);
    kernels::cuda_check(cudaDeviceSynchronize(), "prepare the buffers");
  }
  Matrix out() const { return {codes.get(), scales.get()}; }
  Matrix out_t() const { return {codes_t.get(), scales_t.get()}; }

  kernels::DeviceBuffer<kernels::Bf16> x, expanded;
  kernels::DeviceBuffer<std::uint8_t> codes, scales, codes_t, scales_t;
  kernels::DeviceBuffer<float> amax{8};
  kernels::DeviceBuffer<AmaxScratch> scratch{1};
  kernels::DeviceBuffer<RandomState> random;
  kernels::DeviceBuffer<std::uint8_t> fp8, fp8_t;
  kernels::DeviceBuffer<float> fp8_scales, fp8_scales_t;  // larger than any kernel needs
  kernels::DeviceBuffer<kernels::fp8::TensorScale> tensor_scale{1};
};

struct Case {
  const char* name;
  double read, written;  // bytes per element
  bool layouts;          // supports linear and tiled scales
  std::function<void(const Buffers&, Shape, ScaleLayout, cudaStream_t)> run;
};

const std::vector<Case>& cases() {
  constexpr double kQuantized = 0.5 + 1.0 / 16;
  static const std::vector<Case> all = {
      {"amax", 2, 0, false,
       [](const Buffers& b, Shape s, ScaleLayout, cudaStream_t stream) {
         kernels::nvfp4::amax(b.x.get(), s, b.amax.get() + 2, b.scratch.get(), stream);
       }},
      {"amax and amax of RHT", 2, 0, false,
       [](const Buffers& b, Shape s, ScaleLayout, cudaStream_t stream) {
         kernels::nvfp4::amax_rht(b.x.get(), s, b.amax.get() + 2, b.amax.get() + 6, b.scratch.get(),
                                  stream);
       }},
      {"quantize rows", 2, kQuantized, true,
       [](const Buffers& b, Shape s, ScaleLayout layout, cudaStream_t stream) {
         kernels::nvfp4::quantize_1x16(b.x.get(), s, b.amax.get(), b.out(), {.layout = layout},
                                       stream);
       }},
      {"quantize rows, stochastic", 2, kQuantized, true,
       [](const Buffers& b, Shape s, ScaleLayout layout, cudaStream_t stream) {
         kernels::nvfp4::quantize_1x16(b.x.get(), s, b.amax.get(), b.out(),
                                       {b.random.get(), layout}, stream);
       }},
      {"quantize columns", 2, kQuantized, true,
       [](const Buffers& b, Shape s, ScaleLayout layout, cudaStream_t stream) {
         kernels::nvfp4::quantize_transposed(b.x.get(), s, b.amax.get(), Transform::none, b.out_t(),
                                             {.layout = layout}, stream);
       }},
      {"quantize columns after RHT", 2, kQuantized, true,
       [](const Buffers& b, Shape s, ScaleLayout layout, cudaStream_t stream) {
         kernels::nvfp4::quantize_transposed(b.x.get(), s, b.amax.get() + 4, Transform::rht,
                                             b.out_t(), {.layout = layout}, stream);
       }},
      {"quantize 16x16, rows and columns", 2, 2 * kQuantized, true,
       [](const Buffers& b, Shape s, ScaleLayout layout, cudaStream_t stream) {
         kernels::nvfp4::quantize_16x16(b.x.get(), s, b.amax.get(), b.out(), b.out_t(),
                                        {.layout = layout}, stream);
       }},
      {"quantize rows, columns after RHT", 2, 2 * kQuantized, true,
       [](const Buffers& b, Shape s, ScaleLayout layout, cudaStream_t stream) {
         kernels::nvfp4::quantize_both(b.x.get(), s, b.amax.get(), b.amax.get() + 4, Transform::rht,
                                       b.out(), b.out_t(), {.layout = layout}, stream);
       }},
      {"quantize rows, columns after RHT, stochastic", 2, 2 * kQuantized, true,
       [](const Buffers& b, Shape s, ScaleLayout layout, cudaStream_t stream) {
         kernels::nvfp4::quantize_both(b.x.get(), s, b.amax.get(), b.amax.get() + 4, Transform::rht,
                                       b.out(), b.out_t(), {b.random.get(), layout}, stream);
       }},
      {"dequantize", kQuantized, 2, true,
       [](const Buffers& b, Shape s, ScaleLayout layout, cudaStream_t stream) {
         kernels::nvfp4::dequantize(b.out(), s, layout, b.expanded.get(), stream);
       }},
      {"FP8 cast", 2, 1, false,
       [](const Buffers& b, Shape s, ScaleLayout, cudaStream_t stream) {
         kernels::fp8::cast(kernels::fp8::Format::e4m3, b.x.get(), s,
                            {b.tensor_scale.get(), b.amax.get()}, b.fp8.get(), nullptr, stream);
       }},
      {"FP8 cast and transpose", 2, 2, false,
       [](const Buffers& b, Shape s, ScaleLayout, cudaStream_t stream) {
         kernels::fp8::cast_transpose(kernels::fp8::Format::e4m3, b.x.get(), s,
                                      {b.tensor_scale.get(), b.amax.get()}, b.fp8.get(),
                                      b.fp8_t.get(), nullptr, stream);
       }},
      {"FP8 1x128, rows and columns", 2, 2 + 8.0 / 128, false,
       [](const Buffers& b, Shape s, ScaleLayout, cudaStream_t stream) {
         kernels::fp8::quantize_1x128(
             kernels::fp8::Format::e4m3, kernels::fp8::ScaleRounding::power_of_two, b.x.get(), s,
             {b.fp8.get(), b.fp8_scales.get()}, {b.fp8_t.get(), b.fp8_scales_t.get()}, stream);
       }},
      {"FP8 128x128, rows and columns", 2, 2, false,
       [](const Buffers& b, Shape s, ScaleLayout, cudaStream_t stream) {
         kernels::fp8::quantize_128x128(
             kernels::fp8::Format::e4m3, kernels::fp8::ScaleRounding::power_of_two, b.x.get(), s,
             {b.fp8.get(), b.fp8_scales.get()}, {b.fp8_t.get(), b.fp8_scales_t.get()}, stream);
       }},
      {"MXFP8, rows and columns", 2, 2 + 2.0 / 32, true,
       [](const Buffers& b, Shape s, ScaleLayout layout, cudaStream_t stream) {
         kernels::fp8::quantize_mxfp8(
             kernels::fp8::Format::e4m3, layout, b.x.get(), s,
             {b.fp8.get(), reinterpret_cast<std::uint8_t*>(b.fp8_scales.get())},
             {b.fp8_t.get(), reinterpret_cast<std::uint8_t*>(b.fp8_scales_t.get())}, stream);
       }},
  };
  return all;
}

std::vector<ScaleLayout> layouts_of(const Case& c) {
  if (!c.layouts) return {ScaleLayout::linear};
  return {ScaleLayout::linear, ScaleLayout::tiled};
}

kernels::DeviceInfo first_gpu() {
  const std::vector<kernels::DeviceInfo> devices = kernels::cuda_devices();
  if (devices.empty()) throw std::runtime_error(kernels::cuda_unavailable_reason());
  return devices.front();
}

void run_once(const std::vector<std::string>& shapes) {
  first_gpu();
  for (const std::string& text : shapes) {
    const Shape shape = parse_shape(text);
    const Buffers buffers(shape);
    for (const Case& c : cases()) {
      for (const ScaleLayout layout : layouts_of(c)) c.run(buffers, shape, layout, nullptr);
    }
    kernels::cuda_check(cudaDeviceSynchronize(), "run the kernels");
  }
}

void run(const std::vector<std::string>& shapes) {
  const kernels::DeviceInfo device = first_gpu();
  const double read = bandwidth("hbm_read", device);
  const double write = bandwidth("hbm_write", device);
  std::printf(
      "%s: reads %.3f TB/s, writes %.3f TB/s; normal random data, medians of %d launches\n\n",
      device.name.c_str(), read * 1e-12, write * 1e-12, kSamples);
  std::printf(
      "| kernel | scales | shape | floor us | one launch us | spread | of floor | %d in a row us | "
      "of floor |\n|---|---|---|---:|---:|---:|---:|---:|---:|\n",
      kBatch);
  for (const std::string& text : shapes) {
    const Shape shape = parse_shape(text);
    const auto elements = static_cast<double>(shape.elements());
    const Buffers sets[2] = {Buffers(shape), Buffers(shape)};
    for (const Case& c : cases()) {
      for (const ScaleLayout layout : layouts_of(c)) {
        int next = 0;
        Launch kernel([&](cudaStream_t stream) { c.run(sets[next++ % 2], shape, layout, stream); });
        const Times t = time_of(kernel, device);
        const double floor_s = elements * (c.read / read + c.written / write);
        const char* const where = !c.layouts                      ? "-"
                                  : layout == ScaleLayout::linear ? "linear"
                                                                  : "tiled";
        std::printf("| %s | %s | %s | %.1f | %.1f | %.1f %% | %.3f | %.1f | %.3f |\n", c.name,
                    where, text.c_str(), 1e6 * floor_s, 1e6 * t.one_s, 100 * t.spread,
                    floor_s / t.one_s, 1e6 * t.batch_s, floor_s / t.batch_s);
      }
    }
  }
}

}  // namespace
}  // namespace mansard

int main(int argc, char** argv) {
  std::vector<std::string> shapes(argv + 1, argv + argc);
  const bool once = !shapes.empty() && shapes.front() == "--once";
  if (once) shapes.erase(shapes.begin());
  if (shapes.empty()) shapes = {"8192x8192", "16384x14336"};
  try {
    once ? mansard::run_once(shapes) : mansard::run(shapes);
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
