// SPDX-License-Identifier: Apache-2.0
#include "reports/web/timeline_data.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>

#include <nlohmann/json.hpp>

#include "analyzer/profile_times.h"
#include "reports/figure/slice_records.h"
#include "reports/figure/slice_style.h"
#include "reports/figure/slices_of_steps.h"
#include "reports/figure/svg_writer.h"
#include "reports/figure/time_ticks.h"
#include "reports/figure/timeline_drawing.h"
#include "reports/web/figure_html.h"
#include "reports/web/page_limits.h"
#include "reports/web/page_theme.h"
#include "reports/web/timeline_svg.h"
#include "support/text.h"
#include "support/units.h"

namespace mansard::reports {
namespace {

using Json = nlohmann::ordered_json;
using figure::TrackKind;

// Assigns numbers to texts in the order of their first use.
class Numbered {
 public:
  std::size_t of(const std::string& text) {
    const auto [known, is_new] = numbers_.try_emplace(text, texts_.size());
    if (is_new) texts_.push_back(one_line(text));
    return known->second;
  }
  const std::vector<std::string>& texts() const { return texts_; }

 private:
  std::map<std::string, std::size_t> numbers_;
  std::vector<std::string> texts_;
};

std::string_view kind_name(TrackKind kind) {
  switch (kind) {
    case TrackKind::steps:
      return "steps";
    case TrackKind::device_ranges:
    case TrackKind::host_ranges:
      return "ranges";
    case TrackKind::stream:
      return "stream";
    case TrackKind::calls:
      return "calls";
  }
  return {};
}

class TimelineDataWriter {
 public:
  TimelineDataWriter(const analysis::RunAnalysis& run, const figure::Timeline& timeline,
                     const figure::ShownStep& shown, std::size_t rows_on_page)
      : profile_(run.profile),
        timeline_(timeline),
        shown_(shown),
        rows_on_page_(rows_on_page),
        records_(run),
        chosen_(timeline.tracks.size()) {}

  TimelineData write() {
    choose();
    std::vector<bool> has_slices;
    for (const std::vector<std::size_t>& slices : chosen_) has_slices.push_back(!slices.empty());
    hidden_ = hidden_in_interactive(timeline_, has_slices);
    const std::int64_t origin_ns = timeline_.zero_ns;
    Json json = {
        {"schema", "timeline"},
        {"origin_ns", std::to_string(origin_ns)},
        {"span_ns", {timeline_.span.start_ns - origin_ns, timeline_.span.end_ns - origin_ns}},
        {"shortest_ns", figure::TimeScale::kMinLength_ns},
        {"shown", one_line(shown_.name)},
        {"shown_ns", {shown_.window.start_ns - origin_ns, shown_.window.end_ns - origin_ns}},
        {"sizes", sizes()},
        {"axis", axis()},
        {"inks", inks()}};
    json["tracks"] = Json::array();
    for (std::size_t i = 0; i < timeline_.tracks.size(); ++i) {
      if (!has_slices[i]) continue;
      row_of_track_[i] = json["tracks"].size();
      json["tracks"].push_back(track_json(i));
      out_.left_out += hidden_.tracks[i] ? 1 : 0;
    }
    json["lines"] = lines();
    json["layouts"] = {layout(kNarrowFigure_px, 0), layout(kWideFigure_px, kNarrowTimeline_px)};
    json["names"] = std::move(names_);
    json["looks"] = std::move(looks_);
    json["stacks"] = front_coded(stacks_.texts());
    json["styles"] = styles_.texts();
    out_.json = json.dump();
    return std::move(out_);
  }

 private:
  bool is_kernel(const figure::SliceName& n) const {
    const analysis::OperationClass c = timeline_.classes[n.of_class];
    return c != analysis::kMemcpyClass && c != analysis::kMemsetClass && c != figure::kGraphClass;
  }

  // Selects slices of tracks of these kinds. `kernels`: in streams, only kernels (true) or only
  // other slices (false).
  void choose(std::size_t limit, const char* what, std::initializer_list<TrackKind> kinds,
              std::optional<bool> kernels = std::nullopt) {
    figure::SliceChoice choice;
    choice.tracks = [=](const figure::TimelineTrack& t) {
      return std::ranges::find(kinds, t.kind) != kinds.end();
    };
    if (kernels) {
      for (const figure::SliceName& n : timeline_.names)
        choice.keys.push_back(is_kernel(n) == *kernels);
    }
    const figure::ChosenSlices chosen = figure::slices_of_steps(timeline_, shown_, limit, choice);
    for (const figure::SliceRef& ref : chosen.slices) chosen_[ref.track].push_back(ref.slice);
    if (chosen.slices.size() == chosen.total) return;
    std::string part =
        format_whole(chosen.slices.size()) + " of " + format_whole(chosen.total) + ' ' + what;
    if (chosen.steps > 0) part += " (" + format_whole(chosen.steps) + " typical steps)";
    out_.parts.push_back(std::move(part));
  }

  void choose() {
    choose(kMaxPageLaunches, "kernel launches", {TrackKind::stream}, true);
    choose(kMaxPageCopies, "memcpys and memsets", {TrackKind::stream}, false);
    choose(kMaxPageRanges, "ranges", {TrackKind::device_ranges, TrackKind::host_ranges});
    choose(kMaxPageCalls, "API calls", {TrackKind::calls});
    choose(kMaxPageRanges, "steps", {TrackKind::steps});
    std::size_t number = 0;
    for (std::size_t of = 0; of < chosen_.size(); ++of) {
      std::ranges::sort(chosen_[of]);
      const figure::TimelineTrack& track = timeline_.tracks[of];
      for (const std::size_t i : chosen_[of]) {
        if (track.kind == TrackKind::calls) number_of_call_[track.slices.record(i)] = number;
        ++number;
      }
    }
  }

  std::size_t style(const figure::Style& style, bool text = false) {
    return styles_.of(figure::css_style(style, text, true));
  }
  std::size_t fill(const figure::Ink& ink) { return style(figure::filled(ink)); }
  std::size_t fill(figure::Rgb figure::Surface::*role) { return fill(figure::surface_ink(role)); }

  static Json sizes() {
    return {{"merge", figure::kMergeWidth_px},
            {"least", figure::kLeastHeight_px},
            {"separated", figure::kSeparated_px},
            {"named", figure::kNamed_px},
            {"padding", figure::kNamePadding_px},
            {"line", figure::kSliceLine_px},
            {"fewest", figure::kMinColumns},
            {"both_ends", figure::kBothEnds_columns},
            {"text", figure::page_text_size("0").height},
            {"baseline", figure::kBaseline_px}};
  }

  Json axis() const {
    const double gap_px = figure::kTickGap_lines * figure::page_text_size("0").height;
    Json units = Json::array();
    for (const figure::TimeUnit& u : figure::time_units()) {
      units.push_back({u.ns, u.digits, u.symbol});
    }
    Json steps = Json::array();
    const double extent_ns = figure::difference_ns(timeline_.span.end_ns, timeline_.span.start_ns);
    for (const figure::TimeStep& s : figure::time_steps(extent_ns, gap_px)) {
      steps.push_back({s.ns, s.exponent, s.parts});
    }
    return {{"gap", gap_px},
            {"tick", figure::kTick_px},
            {"margin", figure::kLabelMargin_px},
            {"far", figure::kFarFromOrigin},
            {"units", std::move(units)},
            {"steps", std::move(steps)}};
  }

  Json inks() {
    using figure::Surface;
    return {{"background", fill(&Surface::background)},
            {"ground", fill(&Surface::roof)},
            {"grid", fill(&Surface::grid)},
            {"text", fill(&Surface::text)},
            {"faint", fill(&Surface::faint_text)},
            {"accent", fill(&Surface::accent)},
            {"value",
             style(figure::stroked(figure::surface_ink(&Surface::text), figure::kValueLine_px))}};
  }

  // The rows at one figure width, numbered tracks first, then lines.
  Json layout(double width_px, double from_px) {
    const TimelineFrame frame = timeline_frame(timeline_, hidden_, width_px);
    const figure::RowLabelPlace place =
        figure::row_label_place(frame.area, frame.plot, frame.labels_above);
    const bool start = place.anchor == figure::TextAnchor::start;
    Json rows = Json::array();
    for (const figure::TimelineRow& row : frame.rows) {
      const bool is_line = row.kind == figure::RowKind::line;
      Json json = {is_line ? row_of_track_.size() + row.index : row_of_track_[row.index],
                   row.box.top, row.box.height()};
      for (const figure::RowLabel& label : figure::row_labels(row, timeline_, frame.labels_above)) {
        json.push_back({label.text, label.y,
                        fill(label.faint ? &figure::Surface::faint_text : &figure::Surface::text)});
      }
      rows.push_back(std::move(json));
    }
    return {{"from", from_px},
            {"plot", {frame.plot.left, frame.plot.top, width_px - frame.plot.right}},
            {"height", frame.area.bottom},
            // "room": label width beside the plot, or (negative) the margin of labels above their
            // rows.
            {"labels",
             {{"align", start ? "left" : "right"},
              {"x", place.x},
              {"room", start ? place.room_px - width_px : place.room_px}}},
            {"rows", std::move(rows)}};
  }

  // The index into "looks" of a class on tracks of a kind.
  std::size_t look(TrackKind kind, analysis::OperationClass slice_class) {
    const auto [known, is_new] = look_numbers_.try_emplace({kind, slice_class}, looks_.size());
    if (!is_new) return known->second;
    const figure::SliceLook look = figure::slice_look(kind, slice_class);
    const analysis::OperationClass mark = figure::slice_style(slice_class).color_class;
    Json json = {
        {"class", one_line(slice_class)}, {"fill", fill(look.fill)}, {"faded", fill(look.faded)}};
    if (look.merged) json["merged"] = fill(*look.merged);
    if (look.name) json["name"] = fill(*look.name);
    if (look.faded_name) json["faded_name"] = fill(*look.faded_name);
    json["lines"] = look.lines;
    json["rises"] = look.rises;
    // Classes of streams also appear in legends.
    if (kind == TrackKind::stream) {
      json["style"] = color_style(figure::class_ink(mark));
      json["shape"] = class_shape(mark, 1);
    }
    looks_.push_back(std::move(json));
    return known->second;
  }

  // The index into "names" of a key on tracks of a kind.
  std::size_t name(TrackKind kind, std::uint32_t key) {
    const auto [known, is_new] = name_numbers_.try_emplace({kind, key}, names_.size());
    if (!is_new) return known->second;
    const figure::SliceName& n = timeline_.names[key];
    Json json = {look(kind, timeline_.classes[n.of_class])};
    if (kind != TrackKind::stream || !is_kernel(n)) {
      json.push_back(one_line(n.text));
    } else if (n.row >= 0 && static_cast<std::size_t>(n.row) < rows_on_page_) {
      json.push_back(n.row);
    }
    names_.push_back(std::move(json));
    return known->second;
  }

  template <class Value>
  Json column(std::size_t of, Value value) const {
    const figure::SliceTrack& track = timeline_.tracks[of].slices;
    Json list = Json::array();
    for (const std::size_t i : chosen_[of]) list.push_back(value(track.slice(i)));
    return list;
  }

  // Each gap is between the end of the previous slice and the start of this one; the first is
  // relative to time zero. Gaps compress better than starts.
  Json track_json(std::size_t of) {
    const figure::TimelineTrack& track = timeline_.tracks[of];
    std::int64_t end_ns = timeline_.zero_ns;
    Json json = {{"kind", kind_name(track.kind)},
                 {"label", one_line(track.label)},
                 {"device", track.device_id},
                 {"ground", figure::has_ground(track.kind)}};
    json["gap_ns"] = column(of, [&](const figure::Slice& slice) {
      return slice.start_ns - std::exchange(end_ns, slice.end_ns);
    });
    json["duration_ns"] =
        column(of, [](const figure::Slice& slice) { return slice.end_ns - slice.start_ns; });
    json["name"] =
        column(of, [&](const figure::Slice& slice) { return name(track.kind, slice.key); });
    if (track.kind == TrackKind::stream) add_launches(json, of);
    return json;
  }

  // For each slice the number of its API call's slice, counted over all tracks (-1: not on the
  // page), and of its range stack in "stacks" (-1: none). Launch latencies (-1: unknown) only for
  // slices whose call is not on the page. All as differences from the previous value. Bytes of
  // memcpys and memsets by slice number in the track.
  void add_launches(Json& json, std::size_t of) {
    Json latencies = Json::array();
    Json calls = Json::array();
    Json within = Json::array();
    Json bytes = Json::object();
    std::int64_t call_before = 0;
    std::int64_t before = 0;
    std::int64_t latency_before_ns = 0;
    for (const std::size_t i : chosen_[of]) {
      const figure::Slice slice = timeline_.tracks[of].slices.slice(i);
      const bool kernel = is_kernel(timeline_.names[slice.key]);
      if (!kernel) bytes[std::to_string(calls.size())] = records_.moved_bytes(slice);
      const std::optional<std::size_t> index = kernel ? records_.launch_call(slice) : std::nullopt;
      const auto on_page = index ? number_of_call_.find(*index) : number_of_call_.end();
      const std::int64_t call_number =
          on_page == number_of_call_.end() ? -1 : static_cast<std::int64_t>(on_page->second);
      calls.push_back(call_number - std::exchange(call_before, call_number));
      std::optional<store::ApiRecord> call;
      if (index) call = profile_.api_calls[*index];
      if (call_number < 0) {
        const std::int64_t latency_ns =
            call ? analysis::launch_latency_ns(*call, slice.start_ns) : -1;
        latencies.push_back(latency_ns - std::exchange(latency_before_ns, latency_ns));
      }
      const std::string stack = kernel ? records_.ranges_around(slice) : std::string();
      const std::int64_t number = stack.empty() ? -1 : static_cast<std::int64_t>(stacks_.of(stack));
      within.push_back(number - std::exchange(before, number));
    }
    json["launch_latency_ns"] = std::move(latencies);
    json["call"] = std::move(calls);
    json["within"] = std::move(within);
    if (!bytes.empty()) json["bytes"] = std::move(bytes);
  }

  // Front coding: for each text the number of leading characters shared with the previous text, and
  // the rest: [[0, "step 0 > layer 0"], [15, "1"]]. Characters are code points.
  static Json front_coded(const Json& texts) {
    Json json = Json::array();
    std::string before;
    for (const Json& item : texts) {
      const std::string& text = item.get_ref<const std::string&>();
      std::size_t bytes = std::ranges::mismatch(before, text).in1 - before.begin();
      // Do not split a UTF-8 character: continuation bytes are 10xxxxxx.
      const auto inside = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; };
      while (bytes > 0 && bytes < text.size() && inside(text[bytes])) --bytes;
      const auto shared =
          std::count_if(text.begin(), text.begin() + bytes, [&](char c) { return !inside(c); });
      json.push_back({shared, text.substr(bytes)});
      before = text;
    }
    return json;
  }

  // The visible lines. "y" is relative to the top of the row.
  Json lines() {
    std::size_t samples = 0;
    const auto shown = static_cast<std::size_t>(std::ranges::count(hidden_.lines, false));
    const std::span lines = std::span(timeline_.lines).first(shown);  // the rest are hidden
    for (const figure::LineTrack& line : lines) samples += line.size();
    const std::size_t stride =
        std::max<std::size_t>(1, (samples + kMaxPageSamples - 1) / kMaxPageSamples);
    if (stride > 1) out_.parts.push_back("one in " + format_whole(stride) + " samples");
    out_.left_out += timeline_.lines.size() - lines.size();
    Json json = Json::array();
    for (const figure::LineTrack& line : lines) {
      Json time = Json::array();
      Json y = Json::array();
      const figure::Rect row{0, 0, 0, figure::kLineRow_px};
      const figure::ValueRange range = line.range(0, line.size());
      std::int64_t before_ns = timeline_.zero_ns;
      for (std::size_t i = 0; i < line.size(); i += stride) {
        time.push_back(line.time_ns(i) - std::exchange(before_ns, line.time_ns(i)));
        // 0.1 pixels is below the resolution of a screen.
        y.push_back(std::round(10 * figure::value_y(row, range, line.value(i))) / 10);
      }
      json.push_back(
          {{"label", one_line(line.label())}, {"time_ns", std::move(time)}, {"y", std::move(y)}});
    }
    return json;
  }

  const store::Profile& profile_;
  const figure::Timeline& timeline_;
  const figure::ShownStep& shown_;
  std::size_t rows_on_page_;
  figure::SliceRecords records_;
  std::vector<std::vector<std::size_t>> chosen_;                 // slices by track, ascending
  std::unordered_map<std::size_t, std::size_t> number_of_call_;  // by index into api_calls
  figure::HiddenRows hidden_;
  std::map<std::size_t, std::size_t> row_of_track_;  // its number in "tracks"
  std::map<std::pair<TrackKind, analysis::OperationClass>, std::size_t> look_numbers_;
  std::map<std::pair<TrackKind, std::uint32_t>, std::size_t> name_numbers_;
  Numbered styles_;
  Numbered stacks_;
  Json looks_ = Json::array();
  Json names_ = Json::array();
  TimelineData out_;
};

}  // namespace

TimelineData timeline_data(const analysis::RunAnalysis& run, const figure::Timeline& timeline,
                           const figure::ShownStep& shown, std::size_t rows_on_page) {
  return TimelineDataWriter(run, timeline, shown, rows_on_page).write();
}

}  // namespace mansard::reports
