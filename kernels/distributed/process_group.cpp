// SPDX-License-Identifier: Apache-2.0
#include "kernels/distributed/process_group.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <netdb.h>
#include <poll.h>
#include <unistd.h>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

namespace mansard::kernels {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kMagic = 0x314b4e5244534e4d;  // "MNSDRNK1"
constexpr std::int64_t kPiece = 1 << 18;              // elements of a sum that travel at once
constexpr std::uint32_t kLongestText = 1 << 20;

// The first message on a connection, followed by the agreement.
struct Hello {
  std::uint64_t magic = kMagic;
  std::int32_t rank = 0, size = 0;
  std::uint32_t is_lifeline = 0;
  std::uint32_t agreement_bytes = 0;
};

// The answer, followed by a text if the rank is refused.
struct Welcome {
  std::uint32_t accepted = 1;
  std::uint32_t reason_bytes = 0;
};

struct Announcement {
  std::uint32_t operation = 0, unused = 0;
  std::int64_t bytes = 0;
};

// Messages on a lifeline.
constexpr std::int32_t kLeft = -1;  // other values: the rank that was lost

std::string reason() { return std::strerror(errno); }

constexpr std::chrono::milliseconds kPollInterval{50};

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
      why = reason();
    }
  }
  throw std::runtime_error("rank 0 cannot listen on port " + std::to_string(place.port) + ": " +
                           why + "; choose another one with --rendezvous HOST:PORT");
}

}  // namespace

// How long a rank waits for the others.
class ProcessGroup::Patience {
 public:
  Patience(std::chrono::milliseconds longest, const std::atomic<bool>* canceled)
      : deadline_(Clock::now() + longest), canceled_(canceled) {}
  bool is_over() const { return Clock::now() >= deadline_ || (canceled_ != nullptr && *canceled_); }

 private:
  Clock::time_point deadline_;
  const std::atomic<bool>* canceled_;
};

namespace {

// Rank 0 may start later than this rank.
template <class Patience>
Socket connect_to(const Rendezvous& place, const Patience& patience) {
  const Addresses addresses = resolve(place, false);
  std::string why;
  do {
    for (const addrinfo* a = addresses.get(); a != nullptr; a = a->ai_next) {
      Socket socket(::socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
      if (socket.get() < 0) continue;
      if (::connect(socket.get(), a->ai_addr, a->ai_addrlen) == 0) {
        set_option(socket, IPPROTO_TCP, TCP_NODELAY, 1);
        return socket;
      }
      why = reason();
    }
    std::this_thread::sleep_for(kPollInterval);
  } while (!patience.is_over());
  throw std::runtime_error("cannot connect to rank 0 at " + place.text() + ": " + why +
                           "; was it started?");
}

bool receive_text(const Socket& socket, std::uint32_t bytes, std::string& text) {
  if (bytes > kLongestText) return false;
  text.resize(bytes);
  return socket.receive(text.data(), bytes);
}

void welcome(const Socket& socket, const std::string& refusal) {
  const Welcome answer{refusal.empty() ? 1u : 0u, static_cast<std::uint32_t>(refusal.size())};
  socket.send(&answer, sizeof answer);
  socket.send(refusal.data(), refusal.size());
}

// Adds a rank's connection, or returns the reason to refuse it.
std::string refusal_of(const Hello& hello, int size, const std::string& theirs,
                       const std::string& ours, const Socket& present) {
  if (hello.size != size) {
    return "it counts " + std::to_string(hello.size) + " ranks, rank 0 counts " +
           std::to_string(size);
  }
  if (hello.rank < 1 || hello.rank >= size) return "there is no such rank";
  if (!present.is_closed()) return "another process has this rank";
  if (theirs != ours) return "it was started with other options: " + theirs + "; rank 0: " + ours;
  return "";
}

}  // namespace

// ---- Sockets ----

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

// ---- Connecting ----

ProcessGroup::ProcessGroup(int rank, int size, const Rendezvous& place,
                           const std::string& agreement, std::chrono::milliseconds longest,
                           const std::atomic<bool>* canceled)
    : rank_(rank), size_(size) {
  if (size_ < 1 || rank_ < 0 || rank_ >= size_) {
    throw std::invalid_argument("rank " + std::to_string(rank_) + " of " + std::to_string(size_) +
                                " is impossible");
  }
  if (size_ == 1) return;
  const Patience patience(longest, canceled);
  peers_.resize(static_cast<std::size_t>(rank_ == 0 ? size_ - 1 : 1));
  if (rank_ == 0) {
    accept_ranks(place, agreement, patience);
  } else {
    join_rank_0(place, agreement, patience);
  }
  int pair[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) {
    throw std::runtime_error("cannot watch the other ranks: " + reason());
  }
  wake_ = Socket(pair[0]);
  wake_watcher_ = Socket(pair[1]);
  watcher_ = std::thread([this] { watch(); });
  try {
    barrier();  // ranks that were accepted wait for those that are late
  } catch (...) {
    stop_watching();
    throw;
  }
}

std::unique_ptr<ProcessGroup> ProcessGroup::connect_again(int rank, int size,
                                                          const Rendezvous& place,
                                                          const std::string& agreement,
                                                          const std::atomic<bool>& canceled) {
  while (!canceled) {
    try {
      return std::make_unique<ProcessGroup>(rank, size, place, agreement, kPatience, &canceled);
    } catch (const RefusedRank&) {
      throw;
    } catch (const std::runtime_error&) {
      std::this_thread::sleep_for(kPollInterval);
    }
  }
  return nullptr;
}

void ProcessGroup::accept_ranks(const Rendezvous& place, const std::string& agreement,
                                const Patience& patience) {
  const Socket listener = listen_at(place);
  // A rank may end and be started again while others are awaited.
  const auto is_connected = [](const Peer& p) {
    return !p.data.is_closed() && !p.lifeline.is_closed();
  };
  while (!std::all_of(peers_.begin(), peers_.end(), is_connected)) {
    pollfd ready{listener.get(), POLLIN, 0};
    if (::poll(&ready, 1, static_cast<int>(kPollInterval.count())) == 0) {
      if (!patience.is_over()) continue;
      std::string list;
      for (int r = 1; r < size_; ++r) {
        if (!is_connected(peer(r))) list += (list.empty() ? "" : ", ") + std::to_string(r);
      }
      throw std::runtime_error("these of " + std::to_string(size_) +
                               " ranks did not connect to rank 0 at " + place.text() + ": " + list);
    }
    Socket socket(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (socket.get() < 0) continue;
    // A stranger that connects and says nothing must not stop the others.
    const timeval limit{10, 0};
    ::setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    Hello hello;
    std::string theirs;
    if (!socket.receive(&hello, sizeof hello) || hello.magic != kMagic ||
        !receive_text(socket, hello.agreement_bytes, theirs)) {
      continue;
    }
    const timeval forever{0, 0};
    ::setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &forever, sizeof forever);
    set_option(socket, IPPROTO_TCP, TCP_NODELAY, 1);
    const bool known = hello.rank >= 1 && hello.rank < size_;
    static const Socket none;
    const Socket& present = !known              ? none
                            : hello.is_lifeline ? peer(hello.rank).lifeline
                                                : peer(hello.rank).data;
    const std::string refusal = refusal_of(hello, size_, theirs, agreement, present);
    welcome(socket, refusal);
    if (!refusal.empty()) {
      throw RefusedRank("rank " + std::to_string(hello.rank) + " was refused: " + refusal);
    }
    (hello.is_lifeline ? peer(hello.rank).lifeline : peer(hello.rank).data) = std::move(socket);
  }
}

void ProcessGroup::join_rank_0(const Rendezvous& place, const std::string& agreement,
                               const Patience& patience) {
  for (Socket* socket : {&peers_[0].data, &peers_[0].lifeline}) {
    *socket = connect_to(place, patience);
    Hello hello;
    hello.rank = rank_;
    hello.size = size_;
    hello.is_lifeline = socket == &peers_[0].lifeline ? 1 : 0;
    hello.agreement_bytes = static_cast<std::uint32_t>(agreement.size());
    Welcome answer;
    std::string refusal;
    if (!socket->send(&hello, sizeof hello) || !socket->send(agreement.data(), agreement.size()) ||
        !socket->receive(&answer, sizeof answer) ||
        !receive_text(*socket, answer.reason_bytes, refusal)) {
      throw std::runtime_error("rank 0 at " + place.text() +
                               " has ended, or another program listens there");
    }
    if (answer.accepted == 0) {
      throw RefusedRank("rank 0 refuses rank " + std::to_string(rank_) + ": " + refusal);
    }
  }
}

ProcessGroup::~ProcessGroup() { stop_watching(); }

void ProcessGroup::stop_watching() {
  leaving_ = true;
  wake_.shut_down();
  if (watcher_.joinable()) watcher_.join();
}

void ProcessGroup::leave() {
  leaving_ = true;
  for (const Peer& p : peers_) p.lifeline.send(&kLeft, sizeof kLeft);
}

// ---- Watching ----

void ProcessGroup::watch() {
  std::vector<pollfd> events;
  for (const Peer& p : peers_) events.push_back({p.lifeline.get(), POLLIN, 0});
  events.push_back({wake_watcher_.get(), POLLIN, 0});
  while (true) {
    if (::poll(events.data(), events.size(), -1) < 0) {
      if (errno == EINTR) continue;
      return;
    }
    if (events.back().revents != 0) return;
    for (std::size_t i = 0; i < peers_.size(); ++i) {
      if (events[i].revents == 0) continue;
      std::int32_t message = 0;
      const bool arrived = peers_[i].lifeline.receive(&message, sizeof message);
      if (arrived && message == kLeft) {
        peers_[i].left = true;
        continue;
      }
      events[i].fd = -1;
      if (peers_[i].left || leaving_) continue;
      lose(arrived ? message : rank_ == 0 ? static_cast<int>(i) + 1 : 0);
    }
  }
}

void ProcessGroup::lose(int rank) {
  int none = -1;
  if (!lost_.compare_exchange_strong(none, rank)) return;
  for (const Peer& p : peers_) {
    if (rank_ == 0) {
      const std::int32_t message = rank;
      p.lifeline.send(&message, sizeof message);
    }
    p.data.shut_down();
  }
  const std::scoped_lock lock(on_loss_mutex_);
  if (on_loss_) on_loss_();
}

void ProcessGroup::on_loss(std::function<void()> lost) {
  const std::scoped_lock lock(on_loss_mutex_);
  on_loss_ = std::move(lost);
  if (lost_ >= 0 && on_loss_) on_loss_();
}

void ProcessGroup::require_all() const {
  if (lost_ >= 0) throw LostRank(lost_);
}

// The watcher learns which rank was lost first; this rank may only see the consequence.
void ProcessGroup::report_loss(int rank) {
  const Clock::time_point deadline = Clock::now() + std::chrono::seconds(1);
  while (lost_ < 0 && Clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  lose(rank);
  throw LostRank(lost_);
}

// ---- Operations ----

void ProcessGroup::send(int rank, const void* data, std::size_t bytes) {
  if (!peer(rank).data.send(data, bytes)) report_loss(rank);
}

void ProcessGroup::receive(int rank, void* data, std::size_t bytes) {
  if (!peer(rank).data.receive(data, bytes)) report_loss(rank);
}

void ProcessGroup::begin(Operation operation, std::int64_t bytes) {
  require_all();
  const Announcement ours{static_cast<std::uint32_t>(operation), 0, bytes};
  if (rank_ != 0) {
    send(0, &ours, sizeof ours);
    return;
  }
  for (int r = 1; r < size_; ++r) {
    Announcement theirs;
    receive(r, &theirs, sizeof theirs);
    if (theirs.operation != ours.operation || theirs.bytes != ours.bytes) {
      throw std::logic_error("rank " + std::to_string(r) + " is at operation " +
                             std::to_string(theirs.operation) + " of " +
                             std::to_string(theirs.bytes) + " bytes, rank 0 at operation " +
                             std::to_string(ours.operation) + " of " + std::to_string(ours.bytes));
    }
  }
}

void ProcessGroup::barrier() {
  begin(Operation::barrier, 0);
  char done = 0;
  for (int r = 1; rank_ == 0 && r < size_; ++r) send(r, &done, 1);
  if (rank_ != 0) receive(0, &done, 1);
}

std::string ProcessGroup::broadcast(const std::string& text) {
  if (size_ == 1) return text;
  begin(Operation::broadcast, 0);
  std::uint64_t bytes = text.size();
  if (rank_ == 0) {
    for (int r = 1; r < size_; ++r) {
      send(r, &bytes, sizeof bytes);
      send(r, text.data(), text.size());
    }
    return text;
  }
  receive(0, &bytes, sizeof bytes);
  std::string received(bytes, '\0');
  receive(0, received.data(), received.size());
  return received;
}

void ProcessGroup::all_reduce(float* data, std::int64_t count) {
  if (size_ == 1) return;
  begin(Operation::all_reduce, 4 * count);
  piece_.resize(static_cast<std::size_t>(std::min(count, kPiece)));
  for (std::int64_t at = 0; at < count; at += kPiece) {
    const std::int64_t length = std::min(kPiece, count - at);
    const auto bytes = static_cast<std::size_t>(4 * length);
    float* const sum = data + at;
    if (rank_ != 0) {
      send(0, sum, bytes);
      receive(0, sum, bytes);
      continue;
    }
    for (int r = 1; r < size_; ++r) {
      receive(r, piece_.data(), bytes);
      for (std::int64_t i = 0; i < length; ++i) sum[i] += piece_[static_cast<std::size_t>(i)];
    }
    for (int r = 1; r < size_; ++r) send(r, sum, bytes);
  }
}

double ProcessGroup::sum(double value) {
  if (size_ == 1) return value;
  begin(Operation::sum, sizeof value);
  if (rank_ != 0) {
    send(0, &value, sizeof value);
    receive(0, &value, sizeof value);
    return value;
  }
  for (int r = 1; r < size_; ++r) {
    double theirs = 0;
    receive(r, &theirs, sizeof theirs);
    value += theirs;
  }
  for (int r = 1; r < size_; ++r) send(r, &value, sizeof value);
  return value;
}

void ProcessGroup::all_gather(void* data, std::int64_t bytes_per_rank) {
  if (size_ == 1) return;
  begin(Operation::all_gather, bytes_per_rank);
  const auto bytes = static_cast<std::size_t>(bytes_per_rank);
  auto* const all = static_cast<char*>(data);
  const std::size_t total = bytes * static_cast<std::size_t>(size_);
  if (rank_ != 0) {
    send(0, all + bytes * static_cast<std::size_t>(rank_), bytes);
    receive(0, all, total);
    return;
  }
  for (int r = 1; r < size_; ++r) receive(r, all + bytes * static_cast<std::size_t>(r), bytes);
  for (int r = 1; r < size_; ++r) send(r, all, total);
}

}  // namespace mansard::kernels
