// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "collector/cupti/activity_translator.h"

namespace mansard::collector {
namespace {

constexpr std::array<std::string_view, 8> kWork = {"cudaLaunch",      "cudaMemcpy",   "cudaMemset",
                                                   "cudaGraphLaunch", "cuLaunch",     "cuMemcpy",
                                                   "cuMemset",        "cuGraphLaunch"};

// PyTorch makes several of these for each kernel.
constexpr std::array<std::string_view, 19> kNoise = {"cudaGetLastError",
                                                     "cudaPeekAtLastError",
                                                     "cudaGetError",
                                                     "cudaGetDevice_",
                                                     "cudaGetDeviceCount",
                                                     "cudaGetDeviceFlags",
                                                     "cudaGetDeviceProperties",
                                                     "cudaSetDevice_",
                                                     "cudaDeviceGetAttribute",
                                                     "cudaDeviceGetStreamPriorityRange",
                                                     "cudaPointerGetAttributes",
                                                     "cudaFuncGetAttributes",
                                                     "cudaOccupancy",
                                                     "cudaStreamIsCapturing",
                                                     "cudaStreamGet",
                                                     "cudaStreamQuery",
                                                     "cudaEventQuery",
                                                     "cudaThreadExchangeStreamCaptureMode",
                                                     "cudaGetDriverEntryPoint"};

template <std::size_t N>
bool starts_with_any(std::string_view name, const std::array<std::string_view, N>& prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [name](std::string_view prefix) { return name.starts_with(prefix); });
}

}  // namespace

bool is_work_call(std::string_view name) { return starts_with_any(name, kWork); }

bool is_noise_call(std::string_view name) { return starts_with_any(name, kNoise); }

}  // namespace mansard::collector
