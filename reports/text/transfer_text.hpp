// A transfer record as a table for a terminal.
#pragma once

#include <string>

#include "reports/records/transfer_record.hpp"

namespace spress::reports {

/// A head line, the machine, and a row for each way of each format.
std::string transfer_text(const TransferRecord& record);

}  // namespace spress::reports
