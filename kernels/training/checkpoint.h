// SPDX-License-Identifier: Apache-2.0
// Checkpoints: a file in the safetensors format, which other programs can open, with all state of a
// training run. The weights have their usual names; the tensors of the optimizer and of the recipes
// have the prefixes "optimizer." and "recipe.". Format: the documentation of the safetensors
// library, "Format".
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "kernels/recipes/backend.h"

namespace mansard::kernels {

struct CheckpointTensor {
  std::string name;
  std::string type;  // "F32" or "U8"
  std::vector<std::int64_t> shape;
  void* data = nullptr;  // in the backend's memory
  std::int64_t bytes = 0;
  // For tensors that share memory, in the order of the file: puts the content of this tensor and
  // of those that follow there, and takes the content of those up to this one from there.
  std::function<void()> fetch = nullptr, store = nullptr;
};

// Stored as metadata, as text.
struct CheckpointInfo {
  std::int64_t step = 0;      // steps done
  std::int64_t position = 0;  // sequences read
  std::uint64_t seed = 0;
  std::uint64_t data_fingerprint = 0;
  std::string model, recipes;  // one line each
};

// Replaces `file` when all data is on disk, so that a crash at any time leaves the previous file or
// the new one. Throws std::runtime_error if the file cannot be written.
void write_checkpoint(const std::filesystem::path& file, const CheckpointInfo& info,
                      const std::vector<CheckpointTensor>& tensors, Backend& backend);

// Reads a checkpoint of a run that is described by `expected` (its step and position do not matter)
// into its tensors, after the whole file has been checked. Throws std::runtime_error that names the
// file and the difference if the file is damaged or belongs to another run.
CheckpointInfo read_checkpoint(const std::filesystem::path& file, const CheckpointInfo& expected,
                               const std::vector<CheckpointTensor>& tensors, Backend& backend);

// The newest checkpoint ("step-000100.safetensors") of a folder; empty: there is none.
std::filesystem::path newest_checkpoint(const std::filesystem::path& folder);
// Removes all but the newest `keep` checkpoints of a folder, and partial files of processes that
// have ended. A folder belongs to one run.
void remove_old_checkpoints(const std::filesystem::path& folder, int keep);
std::filesystem::path checkpoint_file(const std::filesystem::path& folder, std::int64_t step);

}  // namespace mansard::kernels
