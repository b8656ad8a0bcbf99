// SPDX-License-Identifier: Apache-2.0
// A view state as JSON, to be kept.
#pragma once

#include <QJsonObject>
#include <optional>

#include "gui/models/selection_model.h"

namespace mansard::gui {

// {"version": 1, "row": 3, "launch": 17, "filter": {"words": ..., "operation_class": ...,
//  "device_id": 0, "stream": {"device_id": 0, "context_id": 1, "stream_id": 7}, "range": ...,
//  "window": {"start_ns": 0, "end_ns": 1000}}}; what is empty is left out.
QJsonObject to_json(const ViewState& state);

// None of another version, or where a value is of a wrong type or out of its range. Keys that are
// not known are passed over.
std::optional<ViewState> view_state_from(const QJsonObject& json);

}  // namespace mansard::gui
