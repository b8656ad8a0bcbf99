// SPDX-License-Identifier: Apache-2.0
// Structured payloads, as attached to ranges by NCCL and others.
#include <cstddef>
#include <cstdint>

#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtPayload.h>

namespace {

constexpr std::uint64_t kCollective = NVTX_PAYLOAD_SCHEMA_ID_STATIC_START + 5;
constexpr std::uint64_t kCommunicator = NVTX_PAYLOAD_SCHEMA_ID_STATIC_START + 11;
constexpr std::uint64_t kOperation = NVTX_PAYLOAD_SCHEMA_ID_STATIC_START + 24;

struct Collective {
  std::uint64_t communicator;
  std::size_t bytes;
  int operation;
};
struct Communicator {
  std::uint64_t communicator;
  int ranks;
  int rank;
};
// The tool computes the offsets.
struct Mixed {
  std::int8_t small;
  double real;
  char text[6];
  const char* pointed;
  float array[2];
  std::uint16_t last;
};

nvtxPayloadSchemaEntry_t entry(std::uint64_t type, const char* name, std::uint64_t offset = 0,
                               std::uint64_t length = 0, std::uint64_t flags = 0) {
  nvtxPayloadSchemaEntry_t e{};
  e.flags = flags;
  e.type = type;
  e.name = name;
  e.offset = offset;
  e.arrayOrUnionDetail = length;
  return e;
}

std::uint64_t add_schema(nvtxDomainHandle_t domain, const nvtxPayloadSchemaEntry_t* entries,
                         std::size_t count, std::size_t size, std::uint64_t id) {
  nvtxPayloadSchemaAttr_t a{};
  a.fieldMask = NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_TYPE | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES |
                NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES |
                NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_STATIC_SIZE;
  if (id != 0) a.fieldMask |= NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_SCHEMA_ID;
  a.type = NVTX_PAYLOAD_SCHEMA_TYPE_STATIC;
  a.entries = entries;
  a.numEntries = count;
  a.payloadStaticSize = size;
  a.schemaId = id;
  return nvtxPayloadSchemaRegister(domain, &a);
}

void push(nvtxDomainHandle_t domain, const char* text, const nvtxPayloadData_t* payload) {
  nvtxEventAttributes_t a{};
  a.version = NVTX_VERSION;
  a.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  a.messageType = NVTX_MESSAGE_TYPE_ASCII;
  a.message.ascii = text;
  if (payload != nullptr) {
    a.payloadType = NVTX_PAYLOAD_TYPE_EXT;
    a.reserved0 = 1;
    a.payload.ullValue = reinterpret_cast<std::uintptr_t>(payload);
  }
  nvtxDomainRangePushEx(domain, &a);
}

}  // namespace

int main() {
  const nvtxDomainHandle_t domain = nvtxDomainCreateA("NCCL");
  const nvtxPayloadEnum_t operations[] = {{"Sum", 0, 0}, {"Max", 2, 0}};
  nvtxPayloadEnumAttr_t e{};
  e.fieldMask = NVTX_PAYLOAD_ENUM_ATTR_FIELD_ENTRIES | NVTX_PAYLOAD_ENUM_ATTR_FIELD_NUM_ENTRIES |
                NVTX_PAYLOAD_ENUM_ATTR_FIELD_SIZE | NVTX_PAYLOAD_ENUM_ATTR_FIELD_SCHEMA_ID;
  e.entries = operations;
  e.numEntries = 2;
  e.sizeOfEnum = sizeof(int);
  e.schemaId = kOperation;
  nvtxPayloadEnumRegister(domain, &e);
  const nvtxPayloadSchemaEntry_t collective[] = {
      entry(NVTX_PAYLOAD_ENTRY_TYPE_UINT64, "NCCL communicator ID"),
      entry(NVTX_PAYLOAD_ENTRY_TYPE_SIZE, "Message size [bytes]", offsetof(Collective, bytes)),
      entry(kOperation, "Reduction operation", offsetof(Collective, operation))};
  add_schema(domain, collective, 3, sizeof(Collective), kCollective);
  const nvtxPayloadSchemaEntry_t communicator[] = {
      entry(NVTX_PAYLOAD_ENTRY_TYPE_UINT64, "NCCL communicator ID"),
      entry(NVTX_PAYLOAD_ENTRY_TYPE_INT, "No. of ranks"),
      entry(NVTX_PAYLOAD_ENTRY_TYPE_INT, "Rank")};
  add_schema(domain, communicator, 3, sizeof(Communicator), kCommunicator);

  // A payload that is known only at the end.
  push(domain, "init", nullptr);
  const Communicator made = {0xF00000000000000F, 8, 3};
  const nvtxPayloadData_t made_data = {kCommunicator, sizeof made, &made};
  nvtxRangePopPayload(domain, &made_data, 1);

  nvtxRangePushA("step");
  const Collective sum = {0xF00000000000000F, 1 << 20, 0};
  const nvtxPayloadData_t sum_data = {kCollective, sizeof sum, &sum};
  push(domain, "all-reduce", &sum_data);
  nvtxDomainRangePop(domain);
  const Collective odd = {1, 2, 99};  // an operation without a name
  const nvtxPayloadData_t cut = {kCollective, offsetof(Collective, operation), &odd};
  push(domain, "cut", &cut);
  const nvtxPayloadData_t odd_data = {kCollective, SIZE_MAX, &odd};
  nvtxRangePopPayload(domain, &odd_data, 1);
  nvtxRangePop();

  const nvtxPayloadSchemaEntry_t mixed[] = {
      entry(NVTX_PAYLOAD_ENTRY_TYPE_INT8, "small"),
      entry(NVTX_PAYLOAD_ENTRY_TYPE_DOUBLE, "real"),
      entry(NVTX_PAYLOAD_ENTRY_TYPE_CSTRING, "text", 0, 6),
      entry(NVTX_PAYLOAD_ENTRY_TYPE_CSTRING, nullptr, 0, 0, NVTX_PAYLOAD_ENTRY_FLAG_EVENT_MESSAGE),
      entry(NVTX_PAYLOAD_ENTRY_TYPE_FLOAT, "array", 0, 2, NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_FIXED_SIZE),
      entry(NVTX_PAYLOAD_ENTRY_TYPE_UINT16, "after an array"),
      entry(NVTX_PAYLOAD_ENTRY_TYPE_UINT16, "last", offsetof(Mixed, last))};
  const std::uint64_t id = add_schema(domain, mixed, 7, sizeof(Mixed), 0);
  const Mixed value = {-5, 0.25, {'a', '"', '\0'}, "message of a payload", {1, 2}, 65535};
  const nvtxPayloadData_t value_data = {id, sizeof value, &value};
  nvtxMarkPayload(domain, &value_data, 1);
  nvtxRangeEndPayload(domain, nvtxRangeStartPayload(domain, &value_data, 1), &value_data, 1);

  // Invalid arguments, as passed by careless programs.
  const nvtxPayloadData_t unknown = {12345, 8, &value};
  push(domain, "unknown schema", &unknown);
  nvtxRangePopPayload(domain, nullptr, 3);
  nvtxMarkPayload(domain, nullptr, 0);
  nvtxPayloadSchemaRegister(domain, nullptr);
  nvtxPayloadEnumRegister(nullptr, nullptr);
}
