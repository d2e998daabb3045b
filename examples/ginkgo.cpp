// An encoded matrix as a gko::LinOp, for the solvers of Ginkgo (on a processor).
#include <ginkgo/ginkgo.hpp>
#include <iostream>
#include <spress/spress.hpp>

using Vector = gko::matrix::Dense<double>;

class EncodedOp : public gko::EnableLinOp<EncodedOp> {
  friend class gko::EnablePolymorphicObject<EncodedOp, gko::LinOp>;

 public:
  EncodedOp(std::shared_ptr<const gko::Executor> exec, const spress::Csr& csr)
      : gko::EnableLinOp<EncodedOp>(exec, gko::dim<2>(csr.rows(), csr.cols())),
        matrix_(std::make_shared<spress::Matrix>(spress::encode(csr, "auto", "auto", "spmv"))) {}
  explicit EncodedOp(std::shared_ptr<const gko::Executor> exec) : gko::EnableLinOp<EncodedOp>(exec) {}

 protected:
  void apply_impl(const gko::LinOp* b, gko::LinOp* x) const override { multiply(1, gko::as<Vector>(b), 0, x); }
  void apply_impl(const gko::LinOp* alpha, const gko::LinOp* b, const gko::LinOp* beta, gko::LinOp* x) const override {
    multiply(gko::as<Vector>(alpha)->at(0, 0), gko::as<Vector>(b), gko::as<Vector>(beta)->at(0, 0), x);
  }

 private:
  void multiply(double alpha, const Vector* b, double beta, gko::LinOp* x) const {
    auto* to = gko::as<Vector>(x);
    const auto code = spress_multiply_block(matrix_->handle(), to->get_size()[1], alpha, b->get_const_values(),
                                            b->get_stride(), 1, beta, to->get_values(), to->get_stride(), 1);
    if (code != SPRESS_OK) throw spress::Exception(code);
  }
  std::shared_ptr<const spress::Matrix> matrix_;
};

int main() {
  const auto exec = gko::OmpExecutor::create();
  const auto a = gko::share(std::make_unique<EncodedOp>(exec, spress::read("gen:poisson2d,nx=100,ny=100")));
  auto x = Vector::create(exec, gko::dim<2>(10000, 1)), y = Vector::create(exec, gko::dim<2>(10000, 1));
  x->fill(1);
  a->apply(x.get(), y.get());
  std::cout << "y[0] is " << y->at(0, 0) << "\n";
}
