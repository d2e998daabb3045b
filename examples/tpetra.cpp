// An encoded matrix as a Tpetra::Operator, for solvers of Trilinos. One process.
#include <Tpetra_Core.hpp>
#include <Tpetra_Map.hpp>
#include <Tpetra_MultiVector.hpp>
#include <Tpetra_Operator.hpp>
#include <iostream>
#include <spress/spress.hpp>

using Vector = Tpetra::MultiVector<double>;
using Map = Tpetra::Map<>;
class EncodedOperator : public Tpetra::Operator<double> {
 public:
  EncodedOperator(const spress::Csr& csr, Teuchos::RCP<const Teuchos::Comm<int>> comm)
      : matrix_(spress::encode(csr, "auto", "auto", "spmv")),
        domain_(Teuchos::rcp(new Map(csr.cols(), 0, comm))),
        range_(Teuchos::rcp(new Map(csr.rows(), 0, comm))) {}
  Teuchos::RCP<const Map> getDomainMap() const override { return domain_; }
  Teuchos::RCP<const Map> getRangeMap() const override { return range_; }
  void apply(const Vector& x, Vector& y, Teuchos::ETransp mode, double alpha, double beta) const override {
    if (mode != Teuchos::NO_TRANS) throw std::invalid_argument("no transposed products here");
    for (std::size_t k = 0; k < x.getNumVectors(); ++k) {
      const auto from = x.getData(k);
      const auto to = y.getDataNonConst(k);
      matrix_.multiply({from.getRawPtr(), x.getLocalLength()}, {to.getRawPtr(), y.getLocalLength()}, alpha, beta);
    }
  }

 private:
  spress::Matrix matrix_;
  Teuchos::RCP<const Map> domain_, range_;
};

int main(int argc, char** argv) {
  const Tpetra::ScopeGuard guard(&argc, &argv);
  const EncodedOperator a(spress::read("gen:poisson2d,nx=100,ny=100"), Tpetra::getDefaultComm());
  Vector x(a.getDomainMap(), 1), y(a.getRangeMap(), 1);
  x.putScalar(1);
  a.apply(x, y, Teuchos::NO_TRANS, 1, 0);
  std::cout << "y[0] is " << y.getData(0)[0] << "\n";
}
