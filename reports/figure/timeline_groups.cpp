// SPDX-License-Identifier: Apache-2.0
#include "reports/figure/timeline_groups.h"

#include <algorithm>
#include <map>
#include <span>
#include <tuple>

#include "collector/store/global_ids.h"

namespace mansard::figure {
namespace {

constexpr std::string_view kCalls = " calls";

bool is_set(const std::vector<bool>& list, std::size_t i) { return i < list.size() && list[i]; }

std::string device_label(std::int32_t device_id) { return "GPU " + std::to_string(device_id); }

std::string thread_label(const TimelineTrack& track) {
  const bool suffixed = track.kind == TrackKind::calls && track.label.ends_with(kCalls);
  return suffixed ? track.label.substr(0, track.label.size() - kCalls.size()) : track.label;
}

constexpr std::string_view kOfProcess = ", ";  // "rank 1, thread 540", "process 532, thread 540"

// "stream 7" of "GPU 0 stream 7" below "GPU 0".
std::string below_heading(const std::string& label, std::string heading) {
  if (const std::size_t process = heading.find(kOfProcess); process != std::string::npos) {
    heading.erase(0, process + kOfProcess.size());
  }
  if (label == heading) return "ranges";
  return label.starts_with(heading + ' ') ? label.substr(heading.size() + 1) : label;
}

class GroupLayout {
 public:
  explicit GroupLayout(const Timeline& timeline, double left = 0, double right = 0, double top = 0,
                       bool labels_above = false)
      : timeline_(timeline),
        left_(left),
        right_(right),
        label_px_(labels_above ? kRowLabel_px : 0) {
    out_.bottom = top;
    std::int64_t busiest_ns = 0;
    for (const TimelineTrack& track : timeline.tracks) {
      if (track.kind == TrackKind::stream) {
        busiest_ns = std::max(busiest_ns, track.slices.busy_ns());
      }
    }
    quiet_ns_ = kQuiet * static_cast<double>(busiest_ns);
  }

  void add(RowKind kind, std::size_t group, std::size_t index, double height_px,
           const std::string& label, bool closed = false) {
    const bool again = !out_.rows.empty() && out_.rows.back().kind == RowKind::track &&
                       kind == RowKind::track && label == label_;
    if (!out_.rows.empty()) out_.bottom += again ? kLaneGap_px : gap_px(kind);
    if (!again) out_.bottom += label_px_;
    out_.rows.push_back({kind,
                         closed,
                         group,
                         index,
                         {left_, out_.bottom, right_, out_.bottom + height_px},
                         again ? std::string() : label});
    out_.bottom += height_px;
    label_ = label;
  }

  void add_track(std::size_t group, std::size_t i, const std::string& label) {
    add(RowKind::track, group, i, height_px(timeline_.tracks[i]), label);
  }
  void add_line(std::size_t group, std::size_t i, const std::string& label) {
    add(RowKind::line, group, i, kLineRow_px, label);
  }

  // Labels omit the text of the heading.
  void add_rows(std::size_t number, const TimelineGroup& group, const HiddenRows& hidden,
                const std::string& heading) {
    for (const std::size_t i : group.tracks) {
      if (is_set(hidden.tracks, i)) continue;
      add_track(number, i, below_heading(timeline_.tracks[i].label, heading));
    }
    for (const std::size_t i : group.lines) {
      if (is_set(hidden.lines, i)) continue;
      add_line(number, i, below_heading(timeline_.lines[i].label(), heading));
    }
  }
  TimelineRows take() { return std::move(out_); }

 private:
  double gap_px(RowKind kind) const {
    const bool below_heading = out_.rows.back().kind == RowKind::heading;
    return below_heading && kind != RowKind::heading ? kLabelGap_px / 2 : kLabelGap_px;
  }

  // Nearly idle streams and API calls have low rows.
  double height_px(const TimelineTrack& track) const {
    switch (track.kind) {
      case TrackKind::steps:
        return 20;
      case TrackKind::device_ranges:
      case TrackKind::host_ranges:
        return 18;
      case TrackKind::stream:
        return static_cast<double>(track.slices.busy_ns()) < quiet_ns_ ? 16 : 34;
      case TrackKind::calls:
        return 14;
    }
    return 0;
  }

  static constexpr double kQuiet = 0.01;  // fraction of the busiest stream's time

  const Timeline& timeline_;
  double quiet_ns_ = 0;
  TimelineRows out_;
  double left_;
  double right_;
  double label_px_;    // above the first row of each label
  std::string label_;  // of the last row
};

}  // namespace

namespace {

// Keeps the threads of each process together and names the process: ranks run the same threads.
void group_by_process(std::vector<TimelineGroup>& groups, const Timeline& timeline) {
  std::vector<std::int64_t> processes;  // in the order of their first thread
  const auto process_of = [&](const TimelineGroup& group) {
    return store::process_key(timeline.tracks[group.tracks.front()].queue.stream_id);
  };
  const auto is_thread = [](const TimelineGroup& group) {
    return group.device_id < 0 && !group.tracks.empty();
  };
  for (const TimelineGroup& group : groups) {
    if (is_thread(group) && std::ranges::count(processes, process_of(group)) == 0) {
      processes.push_back(process_of(group));
    }
  }
  if (processes.size() < 2) return;
  // Clang 14 cannot use the subrange that std::ranges::stable_partition returns.
  const auto threads = std::stable_partition(
      groups.begin(), groups.end(), [&](const TimelineGroup& group) { return !is_thread(group); });
  const auto place = [&](const TimelineGroup& group) {
    return std::ranges::find(processes, process_of(group)) - processes.begin();
  };
  std::stable_sort(threads, groups.end(), [&](const TimelineGroup& a, const TimelineGroup& b) {
    return place(a) < place(b);
  });
  for (TimelineGroup& group : std::span(threads, groups.end())) {
    const std::int64_t thread = timeline.tracks[group.tracks.front()].queue.stream_id;
    const auto rank = timeline.ranks.find(process_of(group));
    const std::string process = rank != timeline.ranks.end()
                                    ? "rank " + std::to_string(rank->second)
                                    : "process " + std::to_string(store::pid_of(thread));
    group.label = process + std::string(kOfProcess) + group.label;
  }
}

}  // namespace

std::vector<TimelineGroup> groups_of(const Timeline& timeline) {
  std::vector<TimelineGroup> groups;
  std::map<std::pair<std::int32_t, std::int64_t>, std::size_t> known;  // device and thread
  const auto group = [&](std::int32_t device_id, std::int64_t thread,
                         const std::string& label) -> TimelineGroup& {
    const auto [found, is_new] = known.try_emplace({device_id, thread}, groups.size());
    if (is_new) groups.push_back({label, device_id, {}, {}});
    return groups[found->second];
  };
  for (std::size_t i = 0; i < timeline.tracks.size(); ++i) {
    const TimelineTrack& track = timeline.tracks[i];
    const bool of_device = track.device_id >= 0;
    group(track.device_id, of_device ? -1 : track.queue.stream_id,
          of_device ? device_label(track.device_id) : thread_label(track))
        .tracks.push_back(i);
  }
  for (std::size_t i = 0; i < timeline.lines.size(); ++i) {
    const std::int32_t device_id = timeline.lines[i].device_id();
    group(device_id, -1, device_id < 0 ? "samples" : device_label(device_id)).lines.push_back(i);
  }
  group_by_process(groups, timeline);
  return groups;
}

TimelineRows lay_out_groups(const Timeline& timeline, const std::vector<TimelineGroup>& groups,
                            const HiddenRows& hidden) {
  GroupLayout layout(timeline);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const bool closed = is_set(hidden.closed, g);
    layout.add(RowKind::heading, g, g, kHeading_px, groups[g].label, closed);
    if (!closed) layout.add_rows(g, groups[g], hidden, groups[g].label);
  }
  return layout.take();
}

TimelineRows lay_out_pinned(const Timeline& timeline, const std::vector<TimelineRow>& rows) {
  GroupLayout layout(timeline);
  for (const TimelineRow& row : rows) {
    if (row.kind == RowKind::track) {
      layout.add_track(row.group, row.index, timeline.tracks[row.index].label);
    } else if (row.kind == RowKind::line) {
      layout.add_line(row.group, row.index, timeline.lines[row.index].label());
    }
  }
  return layout.take();
}

TimelineRows lay_out_rows(const Timeline& timeline, double left, double right, double top,
                          bool labels_above, const HiddenRows& hidden) {
  GroupLayout layout(timeline, left, right, top, labels_above);
  for (const TimelineGroup& group : groups_of(timeline)) layout.add_rows(0, group, hidden, {});
  return layout.take();
}

}  // namespace mansard::figure
