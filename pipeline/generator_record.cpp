#include "pipeline/generator_record.hpp"

#include "reports/records/generator.hpp"

namespace spress::pipeline {

std::optional<reports::GeneratorRecord> generator_record(const MatrixInfo& info) {
  if (!info.generator) return std::nullopt;
  reports::GeneratorRecord record{info.generator->name, {}};
  for (const auto& [key, value] : info.generator->options)
    record.parameters.emplace_back(key, reports::parameter_value(value));
  return record;
}

}  // namespace spress::pipeline
