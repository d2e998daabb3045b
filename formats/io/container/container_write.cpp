#include <array>
#include <cassert>
#include <cstring>
#include <type_traits>
#include <utility>

#include "formats/core/in_order.hpp"
#include "formats/core/threads.hpp"
#include "formats/io/container/container.hpp"
#include "formats/io/container/container_block.hpp"
#include "formats/io/container/container_descriptor.hpp"
#include "formats/io/container/container_layout.hpp"
#include "formats/io/container/sink.hpp"

namespace spress::io {
namespace {

using Bytes = std::span<const std::uint8_t>;

/// One array as it lies in memory, and its record, which grows as its blocks are written.
struct Source {
  ArrayRecord record;
  DType type;
  const std::uint8_t* data;
};

/// All that is to be written.
struct Payload {
  ContainerHead head;  ///< without arrays
  std::vector<Source> sources;

  template <class A>
  void add(std::string_view name, Role role, const A& array) {
    sources.push_back(
        {{std::string(name), std::string(to_string(role)), std::string(to_string(array.dtype())), array.size(), {}},
         array.dtype(),
         static_cast<const std::uint8_t*>(array.raw())});
  }
};

/// A block still to be encoded.
struct BlockToWrite {
  std::size_t source;
  const std::uint8_t* data;
  std::size_t count;
};

std::vector<BlockToWrite> cut_into_blocks(const std::vector<Source>& sources, std::size_t block_bytes) {
  std::vector<BlockToWrite> jobs;
  for (std::size_t s = 0; s < sources.size(); ++s) {
    const std::size_t width = size_of(sources[s].type);
    const std::size_t step = std::max<std::size_t>(block_bytes / width, 1);
    const std::size_t count = sources[s].record.count;
    for (std::size_t first = 0; first < count; first += step)
      jobs.push_back({s, sources[s].data + first * width, std::min(step, count - first)});
  }
  return jobs;
}

std::uint64_t total_bytes(const std::vector<Source>& sources) {
  std::uint64_t bytes = 0;
  for (const Source& source : sources) bytes += source.record.count * size_of(source.type);
  return bytes;
}

Status write_blocks(std::vector<Source>& sources, const WriteOptions& options, Sink& sink) {
  const auto jobs = cut_into_blocks(sources, options.block_bytes);
  return parallel_in_order(
      jobs.size(), threads_for_bytes(options.threads, total_bytes(sources)),
      [&] { return BlockEncoder(options.level); },
      [&](BlockEncoder& encoder, std::size_t i) {
        return encoder.encode(sources[jobs[i].source].type, jobs[i].data, jobs[i].count);
      },
      [&](EncodedBlock block, std::size_t i) {
        sources[jobs[i].source].record.blocks.push_back(std::move(block.record));
        return sink.append(block.stored);
      });
}

Status write_all(Payload& payload, const WriteOptions& options, Sink& sink) {
  const std::array<std::uint8_t, layout::header_bytes> room = {};
  SPRESS_CHECK(sink.append(room));
  SPRESS_CHECK(write_blocks(payload.sources, options, sink));
  layout::Header header;
  header.descriptor_offset = layout::header_bytes;
  for (Source& source : payload.sources) {
    for (const BlockRecord& block : source.record.blocks) header.descriptor_offset += block.stored_bytes;
    payload.head.arrays.push_back(std::move(source.record));
  }
  const std::string text = descriptor_text(payload.head);
  const Bytes descriptor(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  header.descriptor_bytes = descriptor.size();
  header.descriptor_checksum = layout::checksum64(descriptor);
  SPRESS_CHECK(sink.append(descriptor));
  return sink.finish(layout::encode_header(header));
}

/// The permutations as arrays of their own; the columns' is stored once with the rows' where both are the same.
void add_ordering(Payload& payload, const ContainerInfo& info) {
  ContainerHead& head = payload.head;
  if (!info.row_perm.empty()) {
    head.row_perm_array = layout::row_perm_array;
    payload.add(layout::row_perm_array, Role::permutation, info.row_perm);
  }
  if (info.col_perm.empty()) return;
  const bool same = info.row_perm.size() == info.col_perm.size() &&
                    std::memcmp(info.row_perm.data(), info.col_perm.data(), info.col_perm.bytes()) == 0;
  head.col_perm_array = same ? layout::row_perm_array : layout::col_perm_array;
  if (!same) payload.add(layout::col_perm_array, Role::permutation, info.col_perm);
}

template <class T>
std::string scalar_text(const T& value) {
  if constexpr (std::is_enum_v<T>)
    return std::string(enum_name(value));
  else
    return std::to_string(value);
}

template <template <class> class F>
Payload payload_of(const F<Viewed>& f, const ContainerInfo& info) {
  assert(info.row_perm.empty() || info.row_perm.size() == f.rows);
  assert(info.col_perm.empty() || info.col_perm.size() == f.cols);
  Payload payload;
  ContainerHead& head = payload.head;
  head.format = F<Viewed>::name;
  head.format_version = layout_version_of<F<Viewed>>;
  head.info.matrix = info.matrix;
  head.info.parameters = info.parameters;
  head.info.ordering = info.ordering;
  head.info.made_from = info.made_from;
  for_each_scalar(
      [&](std::string_view name, const auto& value) { head.scalars.emplace_back(name, scalar_text(value)); }, f);
  const auto add = [&](const ArrayInfo& array_info, const auto& array) {
    if (!array_info.optional || !array.empty()) payload.add(array_info.name, array_info.role, array);
  };
  for_each_array(add, f);
  add_ordering(payload, info);
  return payload;
}

auto writing(Payload payload, const WriteOptions& options) {
  return [payload = std::move(payload), &options](Sink& sink) mutable -> Status {
    SPRESS_CHECK(check_write_options(options));
    return write_all(payload, options, sink);
  };
}

}  // namespace

#define SPRESS_ROW(F)                                                                                        \
  template <>                                                                                                \
  Result<std::uint64_t> write_container<F>(const F<Viewed>& f, const ContainerInfo& info,                    \
                                           const std::filesystem::path& path, const WriteOptions& options) { \
    return write_sink_file(path, writing(payload_of(f, info), options));                                     \
  }                                                                                                          \
  template <>                                                                                                \
  Result<std::vector<std::uint8_t>> write_container_bytes<F>(const F<Viewed>& f, const ContainerInfo& info,  \
                                                             const WriteOptions& options) {                  \
    return write_sink_bytes(writing(payload_of(f, info), options));                                          \
  }
SPRESS_FORMATS(SPRESS_ROW)
#undef SPRESS_ROW

}  // namespace spress::io
