// SPDX-License-Identifier: Apache-2.0
#include "http/openapi.h"

#include <stdbool.h>
#include <string.h>

#include "base/buf.h"
#include "base/version.h"
#include "http/problem.h"
#include "http/route.h"

struct schema {
    const char *name, *text; /* with ' in place of " */
};

static const struct schema schemas[] = {
#define SCHEMA(name, text) {#name, text},
#include "http/schema.def"
#undef SCHEMA
};

static void add_quoted(struct buf *out, const char *text)
{
    buf_add_json_text(out, text, strlen(text));
}

/* JSON with ' in place of ". */
static void add_form(struct buf *out, const char *text)
{
    for (; *text; text++)
        buf_addc(out, (char)(*text == '\'' ? '"' : *text));
}

/* Of the words that it may be, or as it is written. */
static void add_query_schema(struct buf *out, const struct http_query_kind *kind)
{
    const char *at = kind->words;

    if (!*at) {
        add_form(out, kind->schema);
        return;
    }
    for (add_form(out, "{'type':'string','enum':["); at;) {
        size_t n = strcspn(at, "|");
        buf_addc(out, '"');
        buf_add(out, at, n);
        buf_adds(out, at[n] ? "\"," : "\"]}");
        at = at[n] ? at + n + 1 : NULL;
    }
}

/* Whose name stands for {name}. */
static const char *name_schema(const struct http_route *route)
{
    return strncmp(route->path, "/v1/modules/", 12) == 0 ? "ModuleName" : "Name";
}

static void add_parameters(struct buf *out, const struct http_route *route)
{
    bool any = false;

    if (strstr(route->path, "{name}")) {
        add_form(out, "{'name':'name','in':'path','required':true,'schema':{'$ref':'#/components/schemas/");
        buf_adds(out, name_schema(route));
        add_form(out, "'}}");
        any = true;
    }
    for (int q = 0; q < N_HTTP_QUERIES; q++) {
        const struct http_query *query = &http_queries[q];
        if (query->operation != route->operation)
            continue;
        add_form(out, any ? ",{'name':" : "{'name':");
        add_quoted(out, query->key);
        add_form(out, ",'in':'query','description':");
        add_quoted(out, query->doc);
        add_form(out, ",'schema':");
        add_query_schema(out, &http_query_kinds[query->type]);
        buf_addc(out, '}');
        any = true;
    }
}

static void add_body(struct buf *out, const struct http_route *route)
{
    static const char text[] = "'text/plain':{'schema':{'type':'string','minLength':1}}";
    static const char set[] = "'application/json':{'schema':{'$ref':'#/components/schemas/ModuleSet'}}";
    static const char *const content[][2] = {
        [HTTP_BODY_TEXT] = {text},
        [HTTP_BODY_TEXT_OR_NONE] = {text},
        [HTTP_BODY_MODULES] = {set},
        [HTTP_BODY_TEXT_OR_MODULES] = {text, set},
        [HTTP_BODY_EVENTS] = {"'application/x-ndjson':{'schema':{'type':'string'}}",
                              "'application/json':{'schema':{'$ref':'#/components/schemas/EventsBody'}}"},
        [HTTP_BODY_ROWS] = {"'text/csv':{'schema':{'type':'string'}}",
                            "'application/x-ndjson':{'schema':{'type':'string'}}"},
    };

    if (route->body == HTTP_BODY_NONE)
        return;
    add_form(out, ",'requestBody':{'required':");
    buf_adds(out, route->body == HTTP_BODY_TEXT_OR_NONE ? "false" : "true");
    add_form(out, ",'content':{");
    add_form(out, content[route->body][0]);
    if (content[route->body][1]) {
        buf_addc(out, ',');
        add_form(out, content[route->body][1]);
    }
    buf_adds(out, "}}");
}

/* What else than its `answer` it may be, as it is asked for. */
static const char *other_form(const struct http_route *route)
{
    switch (route->operation) {
    case HTTP_OP_module_get: return ",'text/plain':{'schema':{'type':'string'}}";
    case HTTP_OP_rule_explain:
        return ",'text/plain':{'schema':{'type':'string'}},'text/vnd.graphviz':{'schema':{'type':'string'}}";
    case HTTP_OP_alerts_list: return ",'application/x-ndjson':{'schema':{'type':'string'}}";
    case HTTP_OP_table_get:
        return ",'text/csv':{'schema':{'type':'string'}},'application/x-ndjson':{'schema':{'type':'string'}}";
    case HTTP_OP_metrics: return ",'application/openmetrics-text':{'schema':{'type':'string'}}";
    default: return "";
    }
}

static void add_answers(struct buf *out, const struct http_route *route)
{
    add_form(out, ",'responses':{'200':{'description':'it is so, or was done','content':{");
    if (strcmp(route->answer, "TEXT") == 0) {
        add_form(out, "'text/plain':{'schema':{'type':'string'}}");
    } else if (strcmp(route->answer, "STREAM") == 0) {
        add_form(out, "'text/event-stream':{'schema':{'type':'string'}}");
    } else if (strcmp(route->answer, "BYTES") == 0) {
        add_form(out, "'application/octet-stream':{}");
    } else {
        add_form(out, "'application/json':{'schema':{'$ref':'#/components/schemas/");
        buf_adds(out, route->answer);
        add_form(out, "'}}");
    }
    if (*other_form(route))
        add_form(out, other_form(route));
    buf_adds(out, "}}");
    if (route->operation == HTTP_OP_readyz)
        add_form(out, ",'503':{'description':'it does not do its work','content':{"
                      "'application/json':{'schema':{'$ref':'#/components/schemas/Ready'}}}}");
    add_form(out, ",'default':{'description':'a problem','content':{'application/problem+json':"
                  "{'schema':{'$ref':'#/components/schemas/Problem'}}}}}");
}

static void add_operation(struct buf *out, const struct http_route *route)
{
    static const char *const word[N_HTTP_METHODS] = {"get", "put", "post", "delete"};
    static const char *const id[N_HTTP_OPERATIONS] = {
#define ROUTE(method, path, role, operation, body, answer, doc) #operation,
#define QUERY(operation, key, type, doc)
#include "http/routes.def"
#undef ROUTE
#undef QUERY
    };

    buf_printf(out, "\"%s\":{\"operationId\":\"%s\",\"summary\":", word[route->method],
               id[route->operation]);
    add_quoted(out, route->doc);
    buf_printf(out, ",\"description\":\"role: %s\",\"parameters\":[", http_role_name(route->role));
    add_parameters(out, route);
    buf_addc(out, ']');
    add_body(out, route);
    add_answers(out, route);
    add_form(out, route->role == HTTP_ROLE_OPEN ? ",'security':[]}" : "}");
}

static bool is_first_of_path(int at)
{
    for (int i = 0; i < at; i++)
        if (strcmp(http_routes[i].path, http_routes[at].path) == 0)
            return false;
    return true;
}

static void add_paths(struct buf *out)
{
    for (int i = 0; i < N_HTTP_ROUTES; i++) {
        bool any = false;
        if (!is_first_of_path(i))
            continue;
        buf_printf(out, "%s\"%s\":{", i ? "," : "", http_routes[i].path);
        for (int j = i; j < N_HTTP_ROUTES; j++) {
            if (strcmp(http_routes[j].path, http_routes[i].path) != 0)
                continue;
            if (any)
                buf_addc(out, ',');
            add_operation(out, &http_routes[j]);
            any = true;
        }
        buf_addc(out, '}');
    }
}

void http_openapi_add(struct buf *out)
{
    add_form(out, "{'openapi':'3.1.0','info':{'title':'tocsin','version':");
    add_quoted(out, version_string());
    add_form(out, ",'license':{'name':'Apache-2.0','identifier':'Apache-2.0'}},"
                  "'servers':[{'url':'/'}],'security':[{'token':[]}],'paths':{");
    add_paths(out);
    add_form(out, "},'components':{'securitySchemes':{'token':{'type':'http','scheme':'bearer'}},"
                  "'schemas':{");
    for (size_t i = 0; i < sizeof schemas / sizeof *schemas; i++) {
        buf_printf(out, "%s\"%s\":", i ? "," : "", schemas[i].name);
        add_form(out, schemas[i].text);
    }
    buf_adds(out, "}}}\n");
}
