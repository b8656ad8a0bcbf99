// SPDX-License-Identifier: Apache-2.0
// Buffers that CUPTI fills with records. CUPTI requests a buffer on the program's thread, so
// normally this only pops a buffer that the writer has prepared.
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
  // NVIDIA recommends 1 to 10 MB. This is at the small end, because since CUDA 13.0 each program
  // thread that calls CUDA has its own buffer.
  static constexpr std::size_t kMaxBufferBytes = 2 * 1024 * 1024;
  // With little memory, prefer smaller buffers to fewer.
  static constexpr std::size_t kMinBuffers = 32;

  // `most_bytes` limits the memory of all buffers, including those in use.
  explicit BufferPool(std::size_t most_bytes);

  std::size_t buffer_bytes() const { return buffer_bytes_; }

  // Called from CUPTI's callbacks. Null when all are in use: CUPTI then drops and counts records.
  std::uint8_t* request() noexcept;
  void complete(std::uint8_t* data, std::size_t valid_bytes) noexcept;

  // Called by the writer.
  std::vector<CuptiBuffer> take_completed();
  void recycle(CuptiBuffer buffer);
  // Keeps some buffers ready, with their memory already mapped.
  void refill();

 private:
  const std::size_t buffer_bytes_;
  const std::size_t most_buffers_;
  std::mutex mutex_;         // guards the fields below
  std::size_t buffers_ = 0;  // in all places
  std::vector<std::unique_ptr<std::uint8_t[]>> spare_;
  std::vector<CuptiBuffer> completed_;
};

}  // namespace mansard::collector
