// SPDX-License-Identifier: Apache-2.0
#include "slowness.h"

#include <QImage>
#include <QPainter>
#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "gui/thread_time.h"

namespace mansard::testing {
namespace {

constexpr double kReference_ms = 10;

volatile std::uint64_t sink;

void work() {
  QImage picture(640, 480, QImage::Format_ARGB32_Premultiplied);
  picture.fill(Qt::white);
  QPainter painter(&picture);
  painter.setRenderHint(QPainter::Antialiasing);
  for (int i = 0; i < 150; ++i) {
    painter.drawLine(0, i, 639, 3 * i);
    painter.drawText(4 * i, 3 * i, QString::number(i * 7919));
  }
  painter.end();

  std::mt19937 random(1);
  std::vector<std::uint32_t> numbers(50'000);
  std::ranges::generate(numbers, random);
  std::ranges::sort(numbers);
  std::vector<std::uint32_t> jumps(500'000, 1);
  std::uint64_t sum = 0;
  for (const std::uint32_t number : numbers) sum += jumps[(number * 2654435761U) % jumps.size()]++;
  sink = sum + picture.pixel(3, 3);
}

}  // namespace

double slowness() {
  work();  // loads fonts, warms caches
  const gui::ThreadTime start = gui::thread_time();
  work();
  return std::max(
      1.0, static_cast<double>(gui::thread_time().ran_ns - start.ran_ns) * 1e-6 / kReference_ms);
}

}  // namespace mansard::testing
