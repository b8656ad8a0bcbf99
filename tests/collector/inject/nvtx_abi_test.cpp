// SPDX-License-Identifier: Apache-2.0
// Compares our declarations of NVTX's binary interface with its headers.
#include "collector/inject/nvtx_abi.h"

#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtPayload.h>

#include <gtest/gtest.h>

namespace mansard::collector {
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

static_assert(sizeof(nvtx::ModuleInfo) == sizeof(nvtxExtModuleInfo_t));
static_assert(offsetof(nvtx::ModuleInfo, version) == offsetof(nvtxExtModuleInfo_t, compatId));
static_assert(offsetof(nvtx::ModuleInfo, segments) == offsetof(nvtxExtModuleInfo_t, segments));
static_assert(sizeof(nvtx::ModuleSegment) == sizeof(nvtxExtModuleSegment_t));
static_assert(offsetof(nvtx::ModuleSegment, functions) ==
              offsetof(nvtxExtModuleSegment_t, functionSlots));
static_assert(sizeof(nvtx::PayloadData) == sizeof(nvtxPayloadData_t));
static_assert(offsetof(nvtx::PayloadData, bytes) == offsetof(nvtxPayloadData_t, payload));
static_assert(sizeof(nvtx::SchemaEntry) == sizeof(nvtxPayloadSchemaEntry_t));
static_assert(offsetof(nvtx::SchemaEntry, name) == offsetof(nvtxPayloadSchemaEntry_t, name));
static_assert(offsetof(nvtx::SchemaEntry, length) ==
              offsetof(nvtxPayloadSchemaEntry_t, arrayOrUnionDetail));
static_assert(offsetof(nvtx::SchemaEntry, offset) == offsetof(nvtxPayloadSchemaEntry_t, offset));
static_assert(offsetof(nvtx::SchemaAttributes, entries) ==
              offsetof(nvtxPayloadSchemaAttr_t, entries));
static_assert(offsetof(nvtx::SchemaAttributes, pack_align) ==
              offsetof(nvtxPayloadSchemaAttr_t, packAlign));
static_assert(offsetof(nvtx::SchemaAttributes, schema_id) ==
              offsetof(nvtxPayloadSchemaAttr_t, schemaId));
static_assert(sizeof(nvtx::EnumEntry) == sizeof(nvtxPayloadEnum_t));
static_assert(offsetof(nvtx::EnumEntry, value) == offsetof(nvtxPayloadEnum_t, value));
static_assert(offsetof(nvtx::EnumAttributes, size) == offsetof(nvtxPayloadEnumAttr_t, sizeOfEnum));
static_assert(offsetof(nvtx::EnumAttributes, schema_id) ==
              offsetof(nvtxPayloadEnumAttr_t, schemaId));
static_assert(nvtx::kPayloadModule == NVTX_EXT_PAYLOAD_MODULEID);
static_assert(nvtx::kNewestPayloadVersion >= NVTX_EXT_PAYLOAD_COMPATID);
static_assert(nvtx::kStaticLayout == NVTX_PAYLOAD_SCHEMA_TYPE_STATIC);
static_assert(nvtx::kStaticSchemas == NVTX_PAYLOAD_SCHEMA_ID_STATIC_START);
static_assert(nvtx::kDynamicSchemas == NVTX_PAYLOAD_SCHEMA_ID_DYNAMIC_START);
static_assert(nvtx::kEntryPoints ==
              (NVTX_PAYLOAD_ENTRY_FLAG_POINTER | NVTX_PAYLOAD_ENTRY_FLAG_OFFSET_FROM_BASE |
               NVTX_PAYLOAD_ENTRY_FLAG_OFFSET_FROM_HERE));
static_assert(nvtx::kEntryFixedArray == NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_FIXED_SIZE);
static_assert(nvtx::kEntryHidden == NVTX_PAYLOAD_ENTRY_FLAG_HIDE);
static_assert(nvtx::kEntryMessage == NVTX_PAYLOAD_ENTRY_FLAG_EVENT_MESSAGE);
static_assert(nvtx::kSchemaHasType == NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_TYPE);
static_assert(nvtx::kSchemaHasEntries == (NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES |
                                          NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES));
static_assert(nvtx::kSchemaHasPackAlign == NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ALIGNMENT);
static_assert(nvtx::kSchemaHasId == NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_SCHEMA_ID);
static_assert(nvtx::kEnumHasEntries ==
              (NVTX_PAYLOAD_ENUM_ATTR_FIELD_ENTRIES | NVTX_PAYLOAD_ENUM_ATTR_FIELD_NUM_ENTRIES));
static_assert(nvtx::kEnumHasSize == NVTX_PAYLOAD_ENUM_ATTR_FIELD_SIZE);
static_assert(nvtx::kEnumHasId == NVTX_PAYLOAD_ENUM_ATTR_FIELD_SCHEMA_ID);

TEST(NvtxAbi, NumbersOfPayloadFunctionsAndTypes) {
  using F = nvtx::PayloadFunction;
  EXPECT_EQ(static_cast<int>(F::schema_register), NVTX3EXT_CBID_nvtxPayloadSchemaRegister);
  EXPECT_EQ(static_cast<int>(F::enum_register), NVTX3EXT_CBID_nvtxPayloadEnumRegister);
  EXPECT_EQ(static_cast<int>(F::mark), NVTX3EXT_CBID_nvtxMarkPayload);
  EXPECT_EQ(static_cast<int>(F::range_push), NVTX3EXT_CBID_nvtxRangePushPayload);
  EXPECT_EQ(static_cast<int>(F::range_pop), NVTX3EXT_CBID_nvtxRangePopPayload);
  EXPECT_EQ(static_cast<int>(F::range_start), NVTX3EXT_CBID_nvtxRangeStartPayload);
  EXPECT_EQ(static_cast<int>(F::range_end), NVTX3EXT_CBID_nvtxRangeEndPayload);
  using E = nvtx::EntryType;
  EXPECT_EQ(static_cast<int>(E::character), NVTX_PAYLOAD_ENTRY_TYPE_CHAR);
  EXPECT_EQ(static_cast<int>(E::unsigned_long_long), NVTX_PAYLOAD_ENTRY_TYPE_ULONGLONG);
  EXPECT_EQ(static_cast<int>(E::int8), NVTX_PAYLOAD_ENTRY_TYPE_INT8);
  EXPECT_EQ(static_cast<int>(E::uint64), NVTX_PAYLOAD_ENTRY_TYPE_UINT64);
  EXPECT_EQ(static_cast<int>(E::float_number), NVTX_PAYLOAD_ENTRY_TYPE_FLOAT);
  EXPECT_EQ(static_cast<int>(E::size), NVTX_PAYLOAD_ENTRY_TYPE_SIZE);
  EXPECT_EQ(static_cast<int>(E::address), NVTX_PAYLOAD_ENTRY_TYPE_ADDRESS);
  EXPECT_EQ(static_cast<int>(E::byte), NVTX_PAYLOAD_ENTRY_TYPE_BYTE);
  EXPECT_EQ(static_cast<int>(E::float32), NVTX_PAYLOAD_ENTRY_TYPE_FLOAT32);
  EXPECT_EQ(static_cast<int>(E::float64), NVTX_PAYLOAD_ENTRY_TYPE_FLOAT64);
  EXPECT_EQ(static_cast<int>(E::category), NVTX_PAYLOAD_ENTRY_TYPE_CATEGORY);
  EXPECT_EQ(static_cast<int>(E::tid64), NVTX_PAYLOAD_ENTRY_TYPE_TID_UINT64);
  EXPECT_EQ(static_cast<int>(E::c_string), NVTX_PAYLOAD_ENTRY_TYPE_CSTRING);
  EXPECT_EQ(static_cast<int>(E::registered_string),
            NVTX_PAYLOAD_ENTRY_TYPE_NVTX_REGISTERED_STRING_HANDLE);
  EXPECT_EQ(static_cast<int>(nvtx::PayloadType::extended), NVTX_PAYLOAD_TYPE_EXT);
}

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
}  // namespace mansard::collector
