// SPDX-License-Identifier: Apache-2.0
#include "kernels/distributed/process_group.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <poll.h>
#include <unistd.h>

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

std::string error_text() { return std::strerror(errno); }

constexpr std::chrono::milliseconds kPollInterval{50};

}  // namespace

// How long a rank waits for the others.
class ProcessGroup::Patience {
 public:
  Patience(std::chrono::milliseconds longest, const std::atomic<bool>* canceled,
           bool others_may_be_absent)
      : deadline_(Clock::now() + longest),
        canceled_(canceled),
        others_may_be_absent_(others_may_be_absent) {}
  bool is_over() const { return Clock::now() >= deadline_ || (canceled_ != nullptr && *canceled_); }
  bool others_may_be_absent() const { return others_may_be_absent_; }

 private:
  Clock::time_point deadline_;
  const std::atomic<bool>* canceled_;
  bool others_may_be_absent_;
};

namespace {

// Rank 0 may start later than this rank.
template <class Patience>
Socket connect_to(const Rendezvous& place, const Patience& patience) {
  std::string why;
  do {
    Socket socket = try_to_connect(place, why);
    if (socket.get() >= 0) return socket;
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

// The reason to refuse a rank's connection; empty: none.
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

// ---- Connecting ----

ProcessGroup::ProcessGroup(int rank, int size, const Rendezvous& place,
                           const std::string& agreement, std::chrono::milliseconds longest)
    : ProcessGroup(rank, size, place, agreement, Patience(longest, nullptr, false)) {}

ProcessGroup::ProcessGroup(int rank, int size, const Rendezvous& place,
                           const std::string& agreement, const Patience& patience)
    : rank_(rank), size_(size), job_size_(size) {
  if (size_ < 1 || rank_ < 0 || rank_ >= size_) {
    throw std::invalid_argument("rank " + std::to_string(rank_) + " of " + std::to_string(size_) +
                                " is impossible");
  }
  if (size_ == 1) {
    members_ = {0};
    return;
  }
  peers_.resize(static_cast<std::size_t>(rank_ == 0 ? size_ - 1 : 1));
  if (rank_ == 0) {
    accept_ranks(place, agreement, patience);
  } else {
    join_rank_0(place, agreement, patience);
  }
  agree_on_members();
  int pair[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) {
    throw std::runtime_error("cannot watch the other ranks: " + error_text());
  }
  wake_ = Socket(pair[0]);
  wake_watcher_ = Socket(pair[1]);
  watcher_ = std::thread([this] { watch(); });
  try {
    barrier();
  } catch (...) {
    stop_watching();
    throw;
  }
}

std::unique_ptr<ProcessGroup> ProcessGroup::connect_again(int rank, int size,
                                                          const Rendezvous& place,
                                                          const std::string& agreement,
                                                          bool others_may_be_absent,
                                                          const std::atomic<bool>& canceled) {
  while (!canceled) {
    try {
      const Patience patience(kPatience, &canceled, others_may_be_absent);
      return std::unique_ptr<ProcessGroup>(
          new ProcessGroup(rank, size, place, agreement, patience));
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
  listener_ = listen_at(place);
  // A rank may end and be started again while others are awaited.
  const auto is_connected = [](const Peer& p) {
    return !p.data.is_closed() && !p.lifeline.is_closed();
  };
  std::optional<Clock::time_point> first_came;
  while (true) {
    const auto present = std::count_if(peers_.begin(), peers_.end(), is_connected);
    if (present == std::ssize(peers_)) break;
    if (present == 0) {
      first_came.reset();
    } else if (!first_came) {
      first_came = Clock::now();
    } else if (patience.others_may_be_absent() && Clock::now() >= *first_came + kGrace) {
      break;
    }
    pollfd ready{listener_.get(), POLLIN, 0};
    if (::poll(&ready, 1, static_cast<int>(kPollInterval.count())) > 0) {
      accept_rank(agreement);
    } else if (patience.is_over()) {
      std::string list;
      for (int r = 1; r < size_; ++r) {
        if (!is_connected(peer(r))) list += (list.empty() ? "" : ", ") + std::to_string(r);
      }
      throw std::runtime_error("these of " + std::to_string(size_) +
                               " ranks did not connect to rank 0 at " + place.text() + ": " + list);
    }
  }
  members_ = {0};
  std::vector<Peer> present;
  for (int r = 1; r < size_; ++r) {
    if (!is_connected(peer(r))) continue;
    members_.push_back(r);
    present.push_back(std::move(peer(r)));
  }
  peers_ = std::move(present);
  const std::optional<int> absent = absent_rank();
  if (!absent) listener_ = Socket();
  if (absent && !patience.others_may_be_absent()) throw LostRank(*absent);  // it has just ended
}

void ProcessGroup::accept_rank(const std::string& agreement) {
  Socket socket(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
  if (socket.get() < 0) return;
  // A stranger that connects and says nothing must not stop the others.
  const timeval limit{10, 0};
  ::setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  Hello hello;
  std::string theirs;
  if (!socket.receive(&hello, sizeof hello) || hello.magic != kMagic ||
      !receive_text(socket, hello.agreement_bytes, theirs)) {
    return;
  }
  const timeval forever{0, 0};
  ::setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &forever, sizeof forever);
  send_at_once(socket);
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

void ProcessGroup::agree_on_members() {
  auto count = static_cast<std::int32_t>(members_.size());
  if (rank_ == 0) {
    size_ = count;
    for (int r = 1; r < size_; ++r) {
      send(r, &count, sizeof count);
      send(r, members_.data(), members_.size() * sizeof members_[0]);
    }
    return;
  }
  receive(0, &count, sizeof count);
  if (count < 2 || count > job_size_) throw std::runtime_error("rank 0 speaks another protocol");
  members_.resize(static_cast<std::size_t>(count));
  receive(0, members_.data(), members_.size() * sizeof members_[0]);
  const auto own = std::find(members_.begin(), members_.end(), rank_);
  if (own == members_.end()) throw std::runtime_error("rank 0 speaks another protocol");
  rank_ = static_cast<int>(own - members_.begin());
  size_ = count;
}

std::optional<int> ProcessGroup::absent_rank() const {
  for (int r = 0; r < job_size_; ++r) {
    if (!std::binary_search(members_.begin(), members_.end(), r)) return r;
  }
  return std::nullopt;
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
  events.push_back({listener_.get(), POLLIN, 0});  // without a listener, poll() ignores it
  events.push_back({wake_watcher_.get(), POLLIN, 0});
  pollfd& newcomer = events[peers_.size()];
  while (true) {
    if (::poll(events.data(), events.size(), -1) < 0) {
      if (errno == EINTR) continue;
      return;
    }
    if (events.back().revents != 0) return;
    if (newcomer.revents != 0) {
      has_newcomer_ = true;  // it waits, or tries again, until all are connected again
      newcomer.fd = -1;
    }
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
      lose(arrived ? message : in_job(rank_ == 0 ? static_cast<int>(i) + 1 : 0));
    }
  }
}

void ProcessGroup::lose(int rank_in_job) {
  int none = -1;
  if (!lost_.compare_exchange_strong(none, rank_in_job)) return;
  for (const Peer& p : peers_) {
    if (rank_ == 0) {
      const std::int32_t message = rank_in_job;
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
void ProcessGroup::report_loss(int rank_in_job) {
  const Clock::time_point deadline = Clock::now() + std::chrono::seconds(1);
  while (lost_ < 0 && Clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  lose(rank_in_job);
  throw LostRank(lost_);
}

// ---- Operations ----

void ProcessGroup::send(int rank, const void* data, std::size_t bytes) {
  if (!peer(rank).data.send(data, bytes)) report_loss(in_job(rank));
}

void ProcessGroup::receive(int rank, void* data, std::size_t bytes) {
  if (!peer(rank).data.receive(data, bytes)) report_loss(in_job(rank));
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
      throw std::logic_error("rank " + std::to_string(in_job(r)) + " is at operation " +
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

void ProcessGroup::agree(const std::function<void()>& local) {
  std::exception_ptr error;
  try {
    local();
  } catch (...) {
    error = std::current_exception();
  }
  const double failed = sum(error ? 1 : 0);
  if (error) std::rethrow_exception(error);
  if (failed > 0) throw std::runtime_error("another rank has failed");
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
