// What the program asks of the system before it begins, and how it ends whatever happens.
#pragma once

namespace spress::cli {

/// Opens /dev/null where a standard stream is closed, so that no file of ours takes its place; lets signals that end
/// the program remove unfinished files first; makes a file beyond the size limit an error instead of a signal; and
/// makes exit code 2 of an exit() that a library calls. To be called first.
void prepare_process();

/// True where the program was started without a standard output.
[[nodiscard]] bool standard_output_was_closed();

/// Says that main has returned `code`: what exits without it has failed.
int end_process(int code);

}  // namespace spress::cli
