// Fits a cost model to measured products: prices by least squares, corrections by kriging.
#pragma once

#include <vector>

#include "encode/choose/cost_model.hpp"

namespace spress {

struct MeasuredProduct {
  CostCounts counts = {};
  double seconds = 0;
  std::uint32_t place = 0;  ///< of its matrix
  StoreKind store = StoreKind::raw;
  double padding = 0;  ///< padding_of
};
struct CostFit {
  CostPrices prices = {};
  double error = 0, worst = 0;  ///< root mean square and largest of |predicted / measured - 1|
};

/// The nonnegative prices that predict the times with the least squares of relative errors. Terms that occur in no
/// measurement have no price. least_launch: seconds that a product takes at least, however small the matrix is.
/// Requires: positive seconds.
[[nodiscard]] CostFit fit_prices(const std::vector<MeasuredProduct>& products, double least_launch = 0);

struct CorrectionFit {
  double offset = 0;
  std::vector<double> weights;  ///< of the products, as in ProductWeight
};

/// Corrections of the sum of prices by the products. places: of the measured matrices. noise: of LikenessScales.
/// Complexity: the cube of the number of products.
/// Source: Rasmussen, Williams, "Gaussian Processes for Machine Learning", 2006, section 2.2.
[[nodiscard]] CorrectionFit fit_corrections(const std::vector<MeasuredProduct>& products, const CostPrices& prices,
                                            const std::vector<Likeness>& places, double noise = likeness_scales.noise);

}  // namespace spress
