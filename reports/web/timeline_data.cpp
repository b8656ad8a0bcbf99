// SPDX-License-Identifier: Apache-2.0
#include "reports/web/timeline_data.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>
#include <utility>

#include <nlohmann/json.hpp>

#include "analyzer/profile_times.h"
#include "reports/figure/slice_records.h"
#include "reports/figure/slice_style.h"
#include "reports/figure/slices_of_steps.h"
#include "reports/web/page_limits.h"
#include "reports/web/page_theme.h"
#include "support/text.h"

namespace mansard::reports {
namespace {

using Json = nlohmann::ordered_json;
using Slices = std::vector<figure::SliceRef>;

// Numbers texts in the order in which they are first asked for.
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

// To the five digits that a figure can show at most.
Json rounded(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.5g", value);
  const double near = std::strtod(text, nullptr);
  constexpr double kExact = 1e15;
  if (std::fabs(near) > kExact || near != std::trunc(near)) return near;
  return static_cast<std::int64_t>(near);
}

class Writer {
 public:
  Writer(const analysis::RunAnalysis& run, const figure::Timeline& timeline,
         const figure::ShownStep& shown, std::size_t rows_on_page)
      : timeline_(timeline), shown_(shown), rows_on_page_(rows_on_page), records_(run) {}

  TimelineData write() {
    const std::int64_t origin_ns = timeline_.zero_ns;
    json_ = {{"schema", "launches"},
             {"origin_ns", std::to_string(origin_ns)},
             {"span_ns", {timeline_.span.start_ns - origin_ns, timeline_.span.end_ns - origin_ns}},
             {"shown", one_line(shown_.name)},
             {"shown_ns", {shown_.window.start_ns - origin_ns, shown_.window.end_ns - origin_ns}},
             {"classes", classes()}};
    add_launches();
    json_["copies"] = copies();
    json_["streams"] = places(figure::TrackKind::stream, figure::TrackKind::stream);
    json_["ranges"] = ranges();
    json_["calls"] = calls();
    json_["steps"] = steps();
    json_["lines"] = lines();
    out_.json = json_.dump();
    return std::move(out_);
  }

 private:
  const figure::TimelineTrack& track(const figure::SliceRef& ref) const {
    return timeline_.tracks[ref.track];
  }
  figure::Slice slice(const figure::SliceRef& ref) const {
    return track(ref).slices.slice(ref.slice);
  }
  const figure::SliceName& name(const figure::SliceRef& ref) const {
    return timeline_.names[slice(ref).key];
  }
  analysis::OperationClass class_of(const figure::SliceRef& ref) const {
    return timeline_.classes[name(ref).of_class];
  }

  // Slices of tracks of these kinds; `kernels`: of streams only kernels, or only the others.
  Slices take(std::size_t limit, const char* what, figure::TrackKind kind_a,
              figure::TrackKind kind_b, std::optional<bool> kernels = std::nullopt) {
    figure::SliceChoice choice;
    choice.tracks = [=](const figure::TimelineTrack& t) {
      return t.kind == kind_a || t.kind == kind_b;
    };
    if (kernels) {
      for (const figure::SliceName& n : timeline_.names)
        choice.keys.push_back(is_kernel(n) == *kernels);
    }
    figure::ChosenSlices chosen = figure::slices_of_steps(timeline_, shown_, limit, choice);
    if (chosen.slices.size() < chosen.total) {
      std::string part =
          std::to_string(chosen.slices.size()) + " of " + std::to_string(chosen.total) + ' ' + what;
      if (chosen.steps > 0) part += " (" + std::to_string(chosen.steps) + " typical steps)";
      out_.parts.push_back(std::move(part));
    }
    return std::move(chosen.slices);
  }

  bool is_kernel(const figure::SliceName& n) const {
    const analysis::OperationClass c = timeline_.classes[n.of_class];
    return c != analysis::kMemcpyClass && c != analysis::kMemsetClass && c != figure::kGraphClass;
  }

  template <class Value>
  static Json column(const Slices& slices, Value value) {
    Json list = Json::array();
    for (const figure::SliceRef& ref : slices) list.push_back(value(ref));
    return list;
  }

  // Starts as differences from the one before, the first from time zero.
  Json times(const Slices& slices) const {
    std::int64_t before_ns = timeline_.zero_ns;
    Json json;
    json["start_ns"] = column(slices, [&](const figure::SliceRef& ref) {
      const std::int64_t start_ns = slice(ref).start_ns;
      return start_ns - std::exchange(before_ns, start_ns);
    });
    json["duration_ns"] = column(slices, [this](const figure::SliceRef& ref) {
      return track(ref).slices.duration_ns(ref.slice);
    });
    return json;
  }

  // Labels and devices (-1: a thread's), each once, in the order of the tracks.
  Json places(figure::TrackKind kind_a, figure::TrackKind kind_b) const {
    Json list = Json::array();
    Numbered labels;
    for (const figure::TimelineTrack& t : timeline_.tracks) {
      if ((t.kind != kind_a && t.kind != kind_b) || labels.of(t.label) != list.size()) continue;
      list.push_back({{"label", one_line(t.label)}, {"device", t.device_id}});
    }
    return list;
  }
  // The place of each, by its number in places().
  Json place_column(const Slices& slices, figure::TrackKind kind_a,
                    figure::TrackKind kind_b) const {
    Numbered labels;
    for (const figure::TimelineTrack& t : timeline_.tracks) {
      if (t.kind == kind_a || t.kind == kind_b) labels.of(t.label);
    }
    return column(slices, [&](const figure::SliceRef& ref) { return labels.of(track(ref).label); });
  }

  // What each is called, by its number in "texts", whose classes are "classes".
  void add_texts(Json& json, const Slices& slices) const {
    Numbered texts;
    Json class_of_text = Json::array();
    json["text"] = column(slices, [&](const figure::SliceRef& ref) {
      const std::size_t number = texts.of(name(ref).text);
      if (number == class_of_text.size()) class_of_text.push_back(one_line(class_of(ref)));
      return number;
    });
    json["texts"] = texts.texts();
    json["classes"] = std::move(class_of_text);
  }

  // How each class that streams have is drawn.
  Json classes() const {
    Json json = Json::object();
    for (const figure::TimelineTrack& t : timeline_.tracks) {
      if (t.kind != figure::TrackKind::stream) continue;
      for (const std::uint16_t index : t.slices.classes()) {
        const analysis::OperationClass c = timeline_.classes[index];
        const figure::SliceStyle style = figure::slice_style(c);
        json[one_line(c)] = {{"style", colour_style(figure::class_ink(style.colour_class))},
                             {"shape", class_shape(style.colour_class, 1)},
                             {"lines", style.lines}};
      }
    }
    return json;
  }

  void add_launches() {
    const Slices slices = take(kMaxPageLaunches, "kernel launches", figure::TrackKind::stream,
                               figure::TrackKind::stream, true);
    json_.update(times(slices));
    json_["row"] = column(slices, [this](const figure::SliceRef& ref) {
      const std::int64_t row = name(ref).row;
      return row < static_cast<std::int64_t>(rows_on_page_) ? row : -1;
    });
    json_["stream"] = place_column(slices, figure::TrackKind::stream, figure::TrackKind::stream);
    add_launch_calls(slices);
  }

  // Launch latencies (-1: not known) and stacks of ranges: "within" has numbers of "stacks" (-1:
  // none), as differences from the launch before, the first from 0.
  void add_launch_calls(const Slices& slices) {
    Json latencies = Json::array();
    Json within = Json::array();
    Numbered stacks;
    std::int64_t before = 0;
    for (const figure::SliceRef& ref : slices) {
      const std::optional<store::ApiRecord> call = records_.launch_call(slice(ref));
      latencies.push_back(call ? analysis::launch_latency_ns(*call, slice(ref).start_ns) : -1);
      const std::string stack = call ? records_.ranges_around(*call) : std::string();
      const std::int64_t number = stack.empty() ? -1 : static_cast<std::int64_t>(stacks.of(stack));
      within.push_back(number - std::exchange(before, number));
    }
    json_["launch_latency_ns"] = std::move(latencies);
    json_["within"] = std::move(within);
    json_["stacks"] = front_coded(stacks.texts());
  }

  // Each text after the first as the number of its first characters that it shares with the text
  // before, and the others: [[0, "step 0 > layer 0"], [15, "1"]]. Characters are code points.
  static Json front_coded(const Json& texts) {
    Json json = Json::array();
    std::string before;
    for (const Json& item : texts) {
      const std::string& text = item.get_ref<const std::string&>();
      std::size_t bytes = std::ranges::mismatch(before, text).in1 - before.begin();
      // Not within a character: its bytes after the first are 10xxxxxx.
      const auto inside = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; };
      while (bytes > 0 && bytes < text.size() && inside(text[bytes])) --bytes;
      const auto shared =
          std::count_if(text.begin(), text.begin() + bytes, [&](char c) { return !inside(c); });
      json.push_back({shared, text.substr(bytes)});
      before = text;
    }
    return json;
  }

  Json copies() {
    const Slices slices = take(kMaxPageCopies, "copies and fills", figure::TrackKind::stream,
                               figure::TrackKind::stream, false);
    Json json = times(slices);
    json["bytes"] = column(
        slices, [this](const figure::SliceRef& ref) { return records_.moved_bytes(slice(ref)); });
    json["stream"] = place_column(slices, figure::TrackKind::stream, figure::TrackKind::stream);
    add_texts(json, slices);
    return json;
  }

  Json ranges() {
    constexpr figure::TrackKind kOnDevice = figure::TrackKind::device_ranges;
    constexpr figure::TrackKind kOnHost = figure::TrackKind::host_ranges;
    const Slices slices = take(kMaxPageRanges, "ranges", kOnDevice, kOnHost);
    Json json = times(slices);
    json["depth"] = column(slices, [this](const figure::SliceRef& ref) { return track(ref).lane; });
    json["track"] = place_column(slices, kOnDevice, kOnHost);
    add_texts(json, slices);
    json["tracks"] = places(kOnDevice, kOnHost);
    return json;
  }

  Json calls() {
    const Slices slices =
        take(kMaxPageCalls, "CUDA calls", figure::TrackKind::calls, figure::TrackKind::calls);
    Json json = times(slices);
    json["depth"] = column(slices, [this](const figure::SliceRef& ref) { return track(ref).lane; });
    json["track"] = place_column(slices, figure::TrackKind::calls, figure::TrackKind::calls);
    add_texts(json, slices);
    json["tracks"] = places(figure::TrackKind::calls, figure::TrackKind::calls);
    return json;
  }

  Json steps() {
    const Slices slices =
        take(kMaxPageRanges, "steps", figure::TrackKind::steps, figure::TrackKind::steps);
    Json json = times(slices);
    json["track"] = place_column(slices, figure::TrackKind::steps, figure::TrackKind::steps);
    add_texts(json, slices);
    json["typical"] = column(slices, [this](const figure::SliceRef& ref) {
      return class_of(ref) == figure::kStepClass ? 1 : 0;
    });
    json["tracks"] = places(figure::TrackKind::steps, figure::TrackKind::steps);
    return json;
  }

  Json lines() {
    std::size_t samples = 0;
    for (const figure::LineTrack& line : timeline_.lines) samples += line.size();
    const std::size_t stride =
        std::max<std::size_t>(1, (samples + kMaxPageSamples - 1) / kMaxPageSamples);
    if (stride > 1) out_.parts.push_back("one in " + std::to_string(stride) + " samples");
    Json json = Json::array();
    for (const figure::LineTrack& line : timeline_.lines) {
      Json time = Json::array();
      Json value = Json::array();
      std::int64_t before_ns = timeline_.zero_ns;
      for (std::size_t i = 0; i < line.size(); i += stride) {
        time.push_back(line.time_ns(i) - std::exchange(before_ns, line.time_ns(i)));
        value.push_back(rounded(line.value(i)));
      }
      json.push_back({{"label", one_line(line.label())},
                      {"unit", line.unit()},
                      {"time_ns", std::move(time)},
                      {"value", std::move(value)}});
    }
    return json;
  }

  const figure::Timeline& timeline_;
  const figure::ShownStep& shown_;
  std::size_t rows_on_page_;
  figure::SliceRecords records_;
  Json json_;
  TimelineData out_;
};

}  // namespace

TimelineData timeline_data(const analysis::RunAnalysis& run, const figure::Timeline& timeline,
                           const figure::ShownStep& shown, std::size_t rows_on_page) {
  return Writer(run, timeline, shown, rows_on_page).write();
}

}  // namespace mansard::reports
