// SPDX-License-Identifier: Apache-2.0
// Compares our NCCL declarations with nccl.h, if it is installed.
#include <gtest/gtest.h>

#include "kernels/distributed/nccl.h"

#if __has_include(<nccl.h>)
#include <nccl.h>
#include <type_traits>

namespace mansard::kernels {
namespace {

TEST(NcclAbi, ConstantsAndSignaturesMatchNccl) {
  EXPECT_EQ(Nccl::kSuccess, static_cast<int>(ncclSuccess));
  EXPECT_EQ(Nccl::kInt8, static_cast<int>(ncclInt8));
  EXPECT_EQ(Nccl::kFloat32, static_cast<int>(ncclFloat32));
  EXPECT_EQ(Nccl::kSum, static_cast<int>(ncclSum));
  EXPECT_EQ(Nccl::kUniqueIdBytes, NCCL_UNIQUE_ID_BYTES);
  EXPECT_EQ(sizeof(Nccl::UniqueId), sizeof(ncclUniqueId));
  EXPECT_TRUE((std::is_same_v<decltype(&ncclAllReduce),
                              ncclResult_t (*)(const void*, void*, size_t, ncclDataType_t,
                                               ncclRedOp_t, ncclComm_t, cudaStream_t)>));
  EXPECT_TRUE((std::is_same_v<decltype(&ncclReduceScatter),
                              ncclResult_t (*)(const void*, void*, size_t, ncclDataType_t,
                                               ncclRedOp_t, ncclComm_t, cudaStream_t)>));
  EXPECT_TRUE((std::is_same_v<decltype(&ncclAllGather),
                              ncclResult_t (*)(const void*, void*, size_t, ncclDataType_t,
                                               ncclComm_t, cudaStream_t)>));
  EXPECT_TRUE(
      (std::is_same_v<decltype(&ncclSend), ncclResult_t (*)(const void*, size_t, ncclDataType_t,
                                                            int, ncclComm_t, cudaStream_t)>));
  EXPECT_TRUE((std::is_same_v<decltype(&ncclCommInitRank),
                              ncclResult_t (*)(ncclComm_t*, int, ncclUniqueId, int)>));
}

}  // namespace
}  // namespace mansard::kernels
#endif

namespace mansard::kernels {
namespace {

// Each place has a reason, and the reason says what to install.
TEST(Nccl, IsLoadedOrTellsWhatIsMissing) {
  const std::string& reason = nccl_unavailable_reason();
  if (reason.empty()) {
    EXPECT_TRUE(nccl().version.starts_with("2."));
  } else {
    EXPECT_NE(reason.find("libnccl2"), std::string::npos) << reason;
  }
}

}  // namespace
}  // namespace mansard::kernels
