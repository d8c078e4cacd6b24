// SPDX-License-Identifier: Apache-2.0
/* The bare loop: what a program would take that only parses the lines and reads the fields. */
#include <bench/bench.h>

#include <cstring>
#include <simdjson.h>

namespace dom = simdjson::dom;

namespace
{

struct fields {
    std::string_view ts, ev, k, zone;
    int64_t port = 0;
    unsigned found = 0; /* of 5 */
};

bool by_key(dom::object object, fields &f)
{
    dom::object net;
    return !object["ts"].get(f.ts) && !object["ev"].get(f.ev) && !object["k"].get(f.k) &&
           !object["net"].get(net) && !net["port"].get(f.port) && !net["zone"].get(f.zone);
}

void walk_net(dom::object net, fields &f)
{
    for (auto [key, value] : net) {
        if (key == "port")
            f.found += !value.get(f.port);
        else if (key == "zone")
            f.found += !value.get(f.zone);
    }
}

bool by_walking(dom::object object, fields &f)
{
    dom::object net;
    for (auto [key, value] : object) {
        if (key == "ts")
            f.found += !value.get(f.ts);
        else if (key == "ev")
            f.found += !value.get(f.ev);
        else if (key == "k")
            f.found += !value.get(f.k);
        else if (key == "net" && !value.get(net))
            walk_net(net, f);
        if (f.found == 5)
            return true;
    }
    return false;
}

} // namespace

volatile uint64_t bare_sum; /* so that reading the fields is not left out */

size_t bare_loop(const char *text, size_t len, bool by_walk)
{
    dom::parser parser;
    const char *end = text + len;
    size_t n = 0;
    uint64_t sum = 0;

    if (parser.allocate(1 << 20))
        bench_die("no memory for the parser");
    for (const char *eol; text < end; text = eol + 1) {
        fields f;
        dom::object object;
        eol = static_cast<const char *>(memchr(text, '\n', size_t(end - text)));
        if (parser.parse(text, size_t(eol - text), false).get(object))
            continue;
        if (!(by_walk ? by_walking(object, f) : by_key(object, f)))
            continue;
        n++;
        sum += f.ts.size() + uint8_t(f.ev[0]) + uint8_t(f.k[f.k.size() - 1]) + f.zone.size() +
               uint64_t(f.port);
    }
    bare_sum = sum;
    return n;
}

size_t bare_padding(void)
{
    return simdjson::SIMDJSON_PADDING;
}
