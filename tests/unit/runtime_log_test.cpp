// The logger of a context.
#include "runtime/log.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "runtime/callback.h"
#include "support/captured_log.h"

namespace augur {
namespace {

TEST(ContextLog, HoldsBackRepeatsAndSaysHowMany) {
    test::CapturedLog captured;
    ContextLog log(captured.logger());
    for (std::uint64_t i = 0; i < 10; ++i)
        log.write_at(AUGUR_SEVERITY_WARNING, AUGUR_ERROR_IO, "disk", 1000 + i);
    ASSERT_EQ(captured.messages().size(), 1u);
    log.write_at(AUGUR_SEVERITY_WARNING, AUGUR_ERROR_IO, "other", 1100);
    ASSERT_EQ(captured.messages().size(), 2u);
    log.write_at(AUGUR_SEVERITY_WARNING, AUGUR_ERROR_IO, "disk", 1000 + ContextLog::kQuietNs);
    ASSERT_EQ(captured.messages().size(), 3u);
    EXPECT_NE(captured.messages()[2].text.find("9 times more"), std::string::npos) << captured.messages()[2].text;
}

TEST(ContextLog, NeverUsesTextAsAFormat) {
    test::CapturedLog captured;
    ContextLog log(captured.logger());
    log.write(AUGUR_SEVERITY_INFO, AUGUR_OK, "%s%s%n%d 100%");
    ASSERT_EQ(captured.messages().size(), 1u);
    EXPECT_EQ(captured.messages()[0].text, "%s%s%n%d 100%");
}

TEST(ContextLog, IsSilentWithoutALogger) {
    ContextLog log({nullptr, nullptr});
    log.write(AUGUR_SEVERITY_ERROR, AUGUR_ERROR_IO, "nobody hears this");
    EXPECT_EQ(callback_depth(), 0);
}

TEST(ContextLog, SurvivesALoggerThatThrows) {
    ContextLog log({[](void*, augur_severity, augur_result, const char*) { throw std::runtime_error("no"); }, nullptr});
    log.write(AUGUR_SEVERITY_ERROR, AUGUR_ERROR_IO, "text");
    EXPECT_EQ(callback_depth(), 0);
}

}  // namespace
}  // namespace augur
