#include "kernels/peers/peer.hpp"

#include <string_view>

#include "kernels/peers/makers.hpp"

namespace spress::peers {
namespace {

struct PeerEntry {
  std::string_view name;
  Status (*status)();  ///< whether it can be used in this process
  Result<std::unique_ptr<Product<float>>> (*prepare_float)(const Csr<Viewed>&, int);
  Result<std::unique_ptr<Product<double>>> (*prepare_double)(const Csr<Viewed>&, int);
};

const std::vector<PeerEntry>& peers() {
  static const std::vector<PeerEntry> all = {
#ifdef SPRESS_WITH_MKL
      {"mkl-csr", mkl_status, mkl_csr<float>, mkl_csr<double>},
#endif
#ifdef SPRESS_WITH_EIGEN
      {"eigen-csr", []() -> Status { return Ok{}; }, eigen_csr<float>, eigen_csr<double>},
#endif
  };
  return all;
}

Error no_peer(const std::string& name) {
  std::string there;
  for (const auto& known : names()) there += (there.empty() ? "" : ", ") + known;
  return {ErrorCode::unsupported,
          "there is no peer '" + name + "' in this build; there is: " + (there.empty() ? "none" : there)};
}

}  // namespace

std::vector<std::string> built_names() {
  std::vector<std::string> built;
  for (const auto& peer : peers()) built.emplace_back(peer.name);
  return built;
}

std::vector<std::string> names() {
  std::vector<std::string> usable;
  for (const auto& peer : peers())
    if (peer.status().ok()) usable.emplace_back(peer.name);
  return usable;
}

template <class T>
Result<std::unique_ptr<Product<T>>> prepare(const std::string& name, const Csr<Viewed>& a, int threads) {
  for (const auto& peer : peers()) {
    if (peer.name != name) continue;
    SPRESS_CHECK(peer.status());
    if constexpr (std::is_same_v<T, float>)
      return peer.prepare_float(a, threads);
    else
      return peer.prepare_double(a, threads);
  }
  return no_peer(name);
}

template Result<std::unique_ptr<Product<float>>> prepare<float>(const std::string&, const Csr<Viewed>&, int);
template Result<std::unique_ptr<Product<double>>> prepare<double>(const std::string&, const Csr<Viewed>&, int);

}  // namespace spress::peers
