-- SPDX-License-Identifier: Apache-2.0
-- The tables of a rank summary, which `mansard analyze --summaries` writes.

-- One row. Of the device with the most kernel time. Ns columns named typical... are sums over
-- the typical steps; hiddenNs is not a part of the step, the others add up to it. Times with
-- Utc are on the clock of the host.
CREATE TABLE MANSARD_RANK (
  version INTEGER NOT NULL,
  rank INTEGER NOT NULL,
  worldSize INTEGER NOT NULL,
  host TEXT NOT NULL,
  boot TEXT NOT NULL,
  pid INTEGER NOT NULL,
  command TEXT NOT NULL,
  complete INTEGER NOT NULL,
  droppedEvents INTEGER NOT NULL,
  file TEXT NOT NULL,
  fileBytes INTEGER NOT NULL,
  fileChangedUtcNs INTEGER NOT NULL,
  options TEXT NOT NULL,
  deviceId INTEGER NOT NULL,
  device TEXT NOT NULL,
  deviceUuid TEXT NOT NULL,
  devices INTEGER NOT NULL,
  startUtcNs INTEGER NOT NULL,
  endUtcNs INTEGER NOT NULL,
  kernels INTEGER NOT NULL,
  stepOrigin TEXT NOT NULL,
  steps INTEGER NOT NULL,
  typicalSteps INTEGER NOT NULL,
  disturbedSteps INTEGER NOT NULL,
  stepStride INTEGER NOT NULL,
  typicalKernelsNs INTEGER NOT NULL,
  typicalExposedNs INTEGER NOT NULL,
  typicalMemcpyNs INTEGER NOT NULL,
  typicalGraphsNs INTEGER NOT NULL,
  typicalIdleNs INTEGER NOT NULL,
  typicalHiddenNs INTEGER NOT NULL,
  stepMedianNs INTEGER NOT NULL,
  stepP95Ns INTEGER NOT NULL,
  stepMaxNs INTEGER NOT NULL,
  stepLaunches REAL NOT NULL,
  smClockHz REAL,
  powerW REAL,
  sampleLevel INTEGER NOT NULL
);

-- Steps whose number is a multiple of stepStride. Parts as in MANSARD_RANK, of one step.
CREATE TABLE MANSARD_RANK_STEP (
  rank INTEGER NOT NULL,
  number INTEGER NOT NULL,
  startUtcNs INTEGER NOT NULL,
  endUtcNs INTEGER NOT NULL,
  kernelsNs INTEGER NOT NULL,
  exposedNs INTEGER NOT NULL,
  memcpyNs INTEGER NOT NULL,
  graphsNs INTEGER NOT NULL,
  idleNs INTEGER NOT NULL,
  hiddenNs INTEGER NOT NULL,
  typical INTEGER NOT NULL
);

-- Kernels by class (idle 0) and idle time by cause (idle 1), summed over the typical steps.
CREATE TABLE MANSARD_RANK_PART (
  rank INTEGER NOT NULL,
  idle INTEGER NOT NULL,
  name TEXT NOT NULL,
  timeNs INTEGER NOT NULL
);

-- Kernels of collectives that all ranks end at the same time.
CREATE TABLE MANSARD_RANK_COLLECTIVE (
  rank INTEGER NOT NULL,
  id INTEGER NOT NULL,
  name TEXT NOT NULL,
  launches INTEGER NOT NULL,
  timeNs INTEGER NOT NULL
);

-- Start and end of some launches of these kernels, chosen by their number alike on all ranks, and
-- the longest time in them during which no kernel computes.
CREATE TABLE MANSARD_RANK_SAMPLE (
  rank INTEGER NOT NULL,
  collective INTEGER NOT NULL,
  launch INTEGER NOT NULL,
  startUtcNs INTEGER NOT NULL,
  endUtcNs INTEGER NOT NULL,
  exposedStartUtcNs INTEGER NOT NULL,
  exposedEndUtcNs INTEGER NOT NULL,
  typical INTEGER NOT NULL
);
