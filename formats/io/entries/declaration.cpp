#include "formats/io/entries/declaration.hpp"

#include <algorithm>
#include <optional>

#include "formats/io/entries/exact_integer.hpp"
#include "formats/io/entries/mirrored_pairs.hpp"
#include "formats/io/entries/symmetric_values.hpp"

namespace spress::io {
namespace {

/// The field that the values really have: integer only where all are, so that nothing is lost.
Field field_of_values(const ValueStore<Viewed>& values, Field declared) {
  if (values.type == ValueType::none) return Field::pattern;
  if (values.type == ValueType::c128) return Field::complex;
  if (declared != Field::integer) return Field::real;
  const double* begin = values.codes.as<double>();
  return std::all_of(begin, begin + values.count, is_exact_integer) ? Field::integer : Field::real;
}

bool goes_with(Symmetry symmetry, Field field) {
  if (symmetry == Symmetry::skew_symmetric) return field != Field::pattern;
  return symmetry != Symmetry::hermitian || field == Field::complex;
}

template <Symmetry S, class V>
bool diagonal_fits([[maybe_unused]] V value) {
  if constexpr (S == Symmetry::skew_symmetric)
    return false;
  else if constexpr (S == Symmetry::hermitian && std::is_same_v<V, std::complex<double>>)
    return value.imag() == 0;
  else
    return true;
}

/// The entries of the lower triangle with the diagonal, if the upper triangle follows from it bit for bit.
template <Symmetry S, class V, class P>
std::optional<std::uint64_t> entries_of_half(const Csr<Viewed>& a, Field field, const P* row_ptr, const V* values) {
  const MirrorValue<S> mirror(field);
  std::uint64_t half = 0;
  const auto on_diagonal = [&](std::uint64_t k) {
    ++half;
    return diagonal_fits<S>(value_at(values, k));
  };
  const auto on_pair = [&](std::uint64_t below, std::uint64_t above) {
    ++half;
    return same_bits(mirror(value_at(values, below)), value_at(values, above));
  };
  return for_mirrored_pairs(a, row_ptr, on_diagonal, on_pair) ? std::optional(half) : std::nullopt;
}

Status with_plain_values(const Csr<Viewed>& a, const std::function<Status(const Csr<Viewed>&)>& write) {
  const ValueStore<Viewed>& values = a.values;
  if (values.type == ValueType::none || (values.kind == StoreKind::raw && values.type != ValueType::f32))
    return write(a);
  SPRESS_TRY(ValueStore<Owned> raw, with_store(values, StoreKind::raw));
  if (raw.type == ValueType::f32) {
    SPRESS_TRY(raw, with_type(view_of(raw), ValueType::f64));
  }
  Csr<Viewed> plain = a;
  plain.values = view_of(raw);
  return write(plain);
}

}  // namespace

Declaration declare(const Csr<Viewed>& a, const MatrixInfo& info) {
  Declaration said{field_of_values(a.values, info.field), Symmetry::general, a.nnz};
  if (info.symmetry == Symmetry::general || a.rows != a.cols || !goes_with(info.symmetry, said.field)) return said;
  const auto half = with_symmetry(info.symmetry, [&]<Symmetry S>() {
    return with_value_type(said.field, [&]<class V>(V) {
      return with_positions(a.row_ptr, [&](const auto* row_ptr) {
        return entries_of_half<S>(a, said.field, row_ptr, static_cast<const V*>(a.values.codes.raw()));
      });
    });
  });
  if (half) said = {said.field, info.symmetry, *half};
  return said;
}

Status write_plain(const Csr<Viewed>& a, const std::filesystem::path& path,
                   const std::function<Status(const Csr<Viewed>&)>& write) {
  Status status = Ok{};
  try {
    status = with_plain_values(a, write);
  } catch (const std::bad_alloc&) {
    status = Error{ErrorCode::too_large, "memory ran out while the matrix was written"};
  }
  if (!status.ok() && status.error().file.empty()) status.error().file = path.string();
  return status;
}

}  // namespace spress::io
