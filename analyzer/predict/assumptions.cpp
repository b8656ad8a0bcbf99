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
    AssumptionInfo{
        "clock_loss", &A::clock_loss, 0, 1, "W/(TFLOP/s)",
        "relative tensor-core rate lost in long runs = clock_loss x fraction of peak x BF16 "
        "peak (TFLOP/s) / power limit (W)",
        "fitted: BF16 Llama 3 8B on GB200 takes the published 11.65 s; measured on H200 "
        "(sustained vs. burst GEMMs): 0.135"},
    AssumptionInfo{
        "elementwise_hbm", &A::elementwise_hbm, 0.05, 1, "",
        "fraction of HBM bandwidth in norms, SwiGLU, RoPE, residuals, loss and optimizer",
        "measured on H200: copy 0.86, amax 0.88 (docs/kernels.md); these kernels access "
        "more tensors"},
    AssumptionInfo{"fp8_conversion_hbm", &A::fp8_conversion_hbm, 0.05, 1, "",
                   "fraction of HBM bandwidth in amax and cast to FP8",
                   "Transformer Engine's GEMM guide, autocast - pre-quantized: 0.74 on H200 NVL, "
                   "0.66 on B300; Mansard's kernels on H200: 0.80 (docs/kernels.md)"},
    AssumptionInfo{"mxfp8_conversion_hbm", &A::mxfp8_conversion_hbm, 0.05, 1, "",
                   "fraction of HBM bandwidth in MXFP8 quantization (row-wise and column-wise)",
                   "published: 5.2 of 8 TB/s on B200; 0.69 on B300 (same guide)"},
    AssumptionInfo{"nvfp4_conversion_hbm", &A::nvfp4_conversion_hbm, 0.05, 1, "",
                   "fraction of HBM bandwidth in amax, RHT and NVFP4 quantization (row-wise and "
                   "column-wise)",
                   "0.59 on B300 (same guide); published: 4.5 (stochastic rounding) to 6.4 "
                   " "
                   "(nearest rounding) of 8 TB/s"},
    AssumptionInfo{"mxfp8_gemm_rate", &A::mxfp8_gemm_rate, 0.1, 2, "",
                   "rate of MXFP8 GEMMs / rate of FP8 GEMMs",
                   "same guide, 12 pre-quantized GEMMs of a layer on B300: 6.81 ms in FP8, 7.16 ms "
                   "in MXFP8"},
    AssumptionInfo{"nvfp4_gemm_rate", &A::nvfp4_gemm_rate, 0.1, 2, "",
                   "rate of NVFP4 GEMMs in training / rate of the measured layers",
                   "same guide: 3.48x BF16 on B300; the measured layers: 3.22x"},
    AssumptionInfo{"kernel_ramp_s", &A::kernel_ramp_s, 0, 1e-3, "s",
                   "fixed device time of an elementwise or conversion kernel",
                   "launch in a graph 0.7-1.5 µs on H200, plus fill and drain of the SMs"},
    AssumptionInfo{"x86_call_s", &A::x86_call_s, 0, 1e-2, "s",
                   "x86 host time per framework call that launches kernels, without CUDA graphs",
                   "fitted: FP8 Llama 3 70B on 64 H100 (24.09) takes the published time; "
                   "Transformer Engine's pull request 1191 (2024) measures 115-140 µs for a linear "
                   "layer's forward"},
    AssumptionInfo{
        "grace_call_s", &A::grace_call_s, 0, 1e-2, "s",
        "Grace host time per framework call that launches kernels, without CUDA graphs",
        "Transformer Engine's issue 2053 (2025): 99.7 µs for a linear layer's forward on "
        "GB200, 90.5 on GH200"},
    AssumptionInfo{"nvlink_reach", &A::nvlink_reach, 0.05, 1, "",
                   "fraction of one-way NVLink bandwidth that a collective reaches",
                   "measured on Hopper: 371-377 of 450 GB/s; minus NCCL overhead"},
    AssumptionInfo{"network_reach", &A::network_reach, 0.05, 1, "",
                   "fraction of network adapter bandwidth that a collective reaches",
                   "estimate: protocol overhead"},
    AssumptionInfo{
        "layer_overlap", &A::layer_overlap, 0, 1, "",
        "fraction of tensor-, context- and pipeline-parallel communication hidden by GEMMs",
        "estimate, with published rows known: half; SMs that communicate cannot compute"},
    AssumptionInfo{"nvfp4_tensor_overlap", &A::nvfp4_tensor_overlap, 0, 1, "",
                   "fraction of tensor-parallel communication hidden in NVFP4",
                   "Megatron-Bridge disables tp_comm_overlap for NVFP4"},
    AssumptionInfo{"data_overlap", &A::data_overlap, 0, 1, "",
                   "fraction of gradient and parameter communication hidden by compute",
                   "estimate, with published rows known: all but the first and last buckets"},
    AssumptionInfo{"gradient_bytes", &A::gradient_bytes, 1, 4, "B",
                   "bytes of one gradient in the reduction across ranks",
                   "Megatron-Bridge's performance settings: grad_reduce_in_fp32 = False"},
    AssumptionInfo{"sharded_gradient_bytes", &A::sharded_gradient_bytes, 0, 16, "B",
                   "bytes per parameter and micro-batch to copy gradients of fully sharded layers "
                   "into reduction buffers",
                   "Megatron-Bridge's performance settings: gradient_accumulation_fusion = False "
                   "with FSDP; BF16 read and write"},
    AssumptionInfo{"optimizer_bytes", &A::optimizer_bytes, 4, 64, "B",
                   "bytes per parameter that Adam reads and writes",
                   "master weight and two moments in FP32 read and written, gradient read, "
                   "BF16 weight written"},
    AssumptionInfo{"software_spread", &A::software_spread, 0, 1, "",
                   "relative spread (one sigma) between software releases for one job",
                   "published_steps.csv: rows of one job spread by 3.8 % (68 degrees of freedom)"},
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
    std::snprintf(text, sizeof text, "%.*s = %g: must be between %g and %g",
                  static_cast<int>(info.name.size()), info.name.data(), value, info.least,
                  info.most);
    throw std::runtime_error(text);
  }
  assumptions.*info.value = value;
}

}  // namespace mansard::analysis
