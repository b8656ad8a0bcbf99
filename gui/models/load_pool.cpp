// SPDX-License-Identifier: Apache-2.0
#include "gui/models/load_pool.h"

#include <QCoreApplication>

namespace mansard::gui {
namespace {

constexpr int kAtOnce = 2;

}  // namespace

QThreadPool& load_pool() {
  // Never destroyed: static objects may still release memory into it at exit.
  static QThreadPool* const pool = [] {
    auto* made = new QThreadPool;
    made->setMaxThreadCount(kAtOnce);
    made->setObjectName(QStringLiteral("loads"));
    qAddPostRoutine([] { load_pool().waitForDone(); });
    return made;
  }();
  return *pool;
}

bool pools_run() {
  return QCoreApplication::instance() != nullptr && !QCoreApplication::closingDown();
}

}  // namespace mansard::gui
