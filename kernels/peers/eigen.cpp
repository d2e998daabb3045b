#ifdef SPRESS_WITH_EIGEN

#include <Eigen/Core>
#include <Eigen/SparseCore>

#include "formats/core/threads.hpp"
#include "kernels/peers/arrays.hpp"
#include "kernels/peers/makers.hpp"

namespace spress::peers {
namespace {

/// Eigen's product of a row-major matrix that maps our arrays. It starts threads from 20000 entries on.
template <class T>
class EigenProduct : public Product<T> {
 public:
  EigenProduct(Arrays<T> arrays, int threads) : arrays_(std::move(arrays)), threads_(threads) {}

  void multiply(const T* x, T* y) override {
    using Matrix = Eigen::SparseMatrix<T, Eigen::RowMajor, int>;
    using Vector = Eigen::Matrix<T, Eigen::Dynamic, 1>;
    const Eigen::Map<const Matrix> a(arrays_.rows, arrays_.cols, arrays_.nnz, arrays_.row_ptr, arrays_.col_idx,
                                     arrays_.values);
    Eigen::setNbThreads(threads_);  // Eigen keeps one number for the whole process
    Eigen::Map<Vector>(y, arrays_.rows).noalias() = a * Eigen::Map<const Vector>(x, arrays_.cols);
  }

 private:
  Arrays<T> arrays_;
  int threads_;
};

}  // namespace

template <class T>
Result<std::unique_ptr<Product<T>>> eigen_csr(const Csr<Viewed>& a, int threads) {
  SPRESS_TRY(auto arrays, arrays_of<T>(a, "eigen-csr"));
  return std::unique_ptr<Product<T>>(std::make_unique<EigenProduct<T>>(std::move(arrays), thread_count(threads)));
}

template Result<std::unique_ptr<Product<float>>> eigen_csr<float>(const Csr<Viewed>&, int);
template Result<std::unique_ptr<Product<double>>> eigen_csr<double>(const Csr<Viewed>&, int);

}  // namespace spress::peers

#endif
