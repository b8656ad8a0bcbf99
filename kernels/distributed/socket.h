// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include "support/job_rank.h"

namespace mansard::kernels {

// A connected or listening socket, closed at the end.
class Socket {
 public:
  Socket() = default;
  explicit Socket(int descriptor) : descriptor_(descriptor) {}
  Socket(Socket&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  Socket& operator=(Socket&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~Socket();
  int get() const { return descriptor_; }
  // Ends transfers in both directions: blocked calls of other threads return.
  void shut_down() const;
  // Whether the other side has closed the connection; true without a connection.
  bool is_closed() const;
  // Return false if the connection is closed before all bytes are transferred.
  bool send(const void* data, std::size_t bytes) const;
  bool receive(void* data, std::size_t bytes) const;

 private:
  int descriptor_ = -1;
};

// A socket that listens at the port, on this host only if the place is on it by name. Throws
// std::runtime_error.
Socket listen_at(const Rendezvous& place);
// A connection whose small messages are sent at once; without a descriptor, and the reason in
// `why`, if nothing listens there. Throws std::runtime_error if the host is unknown.
Socket try_to_connect(const Rendezvous& place, std::string& why);
// Does not collect small messages to larger packets.
void send_at_once(const Socket& socket);

}  // namespace mansard::kernels
