// What each format is worth: its bytes, its products timed against our CSR and other libraries, its preparation.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "formats/matrix.hpp"
#include "formats/params.hpp"
#include "pipeline/pairing.hpp"
#include "reports/records.hpp"

namespace spress::pipeline {

/// y = A x of a matrix made ready before. x: cols, y: rows, every element of which is written.
template <class T>
using Multiply = std::function<void(const T* x, T* y)>;

/// A product of another library on our CSR with raw values (or a pattern), which outlives it.
struct BenchPeer {
  std::string name;
  std::function<Result<Multiply<double>>(const Csr<Viewed>&, int threads)> prepare_double;
  std::function<Result<Multiply<float>>(const Csr<Viewed>&, int threads)> prepare_float;
};

/// The libraries that this build has; one that this machine lacks ends in a row that says so.
[[nodiscard]] std::vector<BenchPeer> bench_peers();

/// Which value stores a format is timed with.
enum class StoreChoice {
  smallest,  ///< raw, and where it is smaller the smallest other that applies
  all,       ///< every one that applies to the matrix
  listed,
};

struct BenchProgress {
  std::string matrix, what;         ///< the matrix, and the row in work
  std::size_t done = 0, total = 0;  ///< rows; more may turn out to be wanted
};

struct BenchOptions {
  std::vector<Spec> formats;  ///< empty: every format of the list
  std::vector<BenchPeer> peers = bench_peers();
  ValueType value = ValueType::f64;  ///< f64 or f32: all work is done in it
  StoreChoice choice = StoreChoice::smallest;
  std::vector<StoreKind> stores = {};  ///< where they are listed
  int threads = 0;                     ///< of every encoder, product and peer; 0: OpenMP's default
  Pairing pairing = {};                ///< for each row
  reports::MachineRecord machine = {};
  std::function<void(const BenchProgress&)> on_progress = {};
};

/// Times every format with every wanted value store, and every peer, in turn with our CSR with raw values. What a row
/// computes is judged by the rigorous bound before its time counts: a wrong one has `ok` false and no times. Complex
/// matrices, and formats that cannot hold the matrix or the store, have `ok` null with a reason. Rows come in the order
/// of the formats and the stores, peers after csr. Memory: the matrix, one format and one value store at a time.
/// Errors: usage for an unknown format or parameter; too_large where the vectors do not fit; damaged where our CSR is
/// itself wrong.
[[nodiscard]] Result<reports::BenchRecord> bench(Matrix matrix, const BenchOptions& options);

/// What stands for a matrix that could not be read.
[[nodiscard]] reports::BenchRecord bench_error_record(const std::string& input, const std::string& message,
                                                      const BenchOptions& options);

}  // namespace spress::pipeline
