// Colour on a terminal, for errors and headlines.
#pragma once

#include <string>
#include <string_view>

namespace spress::cli {

/// `error` marks errors and failures, `headline` the first line of an answer.
enum class Style { error, headline };

/// The text in a style if the stream (STDOUT_FILENO or STDERR_FILENO) is a terminal, else as it is. Never with NO_COLOR
/// in the environment, nor with TERM=dumb.
[[nodiscard]] std::string styled(std::string_view text, Style style, int stream);

/// Styles the first line as styled() does, and leaves the rest.
[[nodiscard]] std::string with_headline(std::string_view text, int stream);

}  // namespace spress::cli
