#include "formats/gallery/problem.hpp"

#include <array>
#include <cmath>
#include <memory>
#include <numbers>
#include <numeric>
#include <utility>

#include "formats/gallery/grid.hpp"
#include "formats/gallery/random.hpp"

namespace spress::gallery {
namespace {

using std::numbers::pi;

std::vector<double> permuted(const std::vector<double>& values, const std::vector<std::uint32_t>& old_row) {
  std::vector<double> out(values.size());
  for (std::size_t row = 0; row < out.size(); ++row) out[row] = values[old_row[row]];
  return out;
}

/// Integrals of 3^(1/3) pi^(2/3) sin(pi x) times the hat function of each of n inner points: three of them multiplied
/// are the load. The integral of sin(pi x) times a hat is 4 sin^2(pi h / 2) / (pi^2 h) times the sine at its top.
std::vector<double> load_of_side(std::uint64_t n) {
  const double h = 1.0 / static_cast<double>(n + 1);
  const double half = std::sin(pi * h / 2);
  const double factor = std::cbrt(3 * pi * pi) * 4 * half * half / (pi * pi * h);
  std::vector<double> out(n);
  for (std::uint64_t i = 0; i < n; ++i) out[i] = factor * std::sin(pi * static_cast<double>(i + 1) * h);
  return out;
}

std::vector<double> load(std::uint64_t n) {
  const auto side = load_of_side(n);
  const Grid grid{n, n, n};
  std::vector<double> out(grid.size());
#pragma omp parallel for schedule(static) if (grid.size() > 32768)
  for (std::uint64_t i = 0; i < out.size(); ++i) {
    const auto [x, y, z] = grid.point(i);
    out[i] = side[x] * side[y] * side[z];
  }
  return out;
}

std::vector<double> scattered(std::uint64_t size) {
  const Random random(1, Stream::natural);
  std::vector<double> out(size);
  for (std::uint64_t i = 0; i < size; ++i) out[i] = noise(random(i));
  return out;
}

constexpr std::size_t gauss_points = 3;
const std::array<double, gauss_points> gauss_place = {0.5 - std::sqrt(0.15), 0.5, 0.5 + std::sqrt(0.15)};
constexpr std::array<double, gauss_points> gauss_weight = {5.0 / 18, 8.0 / 18, 5.0 / 18};

using Corners = std::array<double, 8>;  ///< values at the corners of an element, x fastest

double between(double a, double b, double t) { return a + t * (b - a); }

/// The trilinear function with these corners.
double interpolated(const Corners& c, double x, double y, double z) {
  const double bottom = between(between(c[0], c[1], x), between(c[2], c[3], x), y);
  const double top = between(between(c[4], c[5], x), between(c[6], c[7], x), y);
  return between(bottom, top, z);
}

/// The square of the error over elements, the cubes between neighbouring points, those of the boundary included.
class SquaredError {
 public:
  SquaredError(std::uint64_t n, const double* x) : n_(n), x_(x), sine_((n + 1) * gauss_points) {
    const double h = 1.0 / static_cast<double>(n + 1);
    for (std::size_t k = 0; k < sine_.size(); ++k) {
      const std::size_t element = k / gauss_points;
      sine_[k] = std::sin(pi * h * (static_cast<double>(element) + gauss_place[k % gauss_points]));
    }
  }
  /// Over the elements between the planes z and z + 1, in units of an element's volume.
  [[nodiscard]] double of_layer(std::uint64_t z) const {
    double sum = 0;
    for (std::uint64_t y = 0; y <= n_; ++y)
      for (std::uint64_t x = 0; x <= n_; ++x) sum += of_element(x, y, z);
    return sum;
  }

 private:
  /// The value at a point of the grid with its boundary, 0..n+1 along each side.
  [[nodiscard]] double at(std::uint64_t x, std::uint64_t y, std::uint64_t z) const {
    const auto outside = [this](std::uint64_t i) { return i == 0 || i > n_; };
    if (outside(x) || outside(y) || outside(z)) return 0;
    return x_[((z - 1) * n_ + y - 1) * n_ + x - 1];
  }
  [[nodiscard]] double of_element(std::uint64_t x, std::uint64_t y, std::uint64_t z) const {
    Corners corners;
    for (std::size_t k = 0; k < corners.size(); ++k) corners[k] = at(x + (k & 1), y + (k >> 1 & 1), z + (k >> 2));
    double sum = 0;
    for (std::size_t k = 0; k < gauss_points; ++k)
      for (std::size_t j = 0; j < gauss_points; ++j)
        for (std::size_t i = 0; i < gauss_points; ++i) {
          const double exact = sine_[x * gauss_points + i] * sine_[y * gauss_points + j] * sine_[z * gauss_points + k];
          const double error = interpolated(corners, gauss_place[i], gauss_place[j], gauss_place[k]) - exact;
          sum += gauss_weight[i] * gauss_weight[j] * gauss_weight[k] * error * error;
        }
    return sum;
  }

  std::uint64_t n_;
  const double* x_;
  std::vector<double> sine_;  ///< at the Gauss points along a side
};

double l2_error(std::uint64_t n, const double* x) {
  const SquaredError error(n, x);
  std::vector<double> layers(n + 1);
#pragma omp parallel for schedule(static) if (n > 16)
  for (std::uint64_t z = 0; z <= n; ++z) layers[z] = error.of_layer(z);
  const double h = 1.0 / static_cast<double>(n + 1);
  return std::sqrt(std::accumulate(layers.begin(), layers.end(), 0.0) * h * h * h);
}

}  // namespace

Problem permuted(Problem problem, std::vector<std::uint32_t> old_row) {
  problem.rhs = permuted(problem.rhs, old_row);
  problem.start = permuted(problem.start, old_row);
  problem.l2_error = [error = std::move(problem.l2_error), order = std::move(old_row)](const double* x) {
    std::vector<double> old(order.size());
    for (std::size_t row = 0; row < order.size(); ++row) old[order[row]] = x[row];
    return error(old.data());
  };
  return problem;
}

Problem fem3d_problem(std::uint64_t n) {
  return {load(n), scattered(n * n * n), [n](const double* x) { return l2_error(n, x); }};
}

}  // namespace spress::gallery
