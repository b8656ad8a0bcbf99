// SPDX-License-Identifier: Apache-2.0
// Counters of work, as the hardware names them.
#pragma once

namespace mansard::test {

inline constexpr const char* kBf16Counter = "sm__ops_path_tensor_src_bf16_dst_fp32.sum";
inline constexpr const char* kHbmCounter = "dram__bytes.sum";
inline constexpr const char* kL2Counter = "lts__t_sectors_srcunit_tex.sum";

}  // namespace mansard::test
