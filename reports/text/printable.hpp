// Names and messages made fit for a terminal.
#pragma once

#include <string>
#include <string_view>

namespace spress::reports {

/// The text as part of one line that a terminal shows and never obeys: control characters (U+0080 to U+009F too) and
/// bytes that are no UTF-8 as \n, \r, \t or \xHH. All else, backslashes too, stays, so that printable(printable(t)) is
/// printable(t).
std::string printable(std::string_view text);

}  // namespace spress::reports
