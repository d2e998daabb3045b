// The little colour there is: on a terminal, where the user does not mind.
#pragma once

#include <string>
#include <string_view>

namespace spress::cli {

/// What stands out: what went wrong, and the first line of an answer.
enum class Style { error, headline };

/// The text in a style if the stream (STDOUT_FILENO or STDERR_FILENO) is a terminal, else as it is. Never with NO_COLOR
/// in the environment, nor with TERM=dumb.
[[nodiscard]] std::string styled(std::string_view text, Style style, int stream);

/// The same for the first line alone.
[[nodiscard]] std::string with_headline(std::string_view text, int stream);

}  // namespace spress::cli
