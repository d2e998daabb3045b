// Encodes a matrix of the program's own, and multiplies: y = A x.
#include <algorithm>
#include <iostream>
#include <spress/spress.hpp>
#include <vector>

int main() try {
  // 2 on the diagonal, -1 beside it: the second derivative on a line of n points.
  const int n = 1000;
  std::vector<int> row_ptr = {0}, col_idx;
  std::vector<double> values;
  for (int row = 0; row < n; ++row) {
    for (int col = std::max(row - 1, 0); col <= std::min(row + 1, n - 1); ++col) {
      col_idx.push_back(col);
      values.push_back(row == col ? 2 : -1);
    }
    row_ptr.push_back(static_cast<int>(col_idx.size()));
  }
  const spress::CsrView view(n, n, row_ptr, col_idx, values);  // copies nothing

  const spress::Matrix csr = spress::encode(view, "csr", "raw");
  const spress::Matrix encoded = spress::encode(view, "auto");
  std::cout << encoded.format() << " takes " << encoded.bytes() << " bytes, csr " << csr.bytes() << "\n";

  const std::vector<double> x(n, 1);
  std::vector<double> y(n);
  encoded.multiply(x, y);
  std::cout << "y[0] is " << y[0] << ", y[1] is " << y[1] << "\n";

  spress::Csr(view).write("line.spress");
  std::cout << "line.spress holds " << spress::read("line.spress").nnz() << " entries\n";
} catch (const std::exception& error) {
  std::cerr << error.what() << "\n";
  return 1;
}
