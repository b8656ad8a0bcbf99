// SPDX-License-Identifier: Apache-2.0
// Checkpoints: a file in the safetensors format, which other programs can open, with all state of a
// training run. The weights have their usual names; the tensors of the optimizer and of the recipes
// have the prefixes "optimizer." and "recipe.". Format: the documentation of the safetensors
// library, "Format".
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/recipes/backend.h"

namespace mansard::kernels {

struct CheckpointTensor {
  std::string name;
  std::string type;  // "F32", "I32" or "U8"
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

// A file that is truncated, or whose content is not what was written.
struct DamagedCheckpoint : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Replaces `file` when all data is on disk, so that a crash at any time leaves the previous file or
// the new one. Throws std::runtime_error if the file cannot be written.
void write_checkpoint(const std::filesystem::path& file, const CheckpointInfo& info,
                      const std::vector<CheckpointTensor>& tensors, Backend& backend);

// Reads a checkpoint of a run that is described by `expected` (its step and position do not matter)
// into its tensors, after the whole file has been checked. Throws DamagedCheckpoint, and another
// std::runtime_error if the file cannot be opened or belongs to another run; both name the file and
// the difference.
CheckpointInfo read_checkpoint(const std::filesystem::path& file, const CheckpointInfo& expected,
                               const std::vector<CheckpointTensor>& tensors, Backend& backend);

// The shape of a tensor in the file, without checking the content. Throws as read_checkpoint()
// does, and std::runtime_error if the file has no such tensor.
std::vector<std::int64_t> checkpoint_shape(const std::filesystem::path& file,
                                           const CheckpointInfo& expected,
                                           const std::string& tensor);

// ---- Folders of checkpoints, each of one run ----

// "step-00000100.safetensors": a checkpoint with all state after 100 steps.
std::filesystem::path checkpoint_file(const std::filesystem::path& folder, std::int64_t step);
// "rows-00000120.safetensors": a row file (see row_checkpoint.h).
std::filesystem::path row_file(const std::filesystem::path& folder, std::int64_t step);
// Empty: there is none.
std::filesystem::path newest_checkpoint(const std::filesystem::path& folder);
// The row files that are newer than the newest checkpoint, oldest first; none without a checkpoint.
std::vector<std::filesystem::path> newer_row_files(const std::filesystem::path& folder);
// Removes all but the newest `keep` checkpoints, row files that are not newer than the newest one,
// and partial files of processes that have ended.
void remove_old_checkpoints(const std::filesystem::path& folder, int keep);

}  // namespace mansard::kernels
