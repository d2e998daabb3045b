// Orders one matrix in the ways that are asked for on standard input, and answers each line with a line of JSON. The
// scripts beside it time and compare orderings with it.
//
//     info              name, rows, columns, entries, whether the pattern is symmetric, and the commit of this program
//     dump PATH         writes the pattern: rows and entries, row pointers (64-bit), columns (32-bit)
//     NAME THREADS      orders once. NAME is an ordering of the list, or a comparator:
//                       rcm-plain   George and Liu's algorithm, whose bandwidths MATLAB's symrcm has
//                       rcm-boost   as rcm from four starts, by Boost.Graph
//                       boost       Boost.Graph from its own start vertex, on a graph made before
#include <omp.h>

#include <algorithm>
#include <boost/graph/cuthill_mckee_ordering.hpp>
#include <chrono>
#include <ctime>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>

#include "bench/rcm/boost_cuthill_mckee.hpp"
#include "formats/json/text.hpp"
#include "pipeline/source.hpp"
#include "pipeline/version.hpp"
#include "reorder/core/boost_graph.hpp"
#include "reorder/core/by_component.hpp"
#include "reorder/core/graph.hpp"
#include "reorder/core/metrics.hpp"
#include "reorder/cuthill_mckee/plain_cuthill_mckee.hpp"
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

Permutation reversed(Permutation order) {
  std::reverse(order.begin(), order.end());
  return order;
}

Permutation order_by_boost_from_four_starts(const Csr<Viewed>& a) {
  return reversed(reorder::boost_cuthill_mckee(reorder::graph_of(a).view()));
}

Permutation order_plainly(const Csr<Viewed>& a) {
  return reversed(
      reorder::order_by_component(reorder::graph_of(a).view(), [](reorder::GraphView graph, VertexId* order) {
        reorder::plain_cuthill_mckee(graph, reorder::george_liu_start(graph, 0), order);
      }));
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

void tell(const std::string& input, const Matrix& matrix) {
  const json::Value info = {{"name", pipeline::name_of_input(input)},
                            {"rows", matrix.csr.rows},
                            {"cols", matrix.csr.cols},
                            {"nnz", matrix.csr.nnz},
                            {"pattern_symmetric", reorder::pattern_symmetric(view_of(matrix.csr))},
                            {"commit", pipeline::tool_record().commit}};
  std::cout << info.dump() << std::endl;
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
    std::cerr << "usage: bench_rcm FILE|gen:NAME,key=value,... < commands\n";
    return 2;
  }
  const auto loaded = pipeline::load(argv[1]);
  if (!loaded.ok()) {
    std::cerr << loaded.error().text() << '\n';
    return 2;
  }
  const Matrix& matrix = *loaded;
  const auto a = view_of(matrix.csr);
  if (a.rows != a.cols) {
    std::cerr << argv[1] << ": these orderings need a square matrix\n";
    return 2;
  }
  const reorder::Graph graph = reorder::graph_of(a);
  Known known;
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::string name, argument;
    words >> name >> argument;
    if (name == "info") {
      tell(argv[1], matrix);
      continue;
    }
    if (name == "dump") {
      dump(a, argument);
      continue;
    }
    omp_set_num_threads(std::max(1, std::atoi(argument.c_str())));
    if (name == "boost")
      time_once(a, known, [&] { return order_by_boost(graph.view()); });
    else if (name == "rcm-boost")
      time_once(a, known, [&] { return order_by_boost_from_four_starts(a); });
    else if (name == "rcm-plain")
      time_once(a, known, [&] { return order_plainly(a); });
    else
      time_once(a, known, [&] { return std::move(reorder::compute_ordering(name, a).value().rows); });
  }
}
