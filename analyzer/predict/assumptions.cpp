// SPDX-License-Identifier: Apache-2.0
#include "analyzer/predict/assumptions.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <stdexcept>

namespace mansard::analysis {
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
    AssumptionInfo{
        "fp8_conversion_hbm", &A::fp8_conversion_hbm, 0.05, 1, "",
        "share of HBM bandwidth in amax and cast to FP8",
        "Transformer Engine's GEMM guide, autocast less pre-quantized: 0.74 on H200 NVL, "
        "0.66 on B300; 0.80 by our kernels on H200 (docs/kernels.md)"},
    AssumptionInfo{"mxfp8_conversion_hbm", &A::mxfp8_conversion_hbm, 0.05, 1, "",
                   "share of HBM bandwidth in MXFP8 quantization of both directions",
                   "published: 5.2 TB/s of 8 on B200; 0.69 on B300 by the same guide"},
    AssumptionInfo{"nvfp4_conversion_hbm", &A::nvfp4_conversion_hbm, 0.05, 1, "",
                   "share of HBM bandwidth in amax, RHT and NVFP4 quantization of both directions",
                   "0.59 on B300 by the same guide; published: 4.5 (stochastic) to 6.4 TB/s "
                   "(nearest) of 8"},
    AssumptionInfo{
        "mxfp8_gemm_rate", &A::mxfp8_gemm_rate, 0.1, 2, "",
        "rate of MXFP8 GEMMs over that of FP8 GEMMs",
        "the same guide, 12 pre-quantized GEMMs of a layer on B300: 6.81 ms in FP8, 7.16 "
        "in MXFP8"},
    AssumptionInfo{"nvfp4_gemm_rate", &A::nvfp4_gemm_rate, 0.1, 2, "",
                   "rate of NVFP4 GEMMs in training over that of the measured layers",
                   "the same guide: 3.48 times BF16 on B300, where the measured layers give 3.22"},
    AssumptionInfo{"kernel_ramp_s", &A::kernel_ramp_s, 0, 1e-3, "s",
                   "fixed cost of an elementwise or conversion kernel on the device",
                   "launch in a graph 0.7-1.5 us on H200, plus filling and draining the device"},
    AssumptionInfo{"x86_call_s", &A::x86_call_s, 0, 1e-2, "s",
                   "time of an x86 host for each call that launches kernels, without CUDA graphs",
                   "set so that FP8 Llama 3 70B on 64 H100 (24.09) takes the published time; "
                   "Transformer Engine's pull request 1191 (2024) measures 115-140 us for a linear "
                   "layer's forward"},
    AssumptionInfo{
        "grace_call_s", &A::grace_call_s, 0, 1e-2, "s", "the same of a Grace host",
        "Transformer Engine's issue 2053 (2025): 99.7 us for a linear layer's forward on "
        "GB200, 90.5 on GH200"},
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
    AssumptionInfo{"sharded_gradient_bytes", &A::sharded_gradient_bytes, 0, 16, "B",
                   "moved per parameter and micro-batch to copy gradients of fully sharded layers "
                   "into the buffers that ranks reduce",
                   "Megatron-Bridge's performance settings: gradient_accumulation_fusion = False "
                   "with FSDP; read and written in BF16"},
    AssumptionInfo{"optimizer_bytes", &A::optimizer_bytes, 4, 64, "B",
                   "read and written per parameter by Adam",
                   "master weight and two moments in FP32 read and written, gradient read, "
                   "BF16 weight written"},
    AssumptionInfo{"software_spread", &A::software_spread, 0, 1, "",
                   "one sigma between software releases in one setting",
                   "published_steps.csv: rows of one job scatter by 3.8 % (68 degrees of freedom)"},
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

}  // namespace mansard::analysis
