// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <stdexcept>

#include <nlohmann/json.hpp>

#include "collector/import/decimal_time.h"
#include "collector/import/trace_event.h"
#include "collector/import/trace_fields.h"
#include "collector/import/trace_text.h"

namespace mansard::collector {
namespace {

using Json = nlohmann::json;

std::optional<std::int64_t> integer_of(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Tracks the parser's position in the trace: the kind of each open object and array.
class TraceHandler {
 public:
  TraceHandler(TraceHead& head, const TraceVisitor& visitor, const TraceText& text,
               const ByteSource& bytes)
      : head_(head), visitor_(visitor), text_(text), bytes_(bytes) {}

  bool null() { return value_done(); }
  bool boolean(bool) { return value_done(); }
  bool number_integer(std::int64_t value) { return number(value); }
  bool number_unsigned(std::uint64_t value) {
    return value <= static_cast<std::uint64_t>(INT64_MAX) ? number(static_cast<std::int64_t>(value))
                                                          : value_done();
  }
  bool number_float(double value, const std::string& digits) {
    if (is_time(field_)) {
      set_time(nanoseconds_of_microseconds(digits));
    } else if (value > -9e18 && value < 9e18) {
      set_number(static_cast<std::int64_t>(value));
    }
    return value_done();
  }
  bool string(std::string& text) {
    if (is_time(field_)) {
      set_time(nanoseconds_of_microseconds(text));
    } else {
      set_text(text);
    }
    return value_done();
  }
  bool binary(Json::binary_t&) { return value_done(); }

  bool key(const std::string& key) {
    switch (depth_ <= kMaxDepth ? place_[depth_] : Place::other) {
      case Place::root:
        field_ = find_field(kRootKeys, key);
        break;
      case Place::event:
        field_ = find_field(kEventKeys, key);
        break;
      case Place::args:
        field_ = find_field(kArgKeys, key);
        break;
      case Place::device:
        field_ = find_field(kDeviceKeys, key);
        break;
      case Place::distributed:
        field_ = find_field(kDistributedKeys, key);
        break;
      default:
        field_ = TraceField::none;
    }
    return true;
  }

  bool start_object(std::size_t) {
    const Place inside = place();
    Place entered = Place::other;
    if (depth_ == 0) {
      entered = Place::root;
    } else if (inside == Place::events) {
      entered = Place::event;
      event_.clear();
    } else if (inside == Place::devices) {
      entered = Place::device;
      gpu_ = {};
    } else if (field_ == TraceField::args) {
      entered = Place::args;
    } else if (field_ == TraceField::distributed) {
      entered = Place::distributed;
    }
    return enter(entered);
  }
  bool end_object() {
    const Place left = place();
    leave();
    if (left == Place::device && visitor_.gpu) visitor_.gpu(gpu_);
    if (left != Place::event) return true;
    constexpr std::uint64_t kEventsBetweenReports = 1 << 14;
    if (++events_ % kEventsBetweenReports == 0 && visitor_.progress) {
      visitor_.progress(bytes_.bytes_read());
    }
    stopped_ = !visitor_.event(event_);
    return !stopped_;
  }

  bool start_array(std::size_t) {
    Place entered = Place::other;
    if (depth_ == 0 || field_ == TraceField::events) {  // the root may be the array of events
      entered = Place::events;
      has_events_ = true;
    } else if (field_ == TraceField::devices) {
      entered = Place::devices;
    } else if (is_of_arguments(field_)) {
      argument_field_ = field_;
      argument_ = 0;
      entered = Place::arguments;
    } else if (place() == Place::arguments) {
      entered = Place::sizes;  // of one tensor; those of a list of tensors are nested deeper
    } else if (field_ == TraceField::grid || field_ == TraceField::block) {
      dimensions_ = field_ == TraceField::grid ? &event_.grid : &event_.block;
      dimension_ = 0;
      entered = Place::dimensions;
    }
    return enter(entered);
  }
  bool end_array() {
    leave();
    if (place() == Place::arguments) ++argument_;
    return true;
  }

  bool parse_error(std::size_t, const std::string&, const Json::exception& error) {
    // "[json.exception.parse_error.101] parse error at line 1, column 57: syntax error ..."
    problem_ = error.what();
    const std::size_t reason = problem_.find(": ");
    if (reason != std::string::npos) problem_ = problem_.substr(reason + 2);
    failed_ = true;
    return false;
  }

  bool failed() const { return failed_; }
  bool stopped() const { return stopped_; }
  bool has_events() const { return has_events_; }
  bool has_begun() const { return has_begun_; }
  std::string problem() const {
    return "at character " + std::to_string(text_.characters_read()) + ": " + problem_;
  }

 private:
  enum class Place {
    other,
    root,
    events,
    event,
    args,
    dimensions,
    arguments,
    sizes,
    devices,
    device,
    distributed,
  };
  static constexpr std::size_t kMaxArguments = 64;
  static constexpr std::size_t kMaxDepth = 6;  // nothing deeper is read

  Place place() const { return depth_ <= kMaxDepth ? place_[depth_] : Place::other; }
  bool enter(Place entered) {
    has_begun_ = true;
    if (++depth_ <= kMaxDepth) place_[depth_] = entered;
    field_ = TraceField::none;
    return true;
  }
  void leave() {
    --depth_;
    field_ = TraceField::none;
  }
  // Array elements have no key.
  bool value_done() {
    if (place() == Place::dimensions) ++dimension_;
    if (place() == Place::arguments) ++argument_;
    field_ = TraceField::none;
    return true;
  }

  static bool is_of_arguments(TraceField field) {
    return field == TraceField::argument_sizes || field == TraceField::argument_types ||
           field == TraceField::argument_values;
  }
  static bool is_time(TraceField field) {
    return field == TraceField::start || field == TraceField::duration;
  }
  void set_time(std::optional<std::int64_t> time_ns) {
    (field_ == TraceField::start ? event_.start_ns : event_.duration_ns) = time_ns;
  }
  bool number(std::int64_t value) {
    if (is_time(field_)) {
      constexpr std::int64_t kMax = INT64_MAX / 1000;
      if (value >= -kMax && value <= kMax) set_time(1000 * value);
    } else {
      set_number(value);
    }
    return value_done();
  }
  // Limit: a century after 1970, because times are added to it.
  void set_base(std::int64_t utc_ns) {
    constexpr std::int64_t kMost_ns = 3'155'760'000'000'000'000;
    if (utc_ns >= 0 && utc_ns <= kMost_ns) head_.base_utc_ns = utc_ns;
  }
  void set_number(std::int64_t value);
  void set_text(const std::string& text);

  TraceHead& head_;
  const TraceVisitor& visitor_;
  const TraceText& text_;
  const ByteSource& bytes_;
  TraceEvent event_;
  store::GpuRecord gpu_;
  TraceField argument_field_ = TraceField::none;
  std::size_t argument_ = 0;
  TraceDimensions* dimensions_ = nullptr;
  std::size_t dimension_ = 0;
  Place place_[kMaxDepth + 1] = {};
  std::size_t depth_ = 0;
  TraceField field_ = TraceField::none;
  std::uint64_t events_ = 0;
  bool has_begun_ = false;
  bool has_events_ = false;
  bool stopped_ = false;
  bool failed_ = false;
  std::string problem_;
};

void TraceHandler::set_number(std::int64_t value) {
  if (place() == Place::dimensions) {
    if (dimension_ < dimensions_->size()) (*dimensions_)[dimension_] = value;
    return;
  }
  if (place() == Place::sizes) {
    const bool reads = argument_field_ == TraceField::argument_sizes && argument_ < kMaxArguments;
    if (reads) event_.argument(argument_).sizes.push_back(value);
    return;
  }
  // clang-format off
  switch (field_) {
    case TraceField::base_time: set_base(value); break;
    case TraceField::rank: head_.rank = value; break;
    case TraceField::world_size: head_.world_size = value; break;
    case TraceField::device_id: gpu_.id = static_cast<std::int32_t>(value); break;
    case TraceField::device_memory: gpu_.total_memory_bytes = value; break;
    case TraceField::device_major: gpu_.compute_major = static_cast<std::int32_t>(value); break;
    case TraceField::device_minor: gpu_.compute_minor = static_cast<std::int32_t>(value); break;
    case TraceField::device_sms: gpu_.sm_count = static_cast<std::int32_t>(value); break;
    case TraceField::pid: event_.pid.number = value; break;
    case TraceField::tid: event_.tid.number = value; break;
    case TraceField::correlation: event_.correlation = value; break;
    case TraceField::external_id: event_.external_id = value; break;
    case TraceField::device: event_.device = value; break;
    case TraceField::context: event_.context = value; break;
    case TraceField::stream: event_.stream = value; break;
    case TraceField::bytes: event_.bytes = value; break;
    case TraceField::registers: event_.registers_per_thread = value; break;
    case TraceField::shared: event_.shared_bytes = value; break;
    case TraceField::graph_id: event_.graph_id = value; break;
    case TraceField::graph_node_id: event_.graph_node_id = value; break;
    case TraceField::waited_event_id: event_.waited_event_id = value; break;
    case TraceField::in_elements: event_.in_elements = value; break;
    case TraceField::out_elements: event_.out_elements = value; break;
    case TraceField::group_size: event_.group_size = value; break;
    case TraceField::thread: event_.thread = value; break;
    case TraceField::began_earlier: event_.began_earlier = value; break;
    default: break;
  }
  // clang-format on
}

void TraceHandler::set_text(const std::string& text) {
  if (place() == Place::arguments) {
    if (argument_ >= kMaxArguments) return;
    kernels::OperationArgument& argument = event_.argument(argument_);
    (argument_field_ == TraceField::argument_types ? argument.type : argument.value) = text;
    return;
  }
  // clang-format off
  switch (field_) {
    case TraceField::title: head_.title = text; break;
    case TraceField::device_name: gpu_.name = text; break;
    case TraceField::phase: event_.phase = text; break;
    case TraceField::category: event_.category = text; break;
    case TraceField::name: event_.name = text; break;
    case TraceField::pid: event_.pid = {integer_of(text), text}; break;
    case TraceField::tid: event_.tid = {integer_of(text), text}; break;
    case TraceField::collective: event_.collective = text; break;
    case TraceField::element_type: event_.element_type = text; break;
    case TraceField::group_name: event_.group_name = text; break;
    case TraceField::group_ranks: event_.group_ranks = text; break;
    case TraceField::label: event_.label = text; break;
    default:
      // Numbers may be strings.
      if (const std::optional<std::int64_t> value = integer_of(text)) set_number(*value);
  }
  // clang-format on
}

}  // namespace

TraceReading read_trace(const std::filesystem::path& file, TraceHead& head,
                        const TraceVisitor& visitor) {
  const std::unique_ptr<ByteSource> bytes = open_bytes(file);
  TraceText text(*bytes);
  TraceHandler handler(head, visitor, text, *bytes);
  Json::sax_parse(text.begin(), TraceText::end(), &handler, Json::input_format_t::json, false);
  if (handler.failed() && !handler.has_begun()) {
    std::string reason = bytes->failure().empty() ? "is not JSON" : bytes->failure();
    if (!text.problem().empty()) reason = text.problem();
    throw std::runtime_error(file.string() + ": " + reason);
  }
  TraceReading reading;
  reading.has_events = handler.has_events();
  if (!handler.failed() || handler.stopped()) return reading;
  reading.problem = handler.problem();
  const std::string& failure = text.problem().empty() ? bytes->failure() : text.problem();
  if (!failure.empty()) {
    reading.end = TraceEnd::unreadable;
    reading.problem = failure + ", " + reading.problem;
  } else {
    reading.end = text.at_end() ? TraceEnd::cut_short : TraceEnd::no_json;
  }
  return reading;
}

}  // namespace mansard::collector
