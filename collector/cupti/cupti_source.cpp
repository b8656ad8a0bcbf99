// SPDX-License-Identifier: Apache-2.0
#include "collector/cupti/cupti_source.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <span>
#include <stdexcept>
#include <utility>

#include "collector/cupti/counters/kernel_launch.h"
#include "collector/cupti/record_kinds.h"
#include "collector/session/background_thread.h"

namespace mansard::collector {
namespace {

// A buffer holds about 10,000 kernels or 50,000 API calls.
constexpr std::size_t kBuffersPerDrain = 4;
// About 1 ms of work.
constexpr std::size_t kRecordsPerLook = 512;

std::string name_of(const CuptiApi& api, CUpti_CallbackDomain domain, CUpti_CallbackId id) {
  const char* name = nullptr;
  if (api.get_callback_name(domain, id, &name) == CUPTI_SUCCESS && name != nullptr) return name;
  return (domain == CUPTI_CB_DOMAIN_RUNTIME_API ? "runtime API call " : "driver API call ") +
         std::to_string(id);
}

}  // namespace

std::atomic<CuptiSource*> CuptiSource::active_ = nullptr;

CuptiSource::CuptiSource(const CuptiApi& api, std::int64_t session_start_ns, Complain complain,
                         Settings settings)
    : api_(api),
      session_start_ns_(session_start_ns),
      complain_(std::move(complain)),
      settings_(std::move(settings)),
      pool_(settings_.memory_bytes),
      graph_nodes_(api_, session_start_ns),
      translator_(
          session_start_ns,
          [this](CUpti_CallbackDomain domain, CUpti_CallbackId id) {
            return name_of(api_, domain, id);
          },
          settings_.on_device, settings_.launches,
          [this](std::uint32_t id) { return graphs_.is_outside(id); }) {
  pool_.refill();
  subscribe();
  active_ = this;
  try {
    prepare();
    flusher_ = start_background_thread("mansard-flusher", [this] { flush_periodically(); });
  } catch (...) {
    active_ = nullptr;
    api_.unsubscribe(subscriber_);
    throw;
  }
}

CuptiSource::~CuptiSource() {
  stop();
  active_ = nullptr;
}

void CuptiSource::check(CUptiResult result, const std::string& attempted) const {
  if (result != CUPTI_SUCCESS) {
    throw std::runtime_error(attempted + ": " + describe(api_, result));
  }
}

void CuptiSource::subscribe() {
  std::array<char, 2 * CUPTI_OLD_SUBSCRIBER_NAME_MIN_LEN> holder{};
  CUpti_SubscriberParams parameters{};
  parameters.structSize = CUpti_SubscriberParams_STRUCT_SIZE;
  parameters.subscriberName = "Mansard";
  parameters.oldSubscriberName = holder.data();
  parameters.oldSubscriberSize = holder.size() - 1;
  const CUptiResult result = api_.subscribe(&subscriber_, on_callback, this, &parameters);
  if (result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED) {
    const std::string name = holder[0] != '\0' ? holder.data() : "another tool";
    throw std::runtime_error(
        "CUPTI allows one tool per process and is in use by " + name +
        ". Run without that tool to record kernels (torch.profiler, nsys, ncu, compute-sanitizer "
        "and cuda-gdb all use CUPTI); NVTX ranges are still recorded.");
  }
  check(result, "subscribing to CUPTI");
  subscribed_ = true;
}

void CuptiSource::prepare() {
  // Kernel launches and NVTX ranges are matched by thread, so both must use the system's thread id.
  check(api_.set_thread_id_type(CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM), "choosing thread ids");
  check(api_.register_callbacks(on_buffer_requested, on_buffer_completed), "registering buffers");
  // Skip query calls (cudaEventQuery, cudaStreamQuery); drop any that CUPTI delivers anyway.
  api_.enable_all_sync_records(0);
  for (const RecordKind& kind : kDescriptions) enable(kind);
  choose_calls();
  if (settings_.on_profiler_api) {
    // cudaProfilerStart and cudaProfilerStop call these.
    for (const auto id :
         {CUPTI_DRIVER_TRACE_CBID_cuProfilerStart, CUPTI_DRIVER_TRACE_CBID_cuProfilerStop}) {
      check(api_.enable_callback(1, subscriber_, CUPTI_CB_DOMAIN_DRIVER_API, id),
            "watching cudaProfilerStart and cudaProfilerStop");
    }
  }
  if (settings_.launches != nullptr) {
    check(api_.enable_callback(1, subscriber_, CUPTI_CB_DOMAIN_RESOURCE,
                               CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING),
          "watching for the destruction of CUDA contexts");
    for (const auto calls : {capture_begin_calls(), capture_end_calls()}) {
      for (const CUpti_CallbackId call : calls) {
        api_.enable_callback(1, subscriber_, CUPTI_CB_DOMAIN_DRIVER_API, call);
      }
    }
  }
  watch_launches();
  api_.flush_period(static_cast<std::uint32_t>(settings_.flush_period.count()));  // full buffers
}

void CuptiSource::choose_calls() {
  for (CUpti_CallbackId id = 1; id < CUPTI_RUNTIME_TRACE_CBID_SIZE; ++id) {
    const char* name = nullptr;
    const auto found = api_.get_callback_name(CUPTI_CB_DOMAIN_RUNTIME_API, id, &name);
    if (found == CUPTI_SUCCESS && name != nullptr && is_noise_call(name)) {
      query_calls_.push_back(id);
    }
  }
  // Triton and cuBLASLt launch kernels through the driver API, without the runtime API.
  for (CUpti_CallbackId id = 1; id < CUPTI_DRIVER_TRACE_CBID_SIZE; ++id) {
    const char* name = nullptr;
    const auto found = api_.get_callback_name(CUPTI_CB_DOMAIN_DRIVER_API, id, &name);
    if (found == CUPTI_SUCCESS && name != nullptr && is_work_call(name)) {
      driver_work_calls_.push_back(id);
    }
  }
}

// Enables or disables the launch callbacks as they are currently needed.
void CuptiSource::watch_launches() {
  const std::lock_guard lock(watching_mutex_);
  const bool observed = settings_.launches != nullptr && settings_.launches->wants_launches();
  Watching wanted = Watching::none;
  if (observed || graphs_.is_closing()) {
    wanted = Watching::all;
  } else if (window_is_open_ && !settings_.graphs_as_a_whole) {
    wanted = Watching::graphs;
  }
  const auto covers = [](Watching watching, CUpti_CallbackId call) {
    return watching == Watching::all || (watching == Watching::graphs && is_graph_launch(call));
  };
  for (const CUpti_CallbackId call : launch_calls()) {
    const bool on = covers(wanted, call);
    if (on == covers(watching_, call)) continue;
    api_.enable_callback(on ? 1 : 0, subscriber_, CUPTI_CB_DOMAIN_DRIVER_API, call);
  }
  watching_ = wanted;
  if (observed_.exchange(observed) && !observed) settings_.launches->launches_unwatched();
}

void CuptiSource::watch_graph_nodes(bool on) {
  if (settings_.graphs_as_a_whole) return;
  for (const CUpti_CallbackIdResource event : kGraphNodeCallbacks) {
    api_.enable_callback(on ? 1 : 0, subscriber_, CUPTI_CB_DOMAIN_RESOURCE, event);
  }
}

void CuptiSource::handle_launch(CUpti_CallbackId call, const CUpti_CallbackData& data) {
  const bool begins = data.callbackSite == CUPTI_API_ENTER;
  if (begins) {
    graphs_.launch_begins(data.correlationId);
  } else if (is_graph_launch(call)) {
    // Before the observer, which may close the window after this launch.
    const auto launch = kernel_launch(call, data.functionParams);
    if (launch && graphs_.launched(launch->graph)) stop_recording_work();
  }
  if (!observed_) return;
  begins ? settings_.launches->launch_begins(call, data) : settings_.launches->launch_ends(data);
}

void CuptiSource::handle_call(CUpti_CallbackId call, const CUpti_CallbackData& data) {
  const bool begins = data.callbackSite == CUPTI_API_ENTER;
  const auto is_one_of = [call](std::span<const CUpti_CallbackId> calls) {
    return std::find(calls.begin(), calls.end(), call) != calls.end();
  };
  if (is_one_of(launch_calls())) {
    handle_launch(call, data);
  } else if (call == CUPTI_DRIVER_TRACE_CBID_cuProfilerStart) {
    if (!begins) settings_.on_profiler_api(true);
  } else if (call == CUPTI_DRIVER_TRACE_CBID_cuProfilerStop) {
    if (begins) settings_.on_profiler_api(false);
  } else if (settings_.launches == nullptr) {
    return;
  } else if (is_one_of(capture_begin_calls())) {
    const auto* result = static_cast<const CUresult*>(data.functionReturnValue);
    if (begins) settings_.launches->capture_begins();
    if (!begins && *result != CUDA_SUCCESS) settings_.launches->capture_ends();
  } else if (!begins && is_one_of(capture_end_calls())) {
    settings_.launches->capture_ends();
  }
}

void CuptiSource::enable(const RecordKind& kind) {
  const CUptiResult result = api_.enable(kind.kind);
  if (result == CUPTI_SUCCESS || !refused_.insert(kind.kind).second) return;
  const std::string text =
      "CUPTI cannot record " + std::string(kind.what) + ": " + describe(api_, result);
  complain_(text);
  const std::lock_guard lock(mutex_);
  diagnostics_.push_back({store::utc_now_ns() - session_start_ns_, store::Severity::warning, text});
}

bool CuptiSource::stopped() {
  const std::lock_guard lock(mutex_);
  return stopping_ || !subscribed_;
}

void CuptiSource::window_opens() {
  if (stopped()) return;
  graphs_.finish();
  check(api_.enable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL), "enabling kernel records");
  for (const RecordKind& kind : kWorkKinds) enable(kind);
  for (const RecordKind& kind : kWindowKinds) enable(kind);
  if (settings_.graphs_as_a_whole) enable(kWholeGraphs);
  // Each traced call costs the program time; a failure here only makes the profile less complete.
  for (const CUpti_CallbackId id : query_calls_) api_.enable_runtime_api(id, 0);
  for (const CUpti_CallbackId id : driver_work_calls_) api_.enable_driver_api(id, 1);
  watch_graph_nodes(true);
  window_is_open_ = true;
  watch_launches();
}

void CuptiSource::window_closed() {
  if (stopped()) return;
  watch_graph_nodes(false);
  for (const CUpti_CallbackId id : driver_work_calls_) api_.enable_driver_api(id, 0);
  if (settings_.graphs_as_a_whole) api_.disable(kWholeGraphs.kind);
  for (const RecordKind& kind : kWindowKinds) api_.disable(kind.kind);
  window_is_open_ = false;
  if (graphs_.close()) {
    watch_launches();
  } else {
    stop_recording_work();
  }
}

void CuptiSource::stop_recording_work() {
  graphs_.finish();
  for (const RecordKind& kind : kWorkKinds) api_.disable(kind.kind);
  api_.disable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  watch_launches();
}

void CuptiSource::window_is_over() {
  const std::lock_guard lock(mutex_);
  over_ = true;
}

void CuptiSource::handle_resource(CUpti_CallbackId event, const CUpti_ResourceData& data) {
  if (std::ranges::find(kGraphNodeCallbacks, event) != kGraphNodeCallbacks.end()) {
    graph_nodes_.handle(event, *static_cast<const CUpti_GraphData*>(data.resourceDescriptor));
  } else if (settings_.launches != nullptr &&
             event == CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING) {
    settings_.launches->context_ends(data.context);
  }
}

void CUPTIAPI CuptiSource::on_callback(void* source, CUpti_CallbackDomain domain,
                                       CUpti_CallbackId id, const void* data) {
  auto& self = *static_cast<CuptiSource*>(source);
  try {
    if (domain == CUPTI_CB_DOMAIN_RESOURCE) {
      self.handle_resource(id, *static_cast<const CUpti_ResourceData*>(data));
    }
    if (domain != CUPTI_CB_DOMAIN_DRIVER_API) return;
    self.handle_call(id, *static_cast<const CUpti_CallbackData*>(data));
  } catch (...) {
    // No exception may reach the program.
  }
}

void CUPTIAPI CuptiSource::on_buffer_requested(std::uint8_t** buffer, std::size_t* size,
                                               std::size_t* most_records) {
  CuptiSource* source = active_;
  *buffer = source != nullptr ? source->pool_.request() : nullptr;
  *size = *buffer != nullptr ? source->pool_.buffer_bytes() : 0;
  *most_records = 0;
}

void CUPTIAPI CuptiSource::on_buffer_completed(CUcontext context, std::uint32_t stream,
                                               std::uint8_t* buffer, std::size_t,
                                               std::size_t valid_size) {
  CuptiSource* source = active_;
  if (source == nullptr) return;
  source->pool_.complete(buffer, valid_size);
  std::size_t dropped = 0;
  source->api_.get_num_dropped_records(context, stream, &dropped);
  source->dropped_ += dropped;
}

void CuptiSource::flush_periodically() {
  std::unique_lock lock(mutex_);
  std::chrono::milliseconds after_the_end{0};
  while (!changed_.wait_for(lock, settings_.flush_period, [&] { return stopping_; })) {
    const bool over = over_ && (settings_.launches == nullptr || settings_.launches->is_done());
    lock.unlock();
    if (graphs_.is_overdue()) stop_recording_work();
    watch_launches();
    api_.flush_all(0);  // does not wait for the GPU; must not be called from CUPTI's callbacks
    if (over) after_the_end += settings_.flush_period;
    if (after_the_end >= settings_.let_go_after) let_go();
    lock.lock();
    if (!subscribed_) return;
  }
}

void CuptiSource::flush() {
  if (!stopped()) api_.flush_all(0);
}

void CuptiSource::flush_all_records() {
  if (!stopped()) api_.flush_all(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
}

void CuptiSource::let_go() {
  {
    const std::lock_guard lock(mutex_);
    if (!std::exchange(subscribed_, false)) return;
  }
  api_.flush_all(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  std::size_t dropped = 0;
  api_.get_num_dropped_records(nullptr, 0, &dropped);
  dropped_ += dropped;
  api_.unsubscribe(subscriber_);
}

void CuptiSource::stop() {
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(stopping_, true)) return;
  }
  changed_.notify_all();
  if (flusher_.joinable()) flusher_.join();
  if (settings_.launches != nullptr) settings_.launches->stop();
  let_go();
}

template <class Visit>
void CuptiSource::visit(const CuptiBuffer& buffer, Visit visit_record) {
  CUpti_Activity* record = nullptr;
  while (api_.get_next_record(buffer.data.get(), buffer.valid_bytes, &record) == CUPTI_SUCCESS) {
    visit_record(*record);
  }
}

bool CuptiSource::has_events() {
  bool work = !waiting_.empty();
  for (CuptiBuffer& buffer : pool_.take_completed()) {
    bool here = false;
    visit(buffer, [&](const CUpti_Activity& record) {
      here = here || translator_.is_work(record);
      translator_.note(record);
    });
    // A program that only queries which GPUs exist (a launcher) does not need a file.
    if (here || work) {
      waiting_.push_back(std::move(buffer));
    } else {
      pool_.recycle(std::move(buffer));
    }
    work = work || here;
  }
  return work;
}

bool CuptiSource::drain(store::ProfileWriter& writer, const std::atomic<int>& wanted) {
  pool_.refill();
  report_refused(writer);
  graph_nodes_.write(writer);
  for (CuptiBuffer& buffer : pool_.take_completed()) waiting_.push_back(std::move(buffer));
  for (std::size_t i = 0; i < kBuffersPerDrain && !waiting_.empty(); ++i) {
    if (!write_first_waiting(writer, wanted)) return true;
  }
  report_lost(writer);
  return !waiting_.empty();
}

bool CuptiSource::write_first_waiting(store::ProfileWriter& writer,
                                      const std::atomic<int>& wanted) {
  const CuptiBuffer& buffer = waiting_.front();
  for (std::size_t n = 1;
       api_.get_next_record(buffer.data.get(), buffer.valid_bytes, &written_) == CUPTI_SUCCESS;
       ++n) {
    translator_.translate(*written_, writer);
    if (n % kRecordsPerLook == 0 && wanted > 0) return false;
  }
  written_ = nullptr;
  pool_.recycle(std::move(waiting_.front()));
  waiting_.pop_front();
  return true;
}

void CuptiSource::discard() {
  written_ = nullptr;
  graph_nodes_.discard();
  for (CuptiBuffer& buffer : waiting_) pool_.recycle(std::move(buffer));
  waiting_.clear();
  for (CuptiBuffer& buffer : pool_.take_completed()) pool_.recycle(std::move(buffer));
}

void CuptiSource::report_refused(store::ProfileWriter& writer) {
  std::vector<store::DiagnosticRecord> diagnostics;
  {
    const std::lock_guard lock(mutex_);
    diagnostics.swap(diagnostics_);
  }
  for (const store::DiagnosticRecord& diagnostic : diagnostics) writer.add(diagnostic);
}

std::uint64_t CuptiSource::dropped_events() const {
  return dropped_ + graph_nodes_.dropped() +
         static_cast<std::uint64_t>(translator_.without_times());
}

void CuptiSource::report_lost(store::ProfileWriter& writer) {
  const auto lost = static_cast<std::int64_t>(dropped_events());
  if (lost == reported_lost_) return;
  if (reported_lost_ == 0) {
    const std::string text =
        "CUPTI dropped records of GPU work (no free buffer or no timestamp); they are counted. "
        "Raise --memory-limit or record to a faster disk.";
    complain_(text);
    writer.add(store::DiagnosticRecord{store::utc_now_ns() - session_start_ns_,
                                       store::Severity::warning, text});
  }
  reported_lost_ = lost;
  writer.set_session_value("droppedCuptiRecords", std::to_string(lost));
}

}  // namespace mansard::collector
