-- SPDX-License-Identifier: Apache-2.0
-- The tables of a profile. Names and columns are those of Nsight Systems' SQLite export (schema
-- 3.25.0), so that SQL written for one runs on the other; times are nanoseconds since the session's
-- start. Tables with the prefix MANSARD_ are Mansard's own. Each is created when its first row is written.

CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (
  start INTEGER NOT NULL,
  "end" INTEGER NOT NULL,
  deviceId INTEGER NOT NULL,
  contextId INTEGER NOT NULL,
  greenContextId INTEGER,
  streamId INTEGER NOT NULL,
  correlationId INTEGER,
  globalPid INTEGER,
  demangledName INTEGER NOT NULL,
  shortName INTEGER NOT NULL,
  mangledName INTEGER,
  launchType INTEGER,
  cacheConfig INTEGER,
  registersPerThread INTEGER NOT NULL,
  gridX INTEGER NOT NULL,
  gridY INTEGER NOT NULL,
  gridZ INTEGER NOT NULL,
  blockX INTEGER NOT NULL,
  blockY INTEGER NOT NULL,
  blockZ INTEGER NOT NULL,
  staticSharedMemory INTEGER NOT NULL,
  dynamicSharedMemory INTEGER NOT NULL,
  localMemoryPerThread INTEGER NOT NULL,
  localMemoryTotal INTEGER NOT NULL,
  gridId INTEGER NOT NULL,
  sharedMemoryExecuted INTEGER,
  graphNodeId INTEGER,
  sharedMemoryLimitConfig INTEGER,
  qmdBulkReleaseDone INTEGER,
  qmdPreexitDone INTEGER,
  qmdLastCtaDone INTEGER,
  graphId INTEGER,
  clusterX INTEGER,
  clusterY INTEGER,
  clusterZ INTEGER,
  clusterSchedulingPolicy INTEGER,
  maxPotentialClusterSize INTEGER,
  maxActiveClusters INTEGER,
  sharedMemoryRequestedPercentage INTEGER,
  tensorSizeMinusOneElements TEXT NOT NULL
);

CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (
  start INTEGER NOT NULL,
  "end" INTEGER NOT NULL,
  deviceId INTEGER NOT NULL,
  contextId INTEGER NOT NULL,
  greenContextId INTEGER,
  streamId INTEGER NOT NULL,
  correlationId INTEGER,
  globalPid INTEGER,
  bytes INTEGER NOT NULL,
  copyKind INTEGER NOT NULL,
  deprecatedSrcId INTEGER,
  srcKind INTEGER,
  dstKind INTEGER,
  srcDeviceId INTEGER,
  srcContextId INTEGER,
  dstDeviceId INTEGER,
  dstContextId INTEGER,
  migrationCause INTEGER,
  graphNodeId INTEGER,
  virtualAddress INTEGER,
  copyCount INTEGER
);

CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (
  start INTEGER NOT NULL,
  "end" INTEGER NOT NULL,
  deviceId INTEGER NOT NULL,
  contextId INTEGER NOT NULL,
  greenContextId INTEGER,
  streamId INTEGER NOT NULL,
  correlationId INTEGER,
  globalPid INTEGER,
  value INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  graphNodeId INTEGER,
  memKind INTEGER
);

CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (
  start INTEGER NOT NULL,
  "end" INTEGER NOT NULL,
  deviceId INTEGER NOT NULL,
  contextId INTEGER NOT NULL,
  greenContextId INTEGER,
  streamId INTEGER NOT NULL,
  correlationId INTEGER,
  globalPid INTEGER,
  graphId INTEGER NOT NULL,
  graphExecId INTEGER NOT NULL
);

CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (
  start INTEGER NOT NULL,
  "end" INTEGER NOT NULL,
  deviceId INTEGER NOT NULL,
  contextId INTEGER NOT NULL,
  greenContextId INTEGER,
  streamId INTEGER NOT NULL,
  correlationId INTEGER,
  globalPid INTEGER,
  deprecatedSyncType INTEGER,
  syncType INTEGER NOT NULL,
  eventId INTEGER NOT NULL,
  eventSyncId INTEGER
);

CREATE TABLE CUPTI_ACTIVITY_KIND_OVERHEAD (
  start INTEGER NOT NULL,
  "end" INTEGER NOT NULL,
  eventClass INTEGER NOT NULL,
  globalTid INTEGER,
  correlationId INTEGER,
  nameId INTEGER,
  overheadType INTEGER NOT NULL
);

CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS (
  start INTEGER NOT NULL,
  globalPid INTEGER NOT NULL,
  deviceId INTEGER NOT NULL,
  contextId INTEGER NOT NULL,
  address INTEGER NOT NULL,
  pc INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  memKind INTEGER NOT NULL,
  memoryOperationType INTEGER NOT NULL,
  name TEXT,
  correlationId INTEGER,
  streamId INTEGER,
  localMemoryPoolAddress INTEGER,
  localMemoryPoolReleaseThreshold INTEGER,
  localMemoryPoolSize INTEGER,
  localMemoryPoolUtilizedSize INTEGER,
  importedMemoryPoolAddress INTEGER,
  importedMemoryPoolProcessId INTEGER
);

CREATE TABLE CUDA_GPU_MEMORY_POOL_EVENTS (
  start INTEGER NOT NULL,
  globalPid INTEGER NOT NULL,
  deviceId INTEGER NOT NULL,
  address INTEGER NOT NULL,
  operationType INTEGER NOT NULL,
  poolType INTEGER NOT NULL,
  correlationId INTEGER,
  minBytesToKeep INTEGER,
  localMemoryPoolReleaseThreshold INTEGER,
  localMemoryPoolSize INTEGER,
  localMemoryPoolUtilizedSize INTEGER
);

CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (
  start INTEGER NOT NULL,
  "end" INTEGER NOT NULL,
  eventClass INTEGER NOT NULL,
  globalTid INTEGER,
  correlationId INTEGER,
  nameId INTEGER NOT NULL,
  returnValue INTEGER NOT NULL,
  callchainId INTEGER
);

CREATE TABLE CUDA_GRAPH_NODE_EVENTS (
  start INTEGER NOT NULL,
  "end" INTEGER NOT NULL,
  eventClass INTEGER NOT NULL,
  globalTid INTEGER,
  nameId INTEGER NOT NULL,
  graphNodeId INTEGER NOT NULL,
  originalGraphNodeId INTEGER
);

CREATE TABLE NVTX_EVENTS (
  start INTEGER NOT NULL,
  "end" INTEGER,
  eventType INTEGER NOT NULL,
  rangeId INTEGER,
  category INTEGER,
  color INTEGER,
  text TEXT,
  globalTid INTEGER,
  endGlobalTid INTEGER,
  textId INTEGER,
  domainId INTEGER,
  uint64Value INTEGER,
  int64Value INTEGER,
  doubleValue REAL,
  uint32Value INTEGER,
  int32Value INTEGER,
  floatValue REAL,
  jsonTextId INTEGER,
  jsonText TEXT,
  binaryData TEXT
);

CREATE TABLE DIAGNOSTIC_EVENT (
  timestamp INTEGER NOT NULL,
  timestampType INTEGER NOT NULL,
  source INTEGER NOT NULL,
  severity INTEGER NOT NULL,
  text TEXT NOT NULL,
  globalPid INTEGER
);

CREATE TABLE META_DATA_EXPORT (
  name TEXT NOT NULL,
  value TEXT
);

CREATE TABLE PROCESSES (
  globalPid INTEGER,
  pid INTEGER,
  name TEXT
);

CREATE TABLE StringIds (
  id INTEGER NOT NULL PRIMARY KEY,
  value TEXT NOT NULL
);

CREATE TABLE ThreadNames (
  nameId INTEGER NOT NULL,
  priority INTEGER,
  globalTid INTEGER
);

CREATE TABLE TARGET_INFO_GPU (
  vmId INTEGER,
  id INTEGER,
  name TEXT,
  busLocation TEXT,
  isDiscrete INTEGER,
  l2CacheSize INTEGER,
  totalMemory INTEGER,
  memoryBandwidth INTEGER,
  clockRate INTEGER,
  smCount INTEGER,
  pwGpuId INTEGER,
  uuid TEXT,
  luid INTEGER,
  chipName TEXT,
  cuDevice INTEGER,
  ctxswDevPath TEXT,
  ctrlDevPath TEXT,
  revision INTEGER,
  nodeMask INTEGER,
  constantMemory INTEGER,
  maxIPC INTEGER,
  maxRegistersPerBlock INTEGER,
  maxShmemPerBlock INTEGER,
  maxShmemPerBlockOptin INTEGER,
  maxShmemPerSm INTEGER,
  maxRegistersPerSm INTEGER,
  threadsPerWarp INTEGER,
  asyncEngines INTEGER,
  maxWarpsPerSm INTEGER,
  maxBlocksPerSm INTEGER,
  maxThreadsPerBlock INTEGER,
  maxBlockDimX INTEGER,
  maxBlockDimY INTEGER,
  maxBlockDimZ INTEGER,
  maxGridDimX INTEGER,
  maxGridDimY INTEGER,
  maxGridDimZ INTEGER,
  computeMajor INTEGER,
  computeMinor INTEGER,
  smMajor INTEGER,
  smMinor INTEGER
);

CREATE TABLE TARGET_INFO_CUDA_CONTEXT_INFO (
  nullStreamId INTEGER NOT NULL,
  hwId INTEGER NOT NULL,
  vmId INTEGER NOT NULL,
  processId INTEGER NOT NULL,
  deviceId INTEGER NOT NULL,
  contextId INTEGER NOT NULL,
  parentContextId INTEGER,
  isGreenContext INTEGER,
  numMultiprocessors INTEGER
);

CREATE TABLE TARGET_INFO_CUDA_STREAM (
  streamId INTEGER NOT NULL,
  hwId INTEGER NOT NULL,
  vmId INTEGER NOT NULL,
  processId INTEGER NOT NULL,
  contextId INTEGER NOT NULL,
  priority INTEGER NOT NULL,
  flag INTEGER NOT NULL
);

CREATE TABLE TARGET_INFO_SESSION_START_TIME (
  utcEpochNs INTEGER,
  utcTime TEXT,
  localTime TEXT,
  systemClockNs INTEGER
);

-- One row: the state of the file. Process start time (clock ticks since boot) and scope (boot
-- id and process namespace) make the pid unambiguous; the heartbeat is for readers on another
-- machine, which cannot check the process.
CREATE TABLE MANSARD_STATE (
  state TEXT NOT NULL CHECK (state IN ('recording', 'complete', 'interrupted')),
  pid INTEGER NOT NULL,
  processStartTime INTEGER NOT NULL,
  processScope TEXT NOT NULL,
  heartbeatUtcNs INTEGER NOT NULL
);

-- The command, the machine and the version that recorded the profile.
CREATE TABLE MANSARD_SESSION (
  name TEXT NOT NULL PRIMARY KEY,
  value TEXT NOT NULL
);

-- Recorded time windows, if not everything was recorded: ns since the session's start; end
-- NULL: to the end of recording.
CREATE TABLE MANSARD_WINDOW (
  start INTEGER NOT NULL,
  "end" INTEGER
);

-- Times in which launches of the program waited while hardware counters were set up or read:
-- the times of steps that contain one are not those of an undisturbed run.
CREATE TABLE MANSARD_PAUSE (
  start INTEGER NOT NULL,
  "end" INTEGER NOT NULL
);

-- Hardware counters of a kernel, read while it ran alone, `passes` times (in one launch or in
-- several; start and correlationId are those of the first): its times in
-- CUPTI_ACTIVITY_KIND_KERNEL, if present, are not those of an undisturbed run. The values apply
-- to all launches with the same name, grid, block and dynamic shared memory. With a graphId: the
-- sums over all nodes of a launch of this graph.
CREATE TABLE MANSARD_COUNTER_READING (
  id INTEGER NOT NULL PRIMARY KEY,
  start INTEGER NOT NULL,
  deviceId INTEGER NOT NULL,
  correlationId INTEGER,
  globalPid INTEGER,
  demangledName INTEGER NOT NULL,
  mangledName INTEGER,
  gridX INTEGER NOT NULL,
  gridY INTEGER NOT NULL,
  gridZ INTEGER NOT NULL,
  blockX INTEGER NOT NULL,
  blockY INTEGER NOT NULL,
  blockZ INTEGER NOT NULL,
  dynamicSharedMemory INTEGER NOT NULL,
  passes INTEGER NOT NULL,
  graphId INTEGER
);

-- Metrics by CUPTI and Nsight Compute name; value NULL: not available.
CREATE TABLE MANSARD_COUNTER_VALUE (
  readingId INTEGER NOT NULL,
  metricId INTEGER NOT NULL,
  value REAL
);

-- State of the GPUs that the program uses, sampled through NVML while recording; NULL: not
-- available. Power is instantaneous, or NVML's average (on most GPUs over the last second).
-- clocksEventReasons are the bits of nvmlClocksEventReason* in nvml.h. Utilizations are the
-- fractions of NVML's own sample period (up to 1 s) in which a kernel ran, and in which memory
-- was read or written.
CREATE TABLE MANSARD_DEVICE_STATE (
  timestamp INTEGER NOT NULL,
  deviceId INTEGER NOT NULL,
  smClockMHz INTEGER,
  memoryClockMHz INTEGER,
  powerMilliwatts INTEGER,
  powerIsInstant INTEGER,
  temperatureCelsius INTEGER,
  clocksEventReasons INTEGER,
  gpuUtilizationPercent INTEGER,
  memoryUtilizationPercent INTEGER,
  memoryUsedBytes INTEGER
);

-- Counters of a whole GPU, sampled at a fixed rate: for each sample the value of each metric, by
-- Nsight Compute name (StringIds), over the period that ends at timestamp. The rows of a sample
-- have the same timestamp.
CREATE TABLE MANSARD_GPU_METRIC (
  timestamp INTEGER NOT NULL,
  deviceId INTEGER NOT NULL,
  metricId INTEGER NOT NULL,
  value REAL
);

-- Elements moved by collective communication, in profiles imported from PyTorch's profiler;
-- elementBytes and groupSize NULL: unknown.
CREATE TABLE MANSARD_COLLECTIVE (
  start INTEGER NOT NULL,
  deviceId INTEGER NOT NULL,
  correlationId INTEGER,
  globalPid INTEGER,
  name TEXT NOT NULL,
  elementType TEXT,
  inElements INTEGER NOT NULL,
  outElements INTEGER NOT NULL,
  elementBytes INTEGER,
  groupSize INTEGER,
  groupName TEXT,
  groupRanks TEXT
);

-- Work of NVTX ranges (kernels/annotation/work_annotation.h): stated in their texts or, if
-- modeled is 1, computed from the shapes of a call. eventId is the rowid of NVTX_EVENTS.
CREATE TABLE MANSARD_WORK (
  eventId INTEGER NOT NULL PRIMARY KEY,
  name TEXT NOT NULL,
  flop REAL NOT NULL,
  precision TEXT,
  "class" TEXT,
  shape TEXT,
  unknownKeys INTEGER NOT NULL,
  modeled INTEGER,
  causalFlop REAL
);

-- Bytes of a work annotation by memory tier.
CREATE TABLE MANSARD_WORK_BYTES (
  eventId INTEGER NOT NULL,
  level TEXT NOT NULL,
  bytes REAL NOT NULL
);

-- How well quantized tensors represent their sources, by training step, layer, tensor (x, W, dy)
-- and the GEMM that reads it: stated in the texts of NVTX marks
-- (kernels/annotation/training_annotation.h). format NULL: several; amax and rms NULL: not finite;
-- underflow, saturated (fractions) and snrDb NULL: not known; e4m3, e5m2 and bf16 are the shares of
-- the blocks in these formats, if a recipe chooses among them.
CREATE TABLE MANSARD_TENSOR_NUMERICS (
  eventId INTEGER NOT NULL PRIMARY KEY,
  step INTEGER NOT NULL,
  layerId INTEGER NOT NULL,
  tensor TEXT NOT NULL,
  gemm TEXT NOT NULL,
  format TEXT,
  elements INTEGER NOT NULL,
  amax REAL,
  rms REAL,
  underflow REAL,
  saturated REAL,
  snrDb REAL,
  e4m3 REAL,
  e5m2 REAL,
  bf16 REAL
);

-- Steps of a training run, stated in the texts of NVTX marks
-- (kernels/annotation/training_annotation.h). tokens: trained on so far. A loss, learning rate
-- or norm of NULL is not finite; validationLoss NULL: not measured in this step.
CREATE TABLE MANSARD_TRAINING_STEP (
  eventId INTEGER NOT NULL PRIMARY KEY,
  step INTEGER NOT NULL,
  tokens INTEGER NOT NULL,
  loss REAL,
  validationLoss REAL,
  learningRate REAL,
  gradientNorm REAL
);
