#include "bench/isa/measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>

#include "encode/choose/choose.hpp"
#include "encode/shared/any.hpp"
#include "kernels/cpu/spmv.hpp"
#include "kernels/peers/peer.hpp"
#include "kernels/reference.hpp"
#include "pipeline/source.hpp"

namespace spress::bench {
namespace {

/// Makes `ceiling` the widest instruction set of the products from now on.
void use_ceiling(Isa ceiling) { select_isa(IsaChoice{ceiling, false}); }

/// A matrix with what its products read, write and are judged by.
class Problem {
 public:
  Problem(std::string name, Matrix matrix)
      : name_(std::move(name)),
        matrix_(std::move(matrix)),
        x_(test_vector<double>(matrix_.csr.cols)),
        y_(matrix_.csr.rows),
        reference_(reference_product<double>(view_of(matrix_.csr), x_.data())) {}

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] Csr<Viewed> csr() const { return view_of(matrix_.csr); }

  /// A product of ours below a ceiling. Requires: `any` outlives the contender.
  Contender ours(std::string name, const AnyFormat& any, Isa ceiling, int threads) {
    Contender made{{std::move(name)}, {}};
    with_any(any, [&](const auto& f) {
      made.product = [this, view = view_of(f), ceiling, threads] {
        use_ceiling(ceiling);
        cpu::spmv<double>(view, x_.data(), y_.data(), threads);
      };
    });
    return judged(std::move(made));
  }

  Contender peer(std::string name, std::shared_ptr<peers::Product<double>> product) {
    return judged({{std::move(name)}, [this, product] { product->multiply(x_.data(), y_.data()); }});
  }

 private:
  Contender judged(Contender contender) {
    std::fill(y_.begin(), y_.end(), std::numeric_limits<double>::quiet_NaN());
    contender.product();
    if (const Verdict verdict = judge(reference_, y_.data()); !verdict.ok) contender.result.wrong = verdict.reason;
    return contender;
  }

  std::string name_;
  Matrix matrix_;
  std::vector<double> x_, y_;
  Reference reference_;
};

std::string place_of(const Comparison& c) {
  return fmt::format("{}, {} thread{}", c.matrix, c.threads, c.threads == 1 ? "" : "s");
}

std::vector<std::string> misses_of(const Comparison& c) {
  std::vector<std::string> misses;
  for (const Timed& each : c.timed)
    if (!each.wrong.empty())
      misses.push_back(fmt::format("{}: {} {} is wrong: {}", place_of(c), c.format, each.name, each.wrong));
  if (c.kind == "ceilings") {
    for (std::size_t i : slow_ceilings(c.timed, c.threads))
      misses.push_back(fmt::format("{}: {} with {} takes {:.2f} of the best lower ceiling's time", place_of(c),
                                   c.format, c.timed[i].name, to_best_lower(c.timed, i)));
    return misses;
  }
  for (std::size_t i : faster_than_first(c.timed, c.least))
    misses.push_back(fmt::format("{}: {} is {:.2f} times as fast as {}", place_of(c), c.timed[0].name,
                                 c.timed[i].seconds / c.timed[0].seconds, c.timed[i].name));
  return misses;
}

/// Times the contenders, again where a target is missed: other programs on the machine only ever make a time longer.
Comparison compare(Comparison c, std::vector<Contender> contenders, const Settings& settings) {
  for (int round = 0; round <= settings.repeats; ++round) {
    time_in_turns(contenders, settings.turns);
    c.timed.clear();
    for (const Contender& each : contenders) c.timed.push_back(each.result);
    c.misses = misses_of(c);
    if (c.misses.empty()) break;
  }
  return c;
}

using Take = std::function<void(const Comparison&)>;

class Measuring {
 public:
  Measuring(Problem& problem, const Settings& settings, const Take& take)
      : problem_(problem), settings_(settings), take_(take) {}

  void ceilings(const Spec& spec) {
    const auto any = encode_any(problem_.csr(), spec);
    if (!any.ok()) return;
    for (int threads : settings_.threads) {
      std::vector<Contender> contenders;
      for (Isa ceiling : available_isas())
        contenders.push_back(problem_.ours(std::string(enum_name(ceiling)), *any, ceiling, threads));
      take_(compare(start("ceilings", 0, spec.text(), threads), std::move(contenders), settings_));
    }
  }

  void peers() {
    const auto csr = encode_any(problem_.csr(), {"csr", {}});
    for (int threads : settings_.threads) {
      std::vector<Contender> contenders;
      contenders.push_back(problem_.ours("csr", *csr, widest(), threads));
      contenders.push_back(problem_.ours("portable csr", *csr, Isa::portable, threads));
      for (const auto& name : peers::names())
        if (auto product = peers::prepare<double>(name, problem_.csr(), threads); product.ok())
          contenders.push_back(problem_.peer(name, std::move(product).value()));
      take_(compare(start("peers", least_of_peer, "csr", threads), std::move(contenders), settings_));
    }
  }

  /// As `auto` chooses it for spmv; with raw values, and without a target, where it chooses another format.
  void slice_delta(const CostModel& model) {
    for (int threads : settings_.threads) {
      Candidate candidate{.format = {"slice-delta", {}}};
      ChoiceOptions options;
      options.goal = Goal::spmv;
      options.model = &model;
      options.threads = threads;
      const auto choice = choose(problem_.csr(), options);
      const bool chosen = choice.ok() && choice->candidates.front().format.name == "slice-delta";
      if (chosen) candidate = choice->candidates.front();
      against_csr(candidate, chosen, threads);
    }
  }

 private:
  static Isa widest() { return available_isas().back(); }

  [[nodiscard]] Comparison start(std::string kind, double least, std::string format, int threads) const {
    return {std::move(kind), least, problem_.name(), std::move(format), problem_.csr().nnz, threads, {}, {}};
  }

  void against_csr(const Candidate& candidate, bool chosen, int threads) {
    const auto stored = with_values(problem_.csr(), candidate.values);
    if (!stored.ok()) return;
    const auto coded = encode_any(view_of(*stored), candidate.format);
    const auto csr = encode_any(problem_.csr(), {"csr", {}});
    if (!coded.ok() || !csr.ok()) return;
    const std::string name = fmt::format("{}/{}", candidate.format.text(), enum_name(candidate.values));
    std::vector<Contender> contenders;
    contenders.push_back(problem_.ours(name, *coded, widest(), threads));
    contenders.push_back(problem_.ours("csr", *csr, widest(), threads));
    take_(compare(start("slice-delta", chosen ? least_of_csr : 0, name, threads), std::move(contenders), settings_));
  }

  Problem& problem_;
  const Settings& settings_;
  const Take& take_;
};

}  // namespace

Status measure(const std::string& input, const CostModel& model, const Settings& settings, const Take& take) {
  SPRESS_TRY(auto matrix, pipeline::load(input));
  if (matrix.csr.values.type == ValueType::c128)
    return Error{ErrorCode::not_applicable, "products of complex matrices are not timed", input, 0};
  Problem problem(input, std::move(matrix));
  Measuring measuring(problem, settings, take);
  for (const Spec& spec : settings.formats) measuring.ceilings(spec);
  measuring.peers();
  measuring.slice_delta(model);
  return Ok{};
}

}  // namespace spress::bench
