// SPDX-License-Identifier: Apache-2.0
#include "kernels/distributed/socket.h"

#include <cerrno>
#include <cstring>
#include <memory>
#include <netdb.h>
#include <poll.h>
#include <stdexcept>
#include <unistd.h>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

namespace mansard::kernels {

namespace {

std::string socket_error_text() { return std::strerror(errno); }

void set_option(const Socket& socket, int level, int option, int value) {
  ::setsockopt(socket.get(), level, option, &value, sizeof value);
}

using Addresses = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

Addresses resolve(const Rendezvous& place, bool any_host) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = any_host ? AI_PASSIVE : 0;
  addrinfo* found = nullptr;
  const int error = ::getaddrinfo(any_host ? nullptr : place.host.c_str(),
                                  std::to_string(place.port).c_str(), &hints, &found);
  if (error != 0) {
    throw std::runtime_error("cannot find the host of rank 0, '" + place.host +
                             "': " + ::gai_strerror(error) + "; see --rendezvous");
  }
  return {found, &freeaddrinfo};
}

}  // namespace

Socket::~Socket() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void Socket::shut_down() const {
  if (descriptor_ >= 0) ::shutdown(descriptor_, SHUT_RDWR);
}

bool Socket::is_closed() const {
  if (descriptor_ < 0) return true;
  pollfd state{descriptor_, POLLRDHUP, 0};
  return ::poll(&state, 1, 0) > 0;
}

bool Socket::send(const void* data, std::size_t bytes) const {
  for (std::size_t done = 0; done < bytes;) {
    const ssize_t n =
        ::send(descriptor_, static_cast<const char*>(data) + done, bytes - done, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    done += static_cast<std::size_t>(n);
  }
  return true;
}

bool Socket::receive(void* data, std::size_t bytes) const {
  for (std::size_t done = 0; done < bytes;) {
    const ssize_t n = ::recv(descriptor_, static_cast<char*>(data) + done, bytes - done, 0);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    done += static_cast<std::size_t>(n);
  }
  return true;
}

Socket listen_at(const Rendezvous& place) {
  // Ranks of one host meet where no other host can connect.
  const bool local = place.host == "localhost" || place.host == "127.0.0.1" || place.host == "::1";
  const Addresses addresses = resolve(place, !local);
  std::string why = "no address";
  // An IPv6 socket accepts IPv4 connections too.
  for (const int family : {AF_INET6, AF_INET}) {
    for (const addrinfo* a = addresses.get(); a != nullptr; a = a->ai_next) {
      if (a->ai_family != family) continue;
      Socket socket(::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0));
      if (socket.get() < 0) continue;
      set_option(socket, SOL_SOCKET, SO_REUSEADDR, 1);
      if (family == AF_INET6) set_option(socket, IPPROTO_IPV6, IPV6_V6ONLY, local ? 1 : 0);
      if (::bind(socket.get(), a->ai_addr, a->ai_addrlen) == 0 &&
          ::listen(socket.get(), SOMAXCONN) == 0) {
        return socket;
      }
      why = socket_error_text();
    }
  }
  throw std::runtime_error("rank 0 cannot listen on port " + std::to_string(place.port) + ": " +
                           why + "; choose another one with --rendezvous HOST:PORT");
}

Socket try_to_connect(const Rendezvous& place, std::string& why) {
  const Addresses addresses = resolve(place, false);
  for (const addrinfo* a = addresses.get(); a != nullptr; a = a->ai_next) {
    Socket socket(::socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (socket.get() < 0) continue;
    if (::connect(socket.get(), a->ai_addr, a->ai_addrlen) == 0) {
      send_at_once(socket);
      return socket;
    }
    why = socket_error_text();
  }
  return {};
}

void send_at_once(const Socket& socket) { set_option(socket, IPPROTO_TCP, TCP_NODELAY, 1); }

}  // namespace mansard::kernels
