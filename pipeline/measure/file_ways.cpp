#include "pipeline/measure/file_ways.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "formats/core/clock.hpp"
#include "formats/core/threads.hpp"
#include "formats/io/container/container.hpp"
#include "formats/io/matrix_file/matrix_file_stream.hpp"

namespace spress::pipeline {
namespace {

/// Errors: unreadable; truncated.
Status read_all(const io::InputFile& file, std::uint64_t offset, std::uint8_t* to, std::size_t bytes) {
  SPRESS_TRY(const std::size_t got, file.read_at(offset, reinterpret_cast<char*>(to), bytes));
  return got == bytes ? Status(Ok{}) : Status(Error{ErrorCode::truncated, "ends early", file.path().string(), 0});
}

Error changed(const std::filesystem::path& path) {
  return {ErrorCode::unreadable, "changed while it was measured; measure it again once it is complete", path.string(),
          0};
}

const Csr<Viewed>& csr_of(const Landing& landing) { return std::get<Csr<Viewed>>(landing.view); }

/// Whether a landing has room for a matrix of this shape and no other.
bool is_for(const Landing& landing, std::uint64_t rows, std::uint64_t cols, std::uint64_t nnz, ValueType type) {
  const Csr<Viewed>& a = csr_of(landing);
  return a.rows == rows && a.cols == cols && a.nnz == nnz && a.values.type == type;
}
bool is_for(const Landing& landing, const io::MatrixFileStream& stream) {
  return is_for(landing, stream.rows(), stream.cols(), stream.nnz(), stream.type());
}

/// Adds the seconds of work() to `spent`.
template <class Work>
Status spend(double& spent, Work work) {
  const auto start = Clock::now();
  Status status = work();
  spent += seconds_since(start);
  return status;
}

/// A thread's wire, and page-locked memory to copy from.
struct Lane {
  std::unique_ptr<Wire> wire;
  std::shared_ptr<void> memory;
  Stages spent;

  [[nodiscard]] std::uint8_t* bytes() const { return static_cast<std::uint8_t*>(memory.get()); }
};

class Lanes {
 public:
  /// Makes a lane for each thread, but no more than there are pieces. bytes: of the largest piece.
  /// Errors: too_large; unsupported.
  static Result<Lanes> make(Wire& wire, int threads, std::size_t pieces, std::size_t bytes) {
    Lanes out;
    for (std::size_t t = 0; t < std::min(static_cast<std::size_t>(threads), pieces); ++t) {
      Lane& lane = out.lanes_.emplace_back();
      SPRESS_TRY(lane.wire, wire.another());
      SPRESS_TRY(lane.memory, wire.host_memory(bytes, HostMemory::pinned, "a piece of the matrix"));
    }
    return out;
  }

  /// Calls work(lane, i) for the pieces 0..count-1, each lane on a thread of its own.
  template <class Work>
  [[nodiscard]] Status run(std::size_t count, const Work& work) {
    for (Lane& lane : lanes_) lane.spent = {};
    return parallel_try(
        count, static_cast<int>(lanes_.size()), [&] { return &lanes_[static_cast<std::size_t>(omp_get_thread_num())]; },
        [&](Lane* lane, std::size_t i) { return work(*lane, i); });
  }

  /// The mean of the lanes.
  [[nodiscard]] Stages spent() const {
    Stages mean;
    for (const Lane& lane : lanes_) {
      mean.read += lane.spent.read;
      mean.decode += lane.spent.decode;
      mean.copy += lane.spent.copy;
    }
    const auto count = static_cast<double>(lanes_.size());
    return {mean.read / count, mean.decode / count, mean.copy / count};
  }

 private:
  std::vector<Lane> lanes_;
};

constexpr std::size_t piece_bytes = 4 << 20;

/// CSR's arrays, packed in a file.
class PlainWay : public Way {
 public:
  static Result<std::unique_ptr<Way>> make(Wire& wire, const io::InputFile& file, const Landing& landing, int threads) {
    SPRESS_TRY(auto lanes, Lanes::make(wire, threads, pieces_of(landing), piece_bytes));
    return std::unique_ptr<Way>(new PlainWay(file, landing, std::move(lanes)));
  }
  Status run() override {
    return lanes_.run(pieces_of(landing_), [&](Lane& lane, std::size_t i) -> Status {
      const std::uint64_t at = i * piece_bytes;
      const std::size_t bytes = std::min<std::uint64_t>(piece_bytes, landing_.bytes - at);
      SPRESS_CHECK(spend(lane.spent.read, [&] { return read_all(file_, at, lane.bytes(), bytes); }));
      const cuda::Copy copy = {static_cast<std::uint8_t*>(landing_.memory.get()) + at, lane.bytes(), bytes};
      return spend(lane.spent.copy, [&] { return lane.wire->send(std::span(&copy, 1), HostMemory::pinned); });
    });
  }
  Stages spent() const override { return lanes_.spent(); }

 private:
  PlainWay(const io::InputFile& file, const Landing& landing, Lanes lanes)
      : file_(file), landing_(landing), lanes_(std::move(lanes)) {}
  static std::size_t pieces_of(const Landing& landing) { return (landing.bytes + piece_bytes - 1) / piece_bytes; }

  const io::InputFile& file_;
  const Landing& landing_;
  Lanes lanes_;
};

/// Blocks of rows, each decoded where it is copied from.
class BlockWay : public Way {
 public:
  static Result<std::unique_ptr<Way>> make(Wire& wire, const std::filesystem::path& path, const Landing& landing,
                                           int threads) {
    SPRESS_TRY(const auto file, io::InputFile::open(path));
    SPRESS_TRY(auto stream, io::MatrixFileStream::open(file));
    if (!stream || stream->blocks().empty()) return std::unique_ptr<Way>();
    if (!is_for(landing, *stream)) return changed(path);
    auto way = std::unique_ptr<BlockWay>(new BlockWay(path, landing, std::move(*stream)));
    std::size_t most = 0;
    for (const auto& block : way->stream_.blocks()) most = std::max(most, way->parts_of(block).end);
    SPRESS_TRY(way->lanes_, Lanes::make(wire, threads, way->stream_.blocks().size(), most));
    return std::unique_ptr<Way>(std::move(way));
  }
  /// Opens the file anew, since that is a part of the way.
  Status run() override {
    SPRESS_TRY(const auto file, io::InputFile::open(path_));
    SPRESS_TRY(const auto stream, io::MatrixFileStream::open(file));
    if (!stream || !is_for(landing_, *stream) || stream->blocks() != stream_.blocks()) return changed(path_);
    std::vector<std::optional<io::MatrixFileStream::Reader>> readers(static_cast<std::size_t>(thread_count(0)));
    return with_positions(csr_of(landing_).row_ptr, [&]<class P>(const P*) {
      return lanes_.run(stream->blocks().size(), [&](Lane& lane, std::size_t i) {
        auto& reader = readers[static_cast<std::size_t>(omp_get_thread_num())];
        if (!reader) reader.emplace(*stream);
        return bring<P>(*reader, stream->blocks()[i], i, lane);
      });
    });
  }
  Stages spent() const override { return lanes_.spent(); }

 private:
  /// The offsets of a block's arrays in a lane's memory.
  struct BlockParts {
    std::size_t lengths, columns, values, end;
  };

  BlockWay(std::filesystem::path path, const Landing& landing, io::MatrixFileStream stream)
      : path_(std::move(path)), landing_(landing), stream_(std::move(stream)) {}

  [[nodiscard]] BlockParts parts_of(const io::MatrixFileStream::Block& block) const {
    const auto aligned = [](std::size_t bytes) { return (bytes + 63) / 64 * 64; };
    BlockParts out = {};
    out.lengths = aligned((block.rows + 1) * sizeof(std::uint64_t));
    out.columns = out.lengths + aligned(block.rows * sizeof(std::uint32_t));
    out.values = out.columns + aligned(block.entries * sizeof(std::uint32_t));
    out.end = out.values + aligned(block.entries * size_of(stream_.type()));
    return out;
  }

  template <class P>
  Status bring(io::MatrixFileStream::Reader& reader, const io::MatrixFileStream::Block& block, std::size_t number,
               Lane& lane) {
    const BlockParts parts = parts_of(block);
    auto* row_ptr = reinterpret_cast<P*>(lane.bytes());
    auto* lengths = reinterpret_cast<std::uint32_t*>(lane.bytes() + parts.lengths);
    auto* columns = reinterpret_cast<std::uint32_t*>(lane.bytes() + parts.columns);
    std::uint8_t* values = lane.bytes() + parts.values;
    SPRESS_CHECK(spend(lane.spent.read, [&] { return reader.read(number); }));
    SPRESS_CHECK(spend(lane.spent.decode, [&] {
      Status status = reader.decode(lengths, columns, values);
      row_ptr[0] = static_cast<P>(block.first_entry);
      for (std::uint64_t r = 0; status.ok() && r < block.rows; ++r) row_ptr[r + 1] = row_ptr[r] + lengths[r];
      return status;
    }));
    const std::size_t width = size_of(stream_.type());
    const Csr<Viewed>& to = csr_of(landing_);
    const auto place = [](const auto& array, std::uint64_t offset) {
      return const_cast<std::uint8_t*>(static_cast<const std::uint8_t*>(array.raw())) + offset;
    };
    const std::array copies = {
        cuda::Copy{place(to.row_ptr, block.first_row * sizeof(P)), row_ptr, (block.rows + 1) * sizeof(P)},
        cuda::Copy{place(to.col_idx, block.first_entry * sizeof(std::uint32_t)), columns,
                   block.entries * sizeof(std::uint32_t)},
        cuda::Copy{width == 0 ? nullptr : place(to.values.codes, block.first_entry * width), values,
                   block.entries * width}};
    return spend(lane.spent.copy, [&] { return lane.wire->send(copies, HostMemory::pinned); });
  }

  std::filesystem::path path_;
  const Landing& landing_;
  io::MatrixFileStream stream_;  ///< tells how large the blocks are
  Lanes lanes_;
};

/// All is read, then decoded, then copied.
class WholeWay : public Way {
 public:
  WholeWay(Wire& wire, const io::InputFile& file, const Landing& landing, int threads)
      : wire_(wire), file_(file), landing_(landing), threads_(threads), bytes_(file.size()) {}
  Status run() override {
    spent_ = {};
    SPRESS_CHECK(spend(spent_.read, [&] {
      return parallel_try((bytes_.size() + piece_bytes - 1) / piece_bytes, threads_, [] { return 0; },
                          [&](int, std::size_t i) {
                            const std::size_t at = i * piece_bytes;
                            return read_all(file_, at, bytes_.data() + at, std::min(piece_bytes, bytes_.size() - at));
                          });
    }));
    Result<io::Container> read = Error{};
    SPRESS_CHECK(spend(spent_.decode, [&]() -> Status {
      SPRESS_TRY(read, io::read_container_bytes(bytes_.span(), threads_));
      return Ok{};
    }));
    const auto* a = std::get_if<Csr<Owned>>(&read->matrix);
    if (a == nullptr || !is_for(landing_, a->rows, a->cols, a->nnz, a->values.type)) return changed(file_.path());
    const auto copies = copies_to(view_of(*a), landing_);
    return spend(spent_.copy, [&] { return wire_.send(copies, HostMemory::staged); });
  }
  Stages spent() const override { return spent_; }

 private:
  Wire& wire_;
  const io::InputFile& file_;
  const Landing& landing_;
  int threads_;
  HostArray<std::uint8_t> bytes_;
  Stages spent_;
};

}  // namespace

Result<std::unique_ptr<Way>> plain_way(Wire& wire, const io::InputFile& file, const Landing& landing, int threads) {
  return PlainWay::make(wire, file, landing, threads);
}

Result<std::unique_ptr<Way>> block_way(Wire& wire, const std::filesystem::path& path, const Landing& landing,
                                       int threads) {
  return BlockWay::make(wire, path, landing, threads);
}

std::unique_ptr<Way> whole_way(Wire& wire, const io::InputFile& file, const Landing& landing, int threads) {
  return std::make_unique<WholeWay>(wire, file, landing, threads);
}

}  // namespace spress::pipeline
