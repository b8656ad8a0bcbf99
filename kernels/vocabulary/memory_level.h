// SPDX-License-Identifier: Apache-2.0
// The memory tiers, and the hardware counters that count their bytes.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace mansard {

enum class MemoryLevel : std::uint8_t {
  tensor_memory,  // Blackwell's operand and accumulator memory
  shared,         // shared memory and L1, as seen by the SM's load/store and tensor pipes
  sm_fill,        // crossbar traffic into and out of the SMs
  dsmem,          // another SM's shared memory within a thread block cluster
  l2,
  hbm,      // device memory
  nvlink,   // GPUs of one NVLink domain
  network,  // GPUs of different domains, through network adapters
  pcie,
  cpu_l1,
  cpu_l2,
  cpu_l3,
  dram,  // host memory
};

struct MemoryLevelInfo {
  MemoryLevel id;
  std::string_view key;    // for files, options and JSON
  std::string_view label;  // for tables and figures
};

inline constexpr std::array kMemoryLevels = {
    MemoryLevelInfo{MemoryLevel::tensor_memory, "tensor_memory", "Tensor memory"},
    MemoryLevelInfo{MemoryLevel::shared, "shared", "Shared/L1"},
    MemoryLevelInfo{MemoryLevel::sm_fill, "sm_fill", "SM fill"},
    MemoryLevelInfo{MemoryLevel::dsmem, "dsmem", "Distributed shared"},
    MemoryLevelInfo{MemoryLevel::l2, "l2", "L2"},
    MemoryLevelInfo{MemoryLevel::hbm, "hbm", "HBM"},
    MemoryLevelInfo{MemoryLevel::nvlink, "nvlink", "NVLink"},
    MemoryLevelInfo{MemoryLevel::network, "network", "Network"},
    MemoryLevelInfo{MemoryLevel::pcie, "pcie", "PCIe"},
    MemoryLevelInfo{MemoryLevel::cpu_l1, "cpu_l1", "L1 (CPU)"},
    MemoryLevelInfo{MemoryLevel::cpu_l2, "cpu_l2", "L2 (CPU)"},
    MemoryLevelInfo{MemoryLevel::cpu_l3, "cpu_l3", "L3 (CPU)"},
    MemoryLevelInfo{MemoryLevel::dram, "dram", "DRAM"},
};

constexpr const MemoryLevelInfo& info(MemoryLevel level) {
  return kMemoryLevels[static_cast<std::size_t>(level)];
}

// Whether the tier connects devices: it bounds only the bytes that leave a device.
constexpr bool is_link(MemoryLevel level) {
  return level == MemoryLevel::nvlink || level == MemoryLevel::network ||
         level == MemoryLevel::pcie;
}

constexpr std::optional<MemoryLevel> parse_memory_level(std::string_view key) {
  for (const MemoryLevelInfo& i : kMemoryLevels) {
    if (i.key == key) return i.id;
  }
  return std::nullopt;
}

// Bytes at a tier as a sum of `factor * metric` terms with CUPTI/Nsight Compute metric names, for
// the compute capability 10 * major + minor. Empty: this chip has no such tier or no counter for
// it.
//
// From CC 9.0 on, TMA and wgmma bypass l1tex__t_bytes, and lts__t_bytes also counts the fabric
// between the two L2 halves (53 % too high on a triad, H200), so the definitions of "Hierarchical
// Roofline" (arXiv 2009.05257) hold only below CC 9.0.
constexpr std::string_view counter_expression(MemoryLevel level, int compute_capability) {
  const bool tma = compute_capability >= 90;
  switch (level) {
    case MemoryLevel::tensor_memory:
      return compute_capability >= 100 && compute_capability < 120
                 ? "sm__mem_tensor_reads_op_ldt.sum + sm__mem_tensor_writes_op_stt.sum"
                 : "";
    case MemoryLevel::shared:
      return tma ? "l1tex__t_bytes.sum + 128 * l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"
                 : "l1tex__t_bytes.sum";
    case MemoryLevel::sm_fill:
      return tma ? "l1tex__m_xbar2l1tex_read_bytes.sum + l1tex__m_l1tex2xbar_write_bytes.sum" : "";
    case MemoryLevel::dsmem:
      return "";  // no counter separates it from other crossbar traffic
    case MemoryLevel::l2:
      return tma ? "32 * lts__t_sectors_srcunit_tex.sum" : "lts__t_bytes.sum";
    case MemoryLevel::hbm:
      return "dram__bytes.sum";
    case MemoryLevel::nvlink:
      return compute_capability >= 80 && compute_capability != 89
                 ? "nvlrx__bytes.sum + nvltx__bytes.sum"
                 : "";
    case MemoryLevel::pcie:
      return "pcie__read_bytes.sum + pcie__write_bytes.sum";
    case MemoryLevel::network:  // network adapters have no GPU counter
    case MemoryLevel::cpu_l1:
    case MemoryLevel::cpu_l2:
    case MemoryLevel::cpu_l3:
    case MemoryLevel::dram:
      return "";
  }
  return "";
}

}  // namespace mansard
