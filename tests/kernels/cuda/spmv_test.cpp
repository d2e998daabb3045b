// Every format of the list, every value store, every scenario, float and double, on the device: judged by the rigorous
// bound, run again for the same bits where the product promises them.
#include "formats/gallery/gallery.hpp"
#include "tests/every_spec.hpp"
#include "tests/kernels/cuda/judged.hpp"
#include "tests/kernels/cuda/needs_device.hpp"
#include "tests/scenarios.hpp"

namespace spress {
namespace {

using tests::Fill;

template <class T>
void check_every_format(const Csr<Viewed>& a, const std::string& name) {
  const auto x = test_vector<T>(a.cols);
  const auto reference = reference_product<T>(a, x.data());
  for (const Spec& spec : tests::every_spec()) {
    const auto encoded = encode_any(a, spec);
    if (!encoded.ok() && encoded.error().code == ErrorCode::not_applicable) continue;
    ASSERT_TRUE(encoded.ok()) << spec.text();
    SCOPED_TRACE(spec.text() + " " + std::string(enum_name(a.values.kind)) + " on " + name);
    with_any(*encoded, [&](const auto& f) { tests::judged<T>(f, reference, x); });
  }
}

template <class T>
void check_scenario(const tests::Scenario& scenario, Fill fill) {
  if (scenario.cols > 1000000) return;  // the vector alone would be gigabytes
  const auto typed = with_value_type(view_of(tests::make_csr(scenario, fill)), value_type_of<T>);
  ASSERT_TRUE(typed.ok());
  for (StoreKind kind : all_stores)
    if (const auto a = with_values(view_of(*typed), kind); a.ok()) check_every_format<T>(view_of(*a), scenario.name);
}

TEST(SpmvOnDevice, EveryFormatStoreAndScenarioInDouble) {
  NEEDS_DEVICE();
  for (const auto& scenario : tests::scenarios()) {
    check_scenario<double>(scenario, Fill::real);
    check_scenario<double>(scenario, Fill::pattern);
  }
}

TEST(SpmvOnDevice, EveryFormatStoreAndScenarioInFloat) {
  NEEDS_DEVICE();
  for (const auto& scenario : tests::scenarios()) {
    check_scenario<float>(scenario, Fill::real);
    check_scenario<float>(scenario, Fill::pattern);
  }
}

/// Large enough for many blocks, chunks and slices, with rows long and short: what tiny scenarios cannot reach.
TEST(SpmvOnDevice, GalleryMatrices) {
  NEEDS_DEVICE();
  for (const char* text : {"stencil27:n=24,values=noise", "elasticity3d:n=12,values=few,distinct=256",
                           "powerlaw:n=20000,values=noise", "circuit:n=20000,values=noise",
                           "band:n=5000,half=400,per_row=60,values=noise", "uniform:n=30000,k=8,values=noise"}) {
    const auto spec = parse_spec(text);
    ASSERT_TRUE(spec.ok()) << text;
    const auto matrix = gallery::generate(*spec);
    ASSERT_TRUE(matrix.ok()) << matrix.error().text();
    for (StoreKind kind : {StoreKind::raw, StoreKind::lut8})
      if (const auto a = with_values(view_of(matrix->csr), kind); a.ok()) check_every_format<double>(view_of(*a), text);
  }
}

}  // namespace
}  // namespace spress
