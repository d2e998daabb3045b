#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cmath>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "formats/core/in_order.hpp"
#include "formats/core/threads.hpp"
#include "formats/io/bytes/endings.hpp"
#include "formats/io/bytes/output_file.hpp"
#include "formats/io/entries/declaration.hpp"
#include "formats/io/matrix_market/matrix_market.hpp"

namespace spress::io {
namespace {

// --- Text
// --------------------------------------------------------------------------------------------------------------

/// Characters, with room made beforehand so that numbers can be written in place.
class TextBuffer {
 public:
  static constexpr std::size_t longest_entry = 96;  ///< two ids, two numbers of at most 24 characters, blanks

  void append(std::string_view text) {
    room(text.size());
    std::copy(text.begin(), text.end(), memory_.get() + size_);
    size_ += text.size();
  }
  /// A place for at least longest_entry characters; end_entry says where they ended.
  char* begin_entry() {
    room(longest_entry);
    return memory_.get() + size_;
  }
  void end_entry(const char* end) { size_ = static_cast<std::size_t>(end - memory_.get()); }
  void clear() { size_ = 0; }
  [[nodiscard]] std::string_view text() const { return {memory_.get(), size_}; }

 private:
  void room(std::size_t more) {
    if (capacity_ - size_ >= more) return;
    const std::size_t capacity = std::max(2 * capacity_, size_ + more + (std::size_t{1} << 16));
    auto larger = std::make_unique_for_overwrite<char[]>(capacity);
    std::copy_n(memory_.get(), size_, larger.get());
    memory_ = std::move(larger);
    capacity_ = capacity;
  }
  std::unique_ptr<char[]> memory_;
  std::size_t size_ = 0, capacity_ = 0;
};

char* put_id(char* at, std::uint64_t id) { return std::to_chars(at, at + 10, static_cast<std::uint32_t>(id)).ptr; }

/// The shortest decimal that reads back to the same bits; one token for all NaNs.
char* put_real(char* at, double value) {
  if (std::isnan(value)) return std::copy_n("nan", 3, at);
  return std::to_chars(at, at + 32, value).ptr;
}

char* put_value(char* at, bool integer, double value) {
  *at++ = ' ';
  if (integer) return std::to_chars(at, at + 24, static_cast<std::int64_t>(value)).ptr;
  return put_real(at, value);
}
char* put_value(char* at, bool, std::complex<double> value) {
  *at++ = ' ';
  at = put_real(at, value.real());
  *at++ = ' ';
  return put_real(at, value.imag());
}
char* put_value(char* at, bool, NoValue) { return at; }

/// Entries [first, last) of the matrix, those above the diagonal left out where a half is declared.
template <class V, class P>
void put_entries(const Csr<Viewed>& a, const P* row_ptr, const Declaration& said, std::uint64_t first,
                 std::uint64_t last, TextBuffer& out) {
  const auto* values = static_cast<const V*>(a.values.codes.raw());
  const bool whole = said.symmetry == Symmetry::general, integer = said.field == Field::integer;
  std::uint64_t row = static_cast<std::uint64_t>(std::upper_bound(row_ptr, row_ptr + a.rows, first) - row_ptr) - 1;
  for (std::uint64_t k = first; k < last; ++k) {
    while (row_ptr[row + 1] <= k) ++row;
    const std::uint32_t col = a.col_idx[k];
    if (!whole && col > row) continue;
    char* at = put_id(out.begin_entry(), row + 1);
    *at++ = ' ';
    at = put_id(at, std::uint64_t{col} + 1);
    at = put_value(at, integer, value_at(values, k));
    *at++ = '\n';
    out.end_entry(at);
  }
}

std::string head_text(const Csr<Viewed>& a, const MatrixInfo& info, const Declaration& said) {
  return "%%MatrixMarket matrix coordinate " + std::string(enum_name(said.field)) + ' ' +
         std::string(enum_name(said.symmetry)) + '\n' + info.comments + std::to_string(a.rows) + ' ' +
         std::to_string(a.cols) + ' ' + std::to_string(said.entries) + '\n';
}

// --- Compression: each batch becomes a gzip member or a zstd frame of its own; readers take a row of them as one.
// --------

enum class Packing { none, gzip, zstd };

Error cannot_compress(std::string_view how) {
  return {ErrorCode::unwritable, "cannot be compressed with " + std::string(how)};
}

Status gzip(std::string_view text, std::vector<char>& to) {
  z_stream zlib{};
  if (deflateInit2(&zlib, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) throw std::bad_alloc();
  to.resize(deflateBound(&zlib, text.size()));
  zlib.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  zlib.avail_in = static_cast<uInt>(text.size());
  zlib.next_out = reinterpret_cast<Bytef*>(to.data());
  zlib.avail_out = static_cast<uInt>(to.size());
  const int status = deflate(&zlib, Z_FINISH);
  to.resize(zlib.total_out);
  deflateEnd(&zlib);
  if (status != Z_STREAM_END) return cannot_compress("gzip");
  return Ok{};
}

Status zstd(std::string_view text, std::vector<char>& to) {
  const std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context(ZSTD_createCCtx(), &ZSTD_freeCCtx);
  if (context == nullptr) throw std::bad_alloc();
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);
  to.resize(ZSTD_compressBound(text.size()));
  const std::size_t size = ZSTD_compress2(context.get(), to.data(), to.size(), text.data(), text.size());
  if (ZSTD_isError(size) != 0) return cannot_compress("zstd");
  to.resize(size);
  return Ok{};
}

// --- Batches, made by several threads and written in order.
// --------------------------------------------------------------

class Writer {
 public:
  Writer(const Csr<Viewed>& a, const MatrixInfo& info, Packing packing)
      : a_(a),
        info_(info),
        said_(declare(a, info)),
        packing_(packing),
        batches_(std::max<std::uint64_t>(1, (a.nnz + batch - 1) / batch)) {}

  Status write_to(OutputFile& file) {
    InOrder output;
    const auto threads =
        static_cast<int>(std::min<std::uint64_t>(static_cast<std::uint64_t>(thread_count(0)), batches_));
    run_on_threads(threads, [&](int) {
      try {
        work(output, file);
      } catch (...) {
        output.fail(Error{ErrorCode::too_large, "memory ran out"});  // nobody may wait for this thread's turn
        throw;
      }
    });
    return output.take_status();
  }

 private:
  static constexpr std::uint64_t batch = std::uint64_t{1} << 16;  // entries

  void work(InOrder& output, OutputFile& file) {
    TextBuffer text;
    std::vector<char> packed;
    for (std::uint64_t b = next_++; b < batches_; b = next_++) {
      text.clear();
      if (b == 0) text.append(head_text(a_, info_, said_));
      format(b, text);
      Status status = pack(text.text(), packed);
      if (!status.ok()) return output.fail(std::move(status));
      const std::string_view bytes =
          packing_ == Packing::none ? text.text() : std::string_view(packed.data(), packed.size());
      if (!output.take_turn(b, [&] { return file.write(bytes.data(), bytes.size()); })) return;
    }
  }

  void format(std::uint64_t b, TextBuffer& text) const {
    const std::uint64_t first = b * batch, last = std::min(first + batch, a_.nnz);
    if (first == last) return;
    with_value_type(said_.field, [&]<class V>(V) {
      with_positions(a_.row_ptr, [&](const auto* row_ptr) { put_entries<V>(a_, row_ptr, said_, first, last, text); });
    });
  }

  Status pack(std::string_view text, std::vector<char>& packed) const {
    if (packing_ == Packing::gzip) return gzip(text, packed);
    if (packing_ == Packing::zstd) return zstd(text, packed);
    return Ok{};
  }

  const Csr<Viewed>& a_;
  const MatrixInfo& info_;
  Declaration said_;
  Packing packing_;
  std::uint64_t batches_;
  std::atomic<std::uint64_t> next_{0};
};

Packing packing_of(const std::filesystem::path& path) {
  if (is_archive(path)) return Packing::none;
  if (path.extension() == ".gz") return Packing::gzip;
  return path.extension() == ".zst" ? Packing::zstd : Packing::none;
}

Status write_raw(const Csr<Viewed>& a, const MatrixInfo& info, const std::filesystem::path& path) {
  SPRESS_TRY(OutputFile file, OutputFile::create(path));
  SPRESS_CHECK(Writer(a, info, packing_of(path)).write_to(file));
  return file.commit();
}

Status write(const Csr<Viewed>& a, const MatrixInfo& info, const std::filesystem::path& path) {
  if (packing_of(path) == Packing::none && (is_archive(path) || is_packed_name(path)))
    return Error{ErrorCode::unsupported,
                 "this compression or archive is read only; write a .mtx, .mtx.gz or .mtx.zst file"};
  return write_raw(a, info, path);
}

}  // namespace

Status write_matrix_market(const Csr<Viewed>& a, const MatrixInfo& info, const std::filesystem::path& path) {
  return write_plain(a, path, [&](const Csr<Viewed>& plain) { return write(plain, info, path); });
}

}  // namespace spress::io
