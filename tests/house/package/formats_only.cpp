// A program of somebody else's that uses one library of spress.
#include <formats/csr/csr.hpp>

int main() {
  spress::Csr<> a;
  a.rows = 2, a.cols = 300, a.nnz = 3;
  a.row_ptr = spress::Positions<>(spress::HostArray<std::uint32_t>{0, 2, 3});
  a.col_idx = {1, 299, 0};
  a.values = spress::raw_store(spress::HostArray<double>{1, 2, 3});
  if (!validate(spress::view_of(a)).ok() || spress::byte_totals(a).total() != 48) return 1;
  a.col_idx[1] = 300;
  return validate(spress::view_of(a)).ok() ? 2 : 0;
}
