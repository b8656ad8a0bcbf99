// SPDX-License-Identifier: Apache-2.0
// Threads for jobs that take seconds: loading files and freeing runs. Separate from
// QThreadPool::globalInstance(), so that filters do not wait behind a load.
#pragma once

#include <QThreadPool>
#include <memory>
#include <utility>

namespace mansard::gui {

// Runs two loads at once; further ones are queued. Running loads are waited for when the
// application ends.
QThreadPool& load_pool();

// Whether an application exists that the pool can run for: false before it starts and while it
// ends.
bool pools_run();

// Wraps `value` so that it is destroyed in load_pool() after its last reference is gone: destroying
// millions of records takes longer than a frame. Destroyed in the releasing thread if no pool runs.
template <class T>
std::shared_ptr<T> destroyed_in_pool(std::shared_ptr<T> value) {
  if (!value) return nullptr;
  T* const address = value.get();
  return std::shared_ptr<T>(address, [value = std::move(value)](T*) mutable {
    if (!pools_run()) return value.reset();
    load_pool().start([value = std::move(value)]() mutable { value.reset(); });
  });
}

}  // namespace mansard::gui
