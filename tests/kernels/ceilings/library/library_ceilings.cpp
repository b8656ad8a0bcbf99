// SPDX-License-Identifier: Apache-2.0
// The specs of the library ceilings, before anything runs.
#include <gtest/gtest.h>

#include "kernels/kernel.h"

#if MANSARD_HAVE_CUDA && __has_include(<cublasLt.h>)
#define MANSARD_TEST_CUBLASLT 1
#include "kernels/recipes/cublaslt.h"
#else
#define MANSARD_TEST_CUBLASLT 0
#endif

namespace mansard::kernels {
namespace {

#if MANSARD_TEST_CUBLASLT

std::string refusal(const char* name, int compute_capability) {
  const KernelSpec* spec = kernel_registry().find(name);
  if (spec == nullptr) return "there is no such kernel";
  DeviceInfo device;
  device.target = Target::cuda;
  device.compute_capability = compute_capability;
  device.units = 132;
  return spec->unsupported(device);
}

TEST(LibraryCeilings, RejectGpusWithoutTheFormat) {
  EXPECT_EQ(refusal("cublaslt_bf16", 75), "needs compute capability 8.0 or higher");
  EXPECT_EQ(refusal("cublaslt_tf32", 75), "needs compute capability 8.0 or higher");
  EXPECT_EQ(refusal("cublaslt_fp8_e4m3", 86), "needs compute capability 8.9 or higher");
  EXPECT_EQ(refusal("cublaslt_mxfp8", 90), "needs compute capability 10.0 or higher");
  EXPECT_EQ(refusal("cublaslt_nvfp4", 90), "needs compute capability 10.0 or higher");
}

TEST(LibraryCeilings, OtherwiseRequireOnlyTheLibrary) {
  for (const char* name : {"cublaslt_bf16", "cublaslt_fp16", "cublaslt_tf32", "cublaslt_fp8_e4m3",
                           "cublaslt_int8", "cublaslt_fp64", "cublaslt_mxfp8", "cublaslt_nvfp4"}) {
    EXPECT_EQ(refusal(name, 100), cublaslt_unavailable_reason()) << name;
  }
}

TEST(LibraryCeilings, DescribeThemselves) {
  for (const KernelSpec& spec : kernel_registry().all()) {
    if (!spec.name.starts_with("cublaslt_")) continue;
    EXPECT_EQ(spec.role, KernelRole::compute_ceiling) << spec.name;
    EXPECT_FALSE(spec.roof) << spec.name;
    EXPECT_TRUE(spec.uses_data_pattern && spec.precision && spec.sustained) << spec.name;
    EXPECT_EQ(spec.unit, spec.precision == Precision::int8 ? "op/s" : "FLOP/s") << spec.name;
  }
}

TEST(CublasLt, LoadErrorNamesTheSearchedPaths) {
  try {
    load_cublaslt({"libcublasLt-not-there.so", "/nonexistent/libcublasLt.so"});
    FAIL() << "loaded a library that does not exist";
  } catch (const std::runtime_error& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("libcublasLt-not-there.so"), std::string::npos) << text;
    EXPECT_NE(text.find("/nonexistent/libcublasLt.so"), std::string::npos) << text;
    EXPECT_NE(text.find("LD_LIBRARY_PATH"), std::string::npos) << text;
    EXPECT_EQ(text.find('\n'), std::string::npos) << "a refusal is one line";
  }
}

TEST(CublasLt, RejectsALibraryWithoutItsFunctions) {
  EXPECT_THROW(load_cublaslt({"libc.so.6"}), std::runtime_error);
}

#else

TEST(LibraryCeilings, AreOmittedInABuildWithoutCublasLt) {
  EXPECT_EQ(kernel_registry().find("cublaslt_bf16"), nullptr);
}

#endif

}  // namespace
}  // namespace mansard::kernels
