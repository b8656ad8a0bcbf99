// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace mansard::store {

// Returns the C++ name behind a mangled one; any other name unchanged.
std::string demangle(const std::string& name);

// Returns a demangled kernel name without return type, namespaces, template arguments and
// parameters: "flash_fwd_kernel" for "void flash::flash_fwd_kernel<Traits<128>, true>(Params)".
// Returns names that are cut off or not C++ declarations unchanged.
std::string short_kernel_name(std::string_view demangled);

// Returns the template argument that says what one of PyTorch's generic kernels computes:
// "direct_copy_kernel_cuda" for "elementwise_kernel<128, 4, gpu_kernel_impl_nocast<
// direct_copy_kernel_cuda(...)...>>". Empty for other kernels, and if no argument says it.
std::string_view operation_of_template(std::string_view demangled);

}  // namespace mansard::store
