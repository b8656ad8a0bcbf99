// SPDX-License-Identifier: Apache-2.0
// The memory of a training step. All pieces are reserved first, so that the total size is known
// before a single allocation holds them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace mansard::kernels {

class Arena;
class Backend;

// A piece of an arena, which must outlive it. Its address is valid after Arena::allocate().
class Buffer {
 public:
  Buffer() = default;
  template <typename T>
  T* as() const {
    return static_cast<T*>(address());
  }

 private:
  friend class Arena;
  Buffer(const Arena* arena, std::size_t piece) : arena_(arena), piece_(piece) {}
  void* address() const;

  const Arena* arena_ = nullptr;
  std::size_t piece_ = 0;
};

// Memory that a pass needs only while it runs. Passes run one at a time, so all of them share it.
enum class Scratch { operand_a, operand_b, gemm_workspace };

class Arena {
 public:
  // Alignment of every piece, sufficient for cuBLASLt's fastest kernels and all vector loads.
  static constexpr std::int64_t kAlignment = 256;

  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  Buffer reserve(std::int64_t bytes);
  // The single piece of that kind, as large as the largest request.
  Buffer share(Scratch kind, std::int64_t bytes);

  std::int64_t bytes() const;

  // Call once. Throws std::runtime_error with the required and the available memory.
  void allocate(Backend& backend);

 private:
  friend class Buffer;
  void require_unallocated() const;

  struct Piece {
    std::int64_t bytes = 0;
    std::int64_t offset = 0;
  };
  std::vector<Piece> pieces_;
  std::array<std::optional<std::size_t>, 3> shared_;
  std::shared_ptr<void> memory_;
};

}  // namespace mansard::kernels
