// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/nvtx_callbacks.h"

#include <ctime>
#include <functional>
#include <new>
#include <string_view>
#include <unistd.h>
#include <utility>
#include <vector>

#include "collector/inject/nvtx_schemas.h"
#include "collector/inject/recorder.h"
#include "collector/store/global_ids.h"
#include "support/text.h"

namespace mansard::collector {
namespace {

// Trivial, so that it can be used while the thread's other variables are being destroyed.
struct ThreadSlot {
  NvtxThread* events = nullptr;
  bool ended = false;
  bool busy =
      false;  // inside a callback: an event from a signal handler would deadlock on our own lock
};
constinit thread_local ThreadSlot slot;

struct RetireAtThreadEnd {
  bool armed = false;
  ~RetireAtThreadEnd() {
    slot.ended = true;
    if (NvtxThread* events = std::exchange(slot.events, nullptr)) events->retire();
  }
};
thread_local RetireAtThreadEnd retire_at_thread_end;

// The clock of CUPTI's timestamps.
std::int64_t now_ns() {
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

// Runs `body(thread)`. No exception may reach the program, which may not even be C++.
template <class Result, class Body>
Result guarded(Result otherwise, Body body) noexcept {
  if (recording_is_over.load(std::memory_order_relaxed) || slot.busy) return otherwise;
  slot.busy = true;
  Result result = otherwise;
  try {
    if (NvtxThread* thread = this_nvtx_thread()) result = body(*thread);
  } catch (...) {
    // Out of memory: this event is lost.
  }
  slot.busy = false;
  return result;
}

NvtxAttributes plain(const char* text) {
  NvtxAttributes attributes;
  attributes.text = text != nullptr ? text : "";
  return attributes;
}

store::NvtxPayload payload_of(const nvtx::EventAttributes& given) {
  switch (static_cast<nvtx::PayloadType>(given.payload_type)) {
    case nvtx::PayloadType::uint64:
      return given.payload.uint64;
    case nvtx::PayloadType::int64:
      return given.payload.int64;
    case nvtx::PayloadType::float64:
      return given.payload.float64;
    case nvtx::PayloadType::uint32:
      return given.payload.uint32;
    case nvtx::PayloadType::int32:
      return given.payload.int32;
    case nvtx::PayloadType::float32:
      return given.payload.float32;
    case nvtx::PayloadType::extended:
    case nvtx::PayloadType::unknown:
      break;
  }
  return {};
}

// When out of memory, omits the payload.
NvtxSchemas::Decoded decode(const NvtxDomain* domain, const nvtx::PayloadData* payloads,
                            std::size_t count) noexcept {
  try {
    return Recorder::schemas().decode(domain, payloads, count);
  } catch (...) {
    return {};
  }
}

bool is_recording() {
  const NvtxThread* thread = recording_is_over ? nullptr : this_nvtx_thread();
  return thread != nullptr && thread->window().recording();
}

// Texts that NvtxAttributes refers to.
struct Storage {
  std::string text;
  std::string json;
};

// `storage` must live for as long as the result is used.
NvtxAttributes translate(const NvtxDomain* domain, const nvtx::EventAttributes* given,
                         Storage& storage) {
  NvtxAttributes attributes;
  attributes.domain = domain;
  if (given == nullptr || given->size < sizeof *given) return attributes;
  attributes.category = given->category;
  if (given->color_type == static_cast<std::int32_t>(nvtx::ColorType::argb)) {
    attributes.color = given->color;
  }
  attributes.payload = payload_of(*given);
  if (given->payload_type == static_cast<std::int32_t>(nvtx::PayloadType::extended) &&
      given->extended_count > 0 && is_recording()) {
    storage.json =
        decode(domain, given->payload.extended, static_cast<std::size_t>(given->extended_count))
            .json;
    attributes.json = storage.json;
  }
  switch (static_cast<nvtx::MessageType>(given->message_type)) {
    case nvtx::MessageType::ascii:
      if (given->message.ascii != nullptr) attributes.text = given->message.ascii;
      break;
    case nvtx::MessageType::unicode:
      storage.text = to_utf8(given->message.unicode);
      attributes.text = storage.text;
      break;
    case nvtx::MessageType::registered:
      attributes.registered = static_cast<const NvtxString*>(given->message.registered);
      break;
    case nvtx::MessageType::unknown:
      break;
  }
  return attributes;
}

// Does not read the clock outside of a recording window.
std::int64_t now_if_recording(const NvtxThread& thread) {
  return thread.window().recording() ? now_ns() : 0;
}

void mark(const NvtxAttributes& attributes,
          store::NvtxEventType type = store::NvtxEventType::mark) {
  guarded(0, [&](NvtxThread& thread) {
    // Category names also apply to events recorded later, so store them at any time.
    if (type == store::NvtxEventType::mark && !thread.window().recording()) return 0;
    NvtxOpenRange event;
    open_range(event, type, attributes, now_ns(), thread.global_tid());
    thread.append(event);
    return 0;
  });
}

bool is_trigger(const NvtxAttributes& attributes, const RecordingWindow& window) {
  const std::string_view text =
      attributes.registered != nullptr ? attributes.registered->text : attributes.text;
  std::string_view domain;
  if (attributes.domain != nullptr) domain = attributes.domain->name;
  return window.is_trigger(text, domain);
}

// If the range that starts now is a trigger, opens or closes the window.
bool announce_begin(const NvtxAttributes& attributes, const NvtxThread& thread) {
  const RecordingWindow& watching = thread.window();
  if (!watching.watches_ranges() || !is_trigger(attributes, watching)) return false;
  // "step 3" may contain a "step of the optimizer", which does not count as a step.
  if (watching.watches_steps() && thread.inside_trigger()) return false;
  RecordingWindow* window = Recorder::window();
  if (window == nullptr) return false;  // the process is ending
  window->trigger_begins();
  return true;
}

void announce_end(bool trigger) {
  if (RecordingWindow* window = trigger ? Recorder::window() : nullptr) window->trigger_ends();
}

int push(const NvtxAttributes& attributes) {
  return guarded(-2, [&](NvtxThread& thread) {
    const bool trigger = announce_begin(attributes, thread);
    return thread.push(attributes, now_if_recording(thread), trigger);
  });
}

int pop(const NvtxDomain* domain, const std::string& json = {}) {
  return guarded(-2, [&](NvtxThread& thread) {
    bool trigger = false;
    const int nesting =
        thread.pop(domain, now_if_recording(thread), trigger, json, json.empty() ? 0 : now_ns());
    announce_end(trigger);
    return nesting;
  });
}

std::uint64_t start(const NvtxAttributes& attributes) {
  return guarded(std::uint64_t{0}, [&](NvtxThread& thread) {
    Recorder* recorder = Recorder::get();
    if (recorder == nullptr) return std::uint64_t{0};  // the process is ending
    const bool trigger = announce_begin(attributes, thread);
    return recorder->nvtx().start_range(attributes, now_if_recording(thread), thread.global_tid(),
                                        trigger);
  });
}

void end(std::uint64_t id, const std::string& json = {}) {
  guarded(0, [&](NvtxThread& thread) {
    if (Recorder* recorder = Recorder::get()) {
      announce_end(recorder->nvtx().end_range(id, now_if_recording(thread), thread, json));
    }
    return 0;
  });
}

void name_category(const NvtxDomain* domain, std::uint32_t category, const char* name) {
  NvtxAttributes attributes = plain(name);
  attributes.domain = domain;
  attributes.category = category;
  mark(attributes, store::NvtxEventType::category);
}

void name_thread(std::uint32_t tid, const char* name) {
  guarded(0, [&](NvtxThread&) {
    if (Recorder* recorder = Recorder::get()) {
      recorder->nvtx().name_thread(store::global_tid(getpid(), tid), name != nullptr ? name : "");
    }
    return 0;
  });
}

template <class Handle, class Make>
const Handle* make_handle(Make make) noexcept {
  try {
    return make();
  } catch (...) {
    return nullptr;
  }
}

using Attributes = nvtx::EventAttributes;

// The C functions that NVTX calls (captureless lambdas), in the order of the two modules.
struct Callback {
  std::uint32_t id;
  nvtx::Function function;
};

template <class Id, class Lambda>
Callback callback(Id id, Lambda lambda) {
  // +lambda converts to a function pointer; NVTX stores all functions with one pointer type.
  return {static_cast<std::uint32_t>(id), reinterpret_cast<nvtx::Function>(+lambda)};
}

const Callback kCore[] = {
    callback(nvtx::Core::mark_ex,
             [](const Attributes* a) noexcept {
               Storage storage;
               mark(translate(nullptr, a, storage));
             }),
    callback(nvtx::Core::mark_a, [](const char* text) noexcept { mark(plain(text)); }),
    callback(nvtx::Core::mark_w,
             [](const wchar_t* text) noexcept { mark(plain(to_utf8(text).c_str())); }),
    callback(nvtx::Core::range_start_ex,
             [](const Attributes* a) noexcept {
               Storage storage;
               return start(translate(nullptr, a, storage));
             }),
    callback(nvtx::Core::range_start_a,
             [](const char* text) noexcept { return start(plain(text)); }),
    callback(nvtx::Core::range_start_w,
             [](const wchar_t* text) noexcept { return start(plain(to_utf8(text).c_str())); }),
    callback(nvtx::Core::range_end, [](std::uint64_t id) noexcept { end(id); }),
    callback(nvtx::Core::range_push_ex,
             [](const Attributes* a) noexcept {
               Storage storage;
               return push(translate(nullptr, a, storage));
             }),
    callback(nvtx::Core::range_push_a, [](const char* text) noexcept { return push(plain(text)); }),
    callback(nvtx::Core::range_push_w,
             [](const wchar_t* text) noexcept { return push(plain(to_utf8(text).c_str())); }),
    callback(nvtx::Core::range_pop, []() noexcept { return pop(nullptr); }),
    callback(nvtx::Core::name_category_a,
             [](std::uint32_t category, const char* name) noexcept {
               name_category(nullptr, category, name);
             }),
    callback(nvtx::Core::name_category_w,
             [](std::uint32_t category, const wchar_t* name) noexcept {
               name_category(nullptr, category, to_utf8(name).c_str());
             }),
    callback(nvtx::Core::name_os_thread_a,
             [](std::uint32_t tid, const char* name) noexcept { name_thread(tid, name); }),
    callback(nvtx::Core::name_os_thread_w,
             [](std::uint32_t tid, const wchar_t* name) noexcept {
               name_thread(tid, to_utf8(name).c_str());
             }),
};

const Callback kCore2[] = {
    callback(nvtx::Core2::mark_ex,
             [](const NvtxDomain* domain, const Attributes* a) noexcept {
               Storage storage;
               mark(translate(domain, a, storage));
             }),
    callback(nvtx::Core2::range_start_ex,
             [](const NvtxDomain* domain, const Attributes* a) noexcept {
               Storage storage;
               return start(translate(domain, a, storage));
             }),
    callback(nvtx::Core2::range_end, [](const NvtxDomain*, std::uint64_t id) noexcept { end(id); }),
    callback(nvtx::Core2::range_push_ex,
             [](const NvtxDomain* domain, const Attributes* a) noexcept {
               Storage storage;
               return push(translate(domain, a, storage));
             }),
    callback(nvtx::Core2::range_pop, [](const NvtxDomain* domain) noexcept { return pop(domain); }),
    callback(nvtx::Core2::name_category_a,
             [](const NvtxDomain* domain, std::uint32_t category, const char* name) noexcept {
               name_category(domain, category, name);
             }),
    callback(nvtx::Core2::name_category_w,
             [](const NvtxDomain* domain, std::uint32_t category, const wchar_t* name) noexcept {
               name_category(domain, category, to_utf8(name).c_str());
             }),
    callback(nvtx::Core2::register_string_a,
             [](const NvtxDomain*, const char* text) noexcept {
               return make_handle<NvtxString>(
                   [&] { return Recorder::names().string(text != nullptr ? text : ""); });
             }),
    callback(nvtx::Core2::register_string_w,
             [](const NvtxDomain*, const wchar_t* text) noexcept {
               return make_handle<NvtxString>(
                   [&] { return Recorder::names().string(to_utf8(text)); });
             }),
    callback(nvtx::Core2::create_a,
             [](const char* name) noexcept {
               return make_handle<NvtxDomain>(
                   [&] { return Recorder::names().domain(name != nullptr ? name : ""); });
             }),
    callback(nvtx::Core2::create_w,
             [](const wchar_t* name) noexcept {
               return make_handle<NvtxDomain>(
                   [&] { return Recorder::names().domain(to_utf8(name)); });
             }),
};

using Payload = nvtx::PayloadData;

// Attributes of an event whose text is part of its payload.
NvtxAttributes of_payload(const NvtxDomain* domain, NvtxSchemas::Decoded& decoded) {
  NvtxAttributes attributes;
  attributes.domain = domain;
  attributes.text = decoded.message;
  attributes.json = decoded.json;
  return attributes;
}

const Callback kPayloads[] = {
    callback(nvtx::PayloadFunction::schema_register,
             [](const NvtxDomain* domain, const nvtx::SchemaAttributes* a) noexcept {
               try {
                 return a != nullptr ? Recorder::schemas().add(domain, *a) : std::uint64_t{0};
               } catch (...) {
                 return std::uint64_t{0};
               }
             }),
    callback(nvtx::PayloadFunction::enum_register,
             [](const NvtxDomain* domain, const nvtx::EnumAttributes* a) noexcept {
               try {
                 return a != nullptr ? Recorder::schemas().add(domain, *a) : std::uint64_t{0};
               } catch (...) {
                 return std::uint64_t{0};
               }
             }),
    callback(nvtx::PayloadFunction::mark,
             [](const NvtxDomain* domain, const Payload* data, std::size_t count) noexcept {
               NvtxSchemas::Decoded decoded = decode(domain, data, count);
               mark(of_payload(domain, decoded));
             }),
    callback(nvtx::PayloadFunction::range_push,
             [](const NvtxDomain* domain, const Payload* data, std::size_t count) noexcept {
               NvtxSchemas::Decoded decoded = decode(domain, data, count);
               return push(of_payload(domain, decoded));
             }),
    callback(nvtx::PayloadFunction::range_pop,
             [](const NvtxDomain* domain, const Payload* data, std::size_t count) noexcept {
               return pop(domain, decode(domain, data, count).json);
             }),
    callback(nvtx::PayloadFunction::range_start,
             [](const NvtxDomain* domain, const Payload* data, std::size_t count) noexcept {
               NvtxSchemas::Decoded decoded = decode(domain, data, count);
               return start(of_payload(domain, decoded));
             }),
    callback(nvtx::PayloadFunction::range_end,
             [](const NvtxDomain* domain, std::uint64_t id, const Payload* data,
                std::size_t count) noexcept { end(id, decode(domain, data, count).json); }),
};

template <std::size_t N>
bool install(const nvtx::CallbackTable& callbacks, nvtx::Module module,
             const Callback (&functions)[N]) {
  nvtx::Function** table = nullptr;
  unsigned int size = 0;
  if (callbacks.get_module_function_table(module, &table, &size) == 0) return false;
  for (const Callback& f : functions) {
    if (f.id < size && table[f.id] != nullptr) *table[f.id] = f.function;
  }
  return true;
}

}  // namespace

NvtxThread* this_nvtx_thread() {
  if (slot.events != nullptr || slot.ended) return slot.events;
  Recorder* recorder = Recorder::get();
  if (recorder == nullptr) return nullptr;
  retire_at_thread_end.armed = true;  // the first use registers the destructor
  slot.events = recorder->nvtx().add_thread();
  return slot.events;
}

void forget_this_nvtx_thread() { slot.events = nullptr; }

bool attach_nvtx(nvtx::GetExportTable get_export_table) {
  const void* table = get_export_table(nvtx::kCallbacksTable);
  if (table == nullptr) return false;
  const auto& callbacks = *static_cast<const nvtx::CallbackTable*>(table);
  if (callbacks.struct_size < sizeof callbacks) return false;
  const bool core = install(callbacks, nvtx::Module::core, kCore);
  return install(callbacks, nvtx::Module::core2, kCore2) || core;
}

bool attach_nvtx_payloads(const nvtx::ModuleInfo& module) {
  const bool known = module.module == nvtx::kPayloadModule && module.struct_size >= sizeof module &&
                     module.version >= nvtx::kOldestPayloadVersion &&
                     module.version <= nvtx::kNewestPayloadVersion;
  if (!known || module.segment_count == 0 || module.segments == nullptr) return false;
  const nvtx::ModuleSegment& segment = module.segments[0];
  for (const Callback& f : kPayloads) {
    if (f.id < segment.slots) {
      segment.functions[f.id] = reinterpret_cast<std::intptr_t>(f.function);
    }
  }
  return true;
}

namespace {

// By open range. Ranges that state no work have that of the range around them.
thread_local std::vector<std::uint64_t> works_of_plain_ranges;

}  // namespace

void push_plain_range(const char* text) {
  push(plain(text));
  const std::string_view whole = text != nullptr ? text : "";
  const std::size_t work = whole.find(" | ");  // kernels/annotation/work_annotation.h
  const std::uint64_t hash = work != std::string_view::npos
                                 ? std::hash<std::string_view>()(whole.substr(work))
                                 : work_of_plain_range();
  try {
    works_of_plain_ranges.push_back(hash);
  } catch (const std::bad_alloc&) {
    works_of_plain_ranges.clear();
  }
}

void pop_plain_range() {
  if (!works_of_plain_ranges.empty()) works_of_plain_ranges.pop_back();
  pop(nullptr);
}

void add_plain_mark(const char* text) { mark(plain(text)); }

std::uint64_t work_of_plain_range() {
  return works_of_plain_ranges.empty() ? 0 : works_of_plain_ranges.back();
}

}  // namespace mansard::collector
