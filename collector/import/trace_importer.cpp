// SPDX-License-Identifier: Apache-2.0
#include "collector/import/trace_importer.h"

#include <algorithm>
#include <cstdlib>

#include "collector/store/kernel_name.h"
#include "collector/store/memory_names.h"
#include "kernels/annotation/gemm_work.h"

namespace mansard::collector {
namespace {

constexpr std::int64_t kBeforeFirst_ns = 1'000'000'000;
// Separate NVTX domains for annotations and operations.
constexpr std::int64_t kAnnotationDomain = 1;
constexpr std::int64_t kOperationDomain = 2;

std::int32_t narrow(std::optional<std::int64_t> value, std::int64_t otherwise = 0) {
  const std::int64_t wide = value.value_or(otherwise);
  return wide >= INT32_MIN && wide <= INT32_MAX ? static_cast<std::int32_t>(wide) : 0;
}

std::array<std::int32_t, 3> extent(const TraceDimensions& dimensions) {
  return {narrow(dimensions[0]), narrow(dimensions[1]), narrow(dimensions[2])};
}

// In device events, "pid" is the device and "tid" the stream.
std::int32_t device_of(const TraceEvent& e) { return narrow(e.device ? e.device : e.pid.number); }
std::int32_t stream_of(const TraceEvent& e) { return narrow(e.stream ? e.stream : e.tid.number); }

template <class Record>
Record on_device(const TraceEvent& e, std::int64_t start_ns, std::int64_t end_ns) {
  Record record;
  record.start_ns = start_ns;
  record.end_ns = end_ns;
  record.device_id = device_of(e);
  record.context_id = narrow(e.context);
  record.stream_id = stream_of(e);
  record.correlation_id = e.correlation.value_or(0);
  return record;
}

}  // namespace

void TraceImporter::add(const TraceEvent& e) {
  if (e.phase == "M") {
    if (e.name == "thread_name") threads_.name(e);
    return;  // metadata is not counted as an event
  }
  if (e.phase != "X") return skip_phase(e);
  const TraceKind kind = trace_kind(e.category);
  if (kind == TraceKind::unknown) return skip("events of unknown category '" + e.category + "'");
  if (kind == TraceKind::ignored) return skip("events of category '" + e.category + "'");
  const std::optional<Span> span = span_of(e);
  if (!span) return;
  if (recent_.repeats(e)) return skip("exact duplicates");
  result_.imported.count(std::string(describe(kind)));
  switch (kind) {
    case TraceKind::kernel:
      return add_kernel(e, *span);
    case TraceKind::memcpy:
      return add_copy(e, *span);
    case TraceKind::memset:
      return add_fill(e, *span);
    case TraceKind::runtime_call:
      return add_call(e, *span, 0);
    case TraceKind::driver_call:
      return add_call(e, *span, 1);
    case TraceKind::synchronization:
      return add_synchronization(e, *span);
    case TraceKind::annotation:
    case TraceKind::operation:
      return add_range(e, *span, kind);
    case TraceKind::overhead:
      return add_overhead(e, *span);
    case TraceKind::unknown:
    case TraceKind::ignored:
      return;
  }
}

void TraceImporter::skip_phase(const TraceEvent& e) {
  if (e.phase == "s" || e.phase == "t" || e.phase == "f") {
    skip("flow events");
  } else if (e.phase == "i" || e.phase == "I") {
    skip("instant events");
  } else {
    skip("events of phase '" + e.phase + "'");
  }
}

std::optional<TraceImporter::Span> TraceImporter::span_of(const TraceEvent& e) {
  if (!e.start_ns) {
    skip("events without a numeric start");
    return std::nullopt;
  }
  if (!e.duration_ns) {
    skip("events without a numeric duration");
    return std::nullopt;
  }
  if (*e.duration_ns < 0) {
    skip("events with a negative duration");
    return std::nullopt;
  }
  // Sums of such times cannot overflow.
  constexpr std::int64_t kMost_ns = std::int64_t{1} << 61;
  const std::int64_t origin_ns = origin_ns_.value_or(*e.start_ns);
  const bool is_near = std::abs(*e.start_ns / 2 - origin_ns / 2) < kMost_ns / 2 &&
                       std::abs(*e.start_ns / 2) < kMost_ns && *e.duration_ns < kMost_ns;
  if (!is_near) {
    skip("events more than 73 years from the first event");
    return std::nullopt;
  }
  if (!origin_ns_) origin_ns_ = *e.start_ns - kBeforeFirst_ns;
  const std::int64_t start_ns = *e.start_ns - *origin_ns_;
  const Span span = {start_ns, start_ns + *e.duration_ns};
  first_ns_ = std::min(first_ns_, span.start_ns);
  last_ns_ = std::max(last_ns_, span.end_ns);
  return span;
}

store::StringId TraceImporter::short_name(store::StringId full, const std::string& text) {
  const auto [at, is_new] = short_names_.try_emplace(full, 0);
  if (is_new) at->second = writer_.intern(store::short_kernel_name(text));
  return at->second;
}

void TraceImporter::add_kernel(const TraceEvent& e, Span span) {
  auto kernel = on_device<store::KernelRecord>(e, span.start_ns, span.end_ns);
  kernel.demangled_name = writer_.intern(e.name.empty() ? "(no name)" : e.name);
  kernel.short_name = short_name(kernel.demangled_name, e.name.empty() ? "(no name)" : e.name);
  kernel.grid = extent(e.grid);
  kernel.block = extent(e.block);
  kernel.registers_per_thread = narrow(e.registers_per_thread);
  kernel.dynamic_shared_bytes = narrow(e.shared_bytes);  // Kineto reports static plus dynamic
  kernel.graph_id = narrow(e.graph_id);
  kernel.graph_node_id = e.graph_node_id.value_or(0);
  if (kernel.correlation_id == 0) ++without_correlation_;
  writer_.add(kernel);
  if (!e.collective.empty()) add_collective(e, span);
}

void TraceImporter::add_collective(const TraceEvent& e, Span span) {
  store::CollectiveRecord c;
  c.start_ns = span.start_ns;
  c.device_id = device_of(e);
  c.correlation_id = e.correlation.value_or(0);
  c.name = e.collective;
  c.element_type = e.element_type;
  c.in_elements = e.in_elements.value_or(0);
  c.out_elements = e.out_elements.value_or(0);
  if (const auto type = kernels::find_element_type(e.element_type)) {
    c.element_bytes = static_cast<std::int64_t>(type->bytes);
  }
  c.group_size = narrow(e.group_size);
  c.group_name = e.group_name;
  c.group_ranks = e.group_ranks;
  writer_.add(c);
  result_.imported.count("collectives (of the kernels)");
}

void TraceImporter::add_copy(const TraceEvent& e, Span span) {
  auto copy = on_device<store::MemcpyRecord>(e, span.start_ns, span.end_ns);
  const store::CopyKinds kinds = store::copy_kinds(e.name);
  copy.copy_kind = kinds.copy;
  copy.src_kind = kinds.source;
  copy.dst_kind = kinds.destination;
  copy.bytes = e.bytes.value_or(0);
  copy.graph_node_id = e.graph_node_id.value_or(0);
  writer_.add(copy);
}

void TraceImporter::add_fill(const TraceEvent& e, Span span) {
  auto fill = on_device<store::MemsetRecord>(e, span.start_ns, span.end_ns);
  fill.bytes = e.bytes.value_or(0);
  fill.mem_kind = store::fill_memory_kind(e.name);
  fill.graph_node_id = e.graph_node_id.value_or(0);
  writer_.add(fill);
}

void TraceImporter::add_call(const TraceEvent& e, Span span, std::int32_t event_class) {
  store::ApiRecord call;
  call.start_ns = span.start_ns;
  call.end_ns = span.end_ns;
  call.event_class = event_class;
  call.global_tid = threads_.of(e);
  call.correlation_id = e.correlation.value_or(0);
  call.name = writer_.intern(e.name);
  writer_.add(call);
}

void TraceImporter::add_synchronization(const TraceEvent& e, Span span) {
  auto wait = on_device<store::SynchronizationRecord>(e, span.start_ns, span.end_ns);
  wait.sync_type = synchronization_type(e.name);
  if (e.waited_event_id) wait.event_id = narrow(e.waited_event_id);
  if (wait.stream_id < 0) wait.stream_id = store::kNoId;
  writer_.add(wait);
}

void TraceImporter::add_range(const TraceEvent& e, Span span, TraceKind kind) {
  store::NvtxRecord range;
  range.start_ns = span.start_ns;
  range.end_ns = span.end_ns;
  range.global_tid = threads_.of(e);
  range.began_earlier = e.began_earlier.value_or(0) != 0;
  if (kind == TraceKind::annotation) {
    range.domain_id = kAnnotationDomain;
    range.text = e.name;
  } else {
    range.domain_id = kOperationDomain;
    range.text_id = writer_.intern(e.name);  // the same few names over and over
    if (const auto work = kernels::operation_work(e.name, e.arguments())) {
      result_.imported.count("operations with work from their shapes");
      writer_.add(range, *work);
      return;
    }
  }
  writer_.add(range);
}

void TraceImporter::add_overhead(const TraceEvent& e, Span span) {
  store::OverheadRecord overhead;
  overhead.start_ns = span.start_ns;
  overhead.end_ns = span.end_ns;
  overhead.correlation_id = e.correlation.value_or(0);
  overhead.name = writer_.intern(e.name);
  overhead.type = overhead_type(e.name);
  writer_.add(overhead);
}

void TraceImporter::finish() {
  for (const auto& [tid, name] : threads_.names()) {
    if (threads_.has(tid) && !name.empty()) writer_.add_thread_name(tid, name);
  }
  const auto domain = [&](std::int64_t id, const char* name) {
    store::NvtxRecord record;
    record.type = store::NvtxEventType::domain_create;
    record.start_ns = std::max<std::int64_t>(first_ns_, 0);
    record.domain_id = id;
    record.text = name;
    writer_.add(record);
  };
  if (result_.imported.of("annotations") > 0) domain(kAnnotationDomain, "PyTorch annotations");
  if (result_.imported.of("operations") > 0) domain(kOperationDomain, "PyTorch operations");
  if (without_correlation_ > 0) {
    result_.notes.push_back(
        std::to_string(without_correlation_) +
        " kernels have no correlation id, so they cannot be attributed to annotations.");
  }
  if (threads_.processes() > 1) {
    result_.notes.push_back("The trace has events of " + std::to_string(threads_.processes()) +
                            " processes, whose correlation ids can collide. If each rank has its "
                            "own trace, import those and merge them with `mansard merge`.");
  }
}

}  // namespace mansard::collector
