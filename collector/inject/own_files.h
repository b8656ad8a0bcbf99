// SPDX-License-Identifier: Apache-2.0
// Keeps the profile's file descriptors apart from the program's. A program may close descriptors
// that are not its own, as daemons do, and open files that get the same numbers: SQLite would then
// write into them.
#pragma once

namespace mansard::collector {

// Has SQLite open its files at high descriptors, and check before each use that a descriptor is
// still the file that was opened. One that is not fails with EBADF and is not closed. Only for a
// copy of SQLite that the program does not share.
void guard_own_files();

// In a forked child, which uses none of its parent's descriptors.
void forget_own_files();

// Whether a descriptor was found to be closed or somebody else's.
bool lost_own_files();

}  // namespace mansard::collector
