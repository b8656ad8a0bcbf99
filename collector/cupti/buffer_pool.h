// SPDX-License-Identifier: Apache-2.0
// The memory that CUPTI fills with records. CUPTI asks for a buffer on the program's thread, so the
// usual case is a pop from a list of buffers that the writer has prepared.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace mansard::collector {

struct CuptiBuffer {
  std::unique_ptr<std::uint8_t[]> data;
  std::size_t valid_bytes = 0;
};

class BufferPool {
 public:
  // Of the 1 to 10 MB that NVIDIA recommends, at the small end: since CUDA 13.0 each thread of the
  // program that calls CUDA has its own.
  static constexpr std::size_t kLargestBufferBytes = 2 * 1024 * 1024;
  // Rather smaller ones than fewer.
  static constexpr std::size_t kFewestBuffers = 32;

  // Of at most so much memory, wherever the buffers are.
  explicit BufferPool(std::size_t most_bytes);

  std::size_t buffer_bytes() const { return buffer_bytes_; }

  // Called from CUPTI's callbacks. Null when all are in use: CUPTI then drops and counts records.
  std::uint8_t* request() noexcept;
  void complete(std::uint8_t* data, std::size_t valid_bytes) noexcept;

  // Called by the writer.
  std::vector<CuptiBuffer> take_completed();
  void recycle(CuptiBuffer buffer);
  // Keeps some buffers ready, their memory already mapped.
  void refill();

 private:
  const std::size_t buffer_bytes_;
  const std::size_t most_buffers_;
  std::mutex mutex_;         // guards the fields below
  std::size_t buffers_ = 0;  // wherever they are
  std::vector<std::unique_ptr<std::uint8_t[]>> spare_;
  std::vector<CuptiBuffer> completed_;
};

}  // namespace mansard::collector
