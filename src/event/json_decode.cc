// SPDX-License-Identifier: Apache-2.0
/*
 * json_decode - simdjson's parser behind a C interface: validates a line and hands its tape to
 * json_walk.c. The only file that includes simdjson.h, and the only C++.
 *
 * simdjson's DOM parser refuses an integer beyond uint64 as it refuses 1e999 and 01, with one error
 * code. The language makes doubles of such integers, so on that error the line is parsed once more
 * from a copy in which they end in "e0"; then the ordinary rules for doubles hold, and what is
 * still refused is refused rightly.
 */
#include "event/json_decode.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <simdjson.h>
#include <string>

#include "event/json_walk_priv.h"

namespace dom = simdjson::dom;

namespace
{

/* Patched text is longer than the line: two bytes for an integer of 19 digits or more. */
constexpr size_t max_line_ever = size_t(1) << 30;

bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

bool in_number(char c)
{
    return is_digit(c) || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E';
}

bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Is p[0..len) an integer that neither int64 nor uint64 holds? */
bool too_big_integer(const char *p, size_t len)
{
    bool negative = len && p[0] == '-';
    size_t digits = len - negative;
    const char *limit = negative ? "9223372036854775808" : "18446744073709551615";
    size_t limit_digits = negative ? 19 : 20;

    p += negative;
    for (size_t i = 0; i < digits; i++)
        if (!is_digit(p[i]))
            return false;
    if (digits != limit_digits)
        return digits > limit_digits;
    return memcmp(p, limit, digits) > 0;
}

/* Does JSON's grammar allow p[0..len) as a number? */
bool number_grammar(const char *p, size_t len)
{
    const char *end = p + len;

    p += p < end && *p == '-';
    if (p == end || !is_digit(*p))
        return false;
    if (*p == '0')
        p++;
    else
        while (p < end && is_digit(*p))
            p++;
    if (p < end && *p == '.') {
        if (++p == end || !is_digit(*p))
            return false;
        while (p < end && is_digit(*p))
            p++;
    }
    if (p < end && (*p == 'e' || *p == 'E')) {
        p++;
        p += p < end && (*p == '+' || *p == '-');
        if (p == end || !is_digit(*p))
            return false;
        while (p < end && is_digit(*p))
            p++;
    }
    return p == end;
}

bool ends_number(const char *text, size_t len, size_t i)
{
    return i == len || is_blank(text[i]) || text[i] == ',' || text[i] == ']' || text[i] == '}';
}

/* Index behind the text whose quote is at i, or len. */
size_t skip_text(const char *text, size_t len, size_t i)
{
    for (i++; i < len && text[i] != '"'; i++)
        if (text[i] == '\\')
            i++;
    return i < len ? i + 1 : len;
}

/* Copies the line with "e0" behind each too big integer; false if there is none. *well_formed_out:
 * all numbers are what JSON calls numbers. */
bool patch_integers(const char *text, size_t len, std::string &out, bool *well_formed_out)
{
    bool patched = false;

    out.clear();
    *well_formed_out = true;
    for (size_t i = 0; i < len;) {
        size_t start = i;
        if (text[i] == '"') {
            i = skip_text(text, len, i);
            out.append(text + start, i - start);
        } else if (text[i] == '-' || is_digit(text[i])) {
            while (i < len && in_number(text[i]))
                i++;
            out.append(text + start, i - start);
            if (!number_grammar(text + start, i - start) || !ends_number(text, len, i))
                *well_formed_out = false;
            if (too_big_integer(text + start, i - start)) {
                out.append("e0");
                patched = true;
            }
        } else {
            out.push_back(text[i++]);
        }
    }
    return patched;
}

/* What simdjson calls a tape error: brackets, commas, colons, what follows the end. */
const char *structure_reason(const char *text, size_t len)
{
    size_t depth = 0;

    for (size_t i = 0; i < len;) {
        char c = text[i];
        if (c == '"') {
            i = skip_text(text, len, i);
            continue;
        }
        i++;
        depth += c == '{' || c == '[';
        if ((c == '}' || c == ']') && depth && --depth == 0) {
            while (i < len && is_blank(text[i]))
                i++;
            return i < len ? "text behind the end of the object" : "broken JSON";
        }
    }
    return depth ? "the object has no end" : "broken JSON";
}

const char *reason_of(simdjson::error_code error, const char *text, size_t len)
{
    switch (error) {
    case simdjson::UTF8_ERROR: return "invalid UTF-8";
    case simdjson::EMPTY: return "empty line";
    case simdjson::CAPACITY: return "line too long";
    case simdjson::DEPTH_ERROR: return "nested too deep";
    default: break;
    }
    if (len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
        return "byte order mark";
    if (memchr(text, 0, len))
        return "NUL byte";
    switch (error) {
    case simdjson::STRING_ERROR: return "bad escape or lone surrogate in text";
    case simdjson::T_ATOM_ERROR:
    case simdjson::F_ATOM_ERROR:
    case simdjson::N_ATOM_ERROR: return "a word that is not true, false or null";
    case simdjson::NUMBER_ERROR: return "malformed number";
    case simdjson::UNESCAPED_CHARS: return "control character in text";
    case simdjson::UNCLOSED_STRING: return "text without an end quote";
    default: return structure_reason(text, len);
    }
}

} // namespace

struct decoder {
    dom::parser parser;
    struct walk *walk;
    size_t max_line;
    std::unique_ptr<char[]> copy; /* decoder_run_copy's */
    size_t copy_cap = 0;
    std::string patched;

    explicit decoder(size_t max) : parser(2 * max + 64), walk(nullptr), max_line(max)
    {
    }
};

/* Grows in doublings: simdjson alone would allocate anew for every line a little longer. */
static simdjson::error_code grow(struct decoder *de, size_t len)
{
    size_t cap = 2 * de->parser.capacity();
    if (cap < len)
        cap = len;
    if (cap < 4096)
        cap = 4096;
    if (cap > de->parser.max_capacity())
        cap = de->parser.max_capacity();
    /* simdjson counts the value at the bottom as a level. */
    simdjson::error_code error = de->parser.allocate(cap, DECODER_MAX_DEPTH + 1);
    return error ? error : de->parser.doc.allocate(cap);
}

static simdjson::error_code parse(struct decoder *de, const char *text, size_t len)
{
    if (len > de->parser.capacity()) {
        simdjson::error_code error = grow(de, len);
        if (error)
            return error;
    }
    return de->parser.parse(text, len, false).error();
}

/* After a number error; false: it stays one. */
static bool parse_patched(struct decoder *de, const char *text, size_t len, const char **reason_out)
{
    bool well_formed;
    simdjson::error_code error = simdjson::NUMBER_ERROR;

    if (patch_integers(text, len, de->patched, &well_formed)) {
        size_t patched_len = de->patched.size();
        de->patched.append(simdjson::SIMDJSON_PADDING, ' ');
        error = parse(de, de->patched.data(), patched_len);
    }
    if (!error)
        return true;
    *reason_out = reason_of(error, text, len);
    if (error == simdjson::NUMBER_ERROR && well_formed)
        *reason_out = "number out of range";
    return false;
}

struct decoder *decoder_new(const struct schema *schema, size_t max_line)
{
    if (max_line > max_line_ever)
        max_line = max_line_ever;
    struct decoder *de = new decoder(max_line);
    de->walk = walk_new(schema);
    if (grow(de, 0))
        abort(); /* out of memory, as in base/mem */
    return de;
}

void decoder_free(struct decoder **de)
{
    if (*de)
        walk_free(&(*de)->walk);
    delete *de;
    *de = nullptr;
}

size_t decoder_padding(void)
{
    return simdjson::SIMDJSON_PADDING;
}

bool decoder_run(struct decoder *de, const char *text, size_t len, struct event *ev,
                 const char **reason_out)
{
    ev->raw = text;
    ev->raw_len = (uint32_t)len;
    if (len > de->max_line) {
        *reason_out = "line too long";
        return false;
    }
    simdjson::error_code error = parse(de, text, len);
    if (error == simdjson::MEMALLOC)
        abort();
    if (error == simdjson::NUMBER_ERROR) {
        if (!parse_patched(de, text, len, reason_out))
            return false;
    } else if (error) {
        *reason_out = reason_of(error, text, len);
        return false;
    }
    const uint64_t *tape = de->parser.doc.tape.get();
    if (tape[1] >> 56 != '{') {
        *reason_out = "not a JSON object";
        return false;
    }
    walk_run(de->walk, tape, reinterpret_cast<const char *>(de->parser.doc.string_buf.get()), ev);
    return true;
}

bool decoder_run_copy(struct decoder *de, const char *text, size_t len, struct event *ev,
                      const char **reason_out)
{
    if (len > de->max_line)
        return decoder_run(de, text, len, ev, reason_out);
    if (de->copy_cap < len + simdjson::SIMDJSON_PADDING) {
        de->copy_cap = 2 * len + simdjson::SIMDJSON_PADDING;
        de->copy.reset(new char[de->copy_cap]);
    }
    if (len)
        memcpy(de->copy.get(), text, len);
    memset(de->copy.get() + len, 0, simdjson::SIMDJSON_PADDING);
    return decoder_run(de, de->copy.get(), len, ev, reason_out);
}

const char *decoder_version(void)
{
    static const std::string version = std::string("simdjson ") +
                                       std::to_string(simdjson::SIMDJSON_VERSION_MAJOR) + "." +
                                       std::to_string(simdjson::SIMDJSON_VERSION_MINOR) + "." +
                                       std::to_string(simdjson::SIMDJSON_VERSION_REVISION) + " (" +
                                       simdjson::get_active_implementation()->name() + ")";
    return version.c_str();
}
