// How small and how fast files are: ./dev bench files MATRIX...
//
// A line per matrix, of the times in memory, each the least of several runs: bytes of CSR (32-bit pointers where they
// fit) and of the file; GB/s of CSR decoded; the time of decoding over that of zstd for CSR compressed at level 19,
// with a context that is kept; the time of reading the matrix as text over that of decoding; MB/s of CSR encoded. Then
// the same of groups of matrices: all bytes over all seconds, and the geometric mean. Exit code 1: a matrix could not
// be measured, or another one was read back; 2: wrong options.
#include <fmt/format.h>
#include <zstd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "bench/head.hpp"
#include "bench/scratch.hpp"
#include "formats/core/clock.hpp"
#include "formats/io/container/container.hpp"
#include "formats/io/matrix_file/matrix_file.hpp"
#include "formats/io/matrix_market/matrix_market.hpp"
#include "pipeline/device/machine.hpp"
#include "pipeline/source.hpp"

namespace {

using namespace spress;
using Bytes = std::vector<std::uint8_t>;

struct Settings {
  int level = 6, threads = 1;
  double seconds = 0.1;  ///< that each time is taken for
  bool peers = true;
  std::vector<std::string> inputs;
};

/// The least of the runs that fit the time, of 3 at least.
template <class Work>
double least_seconds(const Settings& settings, const Work& work) {
  double least = std::numeric_limits<double>::infinity(), all = 0;
  for (int run = 0; run < 3 || all < settings.seconds; ++run) {
    const auto start = Clock::now();
    work();
    const double seconds = seconds_since(start);
    least = std::min(least, seconds);
    all += seconds;
  }
  return least;
}

struct Measured {
  std::uint64_t nnz = 0;
  bool one_triangle = false;
  double csr = 0, file = 0;                           ///< bytes
  double encode = 0, decode = 0, zstd = 0, text = 0;  ///< seconds; of peers 0 if not measured
};

/// The figures of a group of matrices: each is printed as a sum and as a geometric mean.
constexpr std::array<double Measured::*, 6> figures = {&Measured::csr,    &Measured::file, &Measured::encode,
                                                       &Measured::decode, &Measured::zstd, &Measured::text};

/// The arrays of CSR, one after another.
Bytes csr_of(const Csr<Viewed>& a) {
  Bytes bytes;
  const auto add = [&](const void* data, std::size_t size) {
    const auto* from = static_cast<const std::uint8_t*>(data);
    bytes.insert(bytes.end(), from, from + size);
  };
  add(a.row_ptr.raw(), a.row_ptr.bytes());
  add(a.col_idx.raw(), a.col_idx.bytes());
  add(a.values.codes.raw(), a.values.codes.bytes());
  return bytes;
}

/// NaN where zstd fails.
double seconds_of_zstd(const Settings& settings, const Bytes& csr) {
  Bytes stored(ZSTD_compressBound(csr.size())), back(csr.size());
  stored.resize(ZSTD_compress(stored.data(), stored.size(), csr.data(), csr.size(), 19));
  const std::unique_ptr<ZSTD_DCtx, std::size_t (*)(ZSTD_DCtx*)> context(ZSTD_createDCtx(), ZSTD_freeDCtx);
  const double seconds = least_seconds(
      settings, [&] { ZSTD_decompressDCtx(context.get(), back.data(), back.size(), stored.data(), stored.size()); });
  return back == csr ? seconds : std::numeric_limits<double>::quiet_NaN();
}

/// NaN where the text cannot be written or read.
double seconds_of_text(const Settings& settings, const Csr<Viewed>& a, const MatrixInfo& info) {
  const bench::Scratch text(".mtx");
  bool good = io::write_matrix_market(a, info, text.path).ok();
  const double seconds =
      least_seconds(settings, [&] { good &= io::read_matrix_market(text.path, {.threads = settings.threads}).ok(); });
  return good ? seconds : std::numeric_limits<double>::quiet_NaN();
}

/// Errors: those of the readers and writers; damaged where another matrix is read.
Result<Measured> measure(const Settings& settings, const std::string& input) {
  SPRESS_TRY(const Matrix matrix, pipeline::load(input));
  const auto a = view_of(matrix.csr);
  const Bytes csr = csr_of(a);
  io::ContainerInfo info;
  info.matrix = matrix.info;
  const io::MatrixFileOptions options = {.level = settings.level, .threads = settings.threads};
  SPRESS_TRY(const Bytes file, io::write_matrix_file_bytes(a, info, options));
  SPRESS_TRY(const io::Container back, io::read_container_bytes(file, settings.threads));
  const auto* read = std::get_if<Csr<Owned>>(&back.matrix);
  if (read == nullptr || csr_of(view_of(*read)) != csr)
    return Error{ErrorCode::damaged, "another matrix is read from its file", input, 0};
  Measured out;
  out.nnz = a.nnz;
  out.csr = static_cast<double>(csr.size());
  out.file = static_cast<double>(file.size());
  SPRESS_TRY(const io::ContainerHead head, io::read_container_head_bytes(file));
  for (const auto& [name, value] : head.scalars) out.one_triangle |= name == "triangle_of" && value != "none";
  out.encode = least_seconds(settings, [&] { static_cast<void>(io::write_matrix_file_bytes(a, info, options)); });
  out.decode = least_seconds(settings, [&] { static_cast<void>(io::read_container_bytes(file, settings.threads)); });
  if (!settings.peers) return out;
  out.zstd = seconds_of_zstd(settings, csr);
  out.text = seconds_of_text(settings, a, matrix.info);
  return out;
}

/// "-" where a time was not measured.
std::string ratio(double over, double under) {
  const double ratio = over / under;
  return ratio > 0 && std::isfinite(ratio) ? fmt::format("{:.2f}", ratio) : "-";
}

void print_line(const std::string& name, const std::string& count, const Measured& m) {
  fmt::print("{:<32} {:>9} {:>8.2f} {:>7.4f} {:>7.3f} {:>7} {:>6} {:>7.1f}\n", name, count, m.csr / 1e6, m.file / m.csr,
             m.csr / m.decode / 1e9, ratio(m.decode, m.zstd), ratio(m.text, m.decode), m.csr / m.encode / 1e6);
  std::fflush(stdout);
}

/// A line for the sums of those that are in the group, and one for their geometric means.
template <class InGroup>
void print_group(const std::string& name, const std::vector<Measured>& all, const InGroup& is_in) {
  Measured sums, means;
  int count = 0;
  for (const Measured& one : all) {
    if (!is_in(one)) continue;
    ++count;
    for (const auto figure : figures) {
      sums.*figure += one.*figure;
      means.*figure += std::log(one.*figure);
    }
  }
  if (count == 0) return;
  for (const auto figure : figures) means.*figure = std::exp(means.*figure / count);
  print_line(name + ", in all", std::to_string(count) + " of", sums);
  print_line(name + ", mean", "", means);
}

void report(const Error& error) { fmt::print(stderr, "bench_files: error: {}\n", error.text()); }

int run(const Settings& settings, const std::string& command) {
  const auto items = pipeline::collect(settings.inputs);
  if (!items.ok()) {
    report(items.error());
    return 2;
  }
  fmt::print("{}\n", bench::head_lines(pipeline::machine_record(settings.threads), command));
  fmt::print("{:<32} {:>9} {:>8} {:>7} {:>7} {:>7} {:>6} {:>7}\n", "matrix", "entries", "MB", "of CSR", "GB/s",
             "of zstd", "x text", "MB/s");
  std::vector<Measured> all;
  int code = 0;
  for (const auto& item : *items) {
    const auto one = measure(settings, item.input);
    if (!one.ok()) {
      report(one.error());
      code = 1;
      continue;
    }
    all.push_back(*one);
    print_line(pipeline::name_of_input(item.input), std::to_string(one->nnz), *one);
  }
  fmt::print("\n");
  constexpr std::uint64_t small = 5000, large = 100000;
  print_group("below 5,000 entries", all, [](const Measured& m) { return m.nnz < small; });
  print_group("5,000 to 100,000", all, [](const Measured& m) { return m.nnz >= small && m.nnz < large; });
  print_group("from 100,000 on", all, [](const Measured& m) { return m.nnz >= large; });
  print_group("both triangles, from 100,000", all, [](const Measured& m) { return m.nnz >= large && !m.one_triangle; });
  print_group("one triangle, from 100,000", all, [](const Measured& m) { return m.nnz >= large && m.one_triangle; });
  print_group("all", all, [](const Measured&) { return true; });
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("How small and how fast files are");
  Settings settings;
  app.add_option("MATRIX", settings.inputs, "files, folders or gen:NAME,key=value")->required();
  app.add_option("--level", settings.level, "level of the files")->check(CLI::Range(1, 22))->capture_default_str();
  app.add_option("--threads", settings.threads, "threads that read and write")
      ->check(CLI::Range(1, 4096))
      ->capture_default_str();
  app.add_option("--seconds", settings.seconds, "that each time is taken for")
      ->check(CLI::Range(0.0, 60.0))
      ->capture_default_str();
  app.add_flag("!--no-peers", settings.peers, "leave out zstd and text");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  return run(settings, bench::joined({argv, argv + argc}));
}
