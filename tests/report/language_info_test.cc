#include "flare/report/language_info.h"

#include <gtest/gtest.h>

#include <string>

#include "support/shell.h"

namespace flare::report {
namespace {

// Any name may be given to any language but the paper's.
TEST(FindLanguage, AsksTheManifestBeforeTheCatalogue) {
  const TemporaryDirectory directory;
  const ShellResult made = RunShell(std::string(FLARE_BINARY) +
                                        " generate --out d --name anbn 'regex:a*b*' "
                                        "--set splits.train.size=20 --set splits.test.size=0 "
                                        "--set splits.validation-short.size=0 "
                                        "--set splits.validation-long.size=0 "
                                        "--set splits.test-short-held-out.size=0 "
                                        "--set splits.test-edit-distance.size=0",
                                    directory.path());
  ASSERT_EQ(made.exit_code, 0) << made.output;
  Sweep sweep;
  sweep.datasets["anbn"] = directory.path() / "d" / "anbn";
  sweep.datasets["dyck-1"] = sweep.datasets["mine"] = directory.path() / "none";
  EXPECT_EQ(FindLanguage(sweep, "anbn")->name, "regex:a*b*");
  EXPECT_EQ(FindLanguage(sweep, "dyck-1")->name, "dyck-1");
  EXPECT_FALSE(FindLanguage(sweep, "mine").has_value());
}

}  // namespace
}  // namespace flare::report
