// The rows of a .spress file of container version 2. Private to formats/io/rows: open_rows comes here.
#pragma once

#include <memory>

#include "formats/io/bytes/input_file.hpp"
#include "formats/io/readers/read_options.hpp"
#include "formats/io/rows/row_stream.hpp"

namespace spress::io {

/// Blocks that hold all entries of their rows, in the order of the matrix, are decoded as panels are asked for; a
/// triangle, or rows or columns in another order, are sorted through the scratch file.
/// Errors: those of read_container; unsupported for version 1 and for what is no regular file; too_large for a block
/// that takes half of the memory; unwritable.
[[nodiscard]] Result<std::unique_ptr<RowStream>> container_rows(const std::shared_ptr<InputFile>& file,
                                                                const ReadOptions& reading,
                                                                const RowStreamOptions& options);

}  // namespace spress::io
