// SPDX-License-Identifier: Apache-2.0
// Time of analyze_run with training steps of synthetic kernels in nested annotated ranges, as many
// kernels as in a profile of several minutes. Prints seconds per million kernels.
//
//   benchmark_analyze_scale [KERNELS [DISTINCT_NAMES]]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>

#include "analyzer/classify/kernel_rules.h"
#include "analyzer/run_analysis.h"

namespace {

using namespace mansard;

constexpr int kKernelsPerLayer = 8;
constexpr int kLayersPerStep = 32;

// Template-heavy names of about 200 characters, as in PyTorch.
std::string kernel_name(std::size_t i) {
  return "void at::native::vectorized_elementwise_kernel<4, "
         "at::native::BinaryFunctor<c10::BFloat16, "
         "c10::BFloat16, c10::BFloat16, at::native::binary_internal::MulFunctor<float>" +
         std::to_string(i) + " >, std::array<char*, 3ul> >(int, at::native::BinaryFunctor<float>)";
}

store::Profile make_profile(std::size_t kernels, std::size_t names) {
  store::Profile profile;
  profile.file = "scale.sqlite";
  profile.session.state = store::RecordingState::complete;
  for (std::size_t i = 0; i < names; ++i) {
    profile.strings[static_cast<store::StringId>(i) + 1] = kernel_name(i);
  }
  const store::StringId launch = static_cast<store::StringId>(names) + 1;
  profile.strings[launch] = "cudaLaunchKernel";

  std::mt19937 random(1);
  std::int64_t host_ns = 1000;
  std::int64_t device_ns = 50000;
  const auto open_range = [&](const char* text) {
    store::NvtxRecord& range = profile.nvtx.emplace_back();
    range.row_id = static_cast<std::int64_t>(profile.nvtx.size());
    range.start_ns = host_ns;
    range.text = text;
    if (auto work = kernels::parse_work_annotation(text)) profile.work.set(range.row_id, *work);
    return profile.nvtx.size() - 1;
  };
  std::size_t step = 0;
  std::size_t layer = 0;
  for (std::size_t i = 0; i < kernels; ++i) {
    if (i % (kKernelsPerLayer * kLayersPerStep) == 0) {
      if (i > 0) profile.nvtx[step].end_ns = host_ns;
      step = open_range("step");
    }
    if (i % kKernelsPerLayer == 0) {
      if (i > 0) profile.nvtx[layer].end_ns = host_ns - 1;
      layer = open_range("layer | flop=1e9 hbm=1e6 precision=bf16");
    }
    host_ns += 2000;
    store::ApiRecord& call = profile.api_calls.emplace_back();
    call.start_ns = host_ns;
    call.end_ns = host_ns + 1500;
    call.correlation_id = static_cast<std::int64_t>(i) + 1;
    call.name = launch;
    host_ns += 1600;

    store::KernelRecord& kernel = profile.kernels.emplace_back();
    kernel.start_ns = device_ns;
    device_ns += 1000 + static_cast<std::int64_t>(random() % 20000);
    kernel.end_ns = device_ns;
    kernel.correlation_id = call.correlation_id;
    kernel.demangled_name = static_cast<store::StringId>(random() % names) + 1;
    kernel.grid = {static_cast<std::int32_t>(1 + random() % 4), 1, 1};
    kernel.block = {128, 1, 1};
  }
  profile.nvtx[layer].end_ns = profile.nvtx[step].end_ns = host_ns;
  return profile;
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void measure(std::size_t kernels, std::size_t names) {
  store::Profile profile = make_profile(kernels, names);
  const auto start = std::chrono::steady_clock::now();
  const analysis::RunAnalysis run = analysis::analyze_run(std::move(profile), {});
  const double time_s = seconds_since(start);
  std::printf(
      "%9zu kernels %7zu names %7zu kernel signatures: %7.3f s, %6.3f s per million kernels\n",
      kernels, names, run.rows.size(), time_s, time_s / static_cast<double>(kernels) * 1e6);
}

void measure_classification(std::size_t names) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < names; ++i) texts.push_back(kernel_name(i));
  const auto start = std::chrono::steady_clock::now();
  std::size_t known = 0;
  for (const std::string& text : texts) {
    known += analysis::kernel_rules().classify(text).operation_class != analysis::kOtherClass;
  }
  const double time_s = seconds_since(start);
  std::printf("%9zu names classified (%zu known): %6.3f us per name\n", names, known,
              time_s / static_cast<double>(names) * 1e6);
}

}  // namespace

int main(int argc, char** argv) {
  const auto argument = [&](int i, std::size_t fallback) {
    return argc > i ? std::strtoull(argv[i], nullptr, 10) : fallback;
  };
  if (argc > 1) {
    measure(std::max<std::size_t>(1, argument(1, 0)), std::max<std::size_t>(1, argument(2, 200)));
    return 0;
  }
  measure(100'000, 200);
  measure(1'000'000, 200);
  measure(1'000'000, 100'000);
  measure_classification(100'000);
  return 0;
}
