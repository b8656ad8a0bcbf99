// SPDX-License-Identifier: Apache-2.0
// How this build was compiled, for tests whose subject a sanitizer replaces or slows down.
#pragma once

namespace mansard::test {

#ifdef __SANITIZE_ADDRESS__
inline constexpr bool kHasAddressSanitizer = true;
#else
inline constexpr bool kHasAddressSanitizer = false;
#endif

#ifdef __SANITIZE_THREAD__
inline constexpr bool kHasThreadSanitizer = true;
#else
inline constexpr bool kHasThreadSanitizer = false;
#endif

#ifdef __OPTIMIZE__
inline constexpr bool kIsOptimized = true;
#else
inline constexpr bool kIsOptimized = false;
#endif

// Whether bounds on time hold: they are those of an optimized build without a sanitizer.
inline constexpr bool kHasFullSpeed = kIsOptimized && !kHasAddressSanitizer && !kHasThreadSanitizer;

}  // namespace mansard::test
