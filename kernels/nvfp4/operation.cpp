// SPDX-License-Identifier: Apache-2.0
#if MANSARD_HAVE_CUDA

#include "kernels/nvfp4/operation.h"

#include <algorithm>
#include <cmath>

#include "kernels/device/device_buffer.h"
#include "kernels/formats/random_input.h"
#include "kernels/nvfp4/reference.h"

namespace mansard::kernels::nvfp4 {
namespace {

using Bytes = std::vector<std::uint8_t>;

const Bf16* as_bf16(Input x) {
  return x.type == ElementType::bf16 ? static_cast<const Bf16*>(x.data) : nullptr;
}

// The inputs of one problem on the host; the reference derives all others from x.
struct HostProblem {
  HostProblem(Shape shape, const OperationDefinition& operation, DataPattern pattern,
              std::uint64_t seed)
      : type(operation.element),
        x(static_cast<std::size_t>(shape.elements() * element_bytes(type))),
        random{seed, 7} {
    fill(shape.elements(), pattern, seed);
    amax[0] = reference::amax(input(), shape);
    amax[1] = reference::amax_rht_transposed(input(), shape);
    if (!operation.needs_quantized) return;
    codes.resize(static_cast<std::size_t>(code_bytes(shape)));
    scales.resize(static_cast<std::size_t>(scale_bytes(shape)));
    reference::quantize_1x16(input(), shape, amax[0], {codes.data(), scales.data()});
  }
  Input input() const { return {x.data(), type}; }
  Inputs inputs() {
    return {input(), as_bf16(input()), &amax[0], &amax[1], {codes.data(), scales.data()},
            &random, nullptr};
  }

  ElementType type;
  Bytes x;
  std::vector<float> amax = {0.0f, 0.0f};
  Bytes codes, scales;
  RandomState random;

 private:
  void fill(std::int64_t count, DataPattern pattern, std::uint64_t seed) {
    for_element_type(input(), [&]<typename T>(const T*) {
      fill_random(reinterpret_cast<T*>(x.data()), count, pattern, seed);
    });
  }
};

// Copy of a HostProblem on the device, with the operation's outputs.
class DeviceProblem {
 public:
  DeviceProblem(const HostProblem& host, const std::vector<std::int64_t>& output_bytes)
      : type_(host.type), x_(host.x), amax_(host.amax), random_(std::vector{host.random}) {
    scratch_.fill_bytes(0);
    if (!host.codes.empty()) {
      codes_ = DeviceBuffer<std::uint8_t>(host.codes);
      scales_ = DeviceBuffer<std::uint8_t>(host.scales);
    }
    for (const std::int64_t bytes : output_bytes) {
      outputs_.emplace_back(static_cast<std::size_t>(bytes));
      // Bytes that a kernel fails to write stay visible: no scale, amax or BF16 result is all ones.
      outputs_.back().fill_bytes(0xff);
    }
  }
  Inputs inputs() const {
    const Input x = {x_.get(), type_};
    return {x,
            as_bf16(x),
            amax_.get(),
            amax_.get() + 1,
            {codes_.get(), scales_.get()},
            random_.get(),
            scratch_.get()};
  }
  Outputs outputs() const {
    Outputs out;
    for (const DeviceBuffer<std::uint8_t>& buffer : outputs_) out.push_back(buffer.get());
    return out;
  }
  Bytes output(std::size_t i) const { return outputs_[i].to_host(); }

 private:
  ElementType type_;
  DeviceBuffer<std::uint8_t> x_;
  DeviceBuffer<float> amax_;
  DeviceBuffer<RandomState> random_;
  DeviceBuffer<AmaxScratch> scratch_{1};
  DeviceBuffer<std::uint8_t> codes_, scales_;
  std::vector<DeviceBuffer<std::uint8_t>> outputs_;
};

class PreparedOperation : public PreparedKernel {
 public:
  PreparedOperation(const OperationDefinition& operation, const DeviceInfo& device,
                    const PrepareOptions& options, Shape shape)
      : operation_(operation), options_(options), shape_(shape) {
    // Three times the L2 between two uses of a buffer evicts it.
    const auto bytes = static_cast<double>(operation_.traffic_bytes(shape_));
    const int count =
        std::clamp(static_cast<int>(std::ceil(3 * device.l2_bytes / bytes)) + 1, 2, 64);
    const HostProblem host(shape_, operation_, options_.pattern, options_.seed);
    for (int i = 0; i < count; ++i) problems_.emplace_back(host, operation_.output_bytes(shape_));
    // The copies run in the default stream, which the stream of launch() does not wait for.
    cuda_check(cudaDeviceSynchronize(), "fill the buffers");
  }

  Work work() const override {
    Work w;
    w.bytes[MemoryLevel::hbm] = static_cast<double>(operation_.traffic_bytes(shape_));
    return w;
  }

  void launch(void* stream) override {
    const DeviceProblem& problem = problems_[next_++ % problems_.size()];
    operation_.launch(problem.inputs(), problem.outputs(), shape_,
                      static_cast<cudaStream_t>(stream));
  }

  std::string verify() override {
    HostProblem host(shape_, operation_, options_.pattern, options_.seed + 1 + verified_++);
    const std::vector<std::int64_t> sizes = operation_.output_bytes(shape_);
    const DeviceProblem device(host, sizes);
    operation_.launch(device.inputs(), device.outputs(), shape_, nullptr);
    std::vector<Bytes> expected;
    Outputs expected_pointers;
    for (const std::int64_t bytes : sizes) {
      expected.emplace_back(static_cast<std::size_t>(bytes));
      expected_pointers.push_back(expected.back().data());
    }
    operation_.reference(host.inputs(), expected_pointers, shape_);
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const Bytes actual = device.output(i);
      const auto [a, e] = std::mismatch(actual.begin(), actual.end(), expected[i].begin());
      if (a == actual.end()) continue;
      return "output " + std::to_string(i) + " differs from the host reference, first at byte " +
             std::to_string(a - actual.begin()) + ": " + std::to_string(*a) + " instead of " +
             std::to_string(*e);
    }
    return "";
  }

  std::map<std::string, std::string> parameters() const override {
    return {{"rows", std::to_string(shape_.rows)},
            {"cols", std::to_string(shape_.cols)},
            {"buffer_sets", std::to_string(problems_.size())},
            {"pattern", std::string(to_string(options_.pattern))}};
  }

 private:
  OperationDefinition operation_;
  PrepareOptions options_;
  Shape shape_;
  std::vector<DeviceProblem> problems_;
  std::size_t next_ = 0;
  std::uint64_t verified_ = 0;
};

// Activations of one Llama 3 8B layer at 8192 tokens.
constexpr Shape kDefaultShape = {8192, 4096};

Shape chosen_shape(const char* name, const PrepareOptions& options) {
  if (options.shape.empty()) return kDefaultShape;
  if (options.shape.size() != 2) {
    throw std::invalid_argument(std::string(name) +
                                " takes a shape with two sizes, rows x cols, not " +
                                std::to_string(options.shape.size()) + " sizes");
  }
  const Shape shape = {options.shape[0], options.shape[1]};
  require_shape(name, shape);
  return shape;
}

}  // namespace

void add_operation(KernelRegistry& registry, const OperationDefinition& definition) {
  KernelSpec spec;
  spec.name = definition.name;
  spec.summary = definition.summary;
  spec.role = KernelRole::operation;
  spec.precision = definition.precision;
  spec.level = MemoryLevel::hbm;
  spec.unsupported = [](const DeviceInfo& device) -> std::string {
    return device.compute_capability >= 80 ? "" : "needs compute capability 8.0";
  };
  spec.peak_per_clock = [](const DeviceInfo&) { return 0.0; };
  spec.prepare = [definition](const DeviceInfo& device,
                              const PrepareOptions& options) -> std::unique_ptr<PreparedKernel> {
    return std::make_unique<PreparedOperation>(definition, device, options,
                                               chosen_shape(definition.name, options));
  };
  registry.add(std::move(spec));
}

}  // namespace mansard::kernels::nvfp4

#endif
