// SPDX-License-Identifier: Apache-2.0
// Our declarations of NVTX's binary interface against its own headers.
#include "collector/inject/nvtx_abi.h"

#include <nvtx3/nvToolsExt.h>

#include <gtest/gtest.h>

namespace mansard {
namespace {

static_assert(sizeof(nvtx::EventAttributes) == sizeof(nvtxEventAttributes_t));
static_assert(offsetof(nvtx::EventAttributes, size) == offsetof(nvtxEventAttributes_t, size));
static_assert(offsetof(nvtx::EventAttributes, category) ==
              offsetof(nvtxEventAttributes_t, category));
static_assert(offsetof(nvtx::EventAttributes, color_type) ==
              offsetof(nvtxEventAttributes_t, colorType));
static_assert(offsetof(nvtx::EventAttributes, payload) == offsetof(nvtxEventAttributes_t, payload));
static_assert(offsetof(nvtx::EventAttributes, message_type) ==
              offsetof(nvtxEventAttributes_t, messageType));
static_assert(offsetof(nvtx::EventAttributes, message) == offsetof(nvtxEventAttributes_t, message));
static_assert(sizeof(nvtx::CallbackTable) == sizeof(NvtxExportTableCallbacks));

TEST(NvtxAbi, NumbersOfFunctions) {
  EXPECT_EQ(static_cast<int>(nvtx::Module::core), NVTX_CB_MODULE_CORE);
  EXPECT_EQ(static_cast<int>(nvtx::Module::core2), NVTX_CB_MODULE_CORE2);
  EXPECT_EQ(static_cast<int>(nvtx::Core::mark_ex), NVTX_CBID_CORE_MarkEx);
  EXPECT_EQ(static_cast<int>(nvtx::Core::mark_w), NVTX_CBID_CORE_MarkW);
  EXPECT_EQ(static_cast<int>(nvtx::Core::range_start_ex), NVTX_CBID_CORE_RangeStartEx);
  EXPECT_EQ(static_cast<int>(nvtx::Core::range_end), NVTX_CBID_CORE_RangeEnd);
  EXPECT_EQ(static_cast<int>(nvtx::Core::range_push_a), NVTX_CBID_CORE_RangePushA);
  EXPECT_EQ(static_cast<int>(nvtx::Core::range_pop), NVTX_CBID_CORE_RangePop);
  EXPECT_EQ(static_cast<int>(nvtx::Core::name_category_a), NVTX_CBID_CORE_NameCategoryA);
  EXPECT_EQ(static_cast<int>(nvtx::Core::name_os_thread_w), NVTX_CBID_CORE_NameOsThreadW);
  EXPECT_EQ(static_cast<int>(nvtx::Core2::mark_ex), NVTX_CBID_CORE2_DomainMarkEx);
  EXPECT_EQ(static_cast<int>(nvtx::Core2::range_pop), NVTX_CBID_CORE2_DomainRangePop);
  EXPECT_EQ(static_cast<int>(nvtx::Core2::name_category_a), NVTX_CBID_CORE2_DomainNameCategoryA);
  EXPECT_EQ(static_cast<int>(nvtx::Core2::register_string_a),
            NVTX_CBID_CORE2_DomainRegisterStringA);
  EXPECT_EQ(static_cast<int>(nvtx::Core2::create_w), NVTX_CBID_CORE2_DomainCreateW);
  EXPECT_EQ(static_cast<int>(nvtx::Core2::destroy), NVTX_CBID_CORE2_DomainDestroy);
  EXPECT_EQ(nvtx::kCallbacksTable, static_cast<std::uint32_t>(NVTX_ETID_CALLBACKS));
}

TEST(NvtxAbi, TypesOfValues) {
  EXPECT_EQ(static_cast<int>(nvtx::MessageType::ascii), NVTX_MESSAGE_TYPE_ASCII);
  EXPECT_EQ(static_cast<int>(nvtx::MessageType::unicode), NVTX_MESSAGE_TYPE_UNICODE);
  EXPECT_EQ(static_cast<int>(nvtx::MessageType::registered), NVTX_MESSAGE_TYPE_REGISTERED);
  EXPECT_EQ(static_cast<int>(nvtx::ColorType::argb), NVTX_COLOR_ARGB);
  EXPECT_EQ(static_cast<int>(nvtx::PayloadType::uint64), NVTX_PAYLOAD_TYPE_UNSIGNED_INT64);
  EXPECT_EQ(static_cast<int>(nvtx::PayloadType::int64), NVTX_PAYLOAD_TYPE_INT64);
  EXPECT_EQ(static_cast<int>(nvtx::PayloadType::float64), NVTX_PAYLOAD_TYPE_DOUBLE);
  EXPECT_EQ(static_cast<int>(nvtx::PayloadType::uint32), NVTX_PAYLOAD_TYPE_UNSIGNED_INT32);
  EXPECT_EQ(static_cast<int>(nvtx::PayloadType::int32), NVTX_PAYLOAD_TYPE_INT32);
  EXPECT_EQ(static_cast<int>(nvtx::PayloadType::float32), NVTX_PAYLOAD_TYPE_FLOAT);
}

}  // namespace
}  // namespace mansard
