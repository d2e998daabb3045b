#include "formats/core/params.hpp"

#include <gtest/gtest.h>

#include "formats/csr/opt_csr.hpp"

namespace spress {
namespace {

TEST(Spec, ReadsNameAndOptions) {
  const auto spec = parse_spec("sell:c=32,sigma=256");
  ASSERT_TRUE(spec.ok());
  EXPECT_EQ(spec->name, "sell");
  EXPECT_EQ(spec->options, (std::vector<std::pair<std::string, std::string>>{{"c", "32"}, {"sigma", "256"}}));
  EXPECT_EQ(spec->text(), "sell:c=32,sigma=256");
  EXPECT_EQ(spec->parameters(), "c=32,sigma=256");
  EXPECT_EQ(parse_spec("csr")->text(), "csr");
}

TEST(Spec, RefusesWhatIsNoOption) {
  for (const char* bad : {"", ":c=1", "sell:", "sell:c", "sell:=3", "sell:c=", "sell:c=1,c=2", "sell:c=1,,d=2"})
    EXPECT_FALSE(parse_spec(bad).ok()) << bad;
}

TEST(Spec, ListsSplitWhereANewNameBegins) {
  const auto specs = parse_spec_list("csr,opt-csr:index=delta,coo,sell:c=32,sigma=256,ell");
  ASSERT_TRUE(specs.ok());
  std::vector<std::string> texts;
  for (const auto& spec : *specs) texts.push_back(spec.text());
  EXPECT_EQ(texts, (std::vector<std::string>{"csr", "opt-csr:index=delta", "coo", "sell:c=32,sigma=256", "ell"}));
  EXPECT_FALSE(parse_spec_list("index=delta").ok());
  EXPECT_FALSE(parse_spec_list("csr,,coo").ok());
  EXPECT_FALSE(parse_spec_list("").ok());
}

struct Sample {
  std::uint32_t count = 7;
  double share = 0.5;
  std::string word = "none";
  IndexMode mode = IndexMode::automatic;
  template <class Visitor>
  void describe(Visitor& visit) {
    visit.option("count", count, "how many");
    visit.option("share", share, "how much");
    visit.option("word", word, "what");
    visit.option("mode", mode, "which");
  }
};

TEST(Params, ReadEachType) {
  const auto params = parse_params<Sample>(*parse_spec("x:count=12,share=1e-3,word=abc,mode=delta"));
  ASSERT_TRUE(params.ok());
  EXPECT_EQ(params->count, 12u);
  EXPECT_EQ(params->share, 1e-3);
  EXPECT_EQ(params->word, "abc");
  EXPECT_EQ(params->mode, IndexMode::delta);
  EXPECT_EQ(parse_params<Sample>({"x", {}})->count, 7u);
}

TEST(Params, ErrorsNameTheKeyAndWhatWouldBeRight) {
  const auto message = [](const char* text) {
    const auto params = parse_params<Sample>(*parse_spec(text));
    return params.ok() ? "accepted" : params.error().message;
  };
  EXPECT_EQ(message("x:size=3"), "x has no parameter 'size'; it takes count, share, word, mode");
  EXPECT_EQ(message("x:count=-1"), "x: count=-1: expected an integer from 0 to 4294967295");
  EXPECT_EQ(message("x:count=99999999999"), "x: count=99999999999: expected an integer from 0 to 4294967295");
  EXPECT_EQ(message("x:share=much"), "x: share=much: expected a number");
  EXPECT_EQ(message("x:mode=up"), "x: mode=up: expected one of delta, anchored, diagonal, auto");
  EXPECT_EQ(message("x:mode=dleta"),
            "x: mode=dleta: expected one of delta, anchored, diagonal, auto; did you mean 'delta'?");
  EXPECT_EQ(message("x:cuont=3"),
            "x has no parameter 'cuont'; did you mean 'count'? It takes count, share, word, mode");
}

TEST(Params, ListThemselvesForHelp) {
  const auto options = list_params(Sample{});
  ASSERT_EQ(options.size(), 4u);
  EXPECT_EQ(options[0].value, "7");
  EXPECT_EQ(options[3].value, "auto");
  EXPECT_EQ(options[3].choices, "delta|anchored|diagonal|auto");
}

}  // namespace
}  // namespace spress
