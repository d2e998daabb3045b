// A matrix on several ranks: parts, what they exchange, products, systems and timings over all of them.
#include "pipeline/ranks/matrix_part.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <numeric>

#include "encode/shared/any.hpp"
#include "kernels/reference.hpp"
#include "pipeline/measure/bench.hpp"
#include "pipeline/ranks/part_product.hpp"
#include "pipeline/ranks/read_part.hpp"
#include "pipeline/solve/solve.hpp"
#include "pipeline/source.hpp"
#include "tests/pipeline/ranks/threaded_ranks.hpp"
#include "tests/scenarios.hpp"
#include "tests/scratch_folder.hpp"

namespace spress::pipeline {
namespace {

using tests::ThreadedRanks;

RankRows rows_of(const Ranks& ranks, const std::string& input, Cut cut = Cut::entries) {
  auto rows = read_rank_rows(ranks, input, {.threads = 1}, cut);
  EXPECT_TRUE(rows.ok()) << rows.error().text();
  return std::move(rows).value();
}

/// The part of each rank of a matrix in memory.
MatrixPart part_of(const Ranks& ranks, const Csr<Owned>& a) {
  RankRows rows;
  rows.rows = rows_by_entries(view_of(a), ranks.size());
  const io::RowSpan own = {rows.rows.begin_of(ranks.rank()), rows.rows.end_of(ranks.rank())};
  rows.matrix.csr = std::move(io::rows_of(view_of(a), std::span(&own, 1))).value();
  return pipeline::part_of(ranks, rows);
}

TEST(RankCut, DealsOutEvenly) {
  EXPECT_EQ(even_cut(10, 4).first, (std::vector<std::uint64_t>{0, 3, 6, 8, 10}));
  EXPECT_EQ(even_cut(2, 3).first, (std::vector<std::uint64_t>{0, 1, 2, 2}));
  EXPECT_EQ(even_cut(0, 2).first, (std::vector<std::uint64_t>{0, 0, 0}));
}

TEST(RankCut, GoesByEntries) {
  const auto a = load("gen:powerlaw,n=5000")->csr;
  const RankCut cut = rows_by_entries(view_of(a), 4);
  EXPECT_EQ(cut.total(), a.rows);
  for (int rank = 0; rank < 4; ++rank) {
    const auto entries = a.row_ptr.position(cut.end_of(rank)) - a.row_ptr.position(cut.begin_of(rank));
    EXPECT_NEAR(static_cast<double>(entries), static_cast<double>(a.nnz) / 4, 1500);
  }
}

/// 0 1 . .   rank 0 has rows 0 and 1, and needs element 2
/// . 2 3 .
/// 4 . . 5   rank 1 has rows 2 and 3, and needs element 0
/// . . 6 .
TEST(MatrixPart, NumbersOwnColumnsFirst) {
  ThreadedRanks::run(2, [](const Ranks& ranks) {
    const bool first = ranks.rank() == 0;
    Csr<Owned> a;
    a.rows = 2, a.cols = 4, a.nnz = first ? 4 : 3;
    a.row_ptr = Positions<Owned>(DType::u32, 3);
    fill_positions(a.row_ptr, [&](auto* p) { p[0] = 0, p[1] = 2, p[2] = first ? 4 : 3; });
    const std::vector<std::uint32_t> columns =
        first ? std::vector<std::uint32_t>{0, 1, 1, 2} : std::vector<std::uint32_t>{0, 3, 2};
    a.col_idx = HostArray<std::uint32_t>(std::span<const std::uint32_t>(columns));
    a.values = pattern_store(a.nnz);
    MatrixPart part(ranks, view_of(a), {{0, 2, 4}}, {{0, 2, 4}});
    ASSERT_EQ(part.ghosts().size(), 1u);
    EXPECT_EQ(part.ghosts()[0], first ? 2u : 0u);
    ASSERT_EQ(part.neighbors().size(), 1u);
    EXPECT_EQ(part.neighbors()[0].sends, std::vector<std::uint32_t>{0});
    const Csr<Owned> own = part.take_csr();
    EXPECT_EQ(own.cols, 3u);
    const std::vector<std::uint32_t> numbers(own.col_idx.begin(), own.col_idx.end());
    EXPECT_EQ(numbers, (first ? std::vector<std::uint32_t>{0, 1, 1, 2} : std::vector<std::uint32_t>{1, 2, 0}));
    EXPECT_TRUE(validate(view_of(own)).ok());
    EXPECT_EQ(part.column(2), first ? 2u : 0u);
  });
}

TEST(MatrixPart, ProductsAreThoseOfTheWholeMatrix) {
  for (const auto& scenario : tests::scenarios())
    for (const int size : {1, 2, 3, 5}) {
      const auto a = tests::make_csr(scenario, tests::Fill::real);
      if (a.cols > 100'000) continue;  // vectors of gigabytes
      const auto x = test_vector<double>(a.cols);
      ThreadedRanks::run(size, [&](const Ranks& ranks) {
        MatrixPart part = part_of(ranks, a);
        const Csr<Owned> own = part.take_csr();
        const auto seen = part.with_ghosts_of(std::span<const double>(x));
        const RankCut cut = rows_by_entries(view_of(a), size);
        const io::RowSpan span = {cut.begin_of(ranks.rank()), cut.end_of(ranks.rank())};
        const auto rows = io::rows_of(view_of(a), std::span(&span, 1)).value();
        const auto reference = reference_product<double>(view_of(rows), x.data());  // of the whole matrix's columns
        int encodings = 0;
        GhostExchange<double> exchange(part);
        std::vector<double> y(own.rows, NAN);
        for (const Spec& spec : all_formats()) {
          const auto encoded = EncodedPart::make(part, view_of(own), spec);
          if (!encoded.ok()) continue;  // on all ranks
          ++encodings;
          multiply(*encoded, exchange, seen.data(), y.data(), 1);
          const auto verdict = judge(reference, y.data());
          EXPECT_TRUE(verdict.ok) << scenario.name << " as " << spec.name << " on " << size << ": " << verdict.reason;
        }
        EXPECT_GE(encodings, 8) << scenario.name;
        const std::vector<double> own_x(seen.begin(), seen.begin() + static_cast<std::ptrdiff_t>(part.own_elements()));
        EXPECT_EQ(exchange.with_ghosts(own_x), seen);
      });
    }
}

TEST(MatrixPart, FilesAreReadInParts) {
  const tests::ScratchFolder scratch;
  const auto file = scratch.path() / "a.spress";
  const auto whole = load("gen:stencil7,n=40,values=noise").value();
  io::ContainerInfo info;
  info.matrix = whole.info;
  io::MatrixFileOptions in_small_blocks;
  in_small_blocks.seekable = true;
  in_small_blocks.block_entries = 5000;
  ASSERT_TRUE(io::write_matrix_file(view_of(whole.csr), info, file, in_small_blocks).ok());
  const auto bytes = static_cast<double>(std::filesystem::file_size(file));
  for (const int size : {1, 2, 4})
    ThreadedRanks::run(size, [&](const Ranks& ranks) {
      const RankRows rows = rows_of(ranks, file.string());
      EXPECT_LE(static_cast<double>(rows.bytes_read), 1.1 * bytes / size);
      EXPECT_EQ(rows.nnz, whole.csr.nnz);
      EXPECT_EQ(rows.rows.total(), whole.csr.rows);
      const io::RowSpan own = {rows.rows.begin_of(ranks.rank()), rows.rows.end_of(ranks.rank())};
      const auto expected = io::rows_of(view_of(whole.csr), std::span(&own, 1)).value();
      EXPECT_EQ(std::vector(rows.matrix.csr.col_idx.begin(), rows.matrix.csr.col_idx.end()),
                std::vector(expected.col_idx.begin(), expected.col_idx.end()));
      EXPECT_NEAR(static_cast<double>(expected.nnz), static_cast<double>(whole.csr.nnz) / size,
                  static_cast<double>(whole.csr.nnz) / size / 10);
    });
}

reports::SolveRecord solved_on(int size, const std::string& input, SolveOptions options, Cut cut = Cut::entries) {
  reports::SolveRecord out;
  options.threads = 1;
  ThreadedRanks::run(size, [&](const Ranks& ranks) {
    auto record = solve(ranks, rows_of(ranks, input, cut), load_problem(input).value(), options);
    ASSERT_TRUE(record.ok()) << record.error().text();
    if (ranks.leads()) out = *std::move(record);
  });
  return out;
}

TEST(SolveOverRanks, NeedsAsManyIterationsAsOneRank) {
  SolveOptions options;
  options.preconditioner = Preconditioner::jacobi;
  for (const char* input : {"gen:fem3d,n=12", "gen:elasticity3d,n=5", "gen:stencil7,n=14,shuffle=3"}) {
    options.threads = 1;
    const auto alone = solve(load(input).value(), load_problem(input).value(), options).value();
    for (const int size : {1, 2, 4}) {
      const auto record = solved_on(size, input, options);
      EXPECT_TRUE(record.ok);
      EXPECT_EQ(record.nnz, alone.nnz);
      ASSERT_EQ(record.parts.size(), static_cast<std::size_t>(size));
      ASSERT_EQ(record.formats.size(), alone.formats.size());
      for (std::size_t i = 0; i < alone.formats.size(); ++i) {
        const auto &row = record.formats[i], &other = alone.formats[i];
        EXPECT_EQ(row.ok, true) << input << " " << row.format << " on " << size << ": " << row.reason;
        EXPECT_NEAR(static_cast<double>(row.iterations), static_cast<double>(other.iterations), 1) << row.format;
        EXPECT_EQ(row.l2_error.has_value(), other.l2_error.has_value());
        if (row.l2_error) {
          EXPECT_NEAR(*row.l2_error, *other.l2_error, 1e-3 * *other.l2_error);
        }
        EXPECT_EQ(row.waited_seconds.size(), static_cast<std::size_t>(size));
      }
      std::uint64_t entries = 0;
      for (const auto& part : record.parts) entries += part.nnz;
      EXPECT_EQ(entries, record.nnz);
    }
  }
}

TEST(SolveOverRanks, ExchangesLessAfterPartitioning) {
  SolveOptions options;
  options.formats = parse_spec_list("csr").value();
  const auto sent = [&](Cut cut) {
    const auto record = solved_on(3, "gen:fem3d,n=12,shuffle=5", options, cut);
    EXPECT_TRUE(record.ok);
    EXPECT_TRUE(record.formats[0].l2_error && *record.formats[0].l2_error < 0.01);
    return std::accumulate(record.parts.begin(), record.parts.end(), std::uint64_t{0},
                           [](std::uint64_t sum, const auto& part) { return sum + part.sent_elements; });
  };
  if (!reorder::find_ordering("partition")->missing.empty()) GTEST_SKIP() << "this build has no Scotch";
  EXPECT_LT(sent(Cut::partition), sent(Cut::entries));
}

TEST(SolveOverRanks, AllGetTheErrorOfOne) {
  const tests::ScratchFolder scratch;
  const auto file = (scratch.path() / "a.mtx").string();
  const auto refused = [&](const std::string& entries, const std::string& expected) {
    std::ofstream(file)
        << "%%MatrixMarket matrix coordinate real general\n6 6 8\n1 1 4\n2 2 4\n3 3 4\n4 4 4\n5 5 4\n6 6 4\n"
        << entries;
    std::array<std::string, 3> messages;
    ThreadedRanks::run(3, [&](const Ranks& ranks) {
      const auto record = solve(ranks, rows_of(ranks, file), std::nullopt, {});
      ASSERT_FALSE(record.ok());
      messages[static_cast<std::size_t>(ranks.rank())] = record.error().message;
    });
    for (const auto& message : messages) EXPECT_NE(message.find(expected), std::string::npos) << message;
  };
  refused("1 6 1\n6 1 2\n", "entry (1, 6) is 1 and (6, 1) is 2");
  refused("3 5 1\n4 5 1\n", "and (5, 3) is 0");
  refused("5 6 1\n6 5 3\n", "entry (5, 6) is 1 and (6, 5) is 3");
  refused("6 3 nan\n3 6 nan\n", "entry (3, 6) is nan");
}

TEST(BenchOverRanks, JudgesAndTimesEveryFormat) {
  for (const char* input : {"gen:powerlaw,n=3000", "gen:uniform,n=500,m=2000", "gen:uniform,n=2000,m=300,k=3"})
    ThreadedRanks::run(3, [&](const Ranks& ranks) {
      BenchOptions options;
      options.threads = 1;
      options.device.peers.clear();
      options.pairing.repetitions = 2;
      options.choice = StoreChoice::all;
      const auto record = bench(ranks, rows_of(ranks, input), options);
      ASSERT_TRUE(record.ok()) << record.error().text();
      EXPECT_TRUE(record->ok);
      int timed = 0;
      for (const auto& row : record->formats) {
        EXPECT_NE(row.ok, false) << row.format << ": " << row.reason;
        if (!row.ok) continue;
        ++timed;
        EXPECT_EQ(row.waited_seconds.size(), 3u);
        EXPECT_GT(row.seconds_median, 0);
      }
      EXPECT_GT(timed, 10);
    });
}

}  // namespace
}  // namespace spress::pipeline
