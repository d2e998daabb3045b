#include "pipeline/measure/transfer.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <new>
#include <optional>

#include "analyze/value_statistics.hpp"
#include "encode/shared/any.hpp"
#include "formats/core/clock.hpp"
#include "formats/core/threads.hpp"
#include "pipeline/measure/break_even.hpp"
#include "pipeline/measure/parcel.hpp"
#include "pipeline/measure/rows.hpp"

namespace spress::pipeline {
namespace {

using reports::not_measured;
using reports::TransferMeasure;
using reports::TransferRecord;

/// What the device met on the way is a fault of ours, unlike what it says before anything is sent, or what it cannot
/// do.
Error of_device(Error error) {
  if (error.code != ErrorCode::too_large && error.code != ErrorCode::not_applicable) error.code = ErrorCode::damaged;
  return error;
}

/// The time of a matrix's product on the device, or why there is none; neither where none is wanted.
struct TimedProduct {
  double seconds = not_measured;
  std::optional<Error> failure;
};

/// Writes the result of the product into the row. False where the device failed: then the row ends here.
bool take_product(TransferMeasure& row, const TimedProduct& product) {
  row.spmv_seconds = product.seconds;
  if (!product.failure) return true;
  const Error& failure = *product.failure;
  const bool unfit = is_unfit(failure.code);
  row.reason = (unfit ? "the product was not timed: " : "the product failed: ") + failure.message;
  if (!unfit) row.ok = false;
  return unfit;
}

// --- Rows ------------------------------------------------------------------------------------------------------------

/// The row of a format that is not sent.
TransferMeasure refused_row(const Spec& spec, StoreKind kind, ValueType type, HostMemory memory, const Error& error) {
  auto row = begin_row<TransferMeasure>(spec, kind, type);
  row.route = packed;
  row.memory = enum_name(memory);
  end_row(row, error);
  return row;
}

void add_row(TransferRecord& record, TransferMeasure row) {
  record.ok = record.ok && row.ok.value_or(true);
  record.formats.push_back(std::move(row));
}

// --- One value type --------------------------------------------------------------------------------------------------

/// A format with one value store, to be sent.
struct Cargo {
  const Spec& spec;
  StoreKind store;
  std::uint64_t total_bytes = 0;
  double encode_seconds = 0;
};

class Transfers {
 public:
  /// type: of the values, also for a pattern.
  Transfers(const Csr<Viewed>& a, ValueType type, const TransferOptions& options, const std::vector<Spec>& formats,
            Wire& wire, TransferRecord& record)
      : a_(a),
        type_(type),
        options_(options),
        formats_(formats),
        wire_(wire),
        record_(record),
        csr_bytes_(byte_totals(a).total()) {}

  Status run() {
    const std::size_t first = record_.formats.size();
    SPRESS_CHECK(send_csr());
    for (StoreKind kind : wanted_stores(options_.choice, options_.stores, a_, options_.threads)) send_store(kind);
    for (HostMemory memory : options_.memories) {
      const auto seconds = vectors_seconds(memory);
      if (!seconds.ok()) continue;  // the rows of the matrix tell of a wire that fails
      for (std::size_t i = first; i < record_.formats.size(); ++i)
        if (record_.formats[i].memory == enum_name(memory)) record_.formats[i].vectors_seconds = *seconds;
    }
    return Ok{};
  }

 private:
  [[nodiscard]] bool multiplies() const { return type_ != ValueType::c128; }

  // --- CSR ---

  Status send_csr() {
    const Spec csr{"csr", {}};
    SPRESS_TRY(csr_landing_, make_landing(wire_, a_));
    SPRESS_TRY(target_, make_landing(wire_, a_));
    for (HostMemory memory : options_.memories) {
      SPRESS_TRY(csr_[memory], make_parcel(wire_, a_, csr_landing_, memory));
      const Cargo cargo = {csr, StoreKind::raw, csr_bytes_, not_measured};
      if (memory == options_.memories.front()) csr_product_ = time_product(csr_[memory], csr_landing_, csr, memory);
      for (std::string_view route : plain_routes) {
        send(cargo, csr_[memory], csr_landing_, memory, route, csr_product_);
        if (route == separate) csr_arrays_seconds_[memory] = record_.formats.back().seconds_median;
      }
    }
    return Ok{};
  }

  /// Sends the matrix first. Complex values have no product.
  TimedProduct time_product(const Parcel& parcel, const Landing& landing, const Spec& spec, HostMemory memory) {
    if (!multiplies()) return {};
    if (const auto sent = wire_.send(parcel.whole, memory); !sent.ok()) return {not_measured, of_device(sent.error())};
    const auto seconds = wire_.product_seconds(parcel.view, landing.view, spec, type_);
    if (!seconds.ok()) return {not_measured, seconds.error()};
    return {*seconds, {}};
  }

  // --- Stores and formats ---

  void send_store(StoreKind kind) {
    Csr<Viewed> stored = a_;
    const auto start = Clock::now();
    const auto values = with_store(a_.values, kind);
    const double seconds = kind == StoreKind::raw ? 0 : seconds_since(start);
    if (values.ok())
      stored.values = view_of(*values);
    else if (options_.choice == StoreChoice::all)
      return;
    for (const Spec& spec : formats_) {
      if (spec.text() == "csr" && kind == StoreKind::raw) continue;  // has been sent
      if (values.ok())
        send_format(stored, spec, kind, seconds);
      else
        refuse(spec, kind, values.error());
    }
  }

  void refuse(const Spec& spec, StoreKind kind, const Error& error) {
    add_row(record_, refused_row(spec, kind, type_, options_.memories.front(), error));
  }

  void send_format(const Csr<Viewed>& stored, const Spec& spec, StoreKind kind, double store_seconds) {
    try {
      const auto start = Clock::now();
      const auto encoded = encode_any(stored, spec);
      const double seconds = store_seconds + seconds_since(start);
      if (!encoded.ok()) return refuse(spec, kind, encoded.error());
      with_any(*encoded, [&]<template <class> class F>(const F<Owned>& f) {
        const Cargo cargo = {spec, kind, byte_totals(f).total(), seconds};
        if (auto status = send_encoded(cargo, view_of(f)); !status.ok()) refuse(spec, kind, status.error());
      });
    } catch (const std::bad_alloc&) {
      refuse(spec, kind, {ErrorCode::too_large, "not enough memory for this format"});
    }
  }

  template <template <class> class F>
  Status send_encoded(const Cargo& cargo, const F<Viewed>& f) {
    SPRESS_TRY(const Landing landing, make_landing(wire_, f));
    TimedProduct product;
    for (HostMemory memory : options_.memories) {
      SPRESS_TRY(const Parcel parcel, make_parcel(wire_, f, landing, memory));
      if (memory == options_.memories.front()) product = time_product(parcel, landing, cargo.spec, memory);
      for (std::string_view route : plain_routes) send(cargo, parcel, landing, memory, route, product);
      if (wire_.expands(landing.view) && multiplies()) SPRESS_CHECK(send_expanded(cargo, parcel, landing, memory));
    }
    return Ok{};
  }

  // --- Vectors ---

  /// Seconds to send x and y, in a copy each. Errors: those of the wire; not_applicable where the matrix takes less
  /// than they do, so that billions of empty columns take no memory.
  Result<double> vectors_seconds(HostMemory memory) {
    if ((a_.rows + a_.cols) * size_of(type_) > csr_bytes_)
      return Error{ErrorCode::not_applicable, "the vectors are larger than the matrix"};
    std::vector<std::shared_ptr<void>> held;
    std::vector<cuda::Copy> copies;
    for (const std::uint64_t elements : {a_.cols, a_.rows}) {
      const std::size_t bytes = elements * size_of(type_);
      SPRESS_TRY(held.emplace_back(), wire_.host_memory(bytes, memory, "a vector"));
      std::fill_n(static_cast<char*>(held.back().get()), bytes, 0);  // else pages that are not there yet would be sent
      const void* from = held.back().get();
      SPRESS_TRY(held.emplace_back(), wire_.device_memory(bytes, "a vector"));
      copies.push_back({held.back().get(), from, bytes});
    }
    Status failure = Ok{};
    const auto sending = [&](const cuda::Copy& copy) {
      return [&] {
        if (failure.ok()) failure = wire_.send(std::span(&copy, 1), memory);
      };
    };
    const auto times = time_pairs({sending(copies[0])}, {sending(copies[1])}, options_.pairing);
    if (!failure.ok()) return failure.error();
    return median(times.baseline) + median(times.candidate);
  }

  // --- One way ---

  TransferMeasure start_way(const Cargo& cargo, HostMemory memory, std::string_view route) {
    auto row = begin_row<TransferMeasure>(cargo.spec, cargo.store, type_);
    row.route = route;
    row.memory = enum_name(memory);
    row.total_bytes = cargo.total_bytes;
    row.encode_seconds = cargo.encode_seconds;
    if (cargo.total_bytes != 0)
      row.byte_ratio = static_cast<double>(csr_bytes_) / static_cast<double>(cargo.total_bytes);
    tell(cargo.spec.text() + " " + row.values + " " + row.memory + " " + row.route);
    return row;
  }

  void send(const Cargo& cargo, const Parcel& parcel, const Landing& landing, HostMemory memory, std::string_view route,
            const TimedProduct& product) {
    auto row = start_way(cargo, memory, route);
    const auto& copies = parcel.copies(route);
    row.copies = copies.size();
    row.sent_bytes = bytes_of(copies);
    measure(row, memory, landing, product, copies, [&] { return parcel.send(wire_, route, memory); });
  }

  Status send_expanded(const Cargo& cargo, const Parcel& parcel, const Landing& landing, HostMemory memory) {
    auto row = start_way(cargo, memory, expanded);
    const auto& target = std::get<Csr<Viewed>>(target_.view);
    const auto expansion = wire_.expansion(parcel.view, landing.view, target, options_.piece);
    if (!expansion.ok()) {
      end_row(row, of_device(expansion.error()));
      add_row(record_, std::move(row));
      return Ok{};
    }
    for (const auto& piece : expansion->pieces) row.copies += piece.copies.size();
    row.sent_bytes = expansion->bytes;
    std::vector<cuda::Copy> result = csr_[memory].arrays;  // what the target must hold: it is laid out as CSR's landing
    const auto* const base = static_cast<const std::uint8_t*>(csr_landing_.memory.get());
    for (auto& copy : result)
      copy.to = static_cast<std::uint8_t*>(target_.memory.get()) + (static_cast<const std::uint8_t*>(copy.to) - base);
    if (const auto done = wire_.poison(landing.memory.get(), landing.bytes); !done.ok()) return of_device(done.error());
    measure(row, memory, target_, csr_product_, result, [&] { return wire_.send(expansion->pieces, memory); });
    return Ok{};
  }

  /// Adds the row: sends once and compares what has arrived with `expected`, times unless the device failed at the
  /// product of it, and compares what the last run left: work that races may be wrong only now and then.
  template <class Send>
  void measure(TransferMeasure& row, HostMemory memory, const Landing& landing, const TimedProduct& product,
               const std::vector<cuda::Copy>& expected, const Send& send_once) {
    const auto send_poisoned = [&]() -> Status {
      SPRESS_CHECK(wire_.poison(landing.memory.get(), landing.bytes));
      return send_once();
    };
    if (const auto sent = send_poisoned(); !sent.ok())
      end_row(row, of_device(sent.error()));
    else if (compare(row, expected) && take_product(row, product))
      time(row, memory, send_once, expected);
    add_row(record_, std::move(row));
  }

  /// Whether the right bits have arrived; if not, the row says so.
  bool compare(TransferMeasure& row, const std::vector<cuda::Copy>& expected) {
    const auto right = arrived(wire_, expected);
    if (!right.ok()) {
      end_row(row, of_device(right.error()));
      return false;
    }
    row.ok = *right;
    if (!*right) row.reason = "other bits arrived than were sent";
    return *right;
  }

  template <class Send>
  void time(TransferMeasure& row, HostMemory memory, const Send& send_once, const std::vector<cuda::Copy>& expected) {
    Status failure = Ok{};
    const Parcel& csr = csr_[memory];
    const auto keep = [&](Status status) {
      if (failure.ok()) failure = std::move(status);
    };
    const auto times =
        time_pairs({[&] { keep(csr.send(wire_, row.route, memory)); }}, {[&] { keep(send_once()); }}, options_.pairing);
    if (!failure.ok()) return end_row(row, of_device(failure.error()));
    if (!compare(row, expected)) return;
    fill_times(row, memory, times);
  }

  void fill_times(TransferMeasure& row, HostMemory memory, const PairedTimes& times) const {
    fill_spread(row, times.candidate);
    row.gb_per_s = 1e-9 * static_cast<double>(row.sent_bytes) / row.seconds_median;
    row.speedup_vs_csr = paired_speedup(times);
    if (const auto known = csr_arrays_seconds_.find(memory); known != csr_arrays_seconds_.end())
      row.speedup_vs_csr_arrays = known->second / row.seconds_median;
    else if (row.route == separate)
      row.speedup_vs_csr_arrays = row.speedup_vs_csr;
    fill_break_even(row, median(times.baseline), csr_product_.seconds);
  }

  void tell(const std::string& what) const {
    if (!options_.on_progress) return;
    // Most formats have one store, some a second one, and half of them a fourth route.
    const std::size_t rows = options_.memories.size() * options_.types.size() * (3 + 5 * formats_.size());
    const std::size_t done = record_.formats.size();
    options_.on_progress({record_.name, what, done, std::max(rows, done + 1)});
  }

  Csr<Viewed> a_;  // with raw values
  ValueType type_;
  const TransferOptions& options_;
  const std::vector<Spec>& formats_;
  Wire& wire_;
  TransferRecord& record_;
  std::uint64_t csr_bytes_;
  Landing csr_landing_, target_;
  std::map<HostMemory, Parcel> csr_;
  std::map<HostMemory, double> csr_arrays_seconds_;
  TimedProduct csr_product_;
};

/// The types that values take in turn.
std::vector<ValueType> types_of(const Csr<Owned>& a, const TransferOptions& options) {
  if (a.values.type == ValueType::c128) return {ValueType::c128};
  return options.types;
}

}  // namespace

Result<TransferRecord> transfer(const Matrix& matrix, const TransferOptions& options, Wire& wire) {
  SPRESS_TRY(const auto formats, formats_to_walk(options.formats));
  const DefaultThreads threads(options.threads);
  TransferRecord record;
  identify(record, matrix);
  record.machine = options.machine;
  for (ValueType type : types_of(matrix.csr, options)) {
    std::optional<Csr<Owned>> typed;
    if (matrix.csr.values.type != type && matrix.csr.values.type != ValueType::none) {
      const auto beyond = type == ValueType::f32 ? entry_beyond_float(view_of(matrix.csr)) : std::string();
      if (!beyond.empty()) {
        const Error error = {ErrorCode::not_applicable, beyond + ": use double"};
        for (const Spec& spec : formats)
          add_row(record, refused_row(spec, StoreKind::raw, type, options.memories.front(), error));
        continue;
      }
      SPRESS_TRY(typed, with_value_type(view_of(matrix.csr), type));
    }
    Transfers transfers(view_of(typed ? *typed : matrix.csr), type, options, formats, wire, record);
    SPRESS_CHECK(transfers.run());
  }
  return record;
}

Result<double> wire_bandwidth(Wire& wire, HostMemory memory) {
  constexpr std::size_t bytes = 256 << 20;
  SPRESS_TRY(const auto from, wire.host_memory(bytes, memory, "a large copy"));
  SPRESS_TRY(const auto to, wire.device_memory(bytes, "a large copy"));
  std::memset(from.get(), 1, bytes);
  const cuda::Copy copy = {to.get(), from.get(), bytes};
  std::vector<double> seconds;
  for (int i = 0; i < 6; ++i) {
    const auto start = Clock::now();
    SPRESS_CHECK(wire.send(std::span(&copy, 1), memory));
    if (i > 0) seconds.push_back(seconds_since(start));
  }
  return 1e-9 * static_cast<double>(bytes) / median(std::move(seconds));
}

TransferRecord failed_transfer_record(const std::string& input, const std::string& message,
                                      const TransferOptions& options) {
  return failed_record<TransferRecord>(input, message, options.machine);
}

}  // namespace spress::pipeline
