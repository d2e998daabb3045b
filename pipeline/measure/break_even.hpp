// When a format has paid for its encoding.
#pragma once

#include "reports/records/transfer_record.hpp"

namespace spress::pipeline {

/// Fills in after how many transfers, and after how many products besides one transfer, a format has made up for its
/// encoding. csr_seconds: of CSR's transfer; csr_spmv: of its product.
void fill_break_even(reports::TransferMeasure& row, double csr_seconds, double csr_spmv);

}  // namespace spress::pipeline
