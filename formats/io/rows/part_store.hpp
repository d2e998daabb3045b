// Records dealt to many parts, of which each is read again in one go: the mechanism of a sort by distribution.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "formats/core/array.hpp"
#include "formats/core/result.hpp"
#include "formats/io/rows/scratch_file.hpp"

namespace spress::io {

/// Each part has a buffer, and behind it places in one scratch file. The file is created when the first buffer is full,
/// so little data never touches a disk. Not for use by two threads at once, but for reading.
class PartStore {
 public:
  /// folder: of the scratch file. buffer_bytes: about, of each part; record_bytes: records are never cut.
  PartStore(std::filesystem::path folder, std::size_t buffer_bytes, std::size_t record_bytes);

  /// Adds empty parts and returns the number of the first of them.
  std::size_t add_parts(std::size_t count);
  [[nodiscard]] std::size_t parts() const { return parts_.size(); }
  [[nodiscard]] std::uint64_t bytes(std::size_t part) const { return parts_[part].bytes; }

  /// Adds whole records to a part. Errors: unwritable. Throws std::bad_alloc.
  [[nodiscard]] Status append(std::size_t part, const std::uint8_t* records, std::size_t n);

  /// Gives back the memory of the buffers, if anything is in the file already. Errors: unwritable.
  [[nodiscard]] Status flush();

  /// Forgets the records of a part.
  void drop(std::size_t part);

  /// Calls use(records, n) with the bytes of a part in order, some whole records at a time; use returns a Status.
  /// room: for what is read. May be called by several threads. Errors: unreadable, and those of use. Throws
  /// std::bad_alloc.
  template <class Use>
  [[nodiscard]] Status for_each_piece(std::size_t part, HostArray<std::uint8_t>& room, const Use& use) const {
    const Part& from = parts_[part];
    for (const Place& place : from.places) {
      if (room.size() < place.bytes) room = HostArray<std::uint8_t>(place.bytes);
      SPRESS_CHECK(file_.read(place.offset, room.data(), place.bytes));
      SPRESS_CHECK(use(static_cast<const std::uint8_t*>(room.data()), place.bytes));
    }
    if (from.buffered != 0)
      SPRESS_CHECK(use(static_cast<const std::uint8_t*>(from.buffer.data()), std::size_t{from.buffered}));
    return Ok{};
  }

 private:
  struct Place {
    std::uint64_t offset;
    std::size_t bytes;
  };
  struct Part {
    HostArray<std::uint8_t> buffer;
    std::size_t buffered = 0;
    std::uint64_t bytes = 0;
    std::vector<Place> places;
  };
  [[nodiscard]] Status write_out(Part& part);

  std::filesystem::path folder_;
  std::size_t buffer_bytes_;
  ScratchFile file_;
  std::vector<Part> parts_;
};

}  // namespace spress::io
