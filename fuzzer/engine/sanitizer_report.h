// What TSan, ASan or UBSan have just reported, as a cause of ours; and the options that they run with.
#pragma once
#include "fuzzer/engine/report.h"

namespace weavefuzz::engine {

bool sanitizer_has_reported();
Cause cause_from_sanitizer();

}  // namespace weavefuzz::engine
