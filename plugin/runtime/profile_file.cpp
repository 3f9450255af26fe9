#include "runtime/profile_file.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "runtime/desc.h"
#include "runtime/message.h"
#include "runtime/profile.h"
#include "runtime/system.h"

namespace augur {

namespace {

using Json = nlohmann::json;
constexpr const char* kFormatField = "augur_profile";
// More unknown fields than this are one warning together: a file of another kind is not worth a page of messages.
constexpr std::uint32_t kMostWarnings = 4;

// The shortest text that reads back as the same number, whatever the locale.
std::string shortest(float value) {
    std::array<char, 32> text{};
    const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() ? std::string(text.data(), end) : "0";
}

std::string allowed(const ProfileField& field) {
    switch (field.kind) {
        case ProfileKind::flag:
            return "true or false";
        case ProfileKind::choice: {
            std::string all;
            for (const char* word : field.words)
                all.append(all.empty() ? "\"" : ", \"").append(word).append("\"");
            return all;
        }
        default: {
            std::array<char, 96> text{};
            std::snprintf(text.data(), text.size(), "a %snumber in %.10g..%.10g",
                          field.kind == ProfileKind::count ? "whole " : "", field.low, field.high);
            return text.data();
        }
    }
}

// Receives the pieces of a file as the parser meets them. Nothing but the top level of one object is looked into, so no
// depth of nesting costs memory here.
class ProfileReader final : public nlohmann::json_sax<Json> {
  public:
    ProfileReader(const char* name, Log* log)
        : name_(name), log_(log), profile_(DescTraits<augur_profile>::defaults()) {}

    augur_result result() const { return result_; }
    const augur_profile& profile() const { return profile_; }

    // After the last piece.
    augur_result finish() {
        if (result_ != AUGUR_OK) return result_;
        if (!format_seen_)
            return fail(AUGUR_ERROR_IO, "profile %s has no field \"%s\": it is no profile", name_, kFormatField);
        if (unknown_ > kMostWarnings && log_ != nullptr) {
            char text[192];
            std::snprintf(text, sizeof text, "profile %s has %u more fields that are not known", name_,
                          unknown_ - kMostWarnings);
            log_->write(AUGUR_SEVERITY_WARNING, AUGUR_OK, text);
        }
        return AUGUR_OK;
    }

    bool null() override { return scalar("null"); }
    bool boolean(bool value) override {
        if (depth_ == 1 && field_ != nullptr && field_->kind == ProfileKind::flag) {
            field_->put(&profile_, value ? 1u : 0u);
            return true;
        }
        return scalar(value ? "true" : "false");
    }
    bool number_integer(number_integer_t value) override { return scalar(std::to_string(value)); }
    bool number_unsigned(number_unsigned_t value) override {
        if (depth_ == 1 && at_format_) return take_format(value);
        if (depth_ != 1 || field_ == nullptr) return scalar(std::to_string(value));
        if (field_->kind == ProfileKind::number) return take_number(static_cast<double>(value), std::to_string(value));
        if (field_->kind != ProfileKind::count || !within(static_cast<double>(value)))
            return scalar(std::to_string(value));
        field_->put(&profile_, static_cast<std::uint32_t>(value));
        return true;
    }
    bool number_float(number_float_t value, const string_t& written) override {
        if (depth_ == 1 && field_ != nullptr && field_->kind == ProfileKind::number) return take_number(value, written);
        return scalar(written);
    }
    bool string(string_t& value) override {
        if (depth_ == 1 && field_ != nullptr && field_->kind == ProfileKind::choice) {
            const auto word = std::find(field_->words.begin(), field_->words.end(), value);
            if (word != field_->words.end()) {
                field_->put(&profile_, static_cast<std::uint32_t>(field_->low) +
                                           static_cast<std::uint32_t>(word - field_->words.begin()));
                return true;
            }
        }
        return scalar(quoted(value.c_str()));
    }
    bool binary(binary_t&) override { return scalar("binary"); }
    bool start_object(std::size_t) override {
        if (depth_ == 0 || scalar("an object")) {
            ++depth_;
            return true;
        }
        return false;
    }
    bool end_object() override {
        --depth_;
        return true;
    }
    bool start_array(std::size_t) override {
        if (!scalar("an array")) return false;
        ++depth_;
        return true;
    }
    bool end_array() override {
        --depth_;
        return true;
    }
    bool key(string_t& value) override {
        if (depth_ != 1) return true;
        at_format_ = value == kFormatField;
        field_ = nullptr;
        if (at_format_) return !format_seen_ || twice(kFormatField);
        for (std::size_t i = 0; i < profile_fields().size(); ++i) {
            const ProfileField& field = profile_fields()[i];
            if (value != field.name) continue;
            if (seen_[i]) return twice(field.name);
            seen_[i] = true;
            field_ = &field;
            return true;
        }
        ++unknown_;
        if (log_ != nullptr && unknown_ <= kMostWarnings) {
            char text[256];
            std::snprintf(text, sizeof text, "profile %s: the field %s is not known and is left out", name_,
                          quoted(value.c_str()).c_str());
            log_->write(AUGUR_SEVERITY_WARNING, AUGUR_OK, text);
        }
        return true;
    }
    bool parse_error(std::size_t position, const std::string& token, const nlohmann::detail::exception&) override {
        result_ = fail(AUGUR_ERROR_IO, "profile %s is damaged at offset %zu, near %s", name_, position,
                       quoted(token.c_str()).c_str());
        return false;
    }

  private:
    // A value that no field takes as it is: fine inside and beside what is not known.
    bool scalar(const std::string& shown) {
        if (depth_ == 0) {
            result_ = fail(AUGUR_ERROR_IO, "profile %s holds %.80s where an object is expected", name_, shown.c_str());
            return false;
        }
        if (depth_ != 1 || (field_ == nullptr && !at_format_)) return true;
        if (at_format_) {
            result_ = fail(AUGUR_ERROR_VERSION, "profile %s: %s is %.80s, this library reads %d", name_, kFormatField,
                           shown.c_str(), AUGUR_PROFILE_FORMAT);
            return false;
        }
        result_ = fail(AUGUR_ERROR_INVALID_ARGUMENT, "profile %s: %s is %.80s, allowed %s", name_, field_->name,
                       shown.c_str(), allowed(*field_).c_str());
        return false;
    }
    bool within(double value) const { return value >= field_->low && value <= field_->high; }
    bool take_format(number_unsigned_t value) {
        format_seen_ = true;
        return value == AUGUR_PROFILE_FORMAT || scalar(std::to_string(value));
    }
    bool take_number(double value, const std::string& written) {
        if (!within(value)) return scalar(written);
        field_->put(&profile_, static_cast<float>(value));
        return true;
    }
    bool twice(const char* field) {
        result_ = fail(AUGUR_ERROR_INVALID_ARGUMENT, "profile %s: %s is there twice", name_, field);
        return false;
    }

    const char* name_;
    Log* log_;
    augur_profile profile_;
    augur_result result_ = AUGUR_OK;
    const ProfileField* field_ = nullptr;  // whose value comes next, at depth 1
    bool at_format_ = false;
    bool format_seen_ = false;
    std::array<bool, 64> seen_{};
    std::uint32_t unknown_ = 0;
    std::uint32_t depth_ = 0;
};

}  // namespace

augur_result parse_profile(std::string_view text, const char* name, Log* log, augur_profile* out) {
    ProfileReader reader(name, log);
    if (profile_fields().size() > 64) return fail(AUGUR_ERROR_INTERNAL, "a profile has more than 64 fields");
    // The parser takes a zero for the end, and what comes after it would go unseen.
    if (const std::size_t zero = text.find('\0'); zero != std::string_view::npos)
        return fail(AUGUR_ERROR_IO, "profile %s is damaged at offset %zu: a zero byte", name, zero);
    const bool parsed = Json::sax_parse(text.begin(), text.end(), &reader);
    const augur_result result = reader.finish();
    if (result != AUGUR_OK) return result;
    if (!parsed) return fail(AUGUR_ERROR_IO, "profile %s is damaged", name);
    *out = reader.profile();
    return AUGUR_OK;
}

augur_result load_profile(const char* path, Log* log, augur_profile* out) {
    const std::string name = quoted(path);
    system::InputFile file;
    if (!file.open(path))
        return fail(file.is_missing() ? AUGUR_ERROR_NOT_FOUND : AUGUR_ERROR_IO, "profile %s: %s", name.c_str(),
                    file.error());
    if (file.size_bytes() > AUGUR_PROFILE_FILE_MAX_BYTES)
        return fail(AUGUR_ERROR_LIMIT, "profile %s has %llu bytes, allowed %d", name.c_str(),
                    static_cast<unsigned long long>(file.size_bytes()), AUGUR_PROFILE_FILE_MAX_BYTES);
    std::vector<char> bytes(static_cast<std::size_t>(file.size_bytes()));
    if (bytes.empty()) return fail(AUGUR_ERROR_IO, "profile %s is empty", name.c_str());
    if (!file.read(0, bytes.data(), bytes.size()))
        return fail(AUGUR_ERROR_IO, "profile %s: it cannot be read", name.c_str());
    return parse_profile({bytes.data(), bytes.size()}, name.c_str(), log, out);
}

augur_result save_profile(const char* path, const augur_profile& profile) {
    if (const augur_result result = check_profile(profile); result != AUGUR_OK) return result;
    std::string text = "{\n  \"";
    text.append(kFormatField).append("\": ").append(std::to_string(AUGUR_PROFILE_FORMAT));
    for (const ProfileField& field : profile_fields()) {
        text.append(",\n  \"").append(field.name).append("\": ");
        const std::uint32_t value = field.count_in(profile);
        switch (field.kind) {
            case ProfileKind::count:
                text += std::to_string(value);
                break;
            case ProfileKind::number:
                text += shortest(field.number_in(profile));
                break;
            case ProfileKind::choice:
                text.append("\"").append(field.words[value - static_cast<std::uint32_t>(field.low)]).append("\"");
                break;
            case ProfileKind::flag:
                text += value != 0 ? "true" : "false";
                break;
        }
    }
    text += "\n}\n";
    system::OutputFile file;
    if (!file.open(path) || !file.write(text.data(), text.size()) || !file.commit())
        return fail(AUGUR_ERROR_IO, "profile %s: %s", quoted(path).c_str(), file.error());
    return AUGUR_OK;
}

}  // namespace augur
