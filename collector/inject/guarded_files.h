// SPDX-License-Identifier: Apache-2.0
// Keeps the profile's file descriptors separate from the program's. A program may close descriptors
// that it does not own, as daemons do, and then open files with the same numbers: SQLite would
// write into those.
#pragma once

namespace mansard::collector {

// Makes SQLite open its files at high descriptors and check before each use that a descriptor still
// refers to the opened file. Otherwise the call fails with EBADF, and the descriptor is not closed.
// Only for a copy of SQLite that the program does not share.
void guard_files();

// To be called in a forked child, which uses none of its parent's descriptors.
void forget_guarded_files();

// Whether a descriptor was found to be closed or reused for another file.
bool lost_guarded_files();

}  // namespace mansard::collector
