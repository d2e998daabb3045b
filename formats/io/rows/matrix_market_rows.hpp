// The rows of a Matrix Market file. Private to formats/io: open_rows comes here.
#pragma once

#include <memory>

#include "formats/io/readers/matrix_input.hpp"
#include "formats/io/rows/row_stream.hpp"

namespace spress::io {

/// Reads the whole text and sorts its entries into the scratch file. Errors: those of read_matrix_market_text, and
/// unwritable.
[[nodiscard]] Result<std::unique_ptr<RowStream>> matrix_market_rows(MatrixInput& input, const ReadOptions& reading,
                                                                    const RowStreamOptions& options);

}  // namespace spress::io
