/* A Bison parser, made by GNU Bison 3.8.2.  */

/* Bison interface for Yacc-like parsers in C

   Copyright (C) 1984, 1989-1990, 2000-2015, 2018-2021 Free Software Foundation,
   Inc.

   This program is free software: you can redistribute it and/or modify
   it under the terms of the GNU General Public License as published by
   the Free Software Foundation, either version 3 of the License, or
   (at your option) any later version.

   This program is distributed in the hope that it will be useful,
   but WITHOUT ANY WARRANTY; without even the implied warranty of
   MERCHANTABILITY or FITNESS FOR A PARTICULAR PURPOSE.  See the
   GNU General Public License for more details.

   You should have received a copy of the GNU General Public License
   along with this program.  If not, see <https://www.gnu.org/licenses/>.  */

/* As a special exception, you may create a larger work that contains
   part or all of the Bison parser skeleton and distribute that work
   under terms of your choice, so long as that work isn't itself a
   parser generator using the skeleton or a modified version thereof
   as a parser skeleton.  Alternatively, if you modify or redistribute
   the parser skeleton itself, you may (at your option) remove this
   special exception, which will cause the skeleton and the resulting
   Bison output files to be licensed under the GNU General Public
   License without this special exception.

   This special exception was added by the Free Software Foundation in
   version 2.2 of Bison.  */

/* DO NOT RELY ON FEATURES THAT ARE NOT DOCUMENTED in the manual,
   especially those whose name start with YY_ or yy_.  They are
   private implementation details that can be changed or removed.  */

#ifndef YY_RULE_GRAMMAR_RULE_PARSER_H_INCLUDED
# define YY_RULE_GRAMMAR_RULE_PARSER_H_INCLUDED
/* Debug traces.  */
#ifndef RULE_DEBUG
# if defined YYDEBUG
#if YYDEBUG
#   define RULE_DEBUG 1
#  else
#   define RULE_DEBUG 0
#  endif
# else /* ! defined YYDEBUG */
#  define RULE_DEBUG 0
# endif /* ! defined YYDEBUG */
#endif  /* ! defined RULE_DEBUG */
#if RULE_DEBUG
extern int rule_debug;
#endif
/* "%code requires" blocks.  */
#line 24 "../grammar/rule.y"

#include "base/diag.h"
#include "lang/build.h"
#include "lang/lex.h"

#line 63 "grammar/rule_parser.h"

/* Token kinds.  */
#ifndef RULE_TOKENTYPE
# define RULE_TOKENTYPE
  enum rule_tokentype
  {
    T_RULE_EMPTY = -2,
    T_YYEOF = 0,                   /* "end of file"  */
    T_RULE_error = 256,            /* error  */
    T_RULE_UNDEF = 257,            /* "invalid token"  */
    T_START_FILE = 258,            /* "a file"  */
    T_START_EXPR = 259,            /* "one expression"  */
    T_NAME = 260,                  /* "a name"  */
    T_TEXT_LITERAL = 261,          /* "a text"  */
    T_RAW_LITERAL = 262,           /* "a raw text"  */
    T_INT = 263,                   /* "a whole number"  */
    T_DOUBLE = 264,                /* "a decimal number"  */
    T_DURATION = 265,              /* "a duration"  */
    T_SIZE = 266,                  /* "a size"  */
    T_TIME = 267,                  /* "a time"  */
    T_LPAREN = 268,                /* "("  */
    T_RPAREN = 269,                /* ")"  */
    T_LBRACKET = 270,              /* "["  */
    T_RBRACKET = 271,              /* "]"  */
    T_LBRACE = 272,                /* "{"  */
    T_RBRACE = 273,                /* "}"  */
    T_COMMA = 274,                 /* ","  */
    T_COLON = 275,                 /* ":"  */
    T_DOT = 276,                   /* "."  */
    T_RANGE = 277,                 /* ".."  */
    T_QUESTION = 278,              /* "?"  */
    T_ASSIGN = 279,                /* "="  */
    T_PLUS = 280,                  /* "+"  */
    T_MINUS = 281,                 /* "-"  */
    T_STAR = 282,                  /* "*"  */
    T_SLASH = 283,                 /* "/"  */
    T_PERCENT = 284,               /* "%"  */
    T_DEFAULT = 285,               /* "??"  */
    T_EQ = 286,                    /* "=="  */
    T_NE = 287,                    /* "!="  */
    T_LT = 288,                    /* "<"  */
    T_LE = 289,                    /* "<="  */
    T_GT = 290,                    /* ">"  */
    T_GE = 291,                    /* ">="  */
    T_NOT_IN = 292,                /* "not in"  */
    T_ALL = 293,                   /* "all"  */
    T_AND = 294,                   /* "and"  */
    T_ANY = 295,                   /* "any"  */
    T_NOT = 296,                   /* "not"  */
    T_OR = 297,                    /* "or"  */
    T_WHERE = 298,                 /* "where"  */
    T_WITHIN = 299,                /* "within"  */
    T_IN = 300,                    /* "in"  */
    T_LIKE = 301,                  /* "like"  */
    T_REGEX = 302,                 /* "regex"  */
    T_CONTAINS = 303,              /* "contains"  */
    T_CONTAINS_ALL = 304,          /* "contains_all"  */
    T_STARTSWITH = 305,            /* "startswith"  */
    T_ENDSWITH = 306,              /* "endswith"  */
    T_TRUE = 307,                  /* "true"  */
    T_FALSE = 308,                 /* "false"  */
    T_NULL = 309,                  /* "null"  */
    T_ALLOW = 310,                 /* "allow"  */
    T_BY = 311,                    /* "by"  */
    T_FIRE = 312,                  /* "fire"  */
    T_HAVING = 313,                /* "having"  */
    T_NEXT = 314,                  /* "next"  */
    T_UNTIL = 315,                 /* "until"  */
    T_AFTER = 316,                 /* "after"  */
    T_ALERT = 317,                 /* "alert"  */
    T_ALERTS = 318,                /* "alerts"  */
    T_AT = 319,                    /* "at"  */
    T_CHANGE = 320,                /* "change"  */
    T_CIDR = 321,                  /* "cidr"  */
    T_CLOSE = 322,                 /* "close"  */
    T_DEF = 323,                   /* "def"  */
    T_DEFAULT_TO = 324,            /* "default_to"  */
    T_DESCRIPTION = 325,           /* "description"  */
    T_DISABLED = 326,              /* "disabled"  */
    T_DRAIN = 327,                 /* "drain"  */
    T_DROP = 328,                  /* "drop"  */
    T_EACH = 329,                  /* "each"  */
    T_ELSE = 330,                  /* "else"  */
    T_EMIT = 331,                  /* "emit"  */
    T_ENGINE = 332,                /* "engine"  */
    T_EVENT = 333,                 /* "event"  */
    T_EVENTS = 334,                /* "events"  */
    T_EVERY = 335,                 /* "every"  */
    T_EXCEPTION = 336,             /* "exception"  */
    T_EXPECT = 337,                /* "expect"  */
    T_EXPIRE = 338,                /* "expire"  */
    T_FILE = 339,                  /* "file"  */
    T_FIRST = 340,                 /* "first"  */
    T_FOR = 341,                   /* "for"  */
    T_FRESH = 342,                 /* "fresh"  */
    T_FROM = 343,                  /* "from"  */
    T_GLOBAL = 344,                /* "global"  */
    T_HOPPING = 345,               /* "hopping"  */
    T_HTTP = 346,                  /* "http"  */
    T_INTO = 347,                  /* "into"  */
    T_JOIN = 348,                  /* "join"  */
    T_KAFKA = 349,                 /* "kafka"  */
    T_KEEP = 350,                  /* "keep"  */
    T_KEY = 351,                   /* "key"  */
    T_LAST = 352,                  /* "last"  */
    T_LATE = 353,                  /* "late"  */
    T_LATENESS = 354,              /* "lateness"  */
    T_LIMIT = 355,                 /* "limit"  */
    T_LIST = 356,                  /* "list"  */
    T_MATCH = 357,                 /* "match"  */
    T_MATCHES = 358,               /* "matches"  */
    T_MAX = 359,                   /* "max"  */
    T_META = 360,                  /* "meta"  */
    T_NONE = 361,                  /* "none"  */
    T_NOVEL = 362,                 /* "novel"  */
    T_OFFSET = 363,                /* "offset"  */
    T_ON = 364,                    /* "on"  */
    T_ON_RELOAD = 365,             /* "on_reload"  */
    T_PER = 366,                   /* "per"  */
    T_QUARANTINE = 367,            /* "quarantine"  */
    T_REFUSE = 368,                /* "refuse"  */
    T_RESET = 369,                 /* "reset"  */
    T_RISK = 370,                  /* "risk"  */
    T_ROUTE = 371,                 /* "route"  */
    T_RULE = 372,                  /* "rule"  */
    T_RUN = 373,                   /* "run"  */
    T_RUNS = 374,                  /* "runs"  */
    T_SELECT = 375,                /* "select"  */
    T_SESSION = 376,               /* "session"  */
    T_SEVERITY = 377,              /* "severity"  */
    T_SINK = 378,                  /* "sink"  */
    T_SLIDING = 379,               /* "sliding"  */
    T_SOURCE = 380,                /* "source"  */
    T_STATE = 381,                 /* "state"  */
    T_STREAM = 382,                /* "stream"  */
    T_SUMMARY = 383,               /* "summary"  */
    T_SUPPRESS = 384,              /* "suppress"  */
    T_TABLE = 385,                 /* "table"  */
    T_TAGS = 386,                  /* "tags"  */
    T_TEST = 387,                  /* "test"  */
    T_TEXT = 388,                  /* "text"  */
    T_TITLE = 389,                 /* "title"  */
    T_TO = 390,                    /* "to"  */
    T_TUMBLING = 391,              /* "tumbling"  */
    T_VALUES = 392,                /* "values"  */
    T_WARN = 393,                  /* "warn"  */
    T_WINDOW = 394,                /* "window"  */
    T_ZONE = 395                   /* "zone"  */
  };
  typedef enum rule_tokentype rule_token_kind_t;
#endif

/* Value type.  */
#if ! defined RULE_STYPE && ! defined RULE_STYPE_IS_DECLARED
union RULE_STYPE
{
#line 49 "../grammar/rule.y"

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

#line 247 "grammar/rule_parser.h"

};
typedef union RULE_STYPE RULE_STYPE;
# define RULE_STYPE_IS_TRIVIAL 1
# define RULE_STYPE_IS_DECLARED 1
#endif

/* Location type.  */
typedef struct span RULE_LTYPE;




int rule_parse (struct parse *p);

/* "%code provides" blocks.  */
#line 30 "../grammar/rule.y"

/* rule.l */
int rule_lex(RULE_STYPE *value, RULE_LTYPE *span, struct parse *p);
int rule_parse_text(struct parse *p); /* 0: read to its end, maybe with errors reported */
enum lex_early rule_lex_early(const struct lex *lex);

#line 271 "grammar/rule_parser.h"

#endif /* !YY_RULE_GRAMMAR_RULE_PARSER_H_INCLUDED  */
