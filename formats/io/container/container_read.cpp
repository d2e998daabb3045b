#include <algorithm>
#include <charconv>
#include <limits>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "formats/core/checks.hpp"
#include "formats/core/threads.hpp"
#include "formats/io/bytes/byte_source.hpp"
#include "formats/io/bytes/byte_stream.hpp"
#include "formats/io/container/container.hpp"
#include "formats/io/container/container_block.hpp"
#include "formats/io/container/container_descriptor.hpp"
#include "formats/io/container/container_layout.hpp"
#include "formats/io/container/container_names.hpp"
#include "formats/io/matrix_file/matrix_file_read.hpp"

namespace spress::io {
namespace {

using layout::damaged;

Result<ContainerHead> read_format_head(const ByteSource& source, const layout::Header& header) {
  Scratch scratch;
  SPRESS_TRY(const auto text, layout::read_descriptor(source, header, scratch));
  SPRESS_TRY(auto head, parse_descriptor(text, layout::header_bytes, header.descriptor_offset));
  head.version = static_cast<int>(layout::format_version);
  head.file_bytes = source.size();
  return head;
}

Result<ContainerHead> read_head(const ByteSource& source) {
  SPRESS_TRY(const auto header, layout::read_header(source));
  return header.version == layout::matrix_version ? read_matrix_file_head(source, header)
                                                  : read_format_head(source, header);
}

// --- Scalars ---------------------------------------------------------------------------------------------------------

template <class T>
bool parse_scalar(const std::string& text, T& value) {
  if constexpr (std::is_enum_v<T>) {
    const auto found = enum_named<T>(text);
    if (found) value = *found;
    return found.has_value();
  } else {
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    return code == std::errc{} && end == text.data() + text.size();
  }
}

template <class Format>
Status fill_scalars(const ContainerHead& head, Format& f) {
  Status status = Ok{};
  const auto fill = [&](std::string_view name, auto& value) {
    const auto found =
        std::find_if(head.scalars.begin(), head.scalars.end(), [&](const auto& s) { return s.first == name; });
    if (found == head.scalars.end())
      status = damaged("the descriptor lacks scalar '" + std::string(name) + "'");
    else if (!parse_scalar(found->second, value))
      status = damaged("scalar '" + found->first + "' cannot be '" + found->second + "'");
  };
  for_each_scalar(fill, f);
  return status;
}

// --- Arrays ----------------------------------------------------------------------------------------------------------

/// A block, and where its elements go.
struct BlockToRead {
  const ArrayRecord* array;
  std::size_t block;
  std::size_t width;
  std::uint8_t* elements;  ///< nullptr: nowhere, the block is only tried

  [[nodiscard]] const BlockRecord& record() const { return array->blocks[block]; }
};

void add_jobs(const ArrayRecord& array, void* elements, std::vector<BlockToRead>& jobs) {
  auto* to = static_cast<std::uint8_t*>(elements);
  const std::size_t width = size_of(*dtype_named(array.type));
  for (std::size_t i = 0; i < array.blocks.size(); ++i) {
    jobs.push_back({&array, i, width, to});
    if (to != nullptr) to += array.blocks[i].bytes;
  }
}

/// A thread's own room for decoding.
struct Worker {
  BlockDecoder decoder;
  Scratch stored, tried;
};

Status decode_block(const ByteSource& source, const BlockToRead& job, Worker& worker) {
  const BlockRecord& record = job.record();
  SPRESS_TRY(const auto stored, source.read(record.offset, record.stored_bytes, worker.stored));
  void* to = job.elements != nullptr ? job.elements : worker.tried.room(record.bytes);
  Status status = worker.decoder.decode(record, job.width, stored, to);
  if (status.ok()) return status;
  Error error = std::move(status).error();
  error.message = "array '" + job.array->name + "', block " + std::to_string(job.block) + " at byte " +
                  std::to_string(record.offset) + ": " + error.message;
  return error;
}

Status decode_all(const ByteSource& source, const std::vector<BlockToRead>& jobs, int threads) {
  std::uint64_t bytes = 0;
  for (const BlockToRead& job : jobs) bytes += job.record().bytes;
  return parallel_try(
      jobs.size(), threads_for_bytes(threads, bytes), [] { return Worker(); },
      [&](Worker& worker, std::size_t i) { return decode_block(source, jobs[i], worker); });
}

Status prove_claims(const ByteSource& source, const ContainerHead& head, int threads) {
  std::uint64_t claimed = 0;
  std::vector<BlockToRead> jobs;
  for (const ArrayRecord& array : head.arrays) {
    for (const BlockRecord& block : array.blocks) claimed += block.bytes;
    add_jobs(array, nullptr, jobs);
  }
  return layout::must_be_proven(claimed, source) ? decode_all(source, jobs, threads) : Status(Ok{});
}

/// The arrays of a file, each to be taken once.
class Arrays {
 public:
  explicit Arrays(const ContainerHead& head) : head_(&head), taken_(head.arrays.size()) {}

  /// Makes room in `array` for the array of that name. optional: the file may lack it, and then it is empty.
  template <class A>
  [[nodiscard]] Status take(std::string_view name, Role role, A& array, bool optional = false) {
    for (std::size_t i = 0; i < taken_.size(); ++i)
      if (head_->arrays[i].name == name) {
        taken_[i] = true;
        return make_room(head_->arrays[i], role, array);
      }
    return optional ? Status(Ok{}) : damaged("array '" + std::string(name) + "' is missing");
  }
  /// But for empty ones, which older versions of a format may have had.
  [[nodiscard]] Status expect_none_left() const {
    for (std::size_t i = 0; i < taken_.size(); ++i)
      if (const ArrayRecord& left = head_->arrays[i]; !taken_[i] && left.count != 0)
        return damaged("array '" + left.name + "' does not belong to format '" + head_->format + "'");
    return Ok{};
  }
  [[nodiscard]] const std::vector<BlockToRead>& jobs() const { return jobs_; }

 private:
  template <class A>
  Status make_room(const ArrayRecord& record, Role role, A& array) {
    if (record.role != to_string(role))
      return damaged("array '" + record.name + "' has role " + record.role + ", expected " +
                     std::string(to_string(role)));
    const bool holds = array.allocate(*dtype_named(record.type), record.count);
    if (!holds && record.count != 0)
      return damaged("array '" + record.name + "' cannot hold elements of type " + record.type);
    add_jobs(record, array.raw(), jobs_);
    return Ok{};
  }

  const ContainerHead* head_;
  std::vector<bool> taken_;
  std::vector<BlockToRead> jobs_;
};

/// The types that encoders give to the empty arrays of a store.
void settle_empty_arrays(ValueStore<Owned>& store) {
  const bool bare = store.type == ValueType::none, raw = store.kind == StoreKind::raw;
  const bool narrow = store.kind == StoreKind::narrow, iso = store.kind == StoreKind::iso;
  const DType own = dtype_of_values(store.type), unused = AnyArray<Owned>().dtype();
  const DType code = store.kind == StoreKind::lut8 ? DType::u8 : DType::u16;
  if (store.codes.empty()) store.codes.type = bare || iso ? unused : raw ? own : narrow ? DType::i8 : code;
  if (store.table.empty()) store.table.type = bare || raw || narrow ? unused : own;
}

/// The type of an empty array means nothing in a file: here it becomes the one that encoders give it.
template <class Format>
void settle_empty_arrays(Format& f) {
  if constexpr (requires { f.values.codes; }) settle_empty_arrays(f.values);
  if constexpr (requires { f.lut; })
    if (f.lut.empty()) f.lut = AnyArray<Owned>(dtype_of_values(f.value_type), 0);
}

template <class Format>
Status take_arrays(Arrays& arrays, Format& f) {
  Status status = Ok{};
  const auto take = [&](const ArrayInfo& info, auto& array) {
    if (status.ok()) status = arrays.take(info.name, info.role, array, info.optional);
  };
  for_each_array(take, f);
  return status;
}

Status take_ordering(Arrays& arrays, const ContainerHead& head, ContainerInfo& info) {
  const std::string &row_name = head.row_perm_array, &col_name = head.col_perm_array;
  if (!row_name.empty()) SPRESS_CHECK(arrays.take(row_name, Role::permutation, info.row_perm));
  if (!col_name.empty() && col_name != row_name) SPRESS_CHECK(arrays.take(col_name, Role::permutation, info.col_perm));
  return Ok{};
}

Status check_permutation(const std::string& name, const HostArray<std::uint32_t>& perm, std::uint64_t n) {
  if (!name.empty()) SPRESS_CHECK(checks::length(name, perm.size(), n));
  return checks::permutation(name, View<std::uint32_t>{perm.data(), perm.size()}, n);
}

/// Layouts may differ in anything between versions, so another version is not even tried.
Status check_layout_version(const ContainerHead& head, std::uint64_t known) {
  if (head.format_version == known) return Ok{};
  return layout::unsupported("format '" + head.format + "' is stored in version " +
                             std::to_string(head.format_version) + " of its layout, and this program knows version " +
                             std::to_string(known) + ": read the file with the version of spress that wrote it");
}

template <template <class> class F>
Result<Container> read_format(const ByteSource& source, ContainerHead head, int threads) {
  SPRESS_CHECK(check_layout_version(head, layout_version_of<F<Owned>>));
  Container container;
  auto& f = container.matrix.emplace<F<Owned>>();
  SPRESS_CHECK(fill_scalars(head, f));
  SPRESS_CHECK(prove_claims(source, head, threads));
  container.info = head.info;
  ContainerInfo& info = container.info;
  Arrays arrays(head);
  SPRESS_CHECK(take_arrays(arrays, f));
  SPRESS_CHECK(take_ordering(arrays, head, info));
  SPRESS_CHECK(arrays.expect_none_left());
  SPRESS_CHECK(decode_all(source, arrays.jobs(), threads));
  if (!head.col_perm_array.empty() && head.col_perm_array == head.row_perm_array) info.col_perm = info.row_perm;
  settle_empty_arrays(f);
  SPRESS_CHECK(validate(view_of(f)));
  SPRESS_CHECK(check_permutation(head.row_perm_array, info.row_perm, f.rows));
  SPRESS_CHECK(check_permutation(head.col_perm_array, info.col_perm, f.cols));
  return container;
}

Error unknown_format(const std::string& name) {
  std::string known;
  for_each_format(
      [&]<template <class> class F>(Tag<F>) { known += (known.empty() ? "" : ", ") + std::string(F<Owned>::name); });
  return layout::unsupported("format '" + name + "' is unknown here; known are " + known);
}

Result<Container> read_source(const ByteSource& source, int threads) {
  SPRESS_TRY(const auto header, layout::read_header(source));
  if (header.version == layout::matrix_version) return read_matrix_file(source, header, threads);
  SPRESS_TRY(auto head, read_format_head(source, header));
  Result<Container> result = unknown_format(head.format);
  with_format(head.format,
              [&]<template <class> class F>(Tag<F>) { result = read_format<F>(source, std::move(head), threads); });
  return result;
}

/// The bytes of a container. A stream is read no further than one byte behind the end that its header names, so that an
/// endless one is refused.
Result<std::unique_ptr<ByteSource>> open_source(const std::shared_ptr<InputFile>& file) {
  if (file->is_regular()) return file_source(file);
  const auto stream = file_stream(file);
  std::vector<std::uint8_t> bytes;
  SPRESS_CHECK(read_up_to(*stream, layout::header_bytes, bytes));
  SPRESS_TRY(const auto header, layout::decode_header(bytes));
  SPRESS_CHECK(read_up_to(*stream, header.file_bytes(), bytes));
  SPRESS_CHECK(read_up_to(*stream, bytes.size() + 1, bytes));
  return stream_source(std::move(bytes));
}

template <class T, class Read>
Result<T> guarded(Read read) {
  try {
    return read();
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  }
}

/// read(source) of a file's bytes; an error names the file.
template <class T, class Read>
Result<T> from_file(const std::shared_ptr<InputFile>& file, Read read) {
  auto result = guarded<T>([&]() -> Result<T> {
    SPRESS_TRY(const auto source, open_source(file));
    return read(*source);
  });
  if (auto same = file->unchanged(); !same.ok()) result = std::move(same).error();
  if (!result.ok()) result.error().file = file->path().string();
  return result;
}

template <class T, class Read>
Result<T> from_path(const std::filesystem::path& path, Read read) {
  auto file = InputFile::open(path);
  if (file.ok()) return from_file<T>(*file, read);
  file.error().file = path.string();
  return std::move(file).error();
}

}  // namespace

Result<Container> read_container(const std::shared_ptr<InputFile>& file, int threads) {
  return from_file<Container>(file, [&](const ByteSource& source) { return read_source(source, threads); });
}

Result<Container> read_container(const std::filesystem::path& path, int threads) {
  return from_path<Container>(path, [&](const ByteSource& source) { return read_source(source, threads); });
}

Result<Container> read_container_bytes(std::span<const std::uint8_t> bytes, int threads) {
  return guarded<Container>([&] { return read_source(*memory_source(bytes), threads); });
}

Result<ContainerHead> read_container_head(const std::filesystem::path& path) {
  return from_path<ContainerHead>(path, [](const ByteSource& source) { return read_head(source); });
}

Result<ContainerHead> check_container(const std::filesystem::path& path, int threads) {
  return from_path<ContainerHead>(path, [&](const ByteSource& source) -> Result<ContainerHead> {
    SPRESS_TRY(const auto header, layout::read_header(source));
    if (header.version == layout::matrix_version) return check_matrix_file(source, header, threads);
    SPRESS_TRY(auto head, read_format_head(source, header));
    std::vector<BlockToRead> jobs;
    for (const ArrayRecord& array : head.arrays) add_jobs(array, nullptr, jobs);
    SPRESS_CHECK(decode_all(source, jobs, threads));
    return head;
  });
}

Result<ContainerHead> read_container_head_bytes(std::span<const std::uint8_t> bytes) {
  return guarded<ContainerHead>([&] { return read_head(*memory_source(bytes)); });
}

bool is_container(std::string_view head) {
  return head.starts_with({reinterpret_cast<const char*>(layout::magic.data()), layout::magic.size()});
}

}  // namespace spress::io
