// SPDX-License-Identifier: Apache-2.0
// Threads for what takes seconds: loads of files, and giving back the memory of runs. They are not
// those of QThreadPool::globalInstance(), in which a filter must not wait behind a load.
#pragma once

#include <QThreadPool>
#include <memory>
#include <utility>

namespace mansard::gui {

// Two loads at once; more wait. What still runs when the application ends is waited for.
QThreadPool& load_pool();

// Whether there is an application to run a pool for: not before it begins, nor while it ends.
bool pools_run();

// `value`, which is destroyed in load_pool() once nobody holds what is returned: millions of
// records take longer than a frame. Destroyed where it is let go of if no pool runs.
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
