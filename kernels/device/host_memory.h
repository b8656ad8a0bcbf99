// SPDX-License-Identifier: Apache-2.0
// Host memory for measurements: available size, and buffers placed by first touch.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace mansard::kernels {

enum class Pages {
  system_default,  // default for programs that do not request anything
  huge,            // requested; falls back to default pages
};

constexpr std::string_view to_string(Pages pages) {
  return pages == Pages::huge ? "huge" : "default";
}

// Fresh zero pages from the kernel, aligned to 2 MiB. A page is placed on the NUMA node of the
// thread that first touches it; memory recycled by malloc would already be placed.
class PageBuffer {
 public:
  PageBuffer() = default;
  PageBuffer(std::size_t bytes, Pages pages);  // throws std::runtime_error on failure
  ~PageBuffer();
  PageBuffer(PageBuffer&& other) noexcept { *this = std::move(other); }
  PageBuffer& operator=(PageBuffer&& other) noexcept {
    std::swap(mapping_, other.mapping_);
    std::swap(mapping_bytes_, other.mapping_bytes_);
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }

  std::byte* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }

 private:
  void* mapping_ = nullptr;
  std::size_t mapping_bytes_ = 0;
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

// Memory that can be allocated now without swapping, within the limits of the process's control
// groups; 0: unknown.
double available_memory_bytes();

// Linux's policy for transparent huge pages: "always", "madvise" or "never"; empty if unknown.
std::string huge_page_policy();

}  // namespace mansard::kernels
