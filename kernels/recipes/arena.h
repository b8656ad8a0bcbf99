// SPDX-License-Identifier: Apache-2.0
// The memory of a training step. All pieces are reserved first, so that the total size is known
// before a single allocation holds them. A caller with memory of its own places the pieces there
// instead.
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

// A piece of an arena, which must outlive it. Its address is valid after Arena::allocate() or
// place().
class Buffer {
 public:
  Buffer() = default;
  template <typename T>
  T* as() const {
    return static_cast<T*>(address());
  }
  // The rest of the piece after the first `bytes`.
  Buffer after(std::int64_t bytes) const { return {arena_, piece_, offset_ + bytes}; }

 private:
  friend class Arena;
  Buffer(const Arena* arena, std::size_t piece, std::int64_t offset = 0)
      : arena_(arena), piece_(piece), offset_(offset) {}
  void* address() const;

  const Arena* arena_ = nullptr;
  std::size_t piece_ = 0;
  std::int64_t offset_ = 0;
};

// Memory that a pass needs only while it runs. Passes run one at a time, so all of them share it.
enum class Scratch { operand_a, operand_b, gemm_workspace };

// How long the content of a piece is needed, for callers that place the pieces themselves.
enum class Lifetime {
  activation,  // quantized x: from fprop to wgrad
  weight,      // quantized W: from the fprop that quantizes it to dgrad of the last micro-batch
  gradient,    // quantized dy: from dgrad to wgrad
  pass,        // while a pass runs
  state,       // from step to step
  caller,      // a tensor that the caller owns
};

class Arena {
 public:
  // Alignment of every piece, sufficient for cuBLASLt's fastest kernels and all vector loads.
  static constexpr std::int64_t kAlignment = 256;

  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  Buffer reserve(std::int64_t bytes, Lifetime lifetime = Lifetime::activation);
  // The single piece of that kind, as large as the largest request.
  Buffer share(Scratch kind, std::int64_t bytes);
  // The piece of this buffer, and not only its content from the buffer's start, gets the lifetime.
  void set_lifetime(const Buffer& buffer, Lifetime lifetime);

  std::int64_t bytes() const;
  std::int64_t bytes(Lifetime lifetime) const;

  // Call once. Throws std::runtime_error with the required and the available memory.
  void allocate(Backend& backend);

  // Fills the allocated memory with random BF16 numbers, for measurements of operations on it.
  void fill(Backend& backend, std::uint64_t seed) const;

  // Instead of allocate(), and as often as the memory changes: the pieces of a lifetime start at
  // `memory`, which has bytes(lifetime) and the alignment that the backend needs. Null: they have
  // no memory.
  void place(Lifetime lifetime, void* memory);
  // Places a single piece.
  void place(const Buffer& buffer, void* memory);

 private:
  friend class Buffer;
  void require_unallocated() const;

  struct Piece {
    std::int64_t bytes = 0;
    Lifetime lifetime = Lifetime::activation;
    char* start = nullptr;
  };
  std::vector<Piece> pieces_;
  std::array<std::optional<std::size_t>, 3> shared_;
  std::shared_ptr<void> memory_;
};

}  // namespace mansard::kernels
