// SPDX-License-Identifier: Apache-2.0
// What can be done with a place of the timeline.
#include <QMenu>
#include <algorithm>
#include <functional>
#include <memory>

#include "gui/models/launch_slices.h"
#include "gui/views/painting.h"
#include "gui/views/timeline_view.h"

namespace mansard::gui {
namespace {

bool is_range(const figure::TimelineTrack& track) {
  return track.kind == figure::TrackKind::device_ranges ||
         track.kind == figure::TrackKind::host_ranges;
}

// Whether launches are of a class: copies and steps are not.
bool has_rows(const analysis::RunAnalysis& run, const std::string& slice_class) {
  return std::ranges::count(run.rows, slice_class, &analysis::KernelRow::operation_class) > 0;
}

bool has_launches(const LaunchColumns& launches, const StreamKey& stream) {
  return std::ranges::binary_search(launches.streams, stream);
}

}  // namespace

void TimelineView::fill_menu(QMenu& menu, QPointF position) {
  const Target target = target_at(position);
  TimelineScene& scene = target.pane->scene;
  // By value: rows in sight change before an entry is chosen, and the run itself may: it is loaded
  // again as it grows, or another file replaces it. What was meant is then gone.
  const auto act = [pane = target.pane,
                    meant = std::weak_ptr(scene.run())](auto action) -> std::function<void()> {
    return [pane, meant, action] {
      if (pane->scene.run() == meant.lock()) action();
    };
  };
  if (target.block != nullptr) {
    const figure::TimeSpan span{target.block->start_ns, target.block->end_ns};
    menu.addAction(tr("Zoom to this"), this,
                   act([this, span, pane = target.pane] { zoom_to(*pane, span); }));
  }
  const bool of_track =
      target.row != nullptr && target.row->kind == figure::GroupedRow::Kind::track;
  if (of_track && target.pane == &own_) {
    const OpenRun& run = *own_.scene.run();
    const figure::TimelineTrack& track = run.timeline.tracks[target.row->index];
    const auto only = [&](const QString& text, auto change) {
      menu.addAction(text, this, act([this, change] {
                       ViewFilter filter = selection()->filter();
                       change(filter);
                       selection()->set_filter(filter);
                     }));
    };
    const StreamKey stream = stream_of(track);
    if (has_launches(run.launches, stream)) {
      only(track.device_id >= 0 ? tr("Only this stream") : tr("Only this thread"),
           [stream](ViewFilter& filter) { filter.stream = stream; });
    }
    if (target.block != nullptr && target.block->count == 1 && is_range(track)) {
      const std::string& name = run.timeline.names[track.slices.key(target.block->first)].text;
      only(tr("Only this range"),
           [range = to_qstring(name)](ViewFilter& filter) { filter.range = range; });
    }
    if (target.block != nullptr && track.kind == figure::TrackKind::stream) {
      const std::string& slice_class = run.timeline.classes[target.block->of_class];
      if (has_rows(run.analysis, slice_class)) {
        only(tr("Only this class"), [text = to_qstring(slice_class)](ViewFilter& filter) {
          filter.operation_class = text;
        });
      }
    }
  }
  if (target.row != nullptr && target.row->kind != figure::GroupedRow::Kind::heading) {
    menu.addAction(tr("Hide this row"), this, act([this, pane = target.pane, row = *target.row] {
                     pane->scene.hide(row);
                     lay_out();
                   }));
  }
  menu.addSeparator();
  if (scene.hides_any()) {
    menu.addAction(tr("Show all rows"), this, [this, pane = target.pane] {
      pane->scene.show_hidden();
      lay_out();
    });
  }
  if (own_.scene.empty()) return;
  menu.addAction(tr("Show a typical step"), this, [this] { show_typical_step(); });
  menu.addAction(tr("Show everything"), this, [this] { show_everything(); });
}

}  // namespace mansard::gui
