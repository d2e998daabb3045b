#include "formats/io/matrix_file/matrix_file_stream.hpp"

#include <utility>

#include "formats/io/matrix_file/file_parts.hpp"

namespace spress::io {

struct MatrixFileStream::State {
  std::unique_ptr<ByteSource> source;
  MatrixFileHead head;
  Parts parts;
  std::vector<Block> blocks;
};

MatrixFileStream::MatrixFileStream(std::unique_ptr<State> state) : state_(std::move(state)) {}
MatrixFileStream::MatrixFileStream(MatrixFileStream&&) noexcept = default;
MatrixFileStream::~MatrixFileStream() = default;

Result<std::optional<MatrixFileStream>> MatrixFileStream::open(const std::shared_ptr<InputFile>& file) {
  if (!file->is_regular()) return std::optional<MatrixFileStream>();
  auto state = std::make_unique<State>();
  state->source = file_source(file);
  SPRESS_TRY(auto head, read_head(*state->source));
  if (!head || head->fold != Fold::none) return std::optional<MatrixFileStream>();
  state->head = std::move(*head);
  Worker worker;
  SPRESS_TRY(state->parts, read_parts(*state->source, state->head, worker));
  for (const BlockPlace& block : state->head.blocks)
    state->blocks.push_back({block.first_row, block.rows, block.first_entry, block.entries});
  return std::optional(MatrixFileStream(std::move(state)));
}

std::uint64_t MatrixFileStream::rows() const { return state_->head.rows; }
std::uint64_t MatrixFileStream::cols() const { return state_->head.cols; }
std::uint64_t MatrixFileStream::nnz() const { return state_->head.nnz; }
ValueType MatrixFileStream::type() const { return state_->head.type; }
const std::vector<MatrixFileStream::Block>& MatrixFileStream::blocks() const { return state_->blocks; }

struct MatrixFileStream::Reader::State {
  const MatrixFileStream::State& stream;
  Worker worker = {};
  std::size_t block = 0;
  std::span<const std::uint8_t> bytes = {};
};

MatrixFileStream::Reader::Reader(const MatrixFileStream& stream)
    : state_(std::make_unique<State>(State{*stream.state_})) {}
MatrixFileStream::Reader::Reader(Reader&&) noexcept = default;
MatrixFileStream::Reader::~Reader() = default;

Status MatrixFileStream::Reader::read(std::size_t block) {
  const BlockPlace& place = state_->stream.head.blocks[block];
  state_->block = block;
  SPRESS_TRY(state_->bytes, state_->stream.source->read(place.offset, place.stored, state_->worker.stored));
  return Ok{};
}

Status MatrixFileStream::Reader::decode(std::uint32_t* lengths, std::uint32_t* columns, std::uint8_t* values) {
  const MatrixFileHead& head = state_->stream.head;
  const BlockPlace& place = head.blocks[state_->block];
  return with_checked(state_->bytes, name_of_block(state_->block), place, [&](auto stored) {
    return decode_block({head.type, head.fold, state_->stream.parts.table.span()}, head.shape_of(place), stored,
                        state_->worker.decoder, {lengths, columns, values, nullptr});
  });
}

}  // namespace spress::io
