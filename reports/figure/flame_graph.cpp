// SPDX-License-Identifier: Apache-2.0
#include "reports/figure/flame_graph.h"

#include <algorithm>

#include "support/text.h"
#include "support/units.h"

namespace mansard::figure {
namespace {

constexpr double kFlameGraphMargin_px = 10;
constexpr double kRow_px = 22;
constexpr double kPadding_px = 5;
constexpr double kNamed_px = 24;  // narrower boxes have no name
constexpr double kLeast_px = 1;
constexpr double kMajority = 0.5;
constexpr std::size_t kNamedClasses = 4;

std::string root_name(const analysis::RangeTree& tree) {
  return tree.by_step ? "typical step" : "whole profile";
}

std::string name_of(const analysis::RangeTree& tree, std::size_t path) {
  return path == 0 ? "kernels of a " + root_name(tree) : one_line(tree.paths[path].name);
}

analysis::OperationClass main_class(const analysis::RangePath& path) {
  for (const auto& [operation_class, time_s] : path.class_s) {
    if (time_s > kMajority * path.time_s) return operation_class;
  }
  return {};
}

// By parent, in their order.
std::vector<std::vector<std::size_t>> children_of(const analysis::RangeTree& tree) {
  std::vector<std::vector<std::size_t>> children(tree.paths.size());
  for (std::size_t i = 1; i < tree.paths.size(); ++i) children[tree.paths[i].parent].push_back(i);
  return children;
}

class FlameLayout {
 public:
  FlameLayout(const analysis::RangeTree& tree, double width_px, const MeasureText& measure)
      : tree_(tree), children_(children_of(tree)), measure_(measure) {
    out_.width = width_px;
  }

  FlameGraph take(std::size_t root) {
    std::vector<std::size_t> around;
    for (std::size_t path = root; path != 0; path = tree_.paths[path].parent) {
      around.push_back(tree_.paths[path].parent);
    }
    const double right =
        std::max(out_.width - kFlameGraphMargin_px, kFlameGraphMargin_px + kLeast_px);
    double top = kFlameGraphMargin_px / 2;
    for (; !around.empty(); around.pop_back()) {
      add(around.back(), kFlameGraphMargin_px, right, top, true);
      top += kRow_px;
    }
    const double whole_s = tree_.paths[root].time_s;
    per_s_ = whole_s > 0 ? (right - kFlameGraphMargin_px) / whole_s : 0;
    struct Open {
      std::size_t path;
      double left;
    };
    std::vector<Open> row = {{root, kFlameGraphMargin_px}};
    while (!row.empty()) {
      std::vector<Open> next;
      for (const Open& box : row) {
        add(box.path, box.left, box.left + tree_.paths[box.path].time_s * per_s_, top, false);
        double left = box.left;
        for (const std::size_t child : children_[box.path]) {
          const double width = tree_.paths[child].time_s * per_s_;
          if (width >= kLeast_px) {
            next.push_back({child, left});
          } else {
            ++out_.narrow;
          }
          left += width;
        }
      }
      top += kRow_px;
      row = std::move(next);
    }
    out_.height = top + kFlameGraphMargin_px / 2;
    return std::move(out_);
  }

 private:
  void add(std::size_t path, double left, double right, double top, bool around) {
    FlameBox box{path, {left, top, right, top + kRow_px - 1}, {}, {}, around};
    const double room_px = right - left - 2 * kPadding_px;
    const std::string name = name_of(tree_, path);
    const std::string timed = name + "  " + format_si(tree_.paths[path].time_s, "s");
    if (right - left >= kNamed_px) {
      box.name = measure_(timed).width <= room_px ? timed : fit_text(name, room_px, measure_);
    }
    box.operation_class = path == 0 ? analysis::OperationClass() : main_class(tree_.paths[path]);
    out_.boxes.push_back(std::move(box));
  }

  const analysis::RangeTree& tree_;
  std::vector<std::vector<std::size_t>> children_;
  const MeasureText& measure_;
  FlameGraph out_;
  double per_s_ = 0;
};

}  // namespace

FlameGraph layout_flame_graph(const analysis::RangeTree& tree, std::size_t root, double width_px,
                              const MeasureText& measure) {
  return FlameLayout(tree, width_px, measure).take(root);
}

std::string path_text(const analysis::RangeTree& tree, std::size_t path) {
  if (path == 0) return root_name(tree);
  std::string text = one_line(tree.paths[path].name);
  while ((path = tree.paths[path].parent) != 0) {
    text = one_line(tree.paths[path].name) + " \u203a " + text;
  }
  return text;
}

std::string describe(const analysis::RangeTree& tree, std::size_t path) {
  const analysis::RangePath& p = tree.paths[path];
  const std::string per = tree.by_step ? " per step" : "";
  std::string text = path_text(tree, path) + "\nDevice time: " + format_si(p.time_s, "s") + per;
  if (tree.paths.front().time_s > 0) {
    text += " (" + format_percent(p.time_s / tree.paths.front().time_s) + " of the kernel time)";
  }
  text += "\nSelf time: " + format_si(p.self_s, "s") + per + ", in no nested range";
  if (p.sol_s > 0 && p.cost_s > 0) {
    text += "\nSOL %: " + format_percent(p.sol_s / p.cost_s) +
            "\nPotential saving: " + format_si(p.saving_s, "s") + per;
  } else {
    text += "\nSOL time: not available";
  }
  std::vector<std::pair<double, analysis::OperationClass>> classes;
  for (const auto& [operation_class, time_s] : p.class_s) {
    classes.emplace_back(time_s, operation_class);
  }
  std::ranges::stable_sort(classes, std::greater(), [](const auto& each) { return each.first; });
  for (std::size_t i = 0; i < std::min(classes.size(), kNamedClasses); ++i) {
    const std::string name = classes[i].second.empty() ? "other" : classes[i].second.name();
    text += (i == 0 ? "\nClasses: " : ", ") + name + ' ' +
            format_percent(p.time_s > 0 ? classes[i].first / p.time_s : 0);
  }
  return text;
}

Drawing draw(const FlameGraph& graph, const analysis::RangeTree& tree,
             std::optional<std::size_t> marked) {
  Drawing out(graph.width, graph.height);
  const Ink mixed_ink = mixed(surface_ink(&Surface::background), surface_ink(&Surface::text), 0.16);
  for (const FlameBox& box : graph.boxes) {
    Ink ink = box.operation_class.empty() ? mixed_ink : class_ink(box.operation_class);
    if (box.around) ink = mixed(surface_ink(&Surface::background), ink, 0.45);
    const Link link{Link::To::bar, static_cast<std::uint32_t>(box.path)};
    out.set_title(link, describe(tree, box.path));
    Rect rect = box.rect;
    if (rect.width() >= 3) rect.right -= 1;
    Style fill = filled(ink);
    if (marked == box.path) {
      fill.stroke = surface_ink(&Surface::accent);
      fill.stroke_px = 2;
    }
    out.rect(rect, out.style(fill), link);
    if (box.name.empty()) continue;
    out.text(box.name, {rect.left + kPadding_px, rect.top, rect.right - kPadding_px, rect.bottom},
             TextAnchor::start, out.style(filled(readable_on(ink))), link);
  }
  return out;
}

}  // namespace mansard::figure
