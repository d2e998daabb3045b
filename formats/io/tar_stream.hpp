// The one matrix that is meant in a tar archive of the SuiteSparse collection.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "formats/io/byte_stream.hpp"

namespace spress::io {

/// The bytes of the main matrix of an archive called `name`; `open` gives the archive's (decompressed) bytes from the
/// start, twice where the member can be chosen only after all are known. See open_input for the choice.
[[nodiscard]] Result<std::unique_ptr<ByteStream>> open_main_member(
    const std::function<Result<std::unique_ptr<ByteStream>>()>& open, const std::string& name);

}  // namespace spress::io
