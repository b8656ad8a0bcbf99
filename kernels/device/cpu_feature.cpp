// SPDX-License-Identifier: Apache-2.0
#include "kernels/device/cpu_feature.h"

#include <cerrno>
#include <cstring>
#include <string_view>

#if defined(__x86_64__)
#include <cpuid.h>
#include <unistd.h>

#include <sys/syscall.h>
#elif defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#endif

namespace mansard::kernels {
namespace {

std::string lacks(std::string_view name) {
  return "needs " + std::string(name) + ", which this CPU lacks";
}

std::string unless(bool present, std::string_view name) { return present ? "" : lacks(name); }

#if defined(__x86_64__)

enum class Register { eax, ecx, edx };

// Tests a bit of CPUID leaf 7 (Intel SDM, volume 2A, CPUID).
bool leaf7(unsigned subleaf, Register source, int bit) {
  unsigned highest_subleaf = 0, eax = 0, ebx = 0, ecx = 0, edx = 0;
  if (__get_cpuid_count(7, 0, &highest_subleaf, &ebx, &ecx, &edx) == 0) return false;
  if (subleaf > highest_subleaf) return false;
  __get_cpuid_count(7, subleaf, &eax, &ebx, &ecx, &edx);
  const unsigned value = source == Register::eax ? eax : source == Register::ecx ? ecx : edx;
  return (value >> bit & 1) != 0;
}

// The reason why this process may not use tile data; empty if it may.
std::string tile_permission_refused() {
#ifdef SYS_arch_prctl
  constexpr long kRequestPermission = 0x1023;  // ARCH_REQ_XCOMP_PERM of Linux's asm/prctl.h
  constexpr long kTileData = 18;               // XFEATURE_XTILEDATA
  if (syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0) return "";
  return std::string(
             "the operating system does not let this process use AMX: "
             "arch_prctl(ARCH_REQ_XCOMP_PERM): ") +
         std::strerror(errno);
#else
  return "AMX needs Linux's arch_prctl(ARCH_REQ_XCOMP_PERM), which this system lacks";
#endif
}

std::string amx_missing(std::string_view name, int bit) {
  constexpr int kTileBit = 24;
  if (!leaf7(0, Register::edx, kTileBit) || !leaf7(0, Register::edx, bit)) return lacks(name);
  static const std::string refused = tile_permission_refused();
  return refused;
}

#elif defined(__aarch64__) && defined(__linux__)

// From Linux's asm/hwcap.h, defined here because older headers lack the names.
constexpr unsigned long kDotProduct = 1UL << 20;  // HWCAP_ASIMDDP
constexpr unsigned long kI8mm = 1UL << 13;        // HWCAP2_I8MM
constexpr unsigned long kBf16 = 1UL << 14;        // HWCAP2_BF16

#endif

}  // namespace

std::string feature_missing(CpuFeature feature) {
  switch (feature) {
#if defined(__x86_64__)
    // The builtins also check that the operating system saves the registers.
    case CpuFeature::avx2:
      return unless(__builtin_cpu_supports("avx2"), "AVX2");
    case CpuFeature::avx_vnni:
      return unless(__builtin_cpu_supports("avx2") && leaf7(1, Register::eax, 4), "AVX-VNNI");
    case CpuFeature::avx512_vnni:
      return unless(__builtin_cpu_supports("avx512f") && leaf7(0, Register::ecx, 11),
                    "AVX512_VNNI");
    case CpuFeature::avx512_bf16:
      return unless(__builtin_cpu_supports("avx512f") && leaf7(1, Register::eax, 5), "AVX512_BF16");
    case CpuFeature::amx_int8:
      return amx_missing("AMX_INT8", 25);
    case CpuFeature::amx_bf16:
      return amx_missing("AMX_BF16", 22);
    default:
      return "needs a 64-bit ARM CPU";
#elif defined(__aarch64__) && defined(__linux__)
    case CpuFeature::neon_dotprod:
      return unless((getauxval(AT_HWCAP) & kDotProduct) != 0, "FEAT_DotProd");
    case CpuFeature::neon_i8mm:
      return unless((getauxval(AT_HWCAP2) & kI8mm) != 0, "FEAT_I8MM");
    case CpuFeature::neon_bf16:
      return unless((getauxval(AT_HWCAP2) & kBf16) != 0, "FEAT_BF16");
    default:
      return "needs an x86-64 CPU";
#else
    default:
      return "needs an x86-64 CPU, or a 64-bit ARM CPU with Linux";
#endif
  }
}

}  // namespace mansard::kernels
