// SPDX-License-Identifier: Apache-2.0
#include "kernels/recipes/arena.h"

#include <algorithm>
#include <stdexcept>

#include "kernels/recipes/backend.h"
#include "support/units.h"

namespace mansard::kernels {

void* Buffer::address() const {
  if (arena_ == nullptr) return nullptr;
  char* const start = arena_->pieces_[piece_].start;
  if (start == nullptr) {
    throw std::logic_error("the memory of a layer is used before it is allocated");
  }
  return start + offset_;
}

void Arena::require_unallocated() const {
  if (memory_ != nullptr) throw std::logic_error("the memory of a step is already allocated");
}

Buffer Arena::reserve(std::int64_t bytes, Lifetime lifetime) {
  require_unallocated();
  pieces_.push_back({bytes, lifetime});
  return {this, pieces_.size() - 1};
}

Buffer Arena::share(Scratch kind, std::int64_t bytes) {
  require_unallocated();
  std::optional<std::size_t>& piece = shared_[static_cast<std::size_t>(kind)];
  if (!piece) {
    piece = pieces_.size();
    pieces_.push_back({0, Lifetime::pass});
  }
  pieces_[*piece].bytes = std::max(pieces_[*piece].bytes, bytes);
  return {this, *piece};
}

void Arena::set_lifetime(const Buffer& buffer, Lifetime lifetime) {
  pieces_[buffer.piece_].lifetime = lifetime;
}

std::int64_t Arena::bytes() const {
  std::int64_t sum = 0;
  for (const Piece& piece : pieces_) sum += round_up(piece.bytes, kAlignment);
  return sum;
}

std::int64_t Arena::bytes(Lifetime lifetime) const {
  std::int64_t sum = 0;
  for (const Piece& piece : pieces_) {
    if (piece.lifetime == lifetime) sum += round_up(piece.bytes, kAlignment);
  }
  return sum;
}

void Arena::allocate(Backend& backend) {
  require_unallocated();
  const auto needed_bytes = static_cast<double>(bytes());
  const double free_bytes = backend.free_bytes();
  if (free_bytes > 0 && needed_bytes > free_bytes) {
    throw std::runtime_error("the layers need " + format_si(needed_bytes, "B") +
                             " of memory, and " + backend.memory_name() + " has " +
                             format_si(free_bytes, "B") +
                             " free; use fewer tokens (--tokens), one layer of the model "
                             "(--preset MODEL:LAYER) or a smaller one");
  }
  memory_ = backend.allocate(std::max(bytes(), kAlignment));
  char* next = static_cast<char*>(memory_.get());
  for (Piece& piece : pieces_) {
    piece.start = next;
    next += round_up(piece.bytes, kAlignment);
  }
}

void Arena::fill(Backend& backend, std::uint64_t seed) const {
  if (memory_ == nullptr) throw std::logic_error("memory is filled before it is allocated");
  backend.fill(static_cast<Bf16*>(memory_.get()), bytes() / 2, DataPattern::random_normal, seed, 0);
}

void Arena::place(Lifetime lifetime, void* memory) {
  require_unallocated();
  char* next = static_cast<char*>(memory);
  for (Piece& piece : pieces_) {
    if (piece.lifetime != lifetime) continue;
    piece.start = next;
    if (next != nullptr) next += round_up(piece.bytes, kAlignment);
  }
}

void Arena::place(const Buffer& buffer, void* memory) {
  require_unallocated();
  pieces_[buffer.piece_].start = static_cast<char*>(memory);
}

}  // namespace mansard::kernels
