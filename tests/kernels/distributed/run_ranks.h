// SPDX-License-Identifier: Apache-2.0
// Threads as the ranks of a process group on this host.
#pragma once

#include <exception>
#include <functional>
#include <thread>
#include <unistd.h>
#include <vector>

#include <netinet/in.h>
#include <sys/socket.h>

#include "kernels/distributed/process_group.h"

namespace mansard::kernels {

// A place where nothing listens.
inline Rendezvous free_rendezvous() {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  ::bind(socket, reinterpret_cast<sockaddr*>(&address), length);
  ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &length);
  ::close(socket);
  return {"127.0.0.1", ntohs(address.sin_port)};
}

// Runs `body` with each rank of a group, and returns what it threw by rank (null: nothing).
inline std::vector<std::exception_ptr> errors_of_ranks(
    int ranks, const std::function<void(ProcessGroup&)>& body) {
  const Rendezvous place = free_rendezvous();
  std::vector<std::exception_ptr> errors(static_cast<std::size_t>(ranks));
  std::vector<std::thread> threads;
  for (int r = 0; r < ranks; ++r) {
    threads.emplace_back([&, r] {
      try {
        ProcessGroup group(r, ranks, place, "test", std::chrono::seconds(20));
        body(group);
        group.leave();
      } catch (...) {
        errors[static_cast<std::size_t>(r)] = std::current_exception();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return errors;
}

// As above; rethrows the first error.
inline void run_ranks(int ranks, const std::function<void(ProcessGroup&)>& body) {
  for (const std::exception_ptr& error : errors_of_ranks(ranks, body)) {
    if (error) std::rethrow_exception(error);
  }
}

}  // namespace mansard::kernels
