// Plain arrays: owned by the host, or seen through a view. Every array says its element type and its bytes,
// which is all that the generic services (container, packing, mirror, checksum) need to know.
#pragma once

#include <cassert>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#if defined(__CUDACC__)
#define SPRESS_HD __host__ __device__
#else
#define SPRESS_HD
#endif

namespace spress {

/// Element types an array may hold. The names (`to_string`) appear in files.
enum class DType : std::uint8_t { u8, i8, u16, i16, u32, i32, u64, i64, f32, f64, c64, c128 };

[[nodiscard]] std::string_view to_string(DType type);
[[nodiscard]] std::size_t size_of(DType type);  ///< bytes of one element

template <class T>
consteval DType dtype_of() {
  if constexpr (std::is_same_v<T, std::uint8_t>)
    return DType::u8;
  else if constexpr (std::is_same_v<T, std::int8_t>)
    return DType::i8;
  else if constexpr (std::is_same_v<T, std::uint16_t>)
    return DType::u16;
  else if constexpr (std::is_same_v<T, std::int16_t>)
    return DType::i16;
  else if constexpr (std::is_same_v<T, std::uint32_t>)
    return DType::u32;
  else if constexpr (std::is_same_v<T, std::int32_t>)
    return DType::i32;
  else if constexpr (std::is_same_v<T, std::uint64_t>)
    return DType::u64;
  else if constexpr (std::is_same_v<T, std::int64_t>)
    return DType::i64;
  else if constexpr (std::is_same_v<T, float>)
    return DType::f32;
  else if constexpr (std::is_same_v<T, double>)
    return DType::f64;
  else if constexpr (std::is_same_v<T, std::complex<float>>)
    return DType::c64;
  else {
    static_assert(std::is_same_v<T, std::complex<double>>, "not an element type of spress");
    return DType::c128;
  }
}

/// A read-only array that somebody else owns, on the host or on a device. Trivially copyable.
template <class T>
struct View {
  using value_type = T;

  const T* pointer = nullptr;
  std::size_t count = 0;

  SPRESS_HD const T* data() const { return pointer; }
  SPRESS_HD std::size_t size() const { return count; }
  SPRESS_HD bool empty() const { return count == 0; }
  SPRESS_HD const T& operator[](std::size_t i) const { return pointer[i]; }
  SPRESS_HD const T* begin() const { return pointer; }
  SPRESS_HD const T* end() const { return pointer + count; }

  [[nodiscard]] static constexpr DType dtype() { return dtype_of<T>(); }
  [[nodiscard]] const void* raw() const { return pointer; }
  [[nodiscard]] std::size_t bytes() const { return count * sizeof(T); }
  /// Points the view at `n` elements of `type` at `memory`. Requires: type == dtype().
  void bind([[maybe_unused]] DType type, const void* memory, std::size_t n) {
    assert(type == dtype());
    pointer = static_cast<const T*>(memory);
    count = n;
  }
};

/// `bytes` of memory, aligned to 64 bytes; where there are many, in large pages as far as the system has them, since
/// products read arrays of gigabytes and vectors all over. Throws std::bad_alloc. Free it with release_host.
[[nodiscard]] void* allocate_host(std::size_t bytes);
void release_host(void* memory) noexcept;

/// An owned host array, aligned to 64 bytes, its elements left uninitialised on construction so that the
/// thread that fills them touches them first. Throws std::bad_alloc.
template <class T>
class HostArray {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  using value_type = T;

  HostArray() = default;
  explicit HostArray(std::size_t n) : data_(allocate_elements(n)), size_(n) {}
  HostArray(std::size_t n, T fill) : HostArray(n) { std::uninitialized_fill_n(data_.get(), n, fill); }
  HostArray(std::initializer_list<T> list) : HostArray(list.size()) {
    std::uninitialized_copy(list.begin(), list.end(), data_.get());
  }
  explicit HostArray(std::span<const T> source) : HostArray(source.size()) { copy_from(source.data()); }
  HostArray(const HostArray& other) : HostArray(other.size_) { copy_from(other.data()); }
  HostArray(HostArray&& other) noexcept : data_(std::move(other.data_)), size_(std::exchange(other.size_, 0)) {}
  HostArray& operator=(HostArray other) noexcept {
    data_.swap(other.data_);
    std::swap(size_, other.size_);
    return *this;
  }

  [[nodiscard]] T* data() { return data_.get(); }
  [[nodiscard]] const T* data() const { return data_.get(); }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  T& operator[](std::size_t i) { return data_.get()[i]; }
  const T& operator[](std::size_t i) const { return data_.get()[i]; }
  T* begin() { return data(); }
  T* end() { return data() + size_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }
  [[nodiscard]] std::span<const T> span() const { return {data(), size_}; }

  [[nodiscard]] static constexpr DType dtype() { return dtype_of<T>(); }
  [[nodiscard]] const void* raw() const { return data(); }
  [[nodiscard]] void* raw() { return data(); }
  [[nodiscard]] std::size_t bytes() const { return size_ * sizeof(T); }
  /// Makes room for `n` elements of `type`; false if the array cannot hold that type.
  [[nodiscard]] bool allocate(DType type, std::size_t n) {
    if (type != dtype()) return false;
    *this = HostArray(n);
    return true;
  }

 private:
  struct Release {
    void operator()(T* memory) const { release_host(memory); }
  };
  static T* allocate_elements(std::size_t n) {
    if (n == 0) return nullptr;
    if (n > static_cast<std::size_t>(-1) / sizeof(T)) throw std::bad_alloc();
    return static_cast<T*>(allocate_host(n * sizeof(T)));
  }
  void copy_from(const T* source) {
    if (size_ != 0) std::memcpy(data_.get(), source, size_ * sizeof(T));
  }

  std::unique_ptr<T, Release> data_;
  std::size_t size_ = 0;
};

/// Storage policies of a format: arrays of its own, or views of arrays elsewhere.
struct Owned {
  template <class T>
  using Array = HostArray<T>;
};
struct Viewed {
  template <class T>
  using Array = View<T>;
};

template <class Storage, class T>
using Array = typename Storage::template Array<T>;

/// An array whose element type is known at run time only: values, and positions of 32 or 64 bits.
template <class Storage = Owned>
struct AnyArray {
  DType type = DType::u32;
  Array<Storage, std::uint8_t> memory;

  AnyArray() = default;
  AnyArray(DType element_type, std::size_t n) : type(element_type), memory(n * size_of(element_type)) {}
  template <class T>
  explicit AnyArray(const HostArray<T>& source) : AnyArray(dtype_of<T>(), source.size()) {
    if (!source.empty()) std::memcpy(memory.data(), source.data(), source.bytes());
  }

  [[nodiscard]] DType dtype() const { return type; }
  [[nodiscard]] std::size_t size() const { return memory.size() / size_of(type); }
  [[nodiscard]] bool empty() const { return memory.size() == 0; }
  [[nodiscard]] const void* raw() const { return memory.data(); }
  [[nodiscard]] void* raw() requires std::is_same_v<Storage, Owned> { return memory.data(); }
  [[nodiscard]] std::size_t bytes() const { return memory.size(); }

  [[nodiscard]] bool allocate(DType element_type, std::size_t n) requires std::is_same_v<Storage, Owned> {
    type = element_type;
    memory = HostArray<std::uint8_t>(n * size_of(element_type));
    return true;
  }
  void bind(DType element_type, const void* at, std::size_t n) requires std::is_same_v<Storage, Viewed> {
    type = element_type;
    memory.bind(DType::u8, at, n * size_of(element_type));
  }

  /// The elements as T. Requires: dtype() == dtype_of<T>().
  template <class T>
  [[nodiscard]] const T* as() const {
    assert(type == dtype_of<T>());
    return reinterpret_cast<const T*>(memory.data());
  }
  template <class T>
  [[nodiscard]] T* as() requires std::is_same_v<Storage, Owned> {
    assert(type == dtype_of<T>());
    return reinterpret_cast<T*>(memory.data());
  }

  /// Element i of an array of positions, widened. Requires: dtype() is u32 or u64, host memory.
  [[nodiscard]] std::uint64_t position(std::size_t i) const {
    return type == DType::u32 ? as<std::uint32_t>()[i] : as<std::uint64_t>()[i];
  }
};

/// Row pointers and other offsets: u32 whenever the largest fits, u64 otherwise.
template <class Storage = Owned>
using Positions = AnyArray<Storage>;

[[nodiscard]] constexpr DType position_type(std::uint64_t largest) {
  return largest <= 0xFFFFFFFFu ? DType::u32 : DType::u64;
}

/// Calls `use` with the positions as `const std::uint32_t*` or `const std::uint64_t*`.
template <class Storage, class Use>
decltype(auto) with_positions(const Positions<Storage>& positions, Use&& use) {
  return positions.dtype() == DType::u32 ? use(positions.template as<std::uint32_t>())
                                         : use(positions.template as<std::uint64_t>());
}

/// Calls `fill` with the writable positions.
template <class Fill>
decltype(auto) fill_positions(Positions<Owned>& positions, Fill&& fill) {
  return positions.dtype() == DType::u32 ? fill(positions.as<std::uint32_t>()) : fill(positions.as<std::uint64_t>());
}

}  // namespace spress
