// Orders one generated matrix in the ways that are asked for on stdin, a line of JSON for each: so that compare.py can
// time this library, Boost.Graph and SciPy by turns on the same pattern.
//
//     dump PATH         writes the pattern: rows and entries, row pointers (64-bit), columns (32-bit)
//     NAME THREADS      orders once: rcm, rcm-thorough, rcm-boost, or boost (its own start vertex, on a graph made
//     before)
#include <omp.h>

#include <algorithm>
#include <boost/graph/cuthill_mckee_ordering.hpp>
#include <chrono>
#include <ctime>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>

#include "bench/common.hpp"
#include "reorder/core/boost_graph.hpp"
#include "reorder/core/graph.hpp"
#include "reorder/core/metrics.hpp"
#include "reorder/orderings.hpp"

namespace {

using namespace spress;
using reorder::Permutation;
using reorder::VertexId;

double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

/// Boost.Graph alone, as its manual has it: reverse Cuthill-McKee from the start vertices that it finds.
Permutation order_by_boost(reorder::GraphView graph) {
  std::vector<boost::default_color_type> colors(graph.vertices);
  Permutation order(graph.vertices);
  boost::cuthill_mckee_ordering(
      graph, order.data(),
      boost::make_iterator_property_map(colors.begin(), boost::typed_identity_property_map<VertexId>()),
      reorder::DegreeKeyMap{graph});
  std::reverse(order.begin(), order.end());
  return order;
}

std::uint64_t hash_of(const Permutation& order) {
  std::uint64_t hash = 0;
  for (const VertexId v : order) hash = (hash ^ v) * 0x9E3779B97F4A7C15u;
  return hash;
}

/// What orders of the matrix lead to, by their hashes: to find that takes longer than the orders take.
using Known = std::map<std::uint64_t, reorder::EnvelopeMetrics>;

template <class Compute>
void time_once(const Csr<Viewed>& a, Known& known, const Compute& compute) {
  const double wall = wall_seconds(), cpu = cpu_seconds();
  const Permutation order = compute();
  const double wall_end = wall_seconds(), cpu_end = cpu_seconds();
  const std::uint64_t hash = hash_of(order);
  if (!known.contains(hash)) known[hash] = reorder::envelope_metrics(view_of(reorder::permute(a, order, order)));
  std::cout << "{\"seconds\":" << wall_end - wall << ",\"cpu_seconds\":" << cpu_end - cpu
            << ",\"bandwidth\":" << known[hash].bandwidth << ",\"profile\":" << known[hash].profile << ",\"hash\":\""
            << std::hex << hash << std::dec << "\"}" << std::endl;
}

void dump(const Csr<Viewed>& a, const std::string& path) {
  std::ofstream out(path, std::ios::binary);
  const auto write = [&](const void* data, std::size_t bytes) {
    out.write(static_cast<const char*>(data), static_cast<std::streamsize>(bytes));
  };
  write(&a.rows, sizeof a.rows);
  write(&a.nnz, sizeof a.nnz);
  for (std::uint64_t r = 0; r <= a.rows; ++r) {
    const std::uint64_t position = a.row_ptr.position(r);
    write(&position, sizeof position);
  }
  write(a.col_idx.data(), a.nnz * sizeof(VertexId));
  out.flush();
  std::cout << "{\"rows\":" << a.rows << ",\"nnz\":" << a.nnz << ",\"good\":" << (out.good() ? "true" : "false") << "}"
            << std::endl;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: bench_rcm NAME:key=value,... < commands\n";
    return 2;
  }
  const Matrix matrix = bench::generate(argv[1]);
  const auto a = view_of(matrix.csr);
  const reorder::Graph graph = reorder::graph_of(a);
  Known known;
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::string name, argument;
    words >> name >> argument;
    if (name == "dump") {
      dump(a, argument);
      continue;
    }
    omp_set_num_threads(std::max(1, std::atoi(argument.c_str())));
    if (name == "boost")
      time_once(a, known, [&] { return order_by_boost(graph.view()); });
    else
      time_once(a, known, [&] { return std::move(reorder::compute_ordering(name, a).value().rows); });
  }
}
