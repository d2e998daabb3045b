// Reading container version 2. Private to formats/io: read_container and its like come here.
#pragma once

#include <cstdint>
#include <span>

#include "formats/io/bytes/byte_source.hpp"
#include "formats/io/container/container.hpp"
#include "formats/io/container/container_layout.hpp"

namespace spress::io {

/// The header has been read. Errors: those of read_container.
[[nodiscard]] Result<Container> read_matrix_file(const ByteSource& source, const layout::Header& header, int threads);

/// The descriptor alone; no arrays are listed.
[[nodiscard]] Result<ContainerHead> read_matrix_file_head(const ByteSource& source, const layout::Header& header);

/// Every block decoded and thrown away; arrays: the streams met, by name.
[[nodiscard]] Result<ContainerHead> check_matrix_file(const ByteSource& source, const layout::Header& header,
                                                      int threads);

}  // namespace spress::io
