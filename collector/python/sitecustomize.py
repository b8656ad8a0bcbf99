# SPDX-License-Identifier: Apache-2.0
"""Runs when Python starts, because `mansard profile --pytorch` puts this folder first in PYTHONPATH.
Prepares the ranges of mansard_pytorch, then runs the program's own sitecustomize, which this module
hides. Afterwards, sys.path is as it would have been without this folder."""

import os
import sys

_folder = os.path.dirname(os.path.abspath(__file__))

try:
    import mansard_pytorch

    mansard_pytorch.install(os.environ.get("MANSARD_PYTORCH", ""))
except Exception as error:  # the program must start in any case
    print(f"mansard: --pytorch has no effect: {error}", file=sys.stderr)

sys.path[:] = [path for path in sys.path if os.path.abspath(path) != _folder]
del sys.modules["sitecustomize"]
try:
    import sitecustomize
except ImportError as error:
    if error.name != "sitecustomize":
        raise
