// SPDX-License-Identifier: Apache-2.0
#include "collector/cupti/counters/kernel_launch.h"

namespace mansard::collector {
namespace {

constexpr CUpti_CallbackId kLaunchCalls[] = {
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernelMultiDevice,
    CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch,
    CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch_ptsz,
};

// The parameters of cuLaunchKernel and cuLaunchCooperativeKernel, and CUlaunchConfig, use the same
// names for these fields.
template <class Parameters>
KernelLaunch launch_of(CUfunction function, const Parameters& p) {
  KernelLaunch launch;
  launch.signature.function = function;
  launch.signature.grid = {p.gridDimX, p.gridDimY, p.gridDimZ};
  launch.signature.block = {p.blockDimX, p.blockDimY, p.blockDimZ};
  launch.signature.dynamic_shared_bytes = p.sharedMemBytes;
  launch.stream = p.hStream;
  return launch;
}

}  // namespace

std::span<const CUpti_CallbackId> launch_calls() { return kLaunchCalls; }

bool is_graph_launch(CUpti_CallbackId call) {
  return call == CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch ||
         call == CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch_ptsz;
}

std::optional<KernelLaunch> kernel_launch(CUpti_CallbackId id, const void* parameters) {
  switch (id) {
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz: {
      const auto& p = *static_cast<const cuLaunchKernel_params*>(parameters);
      return launch_of(p.f, p);
    }
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz: {
      const auto& p = *static_cast<const cuLaunchKernelEx_params*>(parameters);
      if (p.config == nullptr) return std::nullopt;
      return launch_of(p.f, *p.config);
    }
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz: {
      const auto& p = *static_cast<const cuLaunchCooperativeKernel_params*>(parameters);
      return launch_of(p.f, p);
    }
    case CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch:
    case CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch_ptsz: {
      const auto& p = *static_cast<const cuGraphLaunch_params*>(parameters);
      KernelLaunch launch;
      launch.signature.function = p.hGraph;
      launch.stream = p.hStream;
      launch.graph = p.hGraph;
      return launch;
    }
    default:
      return std::nullopt;
  }
}

std::span<const CUpti_CallbackId> capture_begin_calls() {
  static constexpr CUpti_CallbackId kCalls[] = {
      CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture,
      CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_ptsz,
      CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_v2,
      CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_v2_ptsz,
      CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCaptureToGraph,
      CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCaptureToGraph_ptsz,
  };
  return kCalls;
}

std::span<const CUpti_CallbackId> capture_end_calls() {
  static constexpr CUpti_CallbackId kCalls[] = {
      CUPTI_DRIVER_TRACE_CBID_cuStreamEndCapture,
      CUPTI_DRIVER_TRACE_CBID_cuStreamEndCapture_ptsz,
  };
  return kCalls;
}

}  // namespace mansard::collector
