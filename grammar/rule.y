/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The grammar of rules and configuration: which token may follow which, and nothing more. Each
 * action is one call of src/lang/build.h. No conflict is tolerated.
 *
 * Three things to know:
 * - Newlines mean nothing and nothing separates clauses, so whatever may stand behind an expression
 *   must not be able to continue it. This is why `by fire allow having next until` name no step.
 * - Every word but the reserved ones is a name wherever a name is expected: `free_word`, `name`.
 * - After a syntax error the parser takes up at the next clause of the rule or at the next
 *   declaration; the scanner finds the place (rule.l, recover()).
 */
%require "3.8"
%define api.prefix {rule_}
%define api.pure full
%define api.token.prefix {T_}
%define api.location.type {struct span}
%define parse.error custom
%define parse.lac full
%locations
%expect 0
%param {struct parse *p}

%code requires {
#include "base/diag.h"
#include "lang/build.h"
#include "lang/lex.h"
}

%code provides {
/* rule.l */
int rule_lex(RULE_STYPE *value, RULE_LTYPE *span, struct parse *p);
int rule_parse_text(struct parse *p); /* 0: read to its end, maybe with errors reported */
enum lex_early rule_lex_early(const struct lex *lex);
}

%code {
static void rule_error(const RULE_LTYPE *span, struct parse *p, const char *message);

#define YYMAXDEPTH 8000
#define YYLLOC_DEFAULT(current, rhs, n) \
    do { \
        (current).file = YYRHSLOC(rhs, (n) ? 1 : 0).file; \
        (current).start = (n) ? YYRHSLOC(rhs, 1).start : YYRHSLOC(rhs, 0).end; \
        (current).end = YYRHSLOC(rhs, n).end; \
    } while (0)
}

%union {
    struct ast_name name;
    struct ast_expr *expr;
    struct build_op op;
    struct build_list *list;
    struct build_path *path;
    struct build_args args;
    struct build_count count;
    struct build_range range;
    struct ast_names names;
    struct ast_key *key;
    struct ast_assign *assign;
    struct ast_stream *stream;
    struct ast_list *items;
    struct ast_table *table;
    struct ast_config *config;
    struct ast_step *step;
    struct ast_element *element;
    struct ast_match *match;
    struct ast_window *window;
    struct ast_join *join;
    struct ast_novel *novel;
    struct ast_test_item *test_item;
    struct span span;
    int number;
}

%token START_FILE "a file" START_EXPR "one expression"
%token <name> NAME "a name"
%token <expr> TEXT_LITERAL "a text" RAW_LITERAL "a raw text" INT "a whole number" DOUBLE "a decimal number"
%token <expr> DURATION "a duration" SIZE "a size" TIME "a time"

%token LPAREN "(" RPAREN ")" LBRACKET "[" RBRACKET "]" LBRACE "{" RBRACE "}"
%token COMMA "," COLON ":" DOT "." RANGE ".." QUESTION "?" ASSIGN "="
%token PLUS "+" MINUS "-" STAR "*" SLASH "/" PERCENT "%" DEFAULT "??"
%token <op> EQ "==" NE "!=" LT "<" LE "<=" GT ">" GE ">=" NOT_IN "not in"

 /* the words of src/lang/keyword.def: reserved, */
%token <name> ALL "all" AND "and" ANY "any" NOT "not" OR "or" WHERE "where" WITHIN "within"
%token <op> IN "in" LIKE "like" REGEX "regex" CONTAINS "contains" CONTAINS_ALL "contains_all"
%token <op> STARTSWITH "startswith" ENDSWITH "endswith"
%token <expr> TRUE "true" FALSE "false" NULL "null"
 /* at the edge of a step, */
%token <name> ALLOW "allow" BY "by" FIRE "fire" HAVING "having" NEXT "next" UNTIL "until"
 /* and the others */
%token <name> AFTER "after" ALERT "alert" ALERTS "alerts" AT "at" CHANGE "change" CIDR "cidr"
%token <name> CLOSE "close" DEF "def" DEFAULT_TO "default_to" DESCRIPTION "description"
%token <name> DISABLED "disabled" DRAIN "drain" DROP "drop" EACH "each" ELSE "else" EMIT "emit"
%token <name> ENGINE "engine" EVENT "event" EVENTS "events" EVERY "every" EXCEPTION "exception"
%token <name> EXPECT "expect" EXPIRE "expire" FILE "file" FIRST "first" FOR "for" FRESH "fresh"
%token <name> FROM "from" GLOBAL "global" HOPPING "hopping" HTTP "http" INTO "into" JOIN "join"
%token <name> KAFKA "kafka" KEEP "keep" KEY "key" LAST "last" LATE "late" LATENESS "lateness"
%token <name> LIMIT "limit" LIST "list" MATCH "match" MATCHES "matches" MAX "max" META "meta"
%token <name> NONE "none" NOVEL "novel" OFFSET "offset" ON "on" ON_RELOAD "on_reload" PER "per"
%token <name> QUARANTINE "quarantine" REFUSE "refuse" RESET "reset" RISK "risk" ROUTE "route"
%token <name> RULE "rule" RUN "run" RUNS "runs" SELECT "select" SESSION "session"
%token <name> SEVERITY "severity" SINK "sink" SLIDING "sliding" SOURCE "source" STATE "state"
%token <name> STREAM "stream" SUMMARY "summary" SUPPRESS "suppress" TABLE "table" TAGS "tags"
%token <name> TEST "test" TEXT "text" TITLE "title" TO "to" TUMBLING "tumbling" VALUES "values"
%token <name> WARN "warn" WINDOW "window" ZONE "zone"

%type <name> name step_name free_word stream_ref reload_mode
%type <expr> text literal primary unary product sum fallback comparison not_expr and_expr expr
%type <expr> list amount config_value opt_where opt_until opt_keep path_expr signed_duration
%type <op> compare
%type <list> names stream_names or_terms and_terms exprs opt_params keys fields assigns block entries
%type <list> elements group_steps steps sides opt_by opt_suppress_by paths opt_fields test_items
%type <path> path call reference config_key
%type <args> args
%type <count> quantifier count
%type <range> range
%type <names> targets streams
%type <key> key
%type <assign> assign
%type <stream> opt_expect
%type <items> list_source
%type <table> table_source
%type <config> entry
%type <step> step step_tail group_step side
%type <element> element group group_braces
%type <match> match_head
%type <window> window_kind tumbling window_body window_head
%type <join> join_head
%type <novel> novel_head
%type <test_item> test_item
%type <span> json_object json_array json_value opt_json
%type <number> list_kind select_mode fire_mode opt_summary

%%

start:
    START_FILE declarations
  | START_EXPR expr                         { build_result(p, $expr); }
  ;

declarations: %empty | declarations declaration ;

declaration:
    stream | named_list | table | def | exception | config | rule
  | error                                   { build_recover_declaration(p); yyclearin; yyerrok; }
  ;

/* ---- names --------------------------------------------------------------------------------- */

free_word:
    "after" | "alert" | "alerts" | "at" | "change" | "cidr" | "close" | "def" | "default_to"
  | "description" | "disabled" | "drain" | "drop" | "each" | "else" | "emit" | "engine" | "event"
  | "events" | "every" | "exception" | "expect" | "expire" | "file" | "first" | "for" | "fresh"
  | "from" | "global" | "hopping" | "http" | "into" | "join" | "kafka" | "keep" | "key" | "last"
  | "late" | "lateness" | "limit" | "list" | "match" | "matches" | "max" | "meta" | "none"
  | "novel" | "offset" | "on" | "on_reload" | "per" | "quarantine" | "refuse" | "reset" | "risk"
  | "route" | "rule" | "run" | "runs" | "select" | "session" | "severity" | "sink" | "sliding"
  | "source" | "state" | "stream" | "summary" | "suppress" | "table" | "tags" | "test" | "text"
  | "title" | "to" | "tumbling" | "values" | "warn" | "window" | "zone"
  ;

step_name: NAME | free_word ;
name: step_name | "allow" | "by" | "fire" | "having" | "next" | "until" ;
stream_ref: name | "any" ;

names:
    name                                    { $$ = build_append_name(p, NULL, $name); }
  | names "," name                          { $$ = build_append_name(p, $1, $name); }
  ;

targets:
    name                                    { $$ = build_one_name(p, $name); }
  | "[" names opt_comma "]"                 { $$ = build_names(p, @$, $names); }
  ;

stream_names:
    stream_ref                              { $$ = build_append_name(p, NULL, $stream_ref); }
  | stream_names "," stream_ref             { $$ = build_append_name(p, $1, $stream_ref); }
  ;

streams:
    stream_ref                              { $$ = build_one_name(p, $stream_ref); }
  | "[" stream_names opt_comma "]"          { $$ = build_names(p, @$, $stream_names); }
  ;

opt_comma: %empty | "," ;

text: TEXT_LITERAL | RAW_LITERAL ;

/* ---- expressions: precedence as in src/lang/operator.def ------------------------------------- */

expr: and_expr | or_terms                   { $$ = build_terms(p, AST_OP_OR, $or_terms); } ;

or_terms:
    and_expr[a] "or" and_expr[b]            { $$ = build_append(p, build_append(p, NULL, $a), $b); }
  | or_terms "or" and_expr                  { $$ = build_append(p, $1, $and_expr); }
  ;

and_expr: not_expr | and_terms              { $$ = build_terms(p, AST_OP_AND, $and_terms); } ;

and_terms:
    not_expr[a] "and" not_expr[b]           { $$ = build_append(p, build_append(p, NULL, $a), $b); }
  | and_terms "and" not_expr                { $$ = build_append(p, $1, $not_expr); }
  ;

not_expr: comparison | "not" not_expr[x]    { $$ = build_not(p, @$, $x); } ;

comparison: fallback | fallback[a] compare fallback[b] { $$ = build_compare(p, @$, $compare, $a, $b); } ;

compare:
    "==" | "!=" | "<" | "<=" | ">" | ">=" | "in" | "not in" | "like" | "regex" | "contains"
  | "contains_all" | "startswith" | "endswith"
  ;

fallback: sum | fallback[a] "??" sum[b]     { $$ = build_binary(p, @$, AST_OP_DEFAULT, $a, $b); } ;

sum:
    product
  | sum[a] "+" product[b]                   { $$ = build_binary(p, @$, AST_OP_ADD, $a, $b); }
  | sum[a] "-" product[b]                   { $$ = build_binary(p, @$, AST_OP_SUB, $a, $b); }
  ;

product:
    unary
  | product[a] "*" unary[b]                 { $$ = build_binary(p, @$, AST_OP_MUL, $a, $b); }
  | product[a] "/" unary[b]                 { $$ = build_binary(p, @$, AST_OP_DIV, $a, $b); }
  | product[a] "%" unary[b]                 { $$ = build_binary(p, @$, AST_OP_MOD, $a, $b); }
  ;

unary: primary | "-" unary[x]               { $$ = build_negative(p, @$, $x); } ;

primary:
    literal
  | reference                               { $$ = build_path_expr(p, @$, $reference); }
  | list
  | "any" "(" name "in" fallback ":" expr ")" { $$ = build_quantified(p, @$, false, $name, $4, $fallback, $expr); }
  | "all" "(" name "in" fallback ":" expr ")" { $$ = build_quantified(p, @$, true, $name, $4, $fallback, $expr); }
  | "(" expr ")"                            { $$ = build_parenthesised($expr); }
  ;

literal: TEXT_LITERAL | RAW_LITERAL | INT | DOUBLE | DURATION | SIZE | TIME | "true" | "false" | "null" ;

list:
    "[" "]"                                 { $$ = build_list_expr(p, @$, NULL); }
  | "[" exprs opt_comma "]"                 { $$ = build_list_expr(p, @$, $exprs); }
  ;

exprs:
    expr                                    { $$ = build_append(p, NULL, $expr); }
  | exprs "," expr                          { $$ = build_append(p, $1, $expr); }
  ;

path:
    name                                    { $$ = build_path(p, $name); }
  | path[a] "." NAME                        { $$ = build_path_name(p, $a, $NAME); }
  | path[a] "[" expr "]"                    { $$ = build_path_index(p, @expr, $a, $expr); }
  ;

reference: path | call ;
call:
    name "(" args ")"                       { $$ = build_path_of_call(p, build_call(p, @$, $name, $args)); }
  | call[a] "." NAME                        { $$ = build_path_name(p, $a, $NAME); }
  | call[a] "[" expr "]"                    { $$ = build_path_index(p, @expr, $a, $expr); }
  ;

args:
    %empty                                  { $$ = build_args(NULL, NULL, NULL); }
  | exprs                                   { $$ = build_args($exprs, NULL, NULL); }
  | "within" DURATION                       { $$ = build_args(NULL, NULL, $DURATION); }
  | exprs "," "within" DURATION             { $$ = build_args($exprs, NULL, $DURATION); }
  | "where" expr                            { $$ = build_args(NULL, $expr, NULL); }
  | exprs "where" expr                      { $$ = build_args($exprs, $expr, NULL); }
  | "where" expr "," "within" DURATION      { $$ = build_args(NULL, $expr, $DURATION); }
  | exprs "where" expr "," "within" DURATION { $$ = build_args($exprs, $expr, $DURATION); }
  ;

path_expr: path                             { $$ = build_path_expr(p, @$, $path); } ;
paths:
    path_expr                               { $$ = build_append(p, NULL, $path_expr); }
  | paths "," path_expr                     { $$ = build_append(p, $1, $path_expr); }
  ;

fields: "{" assigns "}"                     { $$ = $assigns; } ;
assigns: %empty                             { $$ = NULL; }
  | assigns assign                          { $$ = build_append(p, $1, $assign); }
  ;
assign: path "=" expr                       { $$ = build_assign(p, @$, $path, @path, $expr); } ;

/* ---- streams, lists, tables, definitions, exceptions ------------------------------------------ */

stream:
    "stream" name "=" stream_names opt_where opt_fields opt_expect
                                            { build_stream(p, @$, $name, $stream_names, $opt_where, $opt_fields, $opt_expect); }
  ;
opt_where: %empty { $$ = NULL; } | "where" expr { $$ = $expr; } ;
opt_fields: %empty { $$ = NULL; } | fields ;
opt_expect:
    %empty                                  { $$ = NULL; }
  | "expect" expr "else" "warn"             { $$ = build_stream_expect(p, $expr, AST_ELSE_WARN, (struct ast_name){0}); }
  | "expect" expr "else" "drop"             { $$ = build_stream_expect(p, $expr, AST_ELSE_DROP, (struct ast_name){0}); }
  | "expect" expr "else" "quarantine" name  { $$ = build_stream_expect(p, $expr, AST_ELSE_QUARANTINE, $name); }
  ;

named_list: "list" name "=" list_kind list_source { build_list(p, @$, $name, (enum ast_list_kind)$list_kind, $list_source); } ;
list_kind:
    %empty                                  { $$ = AST_LIST_PLAIN; }
  | "text"                                  { $$ = AST_LIST_TEXT; }
  | "cidr"                                  { $$ = AST_LIST_CIDR; }
  | "like"                                  { $$ = build_list_kind(p, @1, $1); }
  | "regex"                                 { $$ = build_list_kind(p, @1, $1); }
  ;
list_source:
    list                                    { $$ = build_list_items(p, $list); }
  | "file" text                             { $$ = build_list_file(p, $text); }
  ;

table: "table" name "=" table_source "key" path_expr opt_keep { build_table(p, @$, $name, $table_source, $path_expr, $opt_keep); } ;
table_source:
    "file" text                             { $$ = build_table_file(p, $text); }
  | "from" name                             { $$ = build_table_stream(p, $name); }
  | "kafka" block                           { $$ = build_table_kafka(p, $block); }
  ;
opt_keep: %empty { $$ = NULL; } | "keep" DURATION { $$ = $DURATION; } ;

def: "def" name "(" opt_params ")" "=" expr { build_def(p, @$, $name, $opt_params, $expr); } ;
opt_params: %empty { $$ = NULL; } | names ;

exception:
    "exception" text "for" targets opt_until "where" expr
                                            { build_exception(p, @$, $text, $targets, $opt_until, $expr); }
  ;
opt_until: %empty { $$ = NULL; } | "until" TIME { $$ = $TIME; } ;

/* ---- configuration ---------------------------------------------------------------------------- */

config:
    "engine" block                          { build_config(p, @$, AST_ENGINE, (struct ast_name){0}, $block); }
  | "source" name block                     { build_config(p, @$, AST_SOURCE, $name, $block); }
  | "sink" name block                       { build_config(p, @$, AST_SINK, $name, $block); }
  | "http" block                            { build_config(p, @$, AST_HTTP, (struct ast_name){0}, $block); }
  | "route" block                           { build_config(p, @$, AST_ROUTE, (struct ast_name){0}, $block); }
  | "default_to" targets                    { build_default_to(p, @$, $targets); }
  ;

block: "{" entries "}"                      { $$ = $entries; } ;
entries: %empty                             { $$ = NULL; }
  | entries entry                           { $$ = build_append(p, $1, $entry); }
  ;
entry:
    config_key config_value                 { $$ = build_entry(p, @$, $config_key, @config_key, $config_value); }
  | config_key block                        { $$ = build_block(p, @$, $config_key, @config_key, $block); }
  ;
config_key:
    name                                    { $$ = build_path(p, $name); }
  | config_key "." NAME                     { $$ = build_path_name(p, $1, $NAME); }
  ;
amount: INT | DOUBLE | DURATION ;
config_value:
    literal | list
  | "-" amount                              { $$ = build_negative(p, @$, $amount); }
  | path_expr
  | name "(" exprs ")"                      { $$ = build_call(p, @$, $name, build_args($exprs, NULL, NULL)); }
  ;

/* ---- rules ------------------------------------------------------------------------------------ */

rule: "rule" name "{"                       { build_rule_begin(p, $name); }
      clauses "}"                           { build_rule_end(p, @$); }
  ;
clauses: %empty | clauses clause ;

clause:
    "title" text                            { build_title(p, @$, $text); }
  | "description" text                      { build_description(p, @$, $text); }
  | "severity" expr                         { build_severity(p, @$, $expr); }
  | "risk" expr                             { build_risk(p, @$, $expr); }
  | "tags" list                             { build_tags(p, @$, $list); }
  | "meta" block                            { build_meta(p, @$, $block); }
  | "disabled"                              { build_disabled(p, @$); }
  | match_head "{" elements "}"             { build_match_body(p, @match_head, $match_head, $elements); }
  | window_body "}"                         { build_window_body(p, @$, $window_body); }
  | join_head "{" sides "}"                 { build_join_body(p, @join_head, $join_head, $sides); }
  | novel_head "{" steps "}"                { build_novel_body(p, @novel_head, $novel_head, $steps); }
  | "emit" fields                           { build_emit(p, @$, $fields); }
  | "emit" "into" name fields               { build_emit_into(p, @$, $name, $fields); }
  | "suppress" DURATION opt_suppress_by opt_summary { build_suppress(p, @$, $DURATION, $opt_suppress_by, $opt_summary); }
  | "to" targets                            { build_to(p, @$, $targets); }
  | "limit" limit
  | "keep" INT                              { build_keep(p, @$, $INT); }
  | "on_reload" reload_mode                 { build_on_reload(p, @$, $reload_mode); }
  | "test" text "{" test_items "}"          { build_test(p, @$, $text, $test_items); }
  | error                                   { build_recover_clause(p); yyclearin; yyerrok; }
  ;

opt_suppress_by: %empty { $$ = NULL; } | "by" paths { $$ = $paths; } ;
opt_summary: %empty { $$ = 0; } | "summary" { $$ = 1; } ;
reload_mode: "drain" | "fresh" | "refuse" ;

limit:
    "runs" INT "per" "key"                  { build_limit(p, @$, AST_LIMIT_RUNS, $INT, NULL); }
  | "events" INT "per" "run"                { build_limit(p, @$, AST_LIMIT_EVENTS, $INT, NULL); }
  | "values" INT "per" "key"                { build_limit(p, @$, AST_LIMIT_VALUES, $INT, NULL); }
  | "state" SIZE                            { build_limit(p, @$, AST_LIMIT_STATE, $SIZE, NULL); }
  | "alerts" INT "per" DURATION             { build_limit(p, @$, AST_LIMIT_ALERTS, $INT, $DURATION); }
  | "matches" INT "per" "event"             { build_limit(p, @$, AST_LIMIT_MATCHES, $INT, NULL); }
  ;

/* ---- keys, steps -------------------------------------------------------------------------------- */

keys:
    key                                     { $$ = build_append(p, NULL, $key); }
  | keys "," key                            { $$ = build_append(p, $1, $key); }
  ;
key:
    path                                    { $$ = build_key(p, @$, $path, false); }
  | "?" path                                { $$ = build_key(p, @$, $path, true); }
  | name "=" fallback                       { $$ = build_named_key(p, @$, $name, $fallback); }
  ;
opt_by: %empty { $$ = NULL; } | "by" keys   { $$ = $keys; } ;

step: step_name quantifier ":" streams step_tail { $$ = build_step(@$, $step_tail, $step_name, $quantifier, $streams); } ;
step_tail:
    %empty                                  { $$ = build_step_new(p); }
  | step_tail[s] "by" keys                  { $$ = build_step_by(p, @2, $s, $keys); }
  | step_tail[s] "where" expr               { $$ = build_step_where(p, @2, $s, $expr); }
  | step_tail[s] "within" DURATION          { $$ = build_step_within(p, @2, $s, $DURATION); }
  ;
quantifier: %empty                          { $$ = (struct build_count){1, 1, false, @$}; } | count ;
count:
    "{" INT "}"                             { $$ = build_count(p, @$, $INT, $INT); }
  | "{" INT[n] "," INT[m] "}"               { $$ = build_count(p, @$, $n, $m); }
  | "{" INT "," "}"                         { $$ = build_count_from(p, @$, $INT); }
  | "+"                                     { $$ = build_count_range(@$, 1, AST_UNBOUNDED); }
  | "*"                                     { $$ = build_count_range(@$, 0, AST_UNBOUNDED); }
  | "?"                                     { $$ = build_count_range(@$, 0, 1); }
  ;
steps:
    step                                    { $$ = build_append(p, NULL, $step); }
  | steps step                              { $$ = build_append(p, $1, $step); }
  ;

/* ---- match --------------------------------------------------------------------------------------- */

match_head:
    "match"                                 { $$ = build_match(p); }
  | match_head[m] "by" keys                 { $$ = build_match_by(p, @2, $m, $keys); }
  | match_head[m] "within" DURATION         { $$ = build_match_within(p, @2, $m, $DURATION); }
  | match_head[m] "select" select_mode      { $$ = build_match_select(p, @select_mode, $m, (enum ast_select)$select_mode); }
  ;
select_mode:
    "first" { $$ = AST_SELECT_FIRST; } | "last" { $$ = AST_SELECT_LAST; }
  | "each" { $$ = AST_SELECT_EACH; } | "all" { $$ = AST_SELECT_ALL; }
  ;
elements:
    element                                 { $$ = build_append(p, NULL, $element); }
  | elements element                        { $$ = build_append(p, $1, $element); }
  ;
element:
    step                                    { $$ = build_element(p, @$, $step); }
  | group
  | "next" step                             { $$ = build_next(build_element(p, @step, $step), @$, @1); }
  | "next" group                            { $$ = build_next($group, @$, @1); }
  | "next" "not" step                       { $$ = build_next(build_element_not(p, @$, $step), @$, @1); }
  | "not" step                              { $$ = build_element_not(p, @$, $step); }
  | "until" step                            { $$ = build_element_until(p, @$, $step); }
  ;
group: group_braces | group_braces count    { $$ = build_refuse_count(p, $group_braces, $count); } ;
group_braces:
    "any" "{" group_steps "}"               { $$ = build_group(p, @$, AST_ANY, NULL, $group_steps); }
  | "all" "{" group_steps "}"               { $$ = build_group(p, @$, AST_ALL, NULL, $group_steps); }
  | "all" INT "{" group_steps "}"           { $$ = build_group(p, @$, AST_ALL, $INT, $group_steps); }
  ;
group_steps:
    group_step                              { $$ = build_append(p, NULL, $group_step); }
  | group_steps group_step                  { $$ = build_append(p, $1, $group_step); }
  ;
group_step: step | group { $$ = build_refuse_group(p, @$); } | "not" step { $$ = build_negated(@$, $step); } ;

/* ---- window, join, novel --------------------------------------------------------------------------- */

window_kind:
    tumbling
  | "hopping" DURATION[d] "every" DURATION[e] { $$ = build_window(p, AST_HOPPING, $d, $e); }
  | "session" DURATION                      { $$ = build_window(p, AST_SESSION, $DURATION, NULL); }
  | "session" DURATION[d] "max" DURATION[m] { $$ = build_window(p, AST_SESSION, $d, $m); }
  | "sliding" DURATION                      { $$ = build_window(p, AST_SLIDING, $DURATION, NULL); }
  | "global" "expire" DURATION              { $$ = build_window(p, AST_GLOBAL, NULL, $DURATION); }
  ;
tumbling:
    "tumbling" DURATION                     { $$ = build_window(p, AST_TUMBLING, $DURATION, NULL); }
  | tumbling[w] "offset" DURATION           { $$ = build_window_offset(p, @2, $w, $DURATION); }
  | tumbling[w] "zone" text                 { $$ = build_window_zone(p, @2, $w, $text); }
  ;
window_head:
    "window" window_kind opt_by             { $$ = build_window_by(p, $window_kind, $opt_by); }
  | "window" window_kind opt_by "in" name   { $$ = build_window_in(p, build_window_by(p, $window_kind, $opt_by), $4, $name); }
  ;
window_body:
    window_head "{" steps                   { $$ = build_window_inputs(p, $window_head, $steps); }
  | window_body[w] "having" expr            { $$ = build_having(p, @2, $w, $expr); }
  | window_body[w] "fire" "on" fire_mode    { $$ = build_fire(p, @2, $w, (enum ast_fire)$fire_mode); }
  | window_body[w] "allow" "late" DURATION  { $$ = build_allow_late(p, @2, $w, $DURATION); }
  ;
fire_mode:
    "close" { $$ = AST_FIRE_ON_CLOSE; } | "match" { $$ = AST_FIRE_ON_MATCH; }
  | "match" "reset" { $$ = AST_FIRE_ON_MATCH_RESET; } | "every" "match" { $$ = AST_FIRE_ON_EVERY_MATCH; }
  | "change" { $$ = AST_FIRE_ON_CHANGE; }
  ;

join_head:
    "join"                                  { $$ = build_join(p); }
  | join_head[j] "by" keys                  { $$ = build_join_by(p, @2, $j, $keys); }
  | join_head[j] "within" range             { $$ = build_join_within(p, @2, $j, $range); }
  ;
range:
    DURATION                                { $$ = (struct build_range){NULL, $DURATION}; }
  | signed_duration[a] ".." signed_duration[b] { $$ = (struct build_range){$a, $b}; }
  ;
signed_duration: DURATION | "-" DURATION    { $$ = build_negative(p, @$, $DURATION); } ;
sides:
    side                                    { $$ = build_append(p, NULL, $side); }
  | sides side                              { $$ = build_append(p, $1, $side); }
  ;
side: step | "not" step                     { $$ = build_negated(@$, $step); } ;

novel_head:
    "novel" paths                           { $$ = build_novel(p, $paths); }
  | novel_head[n] "by" keys                 { $$ = build_novel_by(p, @2, $n, $keys); }
  | novel_head[n] "within" DURATION         { $$ = build_novel_within(p, @2, $n, $DURATION); }
  | novel_head[n] "after" DURATION          { $$ = build_novel_after(p, @2, $n, $DURATION); }
  ;

/* ---- tests; of JSON only the place is kept, build_test.c reads it again ----------------------------- */

test_items: %empty                          { $$ = NULL; }
  | test_items test_item                    { $$ = build_append(p, $1, $test_item); }
  ;
test_item:
    DURATION name json_object               { $$ = build_event(p, @$, $DURATION, $name, $json_object); }
  | "expect" "none"                         { $$ = build_expect_none(p, @$); }
  | "expect" INT "alert"                    { $$ = build_expect_count(p, @$, $INT); }
  | "expect" INT "alerts"                   { $$ = build_expect_count(p, @$, $INT); }
  | "expect" "alert" opt_json               { $$ = build_expect_alert(p, @$, NULL, $opt_json); }
  | "expect" "alert" "at" DURATION opt_json { $$ = build_expect_alert(p, @$, $DURATION, $opt_json); }
  | "until" DURATION                        { $$ = build_test_until(p, @$, $DURATION); }
  | "lateness" DURATION                     { $$ = build_test_lateness(p, @$, $DURATION); }
  | "list" name "=" list                    { $$ = build_test_list(p, @$, $name, $list); }
  | "table" name "=" json_array             { $$ = build_test_table(p, @$, $name, $json_array); }
  ;
opt_json: %empty { $$ = @$; } | json_object ;
json_object: "{" "}" { $$ = @$; } | "{" json_members "}" { $$ = @$; } ;
json_members: json_member | json_members "," json_member ;
json_member: TEXT_LITERAL ":" json_value ;
json_array: "[" "]" { $$ = @$; } | "[" json_values "]" { $$ = @$; } ;
json_values: json_value | json_values "," json_value ;
json_value:
    json_object | json_array | TEXT_LITERAL { $$ = @$; } | json_number { $$ = @$; }
  | "true" { $$ = @$; } | "false" { $$ = @$; } | "null" { $$ = @$; }
  ;
json_number: INT | DOUBLE | "-" INT | "-" DOUBLE ;

%%

static void rule_error(const RULE_LTYPE *span, struct parse *p, const char *message)
{
    (void)message; /* the parser's stack is full: nothing else comes here */
    build_too_deep(p, *span);
}

static int yyreport_syntax_error(const yypcontext_t *context, struct parse *p)
{
    yysymbol_kind_t expected[YYNTOKENS];
    const char *names[YYNTOKENS];
    yysymbol_kind_t found = yypcontext_token(context);
    int n = yypcontext_expected_tokens(context, expected, YYNTOKENS);

    if (n < 0)
        return n;
    for (int i = 0; i < n; i++)
        names[i] = yysymbol_name(expected[i]);
    build_lex(p)->early = rule_lex_early(build_lex(p));
    build_syntax_error(p, *yypcontext_location(context), yysymbol_name(found), names, n);
    return 0;
}
