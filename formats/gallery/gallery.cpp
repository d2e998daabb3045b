#include "formats/gallery/gallery.hpp"

#include <array>
#include <new>
#include <stdexcept>

#include "formats/core/names.hpp"
#include "formats/gallery/generators.hpp"

namespace spress::gallery {
namespace {

std::vector<Generator> generators() {
#define SPRESS_ROW(function) function(),
  return {SPRESS_GALLERY(SPRESS_ROW)};
#undef SPRESS_ROW
}

Error unknown_generator(const std::string& name) {
  std::vector<std::string> choices;
  for (const auto& generator : generators()) choices.push_back(generator.entry.name);
  return unknown_name("generator", name, choices);
}

Error out_of_memory(const Spec& spec) {
  return {ErrorCode::too_large, spec.text() + ": not enough memory; take smaller sides"};
}

/// use(generator) for the one that `spec` names.
template <class R, class Use>
Result<R> with_generator(const Spec& spec, const Use& use) {
  for (const auto& generator : generators()) {
    if (generator.entry.name != spec.name) continue;
    try {
      return use(generator);
    } catch (const std::bad_alloc&) {
      return out_of_memory(spec);
    } catch (const std::length_error&) {  // a vector of more elements than there can be
      return out_of_memory(spec);
    }
  }
  return unknown_generator(spec.name);
}

}  // namespace

std::vector<Entry> entries() {
  std::vector<Entry> out;
  for (auto& generator : generators()) out.push_back(std::move(generator.entry));
  return out;
}

Status check(const Spec& spec) {
  return with_generator<Ok>(spec, [&](const Generator& generator) { return generator.check(spec); });
}

Result<Matrix> generate(const Spec& spec) {
  return with_generator<Matrix>(spec, [&](const Generator& generator) { return generator.generate(spec); });
}

Result<std::optional<Problem>> problem_of(const Spec& spec) {
  return with_generator<std::optional<Problem>>(spec,
                                                [&](const Generator& generator) { return generator.problem(spec); });
}

}  // namespace spress::gallery
