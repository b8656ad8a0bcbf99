// SPDX-License-Identifier: Apache-2.0
#include "gui/models/slice_filter.h"

#include <QObject>
#include <algorithm>

#include "gui/models/launch_slices.h"

namespace mansard::gui {

SliceFilter::SliceFilter(const OpenRun& run, const ViewFilter& filter,
                         std::shared_ptr<const ShownLaunches> shown)
    : filter_(filter), shown_(std::move(shown)) {
  filter_.window.reset();
  if (filter_.passes_all()) return;
  run_ = &run;
  by_row_ = !filter_.words.isEmpty() || !filter_.operation_class.isEmpty();
  rows_ = rows_that_pass(run.analysis, filter_);
  classes_.resize(run.timeline.classes.size());
  for (const figure::SliceName& name : run.timeline.names) {
    if (name.row >= 0 && rows_[static_cast<std::size_t>(name.row)]) classes_[name.of_class] = true;
  }
}

bool SliceFilter::passes(std::size_t track, const figure::TimelineBlock& block) const {
  if (passes_all()) return true;
  const figure::TimelineTrack& all = run_->timeline.tracks[track];
  const bool of_host = !run_->launches.record.empty();
  if (of_host && all.kind == figure::TrackKind::host_ranges) {
    return block.count > 1 || launch_passes({track, block.first});
  }
  // Steps, ranges and API calls are not launches: they pass, except ranges with another name.
  if (all.kind == figure::TrackKind::device_ranges || all.kind == figure::TrackKind::host_ranges) {
    const std::string& name = run_->timeline.names[all.slices.key(block.first)].text;
    return filter_.range.isEmpty() || block.count > 1 || matches_range(filter_, name);
  }
  if (all.kind != figure::TrackKind::stream) return true;
  if (filter_.device_id && all.device_id != *filter_.device_id) return false;
  if (filter_.stream && stream_of(all) != *filter_.stream) return false;
  if (by_row_) {
    if (block.count > 1 && !classes_[block.of_class]) return false;
    const std::int32_t row = run_->timeline.names[all.slices.key(block.first)].row;
    if (block.count == 1 && (row < 0 || !rows_[static_cast<std::size_t>(row)])) return false;
  }
  return filter_.range.isEmpty() || launch_passes({track, block.first});
}

bool SliceFilter::passes(std::size_t launch) const {
  if (passes_all()) return true;
  const LaunchColumns& launches = run_->launches;
  const std::uint32_t row = launches.row[launch];
  if (row == LaunchColumns::kNoRow || !rows_[row]) return false;
  const StreamKey& stream = launches.streams[launches.stream[launch]];
  if (filter_.device_id && stream.device_id != *filter_.device_id) return false;
  if (filter_.stream && stream != *filter_.stream) return false;
  if (filter_.range.isEmpty() || shown_ == nullptr || shown_->all()) return true;
  return launch < shown_->passes.size() && shown_->passes[launch];
}

bool SliceFilter::launch_passes(const figure::SliceRef& slice) const {
  if (shown_ == nullptr || shown_->all()) return true;
  const auto launch = launch_of(*run_, slice);
  return launch && *launch < shown_->passes.size() && shown_->passes[*launch];
}

std::vector<FilterChoice> filters_at(const OpenRun& run, std::size_t track,
                                     const figure::TimelineBlock* block) {
  using figure::TrackKind;
  std::vector<FilterChoice> choices;
  const figure::TimelineTrack& at = run.timeline.tracks[track];
  const StreamKey stream = stream_of(at);
  if (std::ranges::binary_search(run.launches.streams, stream)) {
    choices.push_back({at.device_id >= 0 ? QObject::tr("Show only this stream")
                                         : QObject::tr("Show only this thread"),
                       [stream](ViewFilter& filter) { filter.stream = stream; }});
  }
  if (block == nullptr) return choices;
  const bool is_range = at.kind == TrackKind::device_ranges || at.kind == TrackKind::host_ranges;
  if (is_range && block->count == 1) {
    const std::string& name = run.timeline.names[at.slices.key(block->first)].text;
    choices.push_back(
        {QObject::tr("Show only this range"),
         [range = QString::fromStdString(name)](ViewFilter& filter) { filter.range = range; }});
  }
  // A class filter applies to kernels only, not to memcpys and memsets.
  const analysis::OperationClass slice_class = run.timeline.classes[block->of_class];
  if (at.kind == TrackKind::stream &&
      std::ranges::count(run.analysis.rows, slice_class, &analysis::KernelRow::operation_class) >
          0) {
    choices.push_back({QObject::tr("Show only this class"),
                       [text = QString::fromStdString(slice_class.name())](ViewFilter& filter) {
                         filter.operation_class = text;
                       }});
  }
  return choices;
}

}  // namespace mansard::gui
