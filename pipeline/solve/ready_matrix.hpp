// A matrix in a format, where it is multiplied. Private to pipeline/solve.
#pragma once

#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <utility>

#include "encode/shared/any.hpp"
#include "formats/core/clock.hpp"
#include "pipeline/solve/solve.hpp"
#include "pipeline/solve/solve_device.hpp"
#include "pipeline/solve/system.hpp"

namespace spress::pipeline {

/// A matrix ready to multiply, and what it took.
struct ReadyMatrix {
  std::unique_ptr<const AnyFormat> format;  ///< to which the placed one may refer; none of a matrix in pieces
  std::unique_ptr<PlacedMatrix> placed;
  StoreKind values = StoreKind::raw;
  std::uint64_t bytes = 0;
  double encode_seconds = 0;  ///< its values too
};

/// A matrix with its values in a store.
struct StoredValues {
  StoreKind kind;
  ValueStore<Owned> values;  ///< unless they are those of the matrix
  Csr<Viewed> view;
};

/// The store in which the format takes the fewest bytes. Errors: those of footprints.
[[nodiscard]] Result<StoreKind> smallest_store_of(const Csr<Viewed>& a, const Spec& spec);
/// Errors: those of with_store.
[[nodiscard]] Result<StoredValues> stored_in(const Csr<Viewed>& a, StoreKind values);

/// Encodes the matrix of a system, and places it on the device.
template <class T>
class ReadyMatrices {
 public:
  ReadyMatrices(const System<T>& system, const SolveOptions& options, SolveDevice<T>& device)
      : system_(system), options_(options), device_(device), csr_(view_of(system.csr)) {}

  /// values: none for the smallest. Errors: as encode_any and place; too_large where memory runs out.
  Result<ReadyMatrix> make(const Spec& spec, std::optional<StoreKind> values) {
    try {
      const auto start = Clock::now();
      SPRESS_TRY(values, agreed_store(spec, values));
      SPRESS_TRY(const StoredValues stored, system_.agree(stored_in(csr_, *values)));
      if (system_.part) return ready_part(spec, stored, start);
      const bool in_pieces = options_.device_memory != 0;
      return in_pieces ? ready_in_pieces(spec, stored, start) : ready_whole(spec, stored, start);
    } catch (const std::bad_alloc&) {
      if (system_.part) throw;  // the other ranks wait for this one: all end
      return Error{ErrorCode::too_large, "there is not enough memory for this format"};
    }
  }

 private:
  /// The smallest store where none is given: of several ranks, that of the first.
  Result<std::optional<StoreKind>> agreed_store(const Spec& spec, std::optional<StoreKind> values) const {
    if (values) return values;
    SPRESS_TRY(const StoreKind smallest, system_.agree(smallest_store_of(csr_, spec)));
    return std::optional(system_.part ? system_.part->ranks().gather(smallest).front() : smallest);
  }

  Result<ReadyMatrix> ready_part(const Spec& spec, const StoredValues& stored, Clock::time_point start) {
    ReadyMatrix out;
    out.values = stored.kind;
    SPRESS_TRY(auto encoded, EncodedPart::make(*system_.part, stored.view, spec));
    out.encode_seconds = system_.largest(seconds_since(start));
    out.bytes = encoded.bytes;
    SPRESS_TRY(out.placed, system_.agree(device_.place_part(std::move(encoded), *system_.exchange)));
    return out;
  }

  Result<ReadyMatrix> ready_whole(const Spec& spec, const StoredValues& stored, Clock::time_point start) {
    SPRESS_TRY(auto encoded, encode_any(stored.view, spec));
    ReadyMatrix out;
    out.encode_seconds = seconds_since(start);
    out.values = stored.kind;
    out.bytes = total_bytes(encoded);
    out.format = std::make_unique<const AnyFormat>(std::move(encoded));
    SPRESS_TRY(out.placed, device_.place(*out.format, spec));
    return out;
  }

  Result<ReadyMatrix> ready_in_pieces(const Spec& spec, const StoredValues& stored, Clock::time_point start) {
    ReadyMatrix out;
    out.encode_seconds = seconds_since(start);
    SPRESS_TRY(out.placed, device_.place_in(stored.view, spec, options_.device_memory));
    out.encode_seconds += out.placed->encode_seconds;
    out.values = stored.kind;
    out.bytes = out.placed->total_bytes;
    return out;
  }

  const System<T>& system_;
  const SolveOptions& options_;
  SolveDevice<T>& device_;
  Csr<Viewed> csr_;
};

}  // namespace spress::pipeline
