// SPDX-License-Identifier: Apache-2.0
#include "analyzer/predict/assumptions.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <stdexcept>

namespace mansard {
namespace {

using A = Assumptions;

constexpr std::array kList = {
    AssumptionInfo{"clock_loss", &A::clock_loss, 0, 1, "W/(TFLOP/s)",
                   "rate that tensor cores lose in long runs: this x fraction of peak x BF16 peak "
                   "(TFLOP/s) over power limit (W)",
                   "set so that BF16 Llama 3 8B on GB200 takes the published 11.65 s; H200 by its "
                   "measured sustained and burst GEMMs: 0.135"},
    AssumptionInfo{"elementwise_hbm", &A::elementwise_hbm, 0.05, 1, "",
                   "share of HBM bandwidth in norms, SwiGLU, rope, residuals, loss and optimizer",
                   "copy reaches 0.86, amax 0.88 on H200 (docs/kernels.md); these read and write "
                   "several streams"},
    AssumptionInfo{"fp8_conversion_hbm", &A::fp8_conversion_hbm, 0.05, 1, "",
                   "share of HBM bandwidth in amax and cast to FP8",
                   "0.80 measured on H200 (docs/kernels.md), tails included"},
    AssumptionInfo{"mxfp8_conversion_hbm", &A::mxfp8_conversion_hbm, 0.05, 1, "",
                   "share of HBM bandwidth in MXFP8 quantisation of both directions",
                   "published: 5.2 TB/s of 8 on B200"},
    AssumptionInfo{"nvfp4_conversion_hbm", &A::nvfp4_conversion_hbm, 0.05, 1, "",
                   "share of HBM bandwidth in amax, RHT and NVFP4 quantisation of both directions",
                   "published: 4.5 (stochastic) to 6.4 TB/s (nearest) of 8 on B300"},
    AssumptionInfo{"kernel_ramp_s", &A::kernel_ramp_s, 0, 1e-3, "s",
                   "fixed cost of an elementwise or conversion kernel in a CUDA graph",
                   "launch in a graph 0.7-1.5 us on H200, plus filling and draining the device"},
    AssumptionInfo{"nvlink_reach", &A::nvlink_reach, 0.05, 1, "",
                   "share of NVLink's one-way rate that a collective reaches",
                   "371-377 of 450 GB/s measured on Hopper, less NCCL's own cost"},
    AssumptionInfo{"network_reach", &A::network_reach, 0.05, 1, "",
                   "share of the network adapter's rate that a collective reaches",
                   "estimate: what protocols leave of an adapter's rate"},
    AssumptionInfo{
        "layer_overlap", &A::layer_overlap, 0, 1, "",
        "share of tensor, context and pipeline traffic hidden behind GEMMs",
        "estimate, made with published rows at hand: half; SMs that communicate do not multiply"},
    AssumptionInfo{"nvfp4_tensor_overlap", &A::nvfp4_tensor_overlap, 0, 1, "",
                   "the same of tensor parallelism in NVFP4",
                   "Megatron-Bridge switches tp_comm_overlap off for NVFP4"},
    AssumptionInfo{"data_overlap", &A::data_overlap, 0, 1, "",
                   "share of gradient and parameter traffic hidden behind compute",
                   "estimate, made with published rows at hand: all but the first and last pieces"},
    AssumptionInfo{"gradient_bytes", &A::gradient_bytes, 1, 4, "B",
                   "of one gradient when ranks reduce it",
                   "Megatron-Bridge's performance settings: grad_reduce_in_fp32 = False"},
    AssumptionInfo{"optimizer_bytes", &A::optimizer_bytes, 4, 64, "B",
                   "read and written per parameter by Adam",
                   "master weight and two moments in FP32 read and written, gradient read, "
                   "BF16 weight written"},
    AssumptionInfo{"software_spread", &A::software_spread, 0, 1, "",
                   "one sigma between software releases in one setting",
                   "Llama 3 70B in four releases: GB300 FP8 4520 to 5376, GB200 FP8 4040 to 4352, "
                   "H100 FP8 1602 to 1664 tokens/s"},
};

}  // namespace

std::span<const AssumptionInfo> assumption_list() { return kList; }

const AssumptionInfo* find_assumption(std::string_view name) {
  for (const AssumptionInfo& info : kList) {
    if (info.name == name) return &info;
  }
  return nullptr;
}

void set_assumption(Assumptions& assumptions, const AssumptionInfo& info, double value) {
  if (!std::isfinite(value) || value < info.least || value > info.most) {
    char text[160];
    std::snprintf(text, sizeof text, "%.*s = %g: it has to lie between %g and %g",
                  static_cast<int>(info.name.size()), info.name.data(), value, info.least,
                  info.most);
    throw std::runtime_error(text);
  }
  assumptions.*info.value = value;
}

}  // namespace mansard
