// SPDX-License-Identifier: Apache-2.0
// The tables that ProfileWriter fills, each with the columns that it has values for.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "collector/store/kernel_record.h"
#include "collector/store/profile_writer.h"
#include "collector/store/sqlite.h"
#include "collector/store/table_writer.h"

namespace mansard::store {

// Throws std::runtime_error if `file` exists and is not empty, or cannot be created.
Database create_recording(const std::filesystem::path& file);

struct ProfileWriter::Tables {
  explicit Tables(const std::filesystem::path& file) : database(create_recording(file)) {}

  Database database;
  TableWriter strings{database, "StringIds", {"id", "value"}};
  TableWriter kernels{database,
                      "CUPTI_ACTIVITY_KIND_KERNEL",
                      {"start",
                       "end",
                       "deviceId",
                       "contextId",
                       "streamId",
                       "correlationId",
                       "globalPid",
                       "demangledName",
                       "shortName",
                       "mangledName",
                       "launchType",
                       "registersPerThread",
                       "gridX",
                       "gridY",
                       "gridZ",
                       "blockX",
                       "blockY",
                       "blockZ",
                       "staticSharedMemory",
                       "dynamicSharedMemory",
                       "localMemoryPerThread",
                       "localMemoryTotal",
                       "gridId",
                       "graphNodeId",
                       "graphId",
                       "clusterX",
                       "clusterY",
                       "clusterZ",
                       "tensorSizeMinusOneElements"}};
  TableWriter memcpys{database,
                      "CUPTI_ACTIVITY_KIND_MEMCPY",
                      {"start", "end", "deviceId", "contextId", "streamId", "correlationId",
                       "globalPid", "bytes", "copyKind", "srcKind", "dstKind", "graphNodeId"}};
  TableWriter memsets{database,
                      "CUPTI_ACTIVITY_KIND_MEMSET",
                      {"start", "end", "deviceId", "contextId", "streamId", "correlationId",
                       "globalPid", "value", "bytes", "graphNodeId", "memKind"}};
  TableWriter api_calls{
      database,
      "CUPTI_ACTIVITY_KIND_RUNTIME",
      {"start", "end", "eventClass", "globalTid", "correlationId", "nameId", "returnValue"}};
  TableWriter graphs{database,
                     "CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
                     {"start", "end", "deviceId", "contextId", "streamId", "correlationId",
                      "globalPid", "graphId", "graphExecId"}};
  TableWriter synchronizations{
      database,
      "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
      {"start", "end", "deviceId", "contextId", "streamId", "correlationId", "globalPid",
       "syncType", "eventId", "eventSyncId"}};
  TableWriter overheads{
      database,
      "CUPTI_ACTIVITY_KIND_OVERHEAD",
      {"start", "end", "eventClass", "globalTid", "correlationId", "nameId", "overheadType"}};
  TableWriter memory{
      database,
      "CUDA_GPU_MEMORY_USAGE_EVENTS",
      {"start", "globalPid", "deviceId", "contextId", "address", "pc", "bytes", "memKind",
       "memoryOperationType", "name", "correlationId", "streamId", "localMemoryPoolAddress",
       "localMemoryPoolReleaseThreshold", "localMemoryPoolSize", "localMemoryPoolUtilizedSize",
       "importedMemoryPoolAddress", "importedMemoryPoolProcessId"}};
  TableWriter memory_pools{
      database,
      "CUDA_GPU_MEMORY_POOL_EVENTS",
      {"start", "globalPid", "deviceId", "address", "operationType", "poolType", "correlationId",
       "minBytesToKeep", "localMemoryPoolReleaseThreshold", "localMemoryPoolSize",
       "localMemoryPoolUtilizedSize"}};
  TableWriter streams{database,
                      "TARGET_INFO_CUDA_STREAM",
                      {"streamId", "hwId", "vmId", "processId", "contextId", "priority", "flag"}};
  TableWriter contexts{database,
                       "TARGET_INFO_CUDA_CONTEXT_INFO",
                       {"nullStreamId", "hwId", "vmId", "processId", "deviceId", "contextId",
                        "parentContextId", "isGreenContext", "numMultiprocessors"}};
  TableWriter nvtx{database,
                   "NVTX_EVENTS",
                   {"rowid", "start", "end", "eventType", "rangeId", "category", "color", "text",
                    "globalTid", "endGlobalTid", "textId", "domainId", "uint64Value", "int64Value",
                    "doubleValue", "uint32Value", "int32Value", "floatValue", "jsonText"}};
  TableWriter gpus{database,
                   "TARGET_INFO_GPU",
                   {"vmId", "id", "name", "busLocation", "isDiscrete", "l2CacheSize", "totalMemory",
                    "memoryBandwidth", "clockRate", "smCount", "uuid", "computeMajor",
                    "computeMinor", "smMajor", "smMinor"}};
  TableWriter diagnostics{
      database,
      "DIAGNOSTIC_EVENT",
      {"timestamp", "timestampType", "source", "severity", "text", "globalPid"}};
  TableWriter thread_names{database, "ThreadNames", {"nameId", "priority", "globalTid"}};
  TableWriter processes{database, "PROCESSES", {"globalPid", "pid", "name"}};
  TableWriter session{database, "MANSARD_SESSION", {"name", "value"}};
  TableWriter windows{database, "MANSARD_WINDOW", {"rowid", "start", "end"}};
  TableWriter device_states{
      database,
      "MANSARD_DEVICE_STATE",
      {"timestamp", "deviceId", "smClockMHz", "memoryClockMHz", "powerMilliwatts", "powerIsInstant",
       "temperatureCelsius", "clocksEventReasons", "gpuUtilizationPercent",
       "memoryUtilizationPercent", "memoryUsedBytes"}};
  TableWriter gpu_metrics{
      database, "MANSARD_GPU_METRIC", {"timestamp", "deviceId", "metricId", "value"}};
  TableWriter collectives{
      database,
      "MANSARD_COLLECTIVE",
      {"start", "deviceId", "correlationId", "globalPid", "name", "elementType", "inElements",
       "outElements", "elementBytes", "groupSize", "groupName", "groupRanks"}};
  TableWriter work{database,
                   "MANSARD_WORK",
                   {"eventId", "name", "flop", "precision", "class", "shape", "unknownKeys"}};
  TableWriter work_bytes{database, "MANSARD_WORK_BYTES", {"eventId", "level", "bytes"}};
  TableWriter readings{
      database,
      "MANSARD_COUNTER_READING",
      {"id", "start", "deviceId", "correlationId", "globalPid", "demangledName", "mangledName",
       "gridX", "gridY", "gridZ", "blockX", "blockY", "blockZ", "dynamicSharedMemory", "passes"}};
  TableWriter reading_values{database, "MANSARD_COUNTER_VALUE", {"readingId", "metricId", "value"}};
  std::int64_t next_reading = 1;
  std::optional<Statement> end_range;

  std::unordered_map<std::string, StringId> ids;
  std::vector<const std::string*> texts = {nullptr};  // by StringId; keys of a node-based map stay
  std::int64_t next_nvtx_row = 1;
};

}  // namespace mansard::store
