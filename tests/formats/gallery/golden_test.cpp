// The same bits on every machine: checksums of the CSR of each generator and of each choice of values. A change here
// breaks every published measurement on generated matrices, so it needs a better reason than a tidier loop.
#include "tests/formats/gallery/support.hpp"

namespace spress::tests {
namespace {

struct Golden {
  const char* spec;
  std::uint64_t checksum;
};

// clang-format off
constexpr Golden goldens[] = {
    {"stencil7:n=4", 0xc79ce3b0c69c4cfc},
    {"stencil27:nx=4,ny=3,nz=5", 0x7666d91c51500089},
    {"poisson2d:n=6", 0x998a4394f84cf113},
    {"convdiff:n=7", 0x377103bf9e6190f6},
    {"convdiff:n=4,dim=3,diffusion=0.3", 0x64fa0175eeedb861},
    {"fem3d:n=4", 0x6190779c0d06b064},
    {"elasticity3d:n=3", 0x08630b5a7a63dafd},
    {"elasticity3d:n=2,E=210,nu=0.28", 0x15a767ac006ddd71},
    {"circuit:n=300", 0x04bc9c1127eab0bb},
    {"circuit:n=300,structure=symmetric,seed=5", 0xfd382633ec6a5d19},
    {"powerlaw:n=300", 0x235b520c44b5c6e4},
    {"powerlaw:n=300,gamma_in=3.3,gamma_out=1.9,local=0,seed=9", 0xcf87869085ec5044},
    {"band:n=300,half=50", 0xeba621df89e05dc5},
    {"uniform:n=200,m=90,k=7", 0xfe611d0414cb4154},
    {"uniform:n=200,m=12,k=7", 0xce790f18cad2fe51},
    {"density:n=200", 0x6956319a8a826e77},
    {"density:n=200,max=96,f=3", 0xdd4ded1802244df1},
    {"blockdiag:n=50,b=8", 0x920360a0772af878},
    {"arrow:n=30,width=2", 0x6b80101f1052d5f4},
    {"tridiag:n=20,lower=-0.1,upper=0.3", 0xdb17381e3835809d},
    {"identity:n=9", 0x10bed25d763fec66},
    {"diagonal:n=9", 0xcc4368bc67bfe156},
    {"dense:n=12,m=7", 0x119e70b20c2f1929},
    {"empty:rows=4,cols=6", 0x6c47a504d7793f5c},
    {"kkt:n=60,m=25", 0x5defd93c88a80bd4},
    {"lp:periods=3,rows=20,cols=30", 0x936cfc413a25e9cf},
    {"trefethen:n=300", 0x2f57e96f85c4f7a2},
    {"trefethen:n=200,b=1", 0x206cda106662b705},
    {"mycielskian:k=8", 0x1aff6350152d19f5},
    {"stencil27:n=4,values=noise", 0x682899035025a45c},
    {"stencil27:n=4,values=noise,seed=18446744073709551615", 0x5408526eb66c12a4},
    {"stencil27:n=4,values=few", 0x1efa76bbfd87fb2d},
    {"stencil27:n=4,values=few,distinct=3", 0x9b7e959afd864fd7},
    {"stencil27:n=4,values=decimal", 0xe08e81411db7bd37},
    {"stencil27:n=4,values=pattern", 0x2de65e125ae8773e},
    {"stencil27:n=4,shuffle=7", 0x7c20e694df5f46e9},
    {"uniform:n=20,m=30,values=decimal,shuffle=7", 0xb876d8aa61ae5387},
};
// clang-format on

TEST(Golden, Checksums) {
  for (const auto& golden : goldens) EXPECT_EQ(checksum_of_csr(generated(golden.spec)), golden.checksum) << golden.spec;
}

TEST(Golden, CoversEveryGenerator) {
  for (const auto& name : all_names()) {
    bool found = false;
    for (const auto& golden : goldens) found = found || std::string_view(golden.spec).starts_with(name + ":");
    EXPECT_TRUE(found) << name;
  }
}

}  // namespace
}  // namespace spress::tests
