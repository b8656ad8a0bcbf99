// SPDX-License-Identifier: Apache-2.0
// The hardware counters that count arithmetic operations, and the precision of each.
#pragma once

#include <array>
#include <string_view>

#include "kernels/vocabulary/precision.h"

namespace mansard {

enum class FlopUnit : std::uint8_t { tensor_core, cuda_core };

struct FlopCounter {
  std::string_view metric;  // CUPTI and Nsight Compute name
  Precision precision;      // the precision whose ceiling applies
  double flop;              // FLOPs (or integer operations) per count
  FlopUnit unit;
};

// No chip has all of them, because the counter names depend on the tensor core generation; query
// the device for those that exist. On a given chip no operation is counted twice.
//
// Tensor cores: one count is one operation, verified on an H200 to 0.01 % for each format
// (docs/validation/h200-ceilings.md). FP8 counters do not separate E4M3 from E5M2, which run at the
// same rate. On GB100 one counter covers FP4, FP6 and FP8 (tcgen05 kind::f8f6f4, all at the FP8
// rate); src_fp4_dst_fp32 counts block-scaled products at the FP4 rate. Hopper's mma.sync converts
// FP8 to FP16 first and is counted as FP16.
//
// CUDA cores: thread instructions by opcode; an FMA is two operations. Half-precision instructions
// and Blackwell's *2 forms of FP32 operate on pairs.
inline constexpr std::array kFlopCounters = {
    FlopCounter{"sm__ops_path_tensor_src_bf16_dst_fp32.sum", Precision::bf16, 1,
                FlopUnit::tensor_core},
    FlopCounter{"sm__ops_path_tensor_src_fp8.sum", Precision::fp8_e4m3, 1, FlopUnit::tensor_core},
    FlopCounter{"sm__ops_path_tensor_src_fp8_dst_fp32.sum", Precision::fp8_e4m3, 1,
                FlopUnit::tensor_core},
    FlopCounter{"sm__ops_path_tensor_src_fp8_dst_fp16.sum", Precision::fp8_e4m3, 1,
                FlopUnit::tensor_core},
    FlopCounter{"sm__ops_path_tensor_src_fp4_fp6_fp8_dst_fp32.sum", Precision::fp8_e4m3, 1,
                FlopUnit::tensor_core},
    FlopCounter{"sm__ops_path_tensor_src_fp4_fp6_fp8_dst_fp16.sum", Precision::fp8_e4m3, 1,
                FlopUnit::tensor_core},
    FlopCounter{"sm__ops_path_tensor_src_fp4_fp6_dst_fp32.sum", Precision::fp8_e4m3, 1,
                FlopUnit::tensor_core},
    FlopCounter{"sm__ops_path_tensor_src_fp4_fp6_dst_fp16.sum", Precision::fp8_e4m3, 1,
                FlopUnit::tensor_core},
    FlopCounter{"sm__ops_path_tensor_src_fp4_dst_fp32.sum", Precision::nvfp4, 1,
                FlopUnit::tensor_core},
    FlopCounter{"sm__ops_path_tensor_src_fp16.sum", Precision::fp16, 1, FlopUnit::tensor_core},
    FlopCounter{"sm__ops_path_tensor_src_fp16_dst_fp32.sum", Precision::fp16, 1,
                FlopUnit::tensor_core},
    FlopCounter{"sm__ops_path_tensor_src_fp16_dst_fp16.sum", Precision::fp16, 1,
                FlopUnit::tensor_core},
    FlopCounter{"sm__ops_path_tensor_src_tf32_dst_fp32.sum", Precision::tf32, 1,
                FlopUnit::tensor_core},
    FlopCounter{"sm__ops_path_tensor_src_int8.sum", Precision::int8, 1, FlopUnit::tensor_core},
    FlopCounter{"sm__ops_path_tensor_src_fp64.sum", Precision::fp64, 1, FlopUnit::tensor_core},
    FlopCounter{"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", Precision::fp32, 2,
                FlopUnit::cuda_core},
    FlopCounter{"smsp__sass_thread_inst_executed_op_fadd_pred_on.sum", Precision::fp32, 1,
                FlopUnit::cuda_core},
    FlopCounter{"smsp__sass_thread_inst_executed_op_fmul_pred_on.sum", Precision::fp32, 1,
                FlopUnit::cuda_core},
    FlopCounter{"smsp__sass_thread_inst_executed_op_ffma2_pred_on.sum", Precision::fp32, 4,
                FlopUnit::cuda_core},
    FlopCounter{"smsp__sass_thread_inst_executed_op_fadd2_pred_on.sum", Precision::fp32, 2,
                FlopUnit::cuda_core},
    FlopCounter{"smsp__sass_thread_inst_executed_op_fmul2_pred_on.sum", Precision::fp32, 2,
                FlopUnit::cuda_core},
    FlopCounter{"smsp__sass_thread_inst_executed_op_hfma_pred_on.sum", Precision::fp16, 4,
                FlopUnit::cuda_core},
    FlopCounter{"smsp__sass_thread_inst_executed_op_hadd_pred_on.sum", Precision::fp16, 2,
                FlopUnit::cuda_core},
    FlopCounter{"smsp__sass_thread_inst_executed_op_hmul_pred_on.sum", Precision::fp16, 2,
                FlopUnit::cuda_core},
    FlopCounter{"smsp__sass_thread_inst_executed_op_dfma_pred_on.sum", Precision::fp64, 2,
                FlopUnit::cuda_core},
    FlopCounter{"smsp__sass_thread_inst_executed_op_dadd_pred_on.sum", Precision::fp64, 1,
                FlopUnit::cuda_core},
    FlopCounter{"smsp__sass_thread_inst_executed_op_dmul_pred_on.sum", Precision::fp64, 1,
                FlopUnit::cuda_core},
};

}  // namespace mansard
