/* A Bison parser, made by GNU Bison 3.8.2.  */

/* Bison implementation for Yacc-like parsers in C

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

/* C LALR(1) parser skeleton written by Richard Stallman, by
   simplifying the original so-called "semantic" parser.  */

/* DO NOT RELY ON FEATURES THAT ARE NOT DOCUMENTED in the manual,
   especially those whose name start with YY_ or yy_.  They are
   private implementation details that can be changed or removed.  */

/* All symbols defined below should begin with yy or YY, to avoid
   infringing on user name space.  This should be done even for local
   variables, as they might otherwise be expanded by user macros.
   There are some unavoidable exceptions within include files to
   define necessary library symbols; they are noted "INFRINGES ON
   USER NAME SPACE" below.  */

/* Identify Bison output, and Bison version.  */
#define YYBISON 30802

/* Bison version string.  */
#define YYBISON_VERSION "3.8.2"

/* Skeleton name.  */
#define YYSKELETON_NAME "yacc.c"

/* Pure parsers.  */
#define YYPURE 2

/* Push parsers.  */
#define YYPUSH 0

/* Pull parsers.  */
#define YYPULL 1

/* Substitute the type names.  */
#define YYSTYPE         RULE_STYPE
#define YYLTYPE         RULE_LTYPE
/* Substitute the variable and function names.  */
#define yyparse         rule_parse
#define yylex           rule_lex
#define yyerror         rule_error
#define yydebug         rule_debug
#define yynerrs         rule_nerrs


# ifndef YY_CAST
#  ifdef __cplusplus
#   define YY_CAST(Type, Val) static_cast<Type> (Val)
#   define YY_REINTERPRET_CAST(Type, Val) reinterpret_cast<Type> (Val)
#  else
#   define YY_CAST(Type, Val) ((Type) (Val))
#   define YY_REINTERPRET_CAST(Type, Val) ((Type) (Val))
#  endif
# endif
# ifndef YY_NULLPTR
#  if defined __cplusplus
#   if 201103L <= __cplusplus
#    define YY_NULLPTR nullptr
#   else
#    define YY_NULLPTR 0
#   endif
#  else
#   define YY_NULLPTR ((void*)0)
#  endif
# endif

#include "rule_parser.h"
/* Symbol kind.  */
enum yysymbol_kind_t
{
  YYSYMBOL_YYEMPTY = -2,
  YYSYMBOL_YYEOF = 0,                      /* "end of file"  */
  YYSYMBOL_YYerror = 1,                    /* error  */
  YYSYMBOL_YYUNDEF = 2,                    /* "invalid token"  */
  YYSYMBOL_START_FILE = 3,                 /* "a file"  */
  YYSYMBOL_START_EXPR = 4,                 /* "one expression"  */
  YYSYMBOL_NAME = 5,                       /* "a name"  */
  YYSYMBOL_TEXT_LITERAL = 6,               /* "a text"  */
  YYSYMBOL_RAW_LITERAL = 7,                /* "a raw text"  */
  YYSYMBOL_INT = 8,                        /* "a whole number"  */
  YYSYMBOL_DOUBLE = 9,                     /* "a decimal number"  */
  YYSYMBOL_DURATION = 10,                  /* "a duration"  */
  YYSYMBOL_SIZE = 11,                      /* "a size"  */
  YYSYMBOL_TIME = 12,                      /* "a time"  */
  YYSYMBOL_LPAREN = 13,                    /* "("  */
  YYSYMBOL_RPAREN = 14,                    /* ")"  */
  YYSYMBOL_LBRACKET = 15,                  /* "["  */
  YYSYMBOL_RBRACKET = 16,                  /* "]"  */
  YYSYMBOL_LBRACE = 17,                    /* "{"  */
  YYSYMBOL_RBRACE = 18,                    /* "}"  */
  YYSYMBOL_COMMA = 19,                     /* ","  */
  YYSYMBOL_COLON = 20,                     /* ":"  */
  YYSYMBOL_DOT = 21,                       /* "."  */
  YYSYMBOL_RANGE = 22,                     /* ".."  */
  YYSYMBOL_QUESTION = 23,                  /* "?"  */
  YYSYMBOL_ASSIGN = 24,                    /* "="  */
  YYSYMBOL_PLUS = 25,                      /* "+"  */
  YYSYMBOL_MINUS = 26,                     /* "-"  */
  YYSYMBOL_STAR = 27,                      /* "*"  */
  YYSYMBOL_SLASH = 28,                     /* "/"  */
  YYSYMBOL_PERCENT = 29,                   /* "%"  */
  YYSYMBOL_DEFAULT = 30,                   /* "??"  */
  YYSYMBOL_EQ = 31,                        /* "=="  */
  YYSYMBOL_NE = 32,                        /* "!="  */
  YYSYMBOL_LT = 33,                        /* "<"  */
  YYSYMBOL_LE = 34,                        /* "<="  */
  YYSYMBOL_GT = 35,                        /* ">"  */
  YYSYMBOL_GE = 36,                        /* ">="  */
  YYSYMBOL_NOT_IN = 37,                    /* "not in"  */
  YYSYMBOL_ALL = 38,                       /* "all"  */
  YYSYMBOL_AND = 39,                       /* "and"  */
  YYSYMBOL_ANY = 40,                       /* "any"  */
  YYSYMBOL_NOT = 41,                       /* "not"  */
  YYSYMBOL_OR = 42,                        /* "or"  */
  YYSYMBOL_WHERE = 43,                     /* "where"  */
  YYSYMBOL_WITHIN = 44,                    /* "within"  */
  YYSYMBOL_IN = 45,                        /* "in"  */
  YYSYMBOL_LIKE = 46,                      /* "like"  */
  YYSYMBOL_REGEX = 47,                     /* "regex"  */
  YYSYMBOL_CONTAINS = 48,                  /* "contains"  */
  YYSYMBOL_CONTAINS_ALL = 49,              /* "contains_all"  */
  YYSYMBOL_STARTSWITH = 50,                /* "startswith"  */
  YYSYMBOL_ENDSWITH = 51,                  /* "endswith"  */
  YYSYMBOL_TRUE = 52,                      /* "true"  */
  YYSYMBOL_FALSE = 53,                     /* "false"  */
  YYSYMBOL_NULL = 54,                      /* "null"  */
  YYSYMBOL_ALLOW = 55,                     /* "allow"  */
  YYSYMBOL_BY = 56,                        /* "by"  */
  YYSYMBOL_FIRE = 57,                      /* "fire"  */
  YYSYMBOL_HAVING = 58,                    /* "having"  */
  YYSYMBOL_NEXT = 59,                      /* "next"  */
  YYSYMBOL_UNTIL = 60,                     /* "until"  */
  YYSYMBOL_AFTER = 61,                     /* "after"  */
  YYSYMBOL_ALERT = 62,                     /* "alert"  */
  YYSYMBOL_ALERTS = 63,                    /* "alerts"  */
  YYSYMBOL_AT = 64,                        /* "at"  */
  YYSYMBOL_CHANGE = 65,                    /* "change"  */
  YYSYMBOL_CIDR = 66,                      /* "cidr"  */
  YYSYMBOL_CLOSE = 67,                     /* "close"  */
  YYSYMBOL_DEF = 68,                       /* "def"  */
  YYSYMBOL_DEFAULT_TO = 69,                /* "default_to"  */
  YYSYMBOL_DESCRIPTION = 70,               /* "description"  */
  YYSYMBOL_DISABLED = 71,                  /* "disabled"  */
  YYSYMBOL_DRAIN = 72,                     /* "drain"  */
  YYSYMBOL_DROP = 73,                      /* "drop"  */
  YYSYMBOL_EACH = 74,                      /* "each"  */
  YYSYMBOL_ELSE = 75,                      /* "else"  */
  YYSYMBOL_EMIT = 76,                      /* "emit"  */
  YYSYMBOL_ENGINE = 77,                    /* "engine"  */
  YYSYMBOL_EVENT = 78,                     /* "event"  */
  YYSYMBOL_EVENTS = 79,                    /* "events"  */
  YYSYMBOL_EVERY = 80,                     /* "every"  */
  YYSYMBOL_EXCEPTION = 81,                 /* "exception"  */
  YYSYMBOL_EXPECT = 82,                    /* "expect"  */
  YYSYMBOL_EXPIRE = 83,                    /* "expire"  */
  YYSYMBOL_FILE = 84,                      /* "file"  */
  YYSYMBOL_FIRST = 85,                     /* "first"  */
  YYSYMBOL_FOR = 86,                       /* "for"  */
  YYSYMBOL_FRESH = 87,                     /* "fresh"  */
  YYSYMBOL_FROM = 88,                      /* "from"  */
  YYSYMBOL_GLOBAL = 89,                    /* "global"  */
  YYSYMBOL_HOPPING = 90,                   /* "hopping"  */
  YYSYMBOL_HTTP = 91,                      /* "http"  */
  YYSYMBOL_INTO = 92,                      /* "into"  */
  YYSYMBOL_JOIN = 93,                      /* "join"  */
  YYSYMBOL_KAFKA = 94,                     /* "kafka"  */
  YYSYMBOL_KEEP = 95,                      /* "keep"  */
  YYSYMBOL_KEY = 96,                       /* "key"  */
  YYSYMBOL_LAST = 97,                      /* "last"  */
  YYSYMBOL_LATE = 98,                      /* "late"  */
  YYSYMBOL_LATENESS = 99,                  /* "lateness"  */
  YYSYMBOL_LIMIT = 100,                    /* "limit"  */
  YYSYMBOL_LIST = 101,                     /* "list"  */
  YYSYMBOL_MATCH = 102,                    /* "match"  */
  YYSYMBOL_MATCHES = 103,                  /* "matches"  */
  YYSYMBOL_MAX = 104,                      /* "max"  */
  YYSYMBOL_META = 105,                     /* "meta"  */
  YYSYMBOL_NONE = 106,                     /* "none"  */
  YYSYMBOL_NOVEL = 107,                    /* "novel"  */
  YYSYMBOL_OFFSET = 108,                   /* "offset"  */
  YYSYMBOL_ON = 109,                       /* "on"  */
  YYSYMBOL_ON_RELOAD = 110,                /* "on_reload"  */
  YYSYMBOL_PER = 111,                      /* "per"  */
  YYSYMBOL_QUARANTINE = 112,               /* "quarantine"  */
  YYSYMBOL_REFUSE = 113,                   /* "refuse"  */
  YYSYMBOL_RESET = 114,                    /* "reset"  */
  YYSYMBOL_RISK = 115,                     /* "risk"  */
  YYSYMBOL_ROUTE = 116,                    /* "route"  */
  YYSYMBOL_RULE = 117,                     /* "rule"  */
  YYSYMBOL_RUN = 118,                      /* "run"  */
  YYSYMBOL_RUNS = 119,                     /* "runs"  */
  YYSYMBOL_SELECT = 120,                   /* "select"  */
  YYSYMBOL_SESSION = 121,                  /* "session"  */
  YYSYMBOL_SEVERITY = 122,                 /* "severity"  */
  YYSYMBOL_SINK = 123,                     /* "sink"  */
  YYSYMBOL_SLIDING = 124,                  /* "sliding"  */
  YYSYMBOL_SOURCE = 125,                   /* "source"  */
  YYSYMBOL_STATE = 126,                    /* "state"  */
  YYSYMBOL_STREAM = 127,                   /* "stream"  */
  YYSYMBOL_SUMMARY = 128,                  /* "summary"  */
  YYSYMBOL_SUPPRESS = 129,                 /* "suppress"  */
  YYSYMBOL_TABLE = 130,                    /* "table"  */
  YYSYMBOL_TAGS = 131,                     /* "tags"  */
  YYSYMBOL_TEST = 132,                     /* "test"  */
  YYSYMBOL_TEXT = 133,                     /* "text"  */
  YYSYMBOL_TITLE = 134,                    /* "title"  */
  YYSYMBOL_TO = 135,                       /* "to"  */
  YYSYMBOL_TUMBLING = 136,                 /* "tumbling"  */
  YYSYMBOL_VALUES = 137,                   /* "values"  */
  YYSYMBOL_WARN = 138,                     /* "warn"  */
  YYSYMBOL_WINDOW = 139,                   /* "window"  */
  YYSYMBOL_ZONE = 140,                     /* "zone"  */
  YYSYMBOL_YYACCEPT = 141,                 /* $accept  */
  YYSYMBOL_start = 142,                    /* start  */
  YYSYMBOL_declarations = 143,             /* declarations  */
  YYSYMBOL_declaration = 144,              /* declaration  */
  YYSYMBOL_free_word = 145,                /* free_word  */
  YYSYMBOL_step_name = 146,                /* step_name  */
  YYSYMBOL_name = 147,                     /* name  */
  YYSYMBOL_stream_ref = 148,               /* stream_ref  */
  YYSYMBOL_names = 149,                    /* names  */
  YYSYMBOL_targets = 150,                  /* targets  */
  YYSYMBOL_stream_names = 151,             /* stream_names  */
  YYSYMBOL_streams = 152,                  /* streams  */
  YYSYMBOL_opt_comma = 153,                /* opt_comma  */
  YYSYMBOL_text = 154,                     /* text  */
  YYSYMBOL_expr = 155,                     /* expr  */
  YYSYMBOL_or_terms = 156,                 /* or_terms  */
  YYSYMBOL_and_expr = 157,                 /* and_expr  */
  YYSYMBOL_and_terms = 158,                /* and_terms  */
  YYSYMBOL_not_expr = 159,                 /* not_expr  */
  YYSYMBOL_comparison = 160,               /* comparison  */
  YYSYMBOL_compare = 161,                  /* compare  */
  YYSYMBOL_fallback = 162,                 /* fallback  */
  YYSYMBOL_sum = 163,                      /* sum  */
  YYSYMBOL_product = 164,                  /* product  */
  YYSYMBOL_unary = 165,                    /* unary  */
  YYSYMBOL_primary = 166,                  /* primary  */
  YYSYMBOL_literal = 167,                  /* literal  */
  YYSYMBOL_list = 168,                     /* list  */
  YYSYMBOL_exprs = 169,                    /* exprs  */
  YYSYMBOL_path = 170,                     /* path  */
  YYSYMBOL_reference = 171,                /* reference  */
  YYSYMBOL_call = 172,                     /* call  */
  YYSYMBOL_args = 173,                     /* args  */
  YYSYMBOL_path_expr = 174,                /* path_expr  */
  YYSYMBOL_paths = 175,                    /* paths  */
  YYSYMBOL_fields = 176,                   /* fields  */
  YYSYMBOL_assigns = 177,                  /* assigns  */
  YYSYMBOL_assign = 178,                   /* assign  */
  YYSYMBOL_stream = 179,                   /* stream  */
  YYSYMBOL_opt_where = 180,                /* opt_where  */
  YYSYMBOL_opt_fields = 181,               /* opt_fields  */
  YYSYMBOL_opt_expect = 182,               /* opt_expect  */
  YYSYMBOL_named_list = 183,               /* named_list  */
  YYSYMBOL_list_kind = 184,                /* list_kind  */
  YYSYMBOL_list_source = 185,              /* list_source  */
  YYSYMBOL_table = 186,                    /* table  */
  YYSYMBOL_table_source = 187,             /* table_source  */
  YYSYMBOL_opt_keep = 188,                 /* opt_keep  */
  YYSYMBOL_def = 189,                      /* def  */
  YYSYMBOL_opt_params = 190,               /* opt_params  */
  YYSYMBOL_exception = 191,                /* exception  */
  YYSYMBOL_opt_until = 192,                /* opt_until  */
  YYSYMBOL_config = 193,                   /* config  */
  YYSYMBOL_block = 194,                    /* block  */
  YYSYMBOL_entries = 195,                  /* entries  */
  YYSYMBOL_entry = 196,                    /* entry  */
  YYSYMBOL_config_key = 197,               /* config_key  */
  YYSYMBOL_amount = 198,                   /* amount  */
  YYSYMBOL_config_value = 199,             /* config_value  */
  YYSYMBOL_rule = 200,                     /* rule  */
  YYSYMBOL_201_1 = 201,                    /* $@1  */
  YYSYMBOL_clauses = 202,                  /* clauses  */
  YYSYMBOL_clause = 203,                   /* clause  */
  YYSYMBOL_opt_suppress_by = 204,          /* opt_suppress_by  */
  YYSYMBOL_opt_summary = 205,              /* opt_summary  */
  YYSYMBOL_reload_mode = 206,              /* reload_mode  */
  YYSYMBOL_limit = 207,                    /* limit  */
  YYSYMBOL_keys = 208,                     /* keys  */
  YYSYMBOL_key = 209,                      /* key  */
  YYSYMBOL_opt_by = 210,                   /* opt_by  */
  YYSYMBOL_step = 211,                     /* step  */
  YYSYMBOL_step_tail = 212,                /* step_tail  */
  YYSYMBOL_quantifier = 213,               /* quantifier  */
  YYSYMBOL_count = 214,                    /* count  */
  YYSYMBOL_steps = 215,                    /* steps  */
  YYSYMBOL_match_head = 216,               /* match_head  */
  YYSYMBOL_select_mode = 217,              /* select_mode  */
  YYSYMBOL_elements = 218,                 /* elements  */
  YYSYMBOL_element = 219,                  /* element  */
  YYSYMBOL_group = 220,                    /* group  */
  YYSYMBOL_group_braces = 221,             /* group_braces  */
  YYSYMBOL_group_steps = 222,              /* group_steps  */
  YYSYMBOL_group_step = 223,               /* group_step  */
  YYSYMBOL_window_kind = 224,              /* window_kind  */
  YYSYMBOL_tumbling = 225,                 /* tumbling  */
  YYSYMBOL_window_head = 226,              /* window_head  */
  YYSYMBOL_window_body = 227,              /* window_body  */
  YYSYMBOL_fire_mode = 228,                /* fire_mode  */
  YYSYMBOL_join_head = 229,                /* join_head  */
  YYSYMBOL_range = 230,                    /* range  */
  YYSYMBOL_signed_duration = 231,          /* signed_duration  */
  YYSYMBOL_sides = 232,                    /* sides  */
  YYSYMBOL_side = 233,                     /* side  */
  YYSYMBOL_novel_head = 234,               /* novel_head  */
  YYSYMBOL_test_items = 235,               /* test_items  */
  YYSYMBOL_test_item = 236,                /* test_item  */
  YYSYMBOL_opt_json = 237,                 /* opt_json  */
  YYSYMBOL_json_object = 238,              /* json_object  */
  YYSYMBOL_json_members = 239,             /* json_members  */
  YYSYMBOL_json_member = 240,              /* json_member  */
  YYSYMBOL_json_array = 241,               /* json_array  */
  YYSYMBOL_json_values = 242,              /* json_values  */
  YYSYMBOL_json_value = 243,               /* json_value  */
  YYSYMBOL_json_number = 244               /* json_number  */
};
typedef enum yysymbol_kind_t yysymbol_kind_t;



/* Unqualified %code blocks.  */
#line 37 "../grammar/rule.y"

static void rule_error(const RULE_LTYPE *span, struct parse *p, const char *message);

#define YYMAXDEPTH 8000
#define YYLLOC_DEFAULT(current, rhs, n) \
    do { \
        (current).file = YYRHSLOC(rhs, (n) ? 1 : 0).file; \
        (current).start = (n) ? YYRHSLOC(rhs, 1).start : YYRHSLOC(rhs, 0).end; \
        (current).end = YYRHSLOC(rhs, n).end; \
    } while (0)

#line 367 "grammar/rule_parser.c"

#ifdef short
# undef short
#endif

/* On compilers that do not define __PTRDIFF_MAX__ etc., make sure
   <limits.h> and (if available) <stdint.h> are included
   so that the code can choose integer types of a good width.  */

#ifndef __PTRDIFF_MAX__
# include <limits.h> /* INFRINGES ON USER NAME SPACE */
# if defined __STDC_VERSION__ && 199901 <= __STDC_VERSION__
#  include <stdint.h> /* INFRINGES ON USER NAME SPACE */
#  define YY_STDINT_H
# endif
#endif

/* Narrow types that promote to a signed type and that can represent a
   signed or unsigned integer of at least N bits.  In tables they can
   save space and decrease cache pressure.  Promoting to a signed type
   helps avoid bugs in integer arithmetic.  */

#ifdef __INT_LEAST8_MAX__
typedef __INT_LEAST8_TYPE__ yytype_int8;
#elif defined YY_STDINT_H
typedef int_least8_t yytype_int8;
#else
typedef signed char yytype_int8;
#endif

#ifdef __INT_LEAST16_MAX__
typedef __INT_LEAST16_TYPE__ yytype_int16;
#elif defined YY_STDINT_H
typedef int_least16_t yytype_int16;
#else
typedef short yytype_int16;
#endif

/* Work around bug in HP-UX 11.23, which defines these macros
   incorrectly for preprocessor constants.  This workaround can likely
   be removed in 2023, as HPE has promised support for HP-UX 11.23
   (aka HP-UX 11i v2) only through the end of 2022; see Table 2 of
   <https://h20195.www2.hpe.com/V2/getpdf.aspx/4AA4-7673ENW.pdf>.  */
#ifdef __hpux
# undef UINT_LEAST8_MAX
# undef UINT_LEAST16_MAX
# define UINT_LEAST8_MAX 255
# define UINT_LEAST16_MAX 65535
#endif

#if defined __UINT_LEAST8_MAX__ && __UINT_LEAST8_MAX__ <= __INT_MAX__
typedef __UINT_LEAST8_TYPE__ yytype_uint8;
#elif (!defined __UINT_LEAST8_MAX__ && defined YY_STDINT_H \
       && UINT_LEAST8_MAX <= INT_MAX)
typedef uint_least8_t yytype_uint8;
#elif !defined __UINT_LEAST8_MAX__ && UCHAR_MAX <= INT_MAX
typedef unsigned char yytype_uint8;
#else
typedef short yytype_uint8;
#endif

#if defined __UINT_LEAST16_MAX__ && __UINT_LEAST16_MAX__ <= __INT_MAX__
typedef __UINT_LEAST16_TYPE__ yytype_uint16;
#elif (!defined __UINT_LEAST16_MAX__ && defined YY_STDINT_H \
       && UINT_LEAST16_MAX <= INT_MAX)
typedef uint_least16_t yytype_uint16;
#elif !defined __UINT_LEAST16_MAX__ && USHRT_MAX <= INT_MAX
typedef unsigned short yytype_uint16;
#else
typedef int yytype_uint16;
#endif

#ifndef YYPTRDIFF_T
# if defined __PTRDIFF_TYPE__ && defined __PTRDIFF_MAX__
#  define YYPTRDIFF_T __PTRDIFF_TYPE__
#  define YYPTRDIFF_MAXIMUM __PTRDIFF_MAX__
# elif defined PTRDIFF_MAX
#  ifndef ptrdiff_t
#   include <stddef.h> /* INFRINGES ON USER NAME SPACE */
#  endif
#  define YYPTRDIFF_T ptrdiff_t
#  define YYPTRDIFF_MAXIMUM PTRDIFF_MAX
# else
#  define YYPTRDIFF_T long
#  define YYPTRDIFF_MAXIMUM LONG_MAX
# endif
#endif

#ifndef YYSIZE_T
# ifdef __SIZE_TYPE__
#  define YYSIZE_T __SIZE_TYPE__
# elif defined size_t
#  define YYSIZE_T size_t
# elif defined __STDC_VERSION__ && 199901 <= __STDC_VERSION__
#  include <stddef.h> /* INFRINGES ON USER NAME SPACE */
#  define YYSIZE_T size_t
# else
#  define YYSIZE_T unsigned
# endif
#endif

#define YYSIZE_MAXIMUM                                  \
  YY_CAST (YYPTRDIFF_T,                                 \
           (YYPTRDIFF_MAXIMUM < YY_CAST (YYSIZE_T, -1)  \
            ? YYPTRDIFF_MAXIMUM                         \
            : YY_CAST (YYSIZE_T, -1)))

#define YYSIZEOF(X) YY_CAST (YYPTRDIFF_T, sizeof (X))


/* Stored state numbers (used for stacks). */
typedef yytype_int16 yy_state_t;

/* State numbers in computations.  */
typedef int yy_state_fast_t;

#ifndef YY_
# if defined YYENABLE_NLS && YYENABLE_NLS
#  if ENABLE_NLS
#   include <libintl.h> /* INFRINGES ON USER NAME SPACE */
#   define YY_(Msgid) dgettext ("bison-runtime", Msgid)
#  endif
# endif
# ifndef YY_
#  define YY_(Msgid) Msgid
# endif
#endif


#ifndef YY_ATTRIBUTE_PURE
# if defined __GNUC__ && 2 < __GNUC__ + (96 <= __GNUC_MINOR__)
#  define YY_ATTRIBUTE_PURE __attribute__ ((__pure__))
# else
#  define YY_ATTRIBUTE_PURE
# endif
#endif

#ifndef YY_ATTRIBUTE_UNUSED
# if defined __GNUC__ && 2 < __GNUC__ + (7 <= __GNUC_MINOR__)
#  define YY_ATTRIBUTE_UNUSED __attribute__ ((__unused__))
# else
#  define YY_ATTRIBUTE_UNUSED
# endif
#endif

/* Suppress unused-variable warnings by "using" E.  */
#if ! defined lint || defined __GNUC__
# define YY_USE(E) ((void) (E))
#else
# define YY_USE(E) /* empty */
#endif

/* Suppress an incorrect diagnostic about yylval being uninitialized.  */
#if defined __GNUC__ && ! defined __ICC && 406 <= __GNUC__ * 100 + __GNUC_MINOR__
# if __GNUC__ * 100 + __GNUC_MINOR__ < 407
#  define YY_IGNORE_MAYBE_UNINITIALIZED_BEGIN                           \
    _Pragma ("GCC diagnostic push")                                     \
    _Pragma ("GCC diagnostic ignored \"-Wuninitialized\"")
# else
#  define YY_IGNORE_MAYBE_UNINITIALIZED_BEGIN                           \
    _Pragma ("GCC diagnostic push")                                     \
    _Pragma ("GCC diagnostic ignored \"-Wuninitialized\"")              \
    _Pragma ("GCC diagnostic ignored \"-Wmaybe-uninitialized\"")
# endif
# define YY_IGNORE_MAYBE_UNINITIALIZED_END      \
    _Pragma ("GCC diagnostic pop")
#else
# define YY_INITIAL_VALUE(Value) Value
#endif
#ifndef YY_IGNORE_MAYBE_UNINITIALIZED_BEGIN
# define YY_IGNORE_MAYBE_UNINITIALIZED_BEGIN
# define YY_IGNORE_MAYBE_UNINITIALIZED_END
#endif
#ifndef YY_INITIAL_VALUE
# define YY_INITIAL_VALUE(Value) /* Nothing. */
#endif

#if defined __cplusplus && defined __GNUC__ && ! defined __ICC && 6 <= __GNUC__
# define YY_IGNORE_USELESS_CAST_BEGIN                          \
    _Pragma ("GCC diagnostic push")                            \
    _Pragma ("GCC diagnostic ignored \"-Wuseless-cast\"")
# define YY_IGNORE_USELESS_CAST_END            \
    _Pragma ("GCC diagnostic pop")
#endif
#ifndef YY_IGNORE_USELESS_CAST_BEGIN
# define YY_IGNORE_USELESS_CAST_BEGIN
# define YY_IGNORE_USELESS_CAST_END
#endif


#define YY_ASSERT(E) ((void) (0 && (E)))

#if 1

/* The parser invokes alloca or malloc; define the necessary symbols.  */

# ifdef YYSTACK_ALLOC
   /* Pacify GCC's 'empty if-body' warning.  */
#  define YYSTACK_FREE(Ptr) do { /* empty */; } while (0)
#  ifndef YYSTACK_ALLOC_MAXIMUM
    /* The OS might guarantee only one guard page at the bottom of the stack,
       and a page size can be as small as 4096 bytes.  So we cannot safely
       invoke alloca (N) if N exceeds 4096.  Use a slightly smaller number
       to allow for a few compiler-allocated temporary stack slots.  */
#   define YYSTACK_ALLOC_MAXIMUM 4032 /* reasonable circa 2006 */
#  endif
# else
#  define YYSTACK_ALLOC YYMALLOC
#  define YYSTACK_FREE YYFREE
#  ifndef YYSTACK_ALLOC_MAXIMUM
#   define YYSTACK_ALLOC_MAXIMUM YYSIZE_MAXIMUM
#  endif
#  if (defined __cplusplus && ! defined EXIT_SUCCESS \
       && ! ((defined YYMALLOC || defined malloc) \
             && (defined YYFREE || defined free)))
#   include <stdlib.h> /* INFRINGES ON USER NAME SPACE */
#   ifndef EXIT_SUCCESS
#    define EXIT_SUCCESS 0
#   endif
#  endif
#  ifndef YYMALLOC
#   define YYMALLOC malloc
#   if ! defined malloc && ! defined EXIT_SUCCESS
void *malloc (YYSIZE_T); /* INFRINGES ON USER NAME SPACE */
#   endif
#  endif
#  ifndef YYFREE
#   define YYFREE free
#   if ! defined free && ! defined EXIT_SUCCESS
void free (void *); /* INFRINGES ON USER NAME SPACE */
#   endif
#  endif
# endif
# define YYCOPY_NEEDED 1
#endif /* 1 */

#if (! defined yyoverflow \
     && (! defined __cplusplus \
         || (defined RULE_LTYPE_IS_TRIVIAL && RULE_LTYPE_IS_TRIVIAL \
             && defined RULE_STYPE_IS_TRIVIAL && RULE_STYPE_IS_TRIVIAL)))

/* A type that is properly aligned for any stack member.  */
union yyalloc
{
  yy_state_t yyss_alloc;
  YYSTYPE yyvs_alloc;
  YYLTYPE yyls_alloc;
};

/* The size of the maximum gap between one aligned stack and the next.  */
# define YYSTACK_GAP_MAXIMUM (YYSIZEOF (union yyalloc) - 1)

/* The size of an array large to enough to hold all stacks, each with
   N elements.  */
# define YYSTACK_BYTES(N) \
     ((N) * (YYSIZEOF (yy_state_t) + YYSIZEOF (YYSTYPE) \
             + YYSIZEOF (YYLTYPE)) \
      + 2 * YYSTACK_GAP_MAXIMUM)

# define YYCOPY_NEEDED 1

/* Relocate STACK from its old location to the new one.  The
   local variables YYSIZE and YYSTACKSIZE give the old and new number of
   elements in the stack, and YYPTR gives the new location of the
   stack.  Advance YYPTR to a properly aligned location for the next
   stack.  */
# define YYSTACK_RELOCATE(Stack_alloc, Stack)                           \
    do                                                                  \
      {                                                                 \
        YYPTRDIFF_T yynewbytes;                                         \
        YYCOPY (&yyptr->Stack_alloc, Stack, yysize);                    \
        Stack = &yyptr->Stack_alloc;                                    \
        yynewbytes = yystacksize * YYSIZEOF (*Stack) + YYSTACK_GAP_MAXIMUM; \
        yyptr += yynewbytes / YYSIZEOF (*yyptr);                        \
      }                                                                 \
    while (0)

#endif

#if defined YYCOPY_NEEDED && YYCOPY_NEEDED
/* Copy COUNT objects from SRC to DST.  The source and destination do
   not overlap.  */
# ifndef YYCOPY
#  if defined __GNUC__ && 1 < __GNUC__
#   define YYCOPY(Dst, Src, Count) \
      __builtin_memcpy (Dst, Src, YY_CAST (YYSIZE_T, (Count)) * sizeof (*(Src)))
#  else
#   define YYCOPY(Dst, Src, Count)              \
      do                                        \
        {                                       \
          YYPTRDIFF_T yyi;                      \
          for (yyi = 0; yyi < (Count); yyi++)   \
            (Dst)[yyi] = (Src)[yyi];            \
        }                                       \
      while (0)
#  endif
# endif
#endif /* !YYCOPY_NEEDED */

/* YYFINAL -- State number of the termination state.  */
#define YYFINAL  127
/* YYLAST -- Last index in YYTABLE.  */
#define YYLAST   3830

/* YYNTOKENS -- Number of terminals.  */
#define YYNTOKENS  141
/* YYNNTS -- Number of nonterminals.  */
#define YYNNTS  104
/* YYNRULES -- Number of rules.  */
#define YYNRULES  401
/* YYNSTATES -- Number of states.  */
#define YYNSTATES  646

/* YYMAXUTOK -- Last valid token kind.  */
#define YYMAXUTOK   395


/* YYTRANSLATE(TOKEN-NUM) -- Symbol number corresponding to TOKEN-NUM
   as returned by yylex, with out-of-bounds checking.  */
#define YYTRANSLATE(YYX)                                \
  (0 <= (YYX) && (YYX) <= YYMAXUTOK                     \
   ? YY_CAST (yysymbol_kind_t, yytranslate[YYX])        \
   : YYSYMBOL_YYUNDEF)

/* YYTRANSLATE[TOKEN-NUM] -- Symbol number corresponding to TOKEN-NUM
   as returned by yylex.  */
static const yytype_uint8 yytranslate[] =
{
       0,     2,     2,     2,     2,     2,     2,     2,     2,     2,
       2,     2,     2,     2,     2,     2,     2,     2,     2,     2,
       2,     2,     2,     2,     2,     2,     2,     2,     2,     2,
       2,     2,     2,     2,     2,     2,     2,     2,     2,     2,
       2,     2,     2,     2,     2,     2,     2,     2,     2,     2,
       2,     2,     2,     2,     2,     2,     2,     2,     2,     2,
       2,     2,     2,     2,     2,     2,     2,     2,     2,     2,
       2,     2,     2,     2,     2,     2,     2,     2,     2,     2,
       2,     2,     2,     2,     2,     2,     2,     2,     2,     2,
       2,     2,     2,     2,     2,     2,     2,     2,     2,     2,
       2,     2,     2,     2,     2,     2,     2,     2,     2,     2,
       2,     2,     2,     2,     2,     2,     2,     2,     2,     2,
       2,     2,     2,     2,     2,     2,     2,     2,     2,     2,
       2,     2,     2,     2,     2,     2,     2,     2,     2,     2,
       2,     2,     2,     2,     2,     2,     2,     2,     2,     2,
       2,     2,     2,     2,     2,     2,     2,     2,     2,     2,
       2,     2,     2,     2,     2,     2,     2,     2,     2,     2,
       2,     2,     2,     2,     2,     2,     2,     2,     2,     2,
       2,     2,     2,     2,     2,     2,     2,     2,     2,     2,
       2,     2,     2,     2,     2,     2,     2,     2,     2,     2,
       2,     2,     2,     2,     2,     2,     2,     2,     2,     2,
       2,     2,     2,     2,     2,     2,     2,     2,     2,     2,
       2,     2,     2,     2,     2,     2,     2,     2,     2,     2,
       2,     2,     2,     2,     2,     2,     2,     2,     2,     2,
       2,     2,     2,     2,     2,     2,     2,     2,     2,     2,
       2,     2,     2,     2,     2,     2,     1,     2,     3,     4,
       5,     6,     7,     8,     9,    10,    11,    12,    13,    14,
      15,    16,    17,    18,    19,    20,    21,    22,    23,    24,
      25,    26,    27,    28,    29,    30,    31,    32,    33,    34,
      35,    36,    37,    38,    39,    40,    41,    42,    43,    44,
      45,    46,    47,    48,    49,    50,    51,    52,    53,    54,
      55,    56,    57,    58,    59,    60,    61,    62,    63,    64,
      65,    66,    67,    68,    69,    70,    71,    72,    73,    74,
      75,    76,    77,    78,    79,    80,    81,    82,    83,    84,
      85,    86,    87,    88,    89,    90,    91,    92,    93,    94,
      95,    96,    97,    98,    99,   100,   101,   102,   103,   104,
     105,   106,   107,   108,   109,   110,   111,   112,   113,   114,
     115,   116,   117,   118,   119,   120,   121,   122,   123,   124,
     125,   126,   127,   128,   129,   130,   131,   132,   133,   134,
     135,   136,   137,   138,   139,   140
};

#if RULE_DEBUG
/* YYRLINE[YYN] -- Source line where rule number YYN was defined.  */
static const yytype_int16 yyrline[] =
{
       0,   140,   140,   141,   144,   144,   147,   147,   147,   147,
     147,   147,   147,   148,   154,   154,   154,   154,   154,   154,
     154,   154,   154,   155,   155,   155,   155,   155,   155,   155,
     155,   155,   156,   156,   156,   156,   156,   156,   156,   156,
     156,   157,   157,   157,   157,   157,   157,   157,   157,   157,
     157,   158,   158,   158,   158,   158,   158,   158,   158,   158,
     159,   159,   159,   159,   159,   159,   159,   159,   159,   160,
     160,   160,   160,   160,   160,   160,   160,   160,   161,   161,
     161,   161,   161,   161,   161,   161,   161,   162,   162,   162,
     162,   162,   162,   162,   165,   165,   166,   166,   166,   166,
     166,   166,   166,   167,   167,   170,   171,   175,   176,   180,
     181,   185,   186,   189,   189,   191,   191,   195,   195,   198,
     199,   202,   202,   205,   206,   209,   209,   211,   211,   214,
     214,   214,   214,   214,   214,   214,   214,   214,   214,   214,
     215,   215,   215,   218,   218,   221,   222,   223,   227,   228,
     229,   230,   233,   233,   236,   237,   238,   239,   240,   241,
     244,   244,   244,   244,   244,   244,   244,   244,   244,   244,
     247,   248,   252,   253,   257,   258,   259,   262,   262,   264,
     265,   266,   270,   271,   272,   273,   274,   275,   276,   277,
     280,   282,   283,   286,   287,   288,   290,   295,   298,   298,
     299,   299,   301,   302,   303,   304,   307,   309,   310,   311,
     312,   313,   316,   317,   320,   322,   323,   324,   326,   326,
     328,   329,   329,   332,   335,   335,   340,   341,   342,   343,
     344,   345,   348,   349,   350,   353,   354,   357,   358,   360,
     360,   360,   362,   362,   363,   364,   365,   370,   370,   373,
     373,   376,   377,   378,   379,   380,   381,   382,   383,   384,
     385,   386,   387,   388,   389,   390,   391,   392,   393,   394,
     395,   398,   398,   399,   399,   400,   400,   400,   403,   404,
     405,   406,   407,   408,   414,   415,   418,   419,   420,   422,
     422,   424,   426,   427,   428,   429,   431,   431,   433,   434,
     435,   436,   437,   438,   441,   442,   448,   449,   450,   451,
     454,   454,   455,   455,   458,   459,   462,   463,   464,   465,
     466,   467,   468,   470,   470,   472,   473,   474,   477,   478,
     480,   480,   480,   485,   486,   487,   488,   489,   490,   493,
     494,   495,   498,   499,   502,   503,   504,   505,   508,   508,
     509,   509,   510,   514,   515,   516,   519,   520,   522,   522,
     524,   525,   527,   527,   530,   531,   532,   533,   538,   539,
     542,   543,   544,   545,   546,   547,   548,   549,   550,   551,
     553,   553,   554,   554,   555,   555,   556,   557,   557,   558,
     558,   560,   560,   560,   560,   561,   561,   561,   563,   563,
     563,   563
};
#endif

/** Accessing symbol of state STATE.  */
#define YY_ACCESSING_SYMBOL(State) YY_CAST (yysymbol_kind_t, yystos[State])

#if 1
/* The user-facing name of the symbol whose (internal) number is
   YYSYMBOL.  No bounds checking.  */
static const char *yysymbol_name (yysymbol_kind_t yysymbol) YY_ATTRIBUTE_UNUSED;

static const char *
yysymbol_name (yysymbol_kind_t yysymbol)
{
  static const char *const yy_sname[] =
  {
  "end of file", "error", "invalid token", "a file", "one expression",
  "a name", "a text", "a raw text", "a whole number", "a decimal number",
  "a duration", "a size", "a time", "(", ")", "[", "]", "{", "}", ",", ":",
  ".", "..", "?", "=", "+", "-", "*", "/", "%", "??", "==", "!=", "<",
  "<=", ">", ">=", "not in", "all", "and", "any", "not", "or", "where",
  "within", "in", "like", "regex", "contains", "contains_all",
  "startswith", "endswith", "true", "false", "null", "allow", "by", "fire",
  "having", "next", "until", "after", "alert", "alerts", "at", "change",
  "cidr", "close", "def", "default_to", "description", "disabled", "drain",
  "drop", "each", "else", "emit", "engine", "event", "events", "every",
  "exception", "expect", "expire", "file", "first", "for", "fresh", "from",
  "global", "hopping", "http", "into", "join", "kafka", "keep", "key",
  "last", "late", "lateness", "limit", "list", "match", "matches", "max",
  "meta", "none", "novel", "offset", "on", "on_reload", "per",
  "quarantine", "refuse", "reset", "risk", "route", "rule", "run", "runs",
  "select", "session", "severity", "sink", "sliding", "source", "state",
  "stream", "summary", "suppress", "table", "tags", "test", "text",
  "title", "to", "tumbling", "values", "warn", "window", "zone", "$accept",
  "start", "declarations", "declaration", "free_word", "step_name", "name",
  "stream_ref", "names", "targets", "stream_names", "streams", "opt_comma",
  "text", "expr", "or_terms", "and_expr", "and_terms", "not_expr",
  "comparison", "compare", "fallback", "sum", "product", "unary",
  "primary", "literal", "list", "exprs", "path", "reference", "call",
  "args", "path_expr", "paths", "fields", "assigns", "assign", "stream",
  "opt_where", "opt_fields", "opt_expect", "named_list", "list_kind",
  "list_source", "table", "table_source", "opt_keep", "def", "opt_params",
  "exception", "opt_until", "config", "block", "entries", "entry",
  "config_key", "amount", "config_value", "rule", "$@1", "clauses",
  "clause", "opt_suppress_by", "opt_summary", "reload_mode", "limit",
  "keys", "key", "opt_by", "step", "step_tail", "quantifier", "count",
  "steps", "match_head", "select_mode", "elements", "element", "group",
  "group_braces", "group_steps", "group_step", "window_kind", "tumbling",
  "window_head", "window_body", "fire_mode", "join_head", "range",
  "signed_duration", "sides", "side", "novel_head", "test_items",
  "test_item", "opt_json", "json_object", "json_members", "json_member",
  "json_array", "json_values", "json_value", "json_number", YY_NULLPTR
  };
  return yy_sname[yysymbol];
}
#endif

#define YYPACT_NINF (-578)

#define yypact_value_is_default(Yyn) \
  ((Yyn) == YYPACT_NINF)

#define YYTABLE_NINF (-359)

#define yytable_value_is_error(Yyn) \
  0

/* YYPACT[STATE-NUM] -- Index in YYTABLE of the portion describing
   STATE-NUM.  */
static const yytype_int16 yypact[] =
{
     214,  -578,   970,    52,   237,  -578,  -578,  -578,  -578,  -578,
    -578,  -578,  -578,   970,   698,  1106,    46,   102,   970,  -578,
    -578,  -578,  -578,  -578,  -578,  -578,  -578,  -578,  -578,  -578,
    -578,  -578,  -578,  -578,  -578,  -578,  -578,  -578,  -578,  -578,
    -578,  -578,  -578,  -578,  -578,  -578,  -578,  -578,  -578,  -578,
    -578,  -578,  -578,  -578,  -578,  -578,  -578,  -578,  -578,  -578,
    -578,  -578,  -578,  -578,  -578,  -578,  -578,  -578,  -578,  -578,
    -578,  -578,  -578,  -578,  -578,  -578,  -578,  -578,  -578,  -578,
    -578,  -578,  -578,  -578,  -578,  -578,  -578,  -578,  -578,  -578,
    -578,  -578,  -578,  -578,  -578,  -578,  -578,  -578,  -578,  -578,
    -578,  -578,  -578,  -578,  -578,  -578,  -578,  -578,  -578,  -578,
     173,  -578,   127,   160,    49,   165,  -578,   393,   239,   227,
    -578,  -578,  -578,  -578,   140,  -578,   200,  -578,  -578,  2194,
    1514,   206,   261,   206,  2194,   206,  2194,  2194,  2194,  2194,
    2194,  -578,  -578,  -578,  -578,  -578,  -578,  -578,  -578,   211,
    -578,  -578,   210,  -578,  2194,  2194,  -578,   562,   970,   970,
     970,   970,  1106,  -578,  -578,  -578,  -578,  -578,  -578,  -578,
    -578,  -578,  -578,  -578,  -578,  -578,  -578,  1106,  1106,  1106,
    1106,  1106,  1106,   970,   229,   970,   235,   219,  2194,  -578,
    -578,  -578,  -578,  -578,  -578,   166,  -578,   222,  -578,   241,
     206,   206,   260,   273,  -578,   970,   266,   249,   250,   970,
     288,    32,   285,  -578,  -578,  -578,  -578,   239,   274,   227,
     227,  -578,  -578,  -578,   292,  -578,   294,  -578,  2194,  -578,
     293,  1650,  1514,    -8,  -578,  -578,  -578,  1786,   107,  -578,
    -578,  1106,  1106,   297,  -578,   834,   970,  -578,  -578,  -578,
     298,   299,  2194,   295,  -578,  -578,  -578,  1242,   262,  -578,
    -578,  -578,  -578,    21,  -578,  -578,  -578,  -578,    92,   261,
    2194,   206,   224,    30,   120,   277,   313,   305,  2194,   302,
    -578,  -578,   322,   253,   318,  -578,  -578,   140,  -578,  -578,
    -578,   320,   290,   261,  -578,  -578,   270,  1786,   970,   317,
    -578,  -578,  -578,  2194,   970,   970,   325,  -578,   300,   970,
    -578,  -578,  -578,  -578,  -578,   970,  -578,   970,  -578,  -578,
    -578,   261,  -578,    10,  -578,   328,    11,  -578,   206,  2194,
     -24,   970,   970,   327,   330,   261,   261,  1514,   109,  -578,
      12,   326,    94,    75,   103,  -578,  -578,  -578,  -578,   265,
    -578,   255,   334,   335,  -578,   341,  -578,   110,  -578,  -578,
    2194,  -578,  -578,   344,   347,   348,   350,   355,   351,  -578,
    -578,  -578,   342,  -578,  -578,  -578,  -578,  -578,  -578,   315,
    -578,   352,  -578,  -578,   296,   366,   368,   371,   372,   332,
     -47,  2466,   373,  1922,    24,  3690,  -578,   286,   282,   970,
    3418,    45,  1922,  3690,   376,  1922,   383,  2058,   970,  -578,
     384,  -578,  -578,  -578,  -578,  -578,   970,   317,   289,   301,
     304,   306,  -578,   307,  2194,  2194,   275,  -578,   398,   331,
     309,  -578,  -578,  1922,   365,   409,   261,   189,   403,  3690,
    3010,  3690,   143,  -578,  2330,  -578,  -578,   143,  -578,  2194,
     407,   140,   413,  -578,  -578,  -578,  -578,  -578,  -578,  -578,
    3690,   427,   155,  -578,  3690,  -578,  3282,  -578,   424,   437,
    -578,   426,   413,  3554,  -578,   413,  -578,  -578,   156,  -578,
     374,  -578,  -578,   440,   333,   375,   356,   358,  -578,   342,
    -578,  -578,    35,  -578,   445,   446,   413,  2194,  -578,  -578,
     441,  3146,  3146,  -578,  3690,  -578,  -578,  -578,   449,  -578,
    -578,  -578,   439,  -578,  -578,  -578,  -578,   140,  1106,  1922,
    -578,  -578,  -578,  -578,   359,   346,  -578,  -578,  -578,  -578,
    -578,    96,  -578,   970,   -39,  -578,  -578,  -578,  -578,  -578,
    2194,  -578,   453,    17,   454,  2194,  2194,  -578,  -578,  -578,
    -578,  3146,  3690,  -578,  -578,  2602,  -578,  2738,  -578,   254,
    1378,   274,  -578,  -578,  -578,  -578,  -578,  -578,  -578,  2194,
    -578,   448,  -578,   212,    27,  -578,  -578,   442,   443,  2874,
    -578,  -578,  -578,  -578,  -578,   108,  1786,  -578,  -578,  -578,
      51,  -578,  -578,  -578,   458,  -578,  -578,   330,   455,  -578,
     451,  -578,   452,   168,   456,  -578,   258,  -578,   448,  -578,
     233,  -578,  -578,  1786,   457,   970,   462,  1922,   381,  -578,
     468,  -578,  -578,  -578,  -578,  -578,   271,  -578,  -578,  -578,
    -578,  -578,   126,  -578,  -578,  -578,  -578,  -578,   413,  -578,
    -578,  -578,  -578,  -578,   381,  -578
};

/* YYDEFACT[STATE-NUM] -- Default reduction number in state STATE-NUM.
   Performed when YYTABLE does not specify something else to do.  Zero
   means the default is an error.  */
static const yytype_int16 yydefact[] =
{
       0,     4,     0,     0,     0,    94,   160,   161,   162,   163,
     164,   165,   166,     0,     0,     0,     0,     0,     0,   167,
     168,   169,    97,    98,    99,   100,   101,   102,    14,    15,
      16,    17,    18,    19,    20,    21,    22,    23,    24,    25,
      26,    27,    28,    29,    30,    31,    32,    33,    34,    35,
      36,    37,    38,    39,    40,    41,    42,    43,    44,    45,
      46,    47,    48,    49,    50,    51,    52,    53,    54,    55,
      56,    57,    58,    59,    60,    61,    62,    63,    64,    65,
      66,    67,    68,    69,    70,    71,    72,    73,    74,    75,
      76,    77,    78,    79,    80,    81,    82,    83,    84,    85,
      86,    87,    88,    89,    90,    91,    92,    93,    95,    96,
     174,     3,   118,   117,   122,   121,   125,   127,   143,   145,
     148,   152,   154,   156,   177,   155,   178,     1,    13,     0,
       0,     0,     0,     0,     0,     0,     0,     0,     0,     0,
       0,     5,     6,     7,     8,     9,    10,    11,    12,     0,
     170,   172,   113,   153,     0,     0,   126,   182,     0,     0,
       0,     0,     0,   129,   130,   131,   132,   133,   134,   136,
     135,   137,   138,   139,   140,   141,   142,     0,     0,     0,
       0,     0,     0,     0,     0,     0,     0,     0,     0,   107,
     231,   233,   226,   115,   116,     0,   229,     0,   230,     0,
       0,     0,     0,     0,   159,   114,     0,     0,     0,     0,
       0,   183,     0,   120,   119,   124,   123,   144,   128,   146,
     147,   149,   150,   151,     0,   175,     0,   180,   221,   105,
     113,     0,     0,   207,   247,   228,   227,     0,     0,   173,
     171,     0,     0,   186,   184,     0,     0,   179,   176,   181,
     222,     0,   114,     0,   232,   237,   234,     0,   224,   210,
     211,   209,   208,     0,   249,   104,   103,   109,   198,     0,
       0,     0,     0,     0,     0,     0,     0,   187,     0,     0,
     106,   108,     0,     0,   174,   242,   243,   190,   245,   236,
     235,     0,     0,     0,   212,   206,     0,     0,     0,   200,
     215,   216,   217,     0,     0,     0,     0,   185,     0,     0,
     238,   239,   240,   241,   244,     0,   225,     0,   213,   270,
     248,     0,   257,     0,   353,     0,     0,   306,     0,     0,
       0,     0,     0,     0,     0,     0,     0,     0,     0,   250,
       0,     0,     0,     0,     0,   110,   199,   194,   201,   202,
     174,   218,     0,     0,   188,     0,   220,     0,   223,   252,
       0,   262,   267,     0,     0,     0,     0,     0,     0,   266,
     256,   191,   364,   275,   276,   277,   268,   254,   253,   271,
     255,     0,   251,   265,     0,     0,     0,     0,     0,   289,
     333,     0,     0,     0,     0,     0,   259,     0,     0,     0,
       0,     0,     0,     0,     0,     0,     0,     0,     0,   197,
       0,   214,   158,   157,   189,   246,     0,     0,     0,     0,
       0,     0,   281,     0,     0,     0,   273,   368,     0,     0,
     335,   337,   339,     0,   342,     0,     0,     0,     0,     0,
       0,     0,   296,   316,     0,   314,   317,   323,   308,     0,
     174,   286,   307,   284,   313,   312,   310,   311,   309,   304,
     344,     0,     0,   345,     0,   362,     0,   360,   356,     0,
     355,     0,   354,     0,   366,   365,   367,   193,     0,   195,
       0,   219,   263,     0,     0,     0,     0,     0,   192,   272,
     274,   264,     0,   338,     0,     0,   290,     0,   340,   341,
       0,     0,     0,   321,     0,   318,   319,   322,     0,   303,
     301,   302,     0,   297,   258,   315,   324,   287,     0,     0,
     305,   347,   352,   348,     0,   349,   346,   363,   260,   361,
     359,     0,   261,     0,     0,   282,   279,   283,   278,   280,
       0,   269,     0,     0,     0,     0,     0,   369,   334,   336,
     343,     0,     0,   330,   331,     0,   328,     0,   320,     0,
       0,   288,   285,   351,   350,   358,   357,   196,   204,     0,
     203,     0,   376,     0,   380,   371,   377,     0,     0,     0,
     332,   326,   329,   325,   298,     0,     0,   111,   292,   205,
       0,   370,   372,   373,     0,   374,   381,     0,     0,   327,
       0,   300,   113,   291,     0,   382,     0,   384,   380,   378,
       0,   379,   299,   114,     0,     0,     0,     0,     0,   383,
       0,   375,   393,   398,   399,   387,     0,   395,   396,   397,
     391,   392,     0,   389,   394,   112,   294,   295,   293,   386,
     385,   400,   401,   388,     0,   390
};

/* YYPGOTO[NTERM-NUM].  */
static const yytype_int16 yypgoto[] =
{
    -578,  -578,  -578,  -578,  -578,  -363,  -124,  -294,   247,  -210,
    -109,  -578,  -228,  -251,    -2,  -578,   131,  -578,     2,  -578,
    -578,  -176,   316,   114,    28,  -578,   223,  -240,  -148,  -249,
    -578,  -578,  -578,  -231,    54,  -299,  -578,  -578,  -578,  -578,
    -578,  -578,  -578,  -578,  -578,  -578,  -578,  -578,  -578,  -578,
    -578,  -578,  -578,  -114,  -578,  -578,  -578,  -578,  -578,  -578,
    -578,  -578,  -578,  -578,  -578,  -578,  -578,  -398,   -38,  -578,
    -213,  -578,  -578,    36,    79,  -578,  -578,  -578,    40,  -344,
    -578,  -469,  -383,  -578,  -578,  -578,  -578,  -578,  -578,  -578,
     -46,  -578,    20,  -578,  -578,  -578,  -121,  -525,  -578,  -132,
    -108,  -578,  -577,  -578
};

/* YYDEFGOTO[NTERM-NUM].  */
static const yytype_int16 yydefgoto[] =
{
       0,     3,     4,   141,   108,   109,   110,   267,   230,   190,
     268,   588,   206,   195,   151,   112,   113,   114,   115,   116,
     177,   117,   118,   119,   120,   121,   122,   123,   152,   124,
     125,   126,   212,   371,   372,   348,   407,   479,   142,   299,
     349,   409,   143,   263,   295,   144,   272,   411,   145,   251,
     146,   292,   147,   192,   231,   256,   257,   314,   290,   148,
     264,   296,   339,   426,   491,   376,   369,   452,   453,   434,
     553,   603,   512,   513,   460,   340,   458,   444,   445,   554,
     447,   555,   556,   389,   390,   341,   342,   526,   343,   470,
     471,   466,   467,   344,   492,   547,   595,   630,   606,   607,
     631,   632,   633,   634
};

/* YYTABLE[YYPACT[STATE-NUM]] -- What to do in state STATE-NUM.  If
   positive, shift that token.  If negative, reduce the rule whose
   number is the opposite.  If YYTABLE_NINF, syntax error.  */
static const yytype_int16 yytable[] =
{
     111,   218,   253,   345,   472,   187,   189,   475,   287,   211,
     197,   149,   199,   200,   201,   202,   203,   286,   300,   196,
     156,   198,   258,   294,   361,   573,   288,   347,   442,   391,
     207,   208,   442,   557,   568,   496,    14,   442,   259,   260,
     442,   639,   318,   153,   590,   540,   591,   446,   373,   596,
     304,   245,   127,   541,   287,   468,   392,   604,   261,   154,
     162,   435,   454,   374,   229,   273,   274,   645,   393,   605,
     359,   469,   351,   569,   363,   246,   442,   442,   442,   574,
     287,   442,   579,   596,   381,   382,   235,   236,   160,   375,
     364,   594,   400,   436,   380,   542,   506,   442,   455,   570,
     446,   442,   360,   442,   229,   293,   565,   255,   189,   456,
     442,   297,   396,   266,   365,   155,   600,   543,   482,   401,
     403,   457,   469,   575,   415,   262,   601,   383,   280,   416,
     366,   402,   394,   284,   544,   298,   545,   367,   442,   442,
     305,   442,   643,   289,   451,   644,   301,   404,   368,   397,
     162,   398,   399,   451,   280,   183,   451,   302,   478,   405,
     508,   184,   215,   216,   406,   546,   509,   357,   510,   158,
     511,   183,   582,   266,   582,   287,   287,   184,   443,   350,
     533,   224,   459,   226,   451,   499,   157,   465,   442,   442,
     459,   269,   442,   488,   442,   270,   582,   500,   384,   385,
     517,   271,   159,   239,   161,   350,   501,   243,   221,   222,
     223,   615,   616,   189,   370,   185,   442,     1,     2,   638,
     522,   186,   523,   191,   617,   204,   503,   505,   507,   205,
     386,   443,   228,   387,   225,   524,   417,    -2,   128,   622,
     227,   623,   624,   239,   277,   388,   233,   520,   610,   625,
     590,   527,   232,   465,   180,   181,   182,   525,   234,   626,
     520,   311,   312,   313,   178,   179,   587,   193,   194,   450,
     451,   319,   584,   585,   592,   593,   619,   620,   450,   641,
     642,   450,   240,   350,   237,   627,   628,   629,   320,   213,
     214,   558,   219,   220,   241,   242,   346,   238,   244,   247,
     350,   350,   352,   353,   162,   129,   130,   356,   248,   450,
     249,   281,   252,   279,   131,   358,   275,   278,   132,   345,
     303,   306,   291,   307,   308,   350,   309,   310,   133,   377,
     378,   315,   316,   317,   347,   354,   362,   379,   134,   580,
     321,   322,   561,   395,   355,    14,   323,   408,   412,   413,
     410,   414,   418,   135,   136,   419,   420,   609,   421,   423,
     137,   424,   138,   324,   139,   325,   422,   140,   451,   427,
     326,   425,   327,   550,   614,   328,   429,   329,   430,   428,
     330,   431,   432,   448,   461,   331,   474,   622,   433,   623,
     624,   462,   332,   476,   481,   450,   610,   463,   590,   333,
     483,   334,   335,   490,   336,   337,   480,   626,   493,   338,
     497,   494,   484,   495,   239,   485,   571,   486,   487,   498,
     502,   577,   578,   162,   163,   164,   165,   166,   167,   168,
     169,   518,   519,   627,   628,   629,   266,   521,   170,   171,
     172,   173,   174,   175,   176,   589,  -358,   530,   531,   534,
     535,   536,   538,   537,   539,   548,   549,   559,   551,   560,
     564,   563,   266,   572,   576,   590,   597,   598,   608,   612,
     610,   613,   637,   635,   604,   250,   618,   602,   217,   489,
     285,   562,   473,   516,   515,   566,   529,   621,   640,   266,
     611,     0,     0,   450,     0,     0,     0,     0,     0,     0,
       0,     0,     0,     0,     0,     0,     0,     0,     0,     0,
       0,     0,     0,     0,     0,     0,     0,     0,     0,     0,
       0,     0,     0,     0,     0,     0,     0,     0,     0,     0,
       0,   567,     0,     0,     0,     0,     0,     0,     0,     0,
       0,     0,     0,     0,     0,     0,     0,     0,     0,     0,
       0,     0,     0,     0,     0,     0,     0,     0,     0,     0,
       0,     0,     0,     0,     0,     0,     0,     5,     6,     7,
       8,     9,    10,    11,    12,    13,     0,    14,     0,     0,
       0,     0,     0,     0,     0,     0,     0,     0,    15,     0,
       0,     0,     0,     0,     0,     0,     0,     0,     0,     0,
      16,     0,    17,    18,     0,   209,   210,     0,     0,     0,
       0,     0,     0,   636,    19,    20,    21,    22,    23,    24,
      25,    26,    27,    28,    29,    30,    31,    32,    33,    34,
      35,    36,    37,    38,    39,    40,    41,    42,    43,    44,
      45,    46,    47,    48,    49,    50,    51,    52,    53,    54,
      55,    56,    57,    58,    59,    60,    61,    62,    63,    64,
      65,    66,    67,    68,    69,    70,    71,    72,    73,    74,
      75,    76,    77,    78,    79,    80,    81,    82,    83,    84,
      85,    86,    87,    88,    89,    90,    91,    92,    93,    94,
      95,    96,    97,    98,    99,   100,   101,   102,   103,   104,
     105,   106,   107,     5,     6,     7,     8,     9,    10,    11,
      12,    13,     0,    14,   150,     0,     0,     0,     0,     0,
       0,     0,     0,     0,    15,     0,     0,     0,     0,     0,
       0,     0,     0,     0,     0,     0,    16,     0,    17,    18,
       0,     0,     0,     0,     0,     0,     0,     0,     0,     0,
      19,    20,    21,    22,    23,    24,    25,    26,    27,    28,
      29,    30,    31,    32,    33,    34,    35,    36,    37,    38,
      39,    40,    41,    42,    43,    44,    45,    46,    47,    48,
      49,    50,    51,    52,    53,    54,    55,    56,    57,    58,
      59,    60,    61,    62,    63,    64,    65,    66,    67,    68,
      69,    70,    71,    72,    73,    74,    75,    76,    77,    78,
      79,    80,    81,    82,    83,    84,    85,    86,    87,    88,
      89,    90,    91,    92,    93,    94,    95,    96,    97,    98,
      99,   100,   101,   102,   103,   104,   105,   106,   107,     5,
       6,     7,     8,     9,    10,    11,    12,    13,     0,    14,
       0,     0,     0,     0,     0,     0,     0,     0,     0,     0,
      15,     0,     0,     0,     0,     0,     0,     0,     0,     0,
       0,     0,    16,     0,    17,    18,     0,     0,   276,     0,
       0,     0,     0,     0,     0,     0,    19,    20,    21,    22,
      23,    24,    25,    26,    27,    28,    29,    30,    31,    32,
      33,    34,    35,    36,    37,    38,    39,    40,    41,    42,
      43,    44,    45,    46,    47,    48,    49,    50,    51,    52,
      53,    54,    55,    56,    57,    58,    59,    60,    61,    62,
      63,    64,    65,    66,    67,    68,    69,    70,    71,    72,
      73,    74,    75,    76,    77,    78,    79,    80,    81,    82,
      83,    84,    85,    86,    87,    88,    89,    90,    91,    92,
      93,    94,    95,    96,    97,    98,    99,   100,   101,   102,
     103,   104,   105,   106,   107,     5,     6,     7,     8,     9,
      10,    11,    12,    13,     0,    14,     0,     0,     0,     0,
       0,     0,     0,     0,     0,     0,    15,     0,     0,     0,
       0,     0,     0,     0,     0,     0,     0,     0,    16,     0,
      17,    18,     0,     0,     0,     0,     0,     0,     0,     0,
       0,     0,    19,    20,    21,    22,    23,    24,    25,    26,
      27,    28,    29,    30,    31,    32,    33,    34,    35,    36,
      37,    38,    39,    40,    41,    42,    43,    44,    45,    46,
      47,    48,    49,    50,    51,    52,    53,    54,    55,    56,
      57,    58,    59,    60,    61,    62,    63,    64,    65,    66,
      67,    68,    69,    70,    71,    72,    73,    74,    75,    76,
      77,    78,    79,    80,    81,    82,    83,    84,    85,    86,
      87,    88,    89,    90,    91,    92,    93,    94,    95,    96,
      97,    98,    99,   100,   101,   102,   103,   104,   105,   106,
     107,     5,     6,     7,     8,     9,    10,    11,    12,    13,
       0,    14,     0,     0,     0,     0,     0,     0,     0,     0,
       0,     0,    15,     0,     0,     0,     0,     0,     0,     0,
       0,     0,     0,     0,    16,     0,    17,     0,     0,     0,
       0,     0,     0,     0,     0,     0,     0,     0,    19,    20,
      21,    22,    23,    24,    25,    26,    27,    28,    29,    30,
      31,    32,    33,    34,    35,    36,    37,    38,    39,    40,
      41,    42,    43,    44,    45,    46,    47,    48,    49,    50,
      51,    52,    53,    54,    55,    56,    57,    58,    59,    60,
      61,    62,    63,    64,    65,    66,    67,    68,    69,    70,
      71,    72,    73,    74,    75,    76,    77,    78,    79,    80,
      81,    82,    83,    84,    85,    86,    87,    88,    89,    90,
      91,    92,    93,    94,    95,    96,    97,    98,    99,   100,
     101,   102,   103,   104,   105,   106,   107,     5,     6,     7,
       8,     9,    10,    11,    12,     0,     0,    14,     0,   191,
       0,     0,     0,   282,     0,     0,     0,     0,   283,     0,
       0,     0,     0,     0,     0,     0,     0,     0,     0,     0,
       0,     0,     0,     0,     0,     0,     0,     0,     0,     0,
       0,     0,     0,     0,    19,    20,    21,    22,    23,    24,
      25,    26,    27,    28,    29,    30,    31,    32,    33,    34,
      35,    36,    37,    38,    39,    40,    41,    42,    43,    44,
      45,    46,    47,    48,    49,    50,    51,    52,    53,    54,
      55,    56,    57,    58,    59,    60,    61,    62,    63,    64,
      65,    66,    67,    68,    69,    70,    71,    72,    73,    74,
      75,    76,    77,    78,    79,    80,    81,    82,    83,    84,
      85,    86,    87,    88,    89,    90,    91,    92,    93,    94,
      95,    96,    97,    98,    99,   100,   101,   102,   103,   104,
     105,   106,   107,     5,     0,     0,     0,     0,     0,     0,
       0,     0,     0,   586,     0,     0,     0,     0,     0,     0,
       0,     0,     0,     0,     0,     0,     0,     0,     0,     0,
       0,     0,     0,     0,     0,     0,     0,     0,   265,     0,
       0,     0,     0,     0,     0,     0,     0,     0,     0,     0,
       0,     0,     0,    22,    23,    24,    25,    26,    27,    28,
      29,    30,    31,    32,    33,    34,    35,    36,    37,    38,
      39,    40,    41,    42,    43,    44,    45,    46,    47,    48,
      49,    50,    51,    52,    53,    54,    55,    56,    57,    58,
      59,    60,    61,    62,    63,    64,    65,    66,    67,    68,
      69,    70,    71,    72,    73,    74,    75,    76,    77,    78,
      79,    80,    81,    82,    83,    84,    85,    86,    87,    88,
      89,    90,    91,    92,    93,    94,    95,    96,    97,    98,
      99,   100,   101,   102,   103,   104,   105,   106,   107,     5,
       0,     0,     0,     0,     0,     0,     0,     0,     0,   188,
       0,     0,     0,     0,     0,     0,     0,     0,     0,     0,
       0,     0,     0,     0,     0,     0,     0,     0,     0,     0,
       0,     0,     0,     0,     0,     0,     0,     0,     0,     0,
       0,     0,     0,     0,     0,     0,     0,     0,     0,    22,
      23,    24,    25,    26,    27,    28,    29,    30,    31,    32,
      33,    34,    35,    36,    37,    38,    39,    40,    41,    42,
      43,    44,    45,    46,    47,    48,    49,    50,    51,    52,
      53,    54,    55,    56,    57,    58,    59,    60,    61,    62,
      63,    64,    65,    66,    67,    68,    69,    70,    71,    72,
      73,    74,    75,    76,    77,    78,    79,    80,    81,    82,
      83,    84,    85,    86,    87,    88,    89,    90,    91,    92,
      93,    94,    95,    96,    97,    98,    99,   100,   101,   102,
     103,   104,   105,   106,   107,     5,     0,     0,     0,     0,
       0,     0,     0,     0,     0,     0,     0,     0,   254,     0,
       0,     0,     0,     0,     0,     0,     0,     0,     0,     0,
       0,     0,     0,     0,     0,     0,     0,     0,     0,     0,
       0,     0,     0,     0,     0,     0,     0,     0,     0,     0,
       0,     0,     0,     0,     0,    22,    23,    24,    25,    26,
      27,    28,    29,    30,    31,    32,    33,    34,    35,    36,
      37,    38,    39,    40,    41,    42,    43,    44,    45,    46,
      47,    48,    49,    50,    51,    52,    53,    54,    55,    56,
      57,    58,    59,    60,    61,    62,    63,    64,    65,    66,
      67,    68,    69,    70,    71,    72,    73,    74,    75,    76,
      77,    78,    79,    80,    81,    82,    83,    84,    85,    86,
      87,    88,    89,    90,    91,    92,    93,    94,    95,    96,
      97,    98,    99,   100,   101,   102,   103,   104,   105,   106,
     107,     5,     0,     0,     0,     0,     0,     0,     0,     0,
       0,     0,     0,     0,     0,     0,     0,     0,     0,     0,
       0,     0,     0,     0,     0,     0,     0,     0,     0,     0,
       0,     0,     0,     0,     0,     0,   265,     0,     0,     0,
       0,     0,     0,     0,     0,     0,     0,     0,     0,     0,
       0,    22,    23,    24,    25,    26,    27,    28,    29,    30,
      31,    32,    33,    34,    35,    36,    37,    38,    39,    40,
      41,    42,    43,    44,    45,    46,    47,    48,    49,    50,
      51,    52,    53,    54,    55,    56,    57,    58,    59,    60,
      61,    62,    63,    64,    65,    66,    67,    68,    69,    70,
      71,    72,    73,    74,    75,    76,    77,    78,    79,    80,
      81,    82,    83,    84,    85,    86,    87,    88,    89,    90,
      91,    92,    93,    94,    95,    96,    97,    98,    99,   100,
     101,   102,   103,   104,   105,   106,   107,     5,     0,     0,
       0,     0,     0,     0,     0,     0,     0,     0,     0,     0,
       0,     0,     0,     0,     0,   449,     0,     0,     0,     0,
       0,     0,     0,     0,     0,     0,     0,     0,     0,     0,
       0,     0,     0,     0,     0,     0,     0,     0,     0,     0,
       0,     0,     0,     0,     0,     0,     0,    22,    23,    24,
      25,    26,    27,    28,    29,    30,    31,    32,    33,    34,
      35,    36,    37,    38,    39,    40,    41,    42,    43,    44,
      45,    46,    47,    48,    49,    50,    51,    52,    53,    54,
      55,    56,    57,    58,    59,    60,    61,    62,    63,    64,
      65,    66,    67,    68,    69,    70,    71,    72,    73,    74,
      75,    76,    77,    78,    79,    80,    81,    82,    83,    84,
      85,    86,    87,    88,    89,    90,    91,    92,    93,    94,
      95,    96,    97,    98,    99,   100,   101,   102,   103,   104,
     105,   106,   107,     5,     0,     0,     0,     0,     0,     0,
       0,     0,     0,     0,     0,     0,   477,     0,     0,     0,
       0,     0,     0,     0,     0,     0,     0,     0,     0,     0,
       0,     0,     0,     0,     0,     0,     0,     0,     0,     0,
       0,     0,     0,     0,     0,     0,     0,     0,     0,     0,
       0,     0,     0,    22,    23,    24,    25,    26,    27,    28,
      29,    30,    31,    32,    33,    34,    35,    36,    37,    38,
      39,    40,    41,    42,    43,    44,    45,    46,    47,    48,
      49,    50,    51,    52,    53,    54,    55,    56,    57,    58,
      59,    60,    61,    62,    63,    64,    65,    66,    67,    68,
      69,    70,    71,    72,    73,    74,    75,    76,    77,    78,
      79,    80,    81,    82,    83,    84,    85,    86,    87,    88,
      89,    90,    91,    92,    93,    94,    95,    96,    97,    98,
      99,   100,   101,   102,   103,   104,   105,   106,   107,     5,
       0,     0,     0,     0,     0,     0,     0,     0,     0,     0,
       0,     0,     0,     0,     0,     0,     0,     0,     0,     0,
       0,     0,     0,     0,     0,     0,     0,     0,     0,     0,
       0,     0,     0,     0,     0,     0,     0,     0,     0,     0,
       0,     0,     0,     0,     0,     0,     0,     0,     0,    22,
      23,    24,    25,    26,    27,    28,    29,    30,    31,    32,
      33,    34,    35,    36,    37,    38,    39,    40,    41,    42,
      43,    44,    45,    46,    47,    48,    49,    50,    51,    52,
      53,    54,    55,    56,    57,    58,    59,    60,    61,    62,
      63,    64,    65,    66,    67,    68,    69,    70,    71,    72,
      73,    74,    75,    76,    77,    78,    79,    80,    81,    82,
      83,    84,    85,    86,    87,    88,    89,    90,    91,    92,
      93,    94,    95,    96,    97,    98,    99,   100,   101,   102,
     103,   104,   105,   106,   107,     5,     0,     0,     0,     0,
       0,     0,     0,     0,     0,     0,     0,     0,   514,     0,
       0,     0,     0,     0,     0,     0,     0,     0,     0,     0,
       0,     0,     0,     0,     0,     0,     0,     0,   437,     0,
     438,   439,     0,     0,     0,     0,     0,     0,     0,     0,
       0,     0,     0,     0,     0,     0,     0,     0,     0,   440,
     441,    28,    29,    30,    31,    32,    33,    34,    35,    36,
      37,    38,    39,    40,    41,    42,    43,    44,    45,    46,
      47,    48,    49,    50,    51,    52,    53,    54,    55,    56,
      57,    58,    59,    60,    61,    62,    63,    64,    65,    66,
      67,    68,    69,    70,    71,    72,    73,    74,    75,    76,
      77,    78,    79,    80,    81,    82,    83,    84,    85,    86,
      87,    88,    89,    90,    91,    92,    93,    94,    95,    96,
      97,    98,    99,   100,   101,   102,   103,   104,   105,   106,
     107,     5,     0,     0,     0,     0,     0,     0,     0,     0,
       0,     0,     0,     0,     0,     0,     0,     0,     0,     0,
       0,     0,     0,     0,     0,     0,     0,     0,     0,     0,
       0,     0,     0,     0,   437,     0,   438,   439,     0,     0,
       0,     0,     0,     0,     0,     0,     0,     0,     0,     0,
       0,     0,     0,     0,     0,   440,   441,    28,    29,    30,
      31,    32,    33,    34,    35,    36,    37,    38,    39,    40,
      41,    42,    43,    44,    45,    46,    47,    48,    49,    50,
      51,    52,    53,    54,    55,    56,    57,    58,    59,    60,
      61,    62,    63,    64,    65,    66,    67,    68,    69,    70,
      71,    72,    73,    74,    75,    76,    77,    78,    79,    80,
      81,    82,    83,    84,    85,    86,    87,    88,    89,    90,
      91,    92,    93,    94,    95,    96,    97,    98,    99,   100,
     101,   102,   103,   104,   105,   106,   107,     5,     0,     0,
       0,     0,     0,     0,     0,     0,     0,     0,     0,     0,
     581,     0,     0,     0,     0,     0,     0,     0,     0,     0,
       0,     0,     0,     0,     0,     0,     0,     0,     0,     0,
     437,     0,   438,   552,     0,     0,     0,     0,     0,     0,
       0,     0,     0,     0,     0,     0,     0,     0,     0,     0,
       0,     0,     0,    28,    29,    30,    31,    32,    33,    34,
      35,    36,    37,    38,    39,    40,    41,    42,    43,    44,
      45,    46,    47,    48,    49,    50,    51,    52,    53,    54,
      55,    56,    57,    58,    59,    60,    61,    62,    63,    64,
      65,    66,    67,    68,    69,    70,    71,    72,    73,    74,
      75,    76,    77,    78,    79,    80,    81,    82,    83,    84,
      85,    86,    87,    88,    89,    90,    91,    92,    93,    94,
      95,    96,    97,    98,    99,   100,   101,   102,   103,   104,
     105,   106,   107,     5,     0,     0,     0,     0,     0,     0,
       0,     0,     0,     0,     0,     0,   583,     0,     0,     0,
       0,     0,     0,     0,     0,     0,     0,     0,     0,     0,
       0,     0,     0,     0,     0,     0,   437,     0,   438,   552,
       0,     0,     0,     0,     0,     0,     0,     0,     0,     0,
       0,     0,     0,     0,     0,     0,     0,     0,     0,    28,
      29,    30,    31,    32,    33,    34,    35,    36,    37,    38,
      39,    40,    41,    42,    43,    44,    45,    46,    47,    48,
      49,    50,    51,    52,    53,    54,    55,    56,    57,    58,
      59,    60,    61,    62,    63,    64,    65,    66,    67,    68,
      69,    70,    71,    72,    73,    74,    75,    76,    77,    78,
      79,    80,    81,    82,    83,    84,    85,    86,    87,    88,
      89,    90,    91,    92,    93,    94,    95,    96,    97,    98,
      99,   100,   101,   102,   103,   104,   105,   106,   107,     5,
       0,     0,     0,     0,     0,     0,     0,     0,     0,     0,
       0,     0,   599,     0,     0,     0,     0,     0,     0,     0,
       0,     0,     0,     0,     0,     0,     0,     0,     0,     0,
       0,     0,   437,     0,   438,   552,     0,     0,     0,     0,
       0,     0,     0,     0,     0,     0,     0,     0,     0,     0,
       0,     0,     0,     0,     0,    28,    29,    30,    31,    32,
      33,    34,    35,    36,    37,    38,    39,    40,    41,    42,
      43,    44,    45,    46,    47,    48,    49,    50,    51,    52,
      53,    54,    55,    56,    57,    58,    59,    60,    61,    62,
      63,    64,    65,    66,    67,    68,    69,    70,    71,    72,
      73,    74,    75,    76,    77,    78,    79,    80,    81,    82,
      83,    84,    85,    86,    87,    88,    89,    90,    91,    92,
      93,    94,    95,    96,    97,    98,    99,   100,   101,   102,
     103,   104,   105,   106,   107,     5,     0,     0,     0,     0,
       0,     0,     0,     0,     0,     0,     0,     0,     0,     0,
       0,     0,     0,     0,     0,     0,     0,     0,     0,     0,
       0,     0,     0,     0,     0,     0,     0,     0,   437,     0,
     438,   504,     0,     0,     0,     0,     0,     0,     0,     0,
       0,     0,     0,     0,     0,     0,     0,     0,     0,     0,
       0,    28,    29,    30,    31,    32,    33,    34,    35,    36,
      37,    38,    39,    40,    41,    42,    43,    44,    45,    46,
      47,    48,    49,    50,    51,    52,    53,    54,    55,    56,
      57,    58,    59,    60,    61,    62,    63,    64,    65,    66,
      67,    68,    69,    70,    71,    72,    73,    74,    75,    76,
      77,    78,    79,    80,    81,    82,    83,    84,    85,    86,
      87,    88,    89,    90,    91,    92,    93,    94,    95,    96,
      97,    98,    99,   100,   101,   102,   103,   104,   105,   106,
     107,     5,     0,     0,     0,     0,     0,     0,     0,     0,
       0,     0,     0,     0,     0,     0,     0,     0,     0,     0,
       0,     0,     0,     0,     0,     0,     0,     0,     0,     0,
       0,     0,     0,     0,   437,     0,   438,   552,     0,     0,
       0,     0,     0,     0,     0,     0,     0,     0,     0,     0,
       0,     0,     0,     0,     0,     0,     0,    28,    29,    30,
      31,    32,    33,    34,    35,    36,    37,    38,    39,    40,
      41,    42,    43,    44,    45,    46,    47,    48,    49,    50,
      51,    52,    53,    54,    55,    56,    57,    58,    59,    60,
      61,    62,    63,    64,    65,    66,    67,    68,    69,    70,
      71,    72,    73,    74,    75,    76,    77,    78,    79,    80,
      81,    82,    83,    84,    85,    86,    87,    88,    89,    90,
      91,    92,    93,    94,    95,    96,    97,    98,    99,   100,
     101,   102,   103,   104,   105,   106,   107,     5,     0,     0,
       0,     0,     0,     0,     0,     0,     0,     0,     0,     0,
     528,     0,     0,     0,     0,     0,     0,     0,     0,     0,
       0,     0,     0,     0,     0,     0,     0,     0,     0,     0,
       0,     0,     0,   464,     0,     0,     0,     0,     0,     0,
       0,     0,     0,     0,     0,     0,     0,     0,     0,     0,
       0,     0,     0,    28,    29,    30,    31,    32,    33,    34,
      35,    36,    37,    38,    39,    40,    41,    42,    43,    44,
      45,    46,    47,    48,    49,    50,    51,    52,    53,    54,
      55,    56,    57,    58,    59,    60,    61,    62,    63,    64,
      65,    66,    67,    68,    69,    70,    71,    72,    73,    74,
      75,    76,    77,    78,    79,    80,    81,    82,    83,    84,
      85,    86,    87,    88,    89,    90,    91,    92,    93,    94,
      95,    96,    97,    98,    99,   100,   101,   102,   103,   104,
     105,   106,   107,     5,     0,     0,     0,     0,     0,     0,
       0,     0,     0,     0,     0,     0,     0,     0,     0,     0,
       0,     0,     0,     0,     0,     0,     0,     0,     0,     0,
       0,     0,     0,     0,     0,     0,     0,     0,     0,   464,
       0,     0,     0,     0,     0,     0,     0,     0,     0,     0,
       0,     0,     0,     0,     0,     0,     0,     0,     0,    28,
      29,    30,    31,    32,    33,    34,    35,    36,    37,    38,
      39,    40,    41,    42,    43,    44,    45,    46,    47,    48,
      49,    50,    51,    52,    53,    54,    55,    56,    57,    58,
      59,    60,    61,    62,    63,    64,    65,    66,    67,    68,
      69,    70,    71,    72,    73,    74,    75,    76,    77,    78,
      79,    80,    81,    82,    83,    84,    85,    86,    87,    88,
      89,    90,    91,    92,    93,    94,    95,    96,    97,    98,
      99,   100,   101,   102,   103,   104,   105,   106,   107,     5,
       0,     0,     0,     0,     0,     0,     0,     0,     0,     0,
       0,     0,   532,     0,     0,     0,     0,     0,     0,     0,
       0,     0,     0,     0,     0,     0,     0,     0,     0,     0,
       0,     0,     0,     0,     0,     0,     0,     0,     0,     0,
       0,     0,     0,     0,     0,     0,     0,     0,     0,     0,
       0,     0,     0,     0,     0,    28,    29,    30,    31,    32,
      33,    34,    35,    36,    37,    38,    39,    40,    41,    42,
      43,    44,    45,    46,    47,    48,    49,    50,    51,    52,
      53,    54,    55,    56,    57,    58,    59,    60,    61,    62,
      63,    64,    65,    66,    67,    68,    69,    70,    71,    72,
      73,    74,    75,    76,    77,    78,    79,    80,    81,    82,
      83,    84,    85,    86,    87,    88,    89,    90,    91,    92,
      93,    94,    95,    96,    97,    98,    99,   100,   101,   102,
     103,   104,   105,   106,   107,     5,     0,     0,     0,     0,
       0,     0,     0,     0,     0,     0,     0,     0,     0,     0,
       0,     0,     0,     0,     0,     0,     0,     0,     0,     0,
       0,     0,     0,     0,     0,     0,     0,     0,     0,     0,
       0,     0,     0,     0,     0,     0,     0,     0,     0,     0,
       0,     0,     0,     0,     0,     0,     0,     0,     0,     0,
       0,    28,    29,    30,    31,    32,    33,    34,    35,    36,
      37,    38,    39,    40,    41,    42,    43,    44,    45,    46,
      47,    48,    49,    50,    51,    52,    53,    54,    55,    56,
      57,    58,    59,    60,    61,    62,    63,    64,    65,    66,
      67,    68,    69,    70,    71,    72,    73,    74,    75,    76,
      77,    78,    79,    80,    81,    82,    83,    84,    85,    86,
      87,    88,    89,    90,    91,    92,    93,    94,    95,    96,
      97,    98,    99,   100,   101,   102,   103,   104,   105,   106,
     107
};

static const yytype_int16 yycheck[] =
{
       2,   177,   230,   297,   402,   129,   130,   405,   257,   157,
     134,    13,   136,   137,   138,   139,   140,   257,   269,   133,
      18,   135,   232,   263,   323,     8,   257,    17,   391,    17,
     154,   155,   395,   502,    73,   433,    15,   400,    46,    47,
     403,   618,   293,    15,    17,    10,   571,   391,    72,   574,
      20,    19,     0,    18,   303,    10,    44,     6,    66,    13,
      30,   108,    38,    87,   188,   241,   242,   644,    56,    18,
     321,    26,   303,   112,    63,    43,   439,   440,   441,    62,
     329,   444,   551,   608,   335,   336,   200,   201,    39,   113,
      79,    64,    17,   140,   334,    60,   440,   460,    74,   138,
     444,   464,    92,   466,   228,    84,    10,   231,   232,    85,
     473,    19,    18,   237,   103,    13,     8,    82,   417,    44,
      17,    97,    26,   106,    14,   133,    18,   337,   252,    19,
     119,    56,   120,   257,    99,    43,   101,   126,   501,   502,
      20,   504,    16,   257,   393,    19,   270,    44,   137,    55,
      30,    57,    58,   402,   278,    15,   405,   271,   407,    56,
      17,    21,   160,   161,    61,   130,    23,   315,    25,    42,
      27,    15,   555,   297,   557,   424,   425,    21,   391,   303,
      24,   183,   395,   185,   433,   436,    13,   400,   551,   552,
     403,    84,   555,   424,   557,    88,   579,     8,    89,    90,
     449,    94,    42,   205,    39,   329,    17,   209,   180,   181,
     182,    43,    44,   337,   328,    15,   579,     3,     4,   617,
      65,    21,    67,    17,    56,    14,   439,   440,   441,    19,
     121,   444,    13,   124,     5,    80,   360,     0,     1,     6,
       5,     8,     9,   245,   246,   136,    24,   460,    15,    16,
      17,   464,    86,   466,    27,    28,    29,   102,    17,    26,
     473,     8,     9,    10,    25,    26,   560,     6,     7,   393,
     519,     1,    18,    19,    62,    63,    18,    19,   402,     8,
       9,   405,    16,   407,    24,    52,    53,    54,    18,   158,
     159,   504,   178,   179,    45,    45,   298,    24,    10,    14,
     424,   425,   304,   305,    30,    68,    69,   309,    16,   433,
      16,    16,    19,    14,    77,   317,    19,    19,    81,   613,
      96,    44,    60,    10,    19,   449,    24,     5,    91,   331,
     332,    13,    12,    43,    17,    10,     8,    10,   101,   552,
      70,    71,   518,    17,    44,    15,    76,    82,    14,    14,
      95,    10,     8,   116,   117,     8,     8,   597,     8,     8,
     123,    19,   125,    93,   127,    95,    11,   130,   617,    17,
     100,    56,   102,   497,   602,   105,    10,   107,    10,    83,
     110,    10,    10,    10,    98,   115,    10,     6,    56,     8,
       9,   109,   122,    10,    10,   519,    15,   399,    17,   129,
     111,   131,   132,   128,   134,   135,   408,    26,    10,   139,
      45,    80,   111,   104,   416,   111,   540,   111,   111,    10,
      17,   545,   546,    30,    31,    32,    33,    34,    35,    36,
      37,    24,    19,    52,    53,    54,   560,    10,    45,    46,
      47,    48,    49,    50,    51,   569,    22,    10,    22,    75,
      10,   118,    96,    78,    96,    10,    10,     8,    17,    20,
     114,   102,   586,    10,    10,    17,    24,    24,    10,    18,
      15,    19,    10,    16,     6,   228,    20,   586,   162,   425,
     257,   519,   403,   447,   444,   531,   466,   608,   620,   613,
     598,    -1,    -1,   617,    -1,    -1,    -1,    -1,    -1,    -1,
      -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,
      -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,
      -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,
      -1,   533,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,
      -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,
      -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,
      -1,    -1,    -1,    -1,    -1,    -1,    -1,     5,     6,     7,
       8,     9,    10,    11,    12,    13,    -1,    15,    -1,    -1,
      -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    26,    -1,
      -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,
      38,    -1,    40,    41,    -1,    43,    44,    -1,    -1,    -1,
      -1,    -1,    -1,   615,    52,    53,    54,    55,    56,    57,
      58,    59,    60,    61,    62,    63,    64,    65,    66,    67,
      68,    69,    70,    71,    72,    73,    74,    75,    76,    77,
      78,    79,    80,    81,    82,    83,    84,    85,    86,    87,
      88,    89,    90,    91,    92,    93,    94,    95,    96,    97,
      98,    99,   100,   101,   102,   103,   104,   105,   106,   107,
     108,   109,   110,   111,   112,   113,   114,   115,   116,   117,
     118,   119,   120,   121,   122,   123,   124,   125,   126,   127,
     128,   129,   130,   131,   132,   133,   134,   135,   136,   137,
     138,   139,   140,     5,     6,     7,     8,     9,    10,    11,
      12,    13,    -1,    15,    16,    -1,    -1,    -1,    -1,    -1,
      -1,    -1,    -1,    -1,    26,    -1,    -1,    -1,    -1,    -1,
      -1,    -1,    -1,    -1,    -1,    -1,    38,    -1,    40,    41,
      -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,
      52,    53,    54,    55,    56,    57,    58,    59,    60,    61,
      62,    63,    64,    65,    66,    67,    68,    69,    70,    71,
      72,    73,    74,    75,    76,    77,    78,    79,    80,    81,
      82,    83,    84,    85,    86,    87,    88,    89,    90,    91,
      92,    93,    94,    95,    96,    97,    98,    99,   100,   101,
     102,   103,   104,   105,   106,   107,   108,   109,   110,   111,
     112,   113,   114,   115,   116,   117,   118,   119,   120,   121,
     122,   123,   124,   125,   126,   127,   128,   129,   130,   131,
     132,   133,   134,   135,   136,   137,   138,   139,   140,     5,
       6,     7,     8,     9,    10,    11,    12,    13,    -1,    15,
      -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,
      26,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,
      -1,    -1,    38,    -1,    40,    41,    -1,    -1,    44,    -1,
      -1,    -1,    -1,    -1,    -1,    -1,    52,    53,    54,    55,
      56,    57,    58,    59,    60,    61,    62,    63,    64,    65,
      66,    67,    68,    69,    70,    71,    72,    73,    74,    75,
      76,    77,    78,    79,    80,    81,    82,    83,    84,    85,
      86,    87,    88,    89,    90,    91,    92,    93,    94,    95,
      96,    97,    98,    99,   100,   101,   102,   103,   104,   105,
     106,   107,   108,   109,   110,   111,   112,   113,   114,   115,
     116,   117,   118,   119,   120,   121,   122,   123,   124,   125,
     126,   127,   128,   129,   130,   131,   132,   133,   134,   135,
     136,   137,   138,   139,   140,     5,     6,     7,     8,     9,
      10,    11,    12,    13,    -1,    15,    -1,    -1,    -1,    -1,
      -1,    -1,    -1,    -1,    -1,    -1,    26,    -1,    -1,    -1,
      -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    38,    -1,
      40,    41,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,
      -1,    -1,    52,    53,    54,    55,    56,    57,    58,    59,
      60,    61,    62,    63,    64,    65,    66,    67,    68,    69,
      70,    71,    72,    73,    74,    75,    76,    77,    78,    79,
      80,    81,    82,    83,    84,    85,    86,    87,    88,    89,
      90,    91,    92,    93,    94,    95,    96,    97,    98,    99,
     100,   101,   102,   103,   104,   105,   106,   107,   108,   109,
     110,   111,   112,   113,   114,   115,   116,   117,   118,   119,
     120,   121,   122,   123,   124,   125,   126,   127,   128,   129,
     130,   131,   132,   133,   134,   135,   136,   137,   138,   139,
     140,     5,     6,     7,     8,     9,    10,    11,    12,    13,
      -1,    15,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,
      -1,    -1,    26,    -1,    -1,    -1,    -1,    -1,    -1,    -1,
      -1,    -1,    -1,    -1,    38,    -1,    40,    -1,    -1,    -1,
      -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    52,    53,
      54,    55,    56,    57,    58,    59,    60,    61,    62,    63,
      64,    65,    66,    67,    68,    69,    70,    71,    72,    73,
      74,    75,    76,    77,    78,    79,    80,    81,    82,    83,
      84,    85,    86,    87,    88,    89,    90,    91,    92,    93,
      94,    95,    96,    97,    98,    99,   100,   101,   102,   103,
     104,   105,   106,   107,   108,   109,   110,   111,   112,   113,
     114,   115,   116,   117,   118,   119,   120,   121,   122,   123,
     124,   125,   126,   127,   128,   129,   130,   131,   132,   133,
     134,   135,   136,   137,   138,   139,   140,     5,     6,     7,
       8,     9,    10,    11,    12,    -1,    -1,    15,    -1,    17,
      -1,    -1,    -1,    21,    -1,    -1,    -1,    -1,    26,    -1,
      -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,
      -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,
      -1,    -1,    -1,    -1,    52,    53,    54,    55,    56,    57,
      58,    59,    60,    61,    62,    63,    64,    65,    66,    67,
      68,    69,    70,    71,    72,    73,    74,    75,    76,    77,
      78,    79,    80,    81,    82,    83,    84,    85,    86,    87,
      88,    89,    90,    91,    92,    93,    94,    95,    96,    97,
      98,    99,   100,   101,   102,   103,   104,   105,   106,   107,
     108,   109,   110,   111,   112,   113,   114,   115,   116,   117,
     118,   119,   120,   121,   122,   123,   124,   125,   126,   127,
     128,   129,   130,   131,   132,   133,   134,   135,   136,   137,
     138,   139,   140,     5,    -1,    -1,    -1,    -1,    -1,    -1,
      -1,    -1,    -1,    15,    -1,    -1,    -1,    -1,    -1,    -1,
      -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,
      -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    40,    -1,
      -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,
      -1,    -1,    -1,    55,    56,    57,    58,    59,    60,    61,
      62,    63,    64,    65,    66,    67,    68,    69,    70,    71,
      72,    73,    74,    75,    76,    77,    78,    79,    80,    81,
      82,    83,    84,    85,    86,    87,    88,    89,    90,    91,
      92,    93,    94,    95,    96,    97,    98,    99,   100,   101,
     102,   103,   104,   105,   106,   107,   108,   109,   110,   111,
     112,   113,   114,   115,   116,   117,   118,   119,   120,   121,
     122,   123,   124,   125,   126,   127,   128,   129,   130,   131,
     132,   133,   134,   135,   136,   137,   138,   139,   140,     5,
      -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    15,
      -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,
      -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,
      -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,
      -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    55,
      56,    57,    58,    59,    60,    61,    62,    63,    64,    65,
      66,    67,    68,    69,    70,    71,    72,    73,    74,    75,
      76,    77,    78,    79,    80,    81,    82,    83,    84,    85,
      86,    87,    88,    89,    90,    91,    92,    93,    94,    95,
      96,    97,    98,    99,   100,   101,   102,   103,   104,   105,
     106,   107,   108,   109,   110,   111,   112,   113,   114,   115,
     116,   117,   118,   119,   120,   121,   122,   123,   124,   125,
     126,   127,   128,   129,   130,   131,   132,   133,   134,   135,
     136,   137,   138,   139,   140,     5,    -1,    -1,    -1,    -1,
      -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    18,    -1,
      -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,
      -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,
      -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,
      -1,    -1,    -1,    -1,    -1,    55,    56,    57,    58,    59,
      60,    61,    62,    63,    64,    65,    66,    67,    68,    69,
      70,    71,    72,    73,    74,    75,    76,    77,    78,    79,
      80,    81,    82,    83,    84,    85,    86,    87,    88,    89,
      90,    91,    92,    93,    94,    95,    96,    97,    98,    99,
     100,   101,   102,   103,   104,   105,   106,   107,   108,   109,
     110,   111,   112,   113,   114,   115,   116,   117,   118,   119,
     120,   121,   122,   123,   124,   125,   126,   127,   128,   129,
     130,   131,   132,   133,   134,   135,   136,   137,   138,   139,
     140,     5,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,
      -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,
      -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,
      -1,    -1,    -1,    -1,    -1,    -1,    40,    -1,    -1,    -1,
      -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,
      -1,    55,    56,    57,    58,    59,    60,    61,    62,    63,
      64,    65,    66,    67,    68,    69,    70,    71,    72,    73,
      74,    75,    76,    77,    78,    79,    80,    81,    82,    83,
      84,    85,    86,    87,    88,    89,    90,    91,    92,    93,
      94,    95,    96,    97,    98,    99,   100,   101,   102,   103,
     104,   105,   106,   107,   108,   109,   110,   111,   112,   113,
     114,   115,   116,   117,   118,   119,   120,   121,   122,   123,
     124,   125,   126,   127,   128,   129,   130,   131,   132,   133,
     134,   135,   136,   137,   138,   139,   140,     5,    -1,    -1,
      -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,
      -1,    -1,    -1,    -1,    -1,    23,    -1,    -1,    -1,    -1,
      -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,
      -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,
      -1,    -1,    -1,    -1,    -1,    -1,    -1,    55,    56,    57,
      58,    59,    60,    61,    62,    63,    64,    65,    66,    67,
      68,    69,    70,    71,    72,    73,    74,    75,    76,    77,
      78,    79,    80,    81,    82,    83,    84,    85,    86,    87,
      88,    89,    90,    91,    92,    93,    94,    95,    96,    97,
      98,    99,   100,   101,   102,   103,   104,   105,   106,   107,
     108,   109,   110,   111,   112,   113,   114,   115,   116,   117,
     118,   119,   120,   121,   122,   123,   124,   125,   126,   127,
     128,   129,   130,   131,   132,   133,   134,   135,   136,   137,
     138,   139,   140,     5,    -1,    -1,    -1,    -1,    -1,    -1,
      -1,    -1,    -1,    -1,    -1,    -1,    18,    -1,    -1,    -1,
      -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,
      -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,
      -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,
      -1,    -1,    -1,    55,    56,    57,    58,    59,    60,    61,
      62,    63,    64,    65,    66,    67,    68,    69,    70,    71,
      72,    73,    74,    75,    76,    77,    78,    79,    80,    81,
      82,    83,    84,    85,    86,    87,    88,    89,    90,    91,
      92,    93,    94,    95,    96,    97,    98,    99,   100,   101,
     102,   103,   104,   105,   106,   107,   108,   109,   110,   111,
     112,   113,   114,   115,   116,   117,   118,   119,   120,   121,
     122,   123,   124,   125,   126,   127,   128,   129,   130,   131,
     132,   133,   134,   135,   136,   137,   138,   139,   140,     5,
      -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,
      -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,
      -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,
      -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,
      -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    55,
      56,    57,    58,    59,    60,    61,    62,    63,    64,    65,
      66,    67,    68,    69,    70,    71,    72,    73,    74,    75,
      76,    77,    78,    79,    80,    81,    82,    83,    84,    85,
      86,    87,    88,    89,    90,    91,    92,    93,    94,    95,
      96,    97,    98,    99,   100,   101,   102,   103,   104,   105,
     106,   107,   108,   109,   110,   111,   112,   113,   114,   115,
     116,   117,   118,   119,   120,   121,   122,   123,   124,   125,
     126,   127,   128,   129,   130,   131,   132,   133,   134,   135,
     136,   137,   138,   139,   140,     5,    -1,    -1,    -1,    -1,
      -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    18,    -1,
      -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,
      -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    38,    -1,
      40,    41,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,
      -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    59,
      60,    61,    62,    63,    64,    65,    66,    67,    68,    69,
      70,    71,    72,    73,    74,    75,    76,    77,    78,    79,
      80,    81,    82,    83,    84,    85,    86,    87,    88,    89,
      90,    91,    92,    93,    94,    95,    96,    97,    98,    99,
     100,   101,   102,   103,   104,   105,   106,   107,   108,   109,
     110,   111,   112,   113,   114,   115,   116,   117,   118,   119,
     120,   121,   122,   123,   124,   125,   126,   127,   128,   129,
     130,   131,   132,   133,   134,   135,   136,   137,   138,   139,
     140,     5,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,
      -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,
      -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,
      -1,    -1,    -1,    -1,    38,    -1,    40,    41,    -1,    -1,
      -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,
      -1,    -1,    -1,    -1,    -1,    59,    60,    61,    62,    63,
      64,    65,    66,    67,    68,    69,    70,    71,    72,    73,
      74,    75,    76,    77,    78,    79,    80,    81,    82,    83,
      84,    85,    86,    87,    88,    89,    90,    91,    92,    93,
      94,    95,    96,    97,    98,    99,   100,   101,   102,   103,
     104,   105,   106,   107,   108,   109,   110,   111,   112,   113,
     114,   115,   116,   117,   118,   119,   120,   121,   122,   123,
     124,   125,   126,   127,   128,   129,   130,   131,   132,   133,
     134,   135,   136,   137,   138,   139,   140,     5,    -1,    -1,
      -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,
      18,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,
      -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,
      38,    -1,    40,    41,    -1,    -1,    -1,    -1,    -1,    -1,
      -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,
      -1,    -1,    -1,    61,    62,    63,    64,    65,    66,    67,
      68,    69,    70,    71,    72,    73,    74,    75,    76,    77,
      78,    79,    80,    81,    82,    83,    84,    85,    86,    87,
      88,    89,    90,    91,    92,    93,    94,    95,    96,    97,
      98,    99,   100,   101,   102,   103,   104,   105,   106,   107,
     108,   109,   110,   111,   112,   113,   114,   115,   116,   117,
     118,   119,   120,   121,   122,   123,   124,   125,   126,   127,
     128,   129,   130,   131,   132,   133,   134,   135,   136,   137,
     138,   139,   140,     5,    -1,    -1,    -1,    -1,    -1,    -1,
      -1,    -1,    -1,    -1,    -1,    -1,    18,    -1,    -1,    -1,
      -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,
      -1,    -1,    -1,    -1,    -1,    -1,    38,    -1,    40,    41,
      -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,
      -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    61,
      62,    63,    64,    65,    66,    67,    68,    69,    70,    71,
      72,    73,    74,    75,    76,    77,    78,    79,    80,    81,
      82,    83,    84,    85,    86,    87,    88,    89,    90,    91,
      92,    93,    94,    95,    96,    97,    98,    99,   100,   101,
     102,   103,   104,   105,   106,   107,   108,   109,   110,   111,
     112,   113,   114,   115,   116,   117,   118,   119,   120,   121,
     122,   123,   124,   125,   126,   127,   128,   129,   130,   131,
     132,   133,   134,   135,   136,   137,   138,   139,   140,     5,
      -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,
      -1,    -1,    18,    -1,    -1,    -1,    -1,    -1,    -1,    -1,
      -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,
      -1,    -1,    38,    -1,    40,    41,    -1,    -1,    -1,    -1,
      -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,
      -1,    -1,    -1,    -1,    -1,    61,    62,    63,    64,    65,
      66,    67,    68,    69,    70,    71,    72,    73,    74,    75,
      76,    77,    78,    79,    80,    81,    82,    83,    84,    85,
      86,    87,    88,    89,    90,    91,    92,    93,    94,    95,
      96,    97,    98,    99,   100,   101,   102,   103,   104,   105,
     106,   107,   108,   109,   110,   111,   112,   113,   114,   115,
     116,   117,   118,   119,   120,   121,   122,   123,   124,   125,
     126,   127,   128,   129,   130,   131,   132,   133,   134,   135,
     136,   137,   138,   139,   140,     5,    -1,    -1,    -1,    -1,
      -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,
      -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,
      -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    38,    -1,
      40,    41,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,
      -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,
      -1,    61,    62,    63,    64,    65,    66,    67,    68,    69,
      70,    71,    72,    73,    74,    75,    76,    77,    78,    79,
      80,    81,    82,    83,    84,    85,    86,    87,    88,    89,
      90,    91,    92,    93,    94,    95,    96,    97,    98,    99,
     100,   101,   102,   103,   104,   105,   106,   107,   108,   109,
     110,   111,   112,   113,   114,   115,   116,   117,   118,   119,
     120,   121,   122,   123,   124,   125,   126,   127,   128,   129,
     130,   131,   132,   133,   134,   135,   136,   137,   138,   139,
     140,     5,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,
      -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,
      -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,
      -1,    -1,    -1,    -1,    38,    -1,    40,    41,    -1,    -1,
      -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,
      -1,    -1,    -1,    -1,    -1,    -1,    -1,    61,    62,    63,
      64,    65,    66,    67,    68,    69,    70,    71,    72,    73,
      74,    75,    76,    77,    78,    79,    80,    81,    82,    83,
      84,    85,    86,    87,    88,    89,    90,    91,    92,    93,
      94,    95,    96,    97,    98,    99,   100,   101,   102,   103,
     104,   105,   106,   107,   108,   109,   110,   111,   112,   113,
     114,   115,   116,   117,   118,   119,   120,   121,   122,   123,
     124,   125,   126,   127,   128,   129,   130,   131,   132,   133,
     134,   135,   136,   137,   138,   139,   140,     5,    -1,    -1,
      -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,
      18,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,
      -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,
      -1,    -1,    -1,    41,    -1,    -1,    -1,    -1,    -1,    -1,
      -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,
      -1,    -1,    -1,    61,    62,    63,    64,    65,    66,    67,
      68,    69,    70,    71,    72,    73,    74,    75,    76,    77,
      78,    79,    80,    81,    82,    83,    84,    85,    86,    87,
      88,    89,    90,    91,    92,    93,    94,    95,    96,    97,
      98,    99,   100,   101,   102,   103,   104,   105,   106,   107,
     108,   109,   110,   111,   112,   113,   114,   115,   116,   117,
     118,   119,   120,   121,   122,   123,   124,   125,   126,   127,
     128,   129,   130,   131,   132,   133,   134,   135,   136,   137,
     138,   139,   140,     5,    -1,    -1,    -1,    -1,    -1,    -1,
      -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,
      -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,
      -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    41,
      -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,
      -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    61,
      62,    63,    64,    65,    66,    67,    68,    69,    70,    71,
      72,    73,    74,    75,    76,    77,    78,    79,    80,    81,
      82,    83,    84,    85,    86,    87,    88,    89,    90,    91,
      92,    93,    94,    95,    96,    97,    98,    99,   100,   101,
     102,   103,   104,   105,   106,   107,   108,   109,   110,   111,
     112,   113,   114,   115,   116,   117,   118,   119,   120,   121,
     122,   123,   124,   125,   126,   127,   128,   129,   130,   131,
     132,   133,   134,   135,   136,   137,   138,   139,   140,     5,
      -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,
      -1,    -1,    18,    -1,    -1,    -1,    -1,    -1,    -1,    -1,
      -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,
      -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,
      -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,
      -1,    -1,    -1,    -1,    -1,    61,    62,    63,    64,    65,
      66,    67,    68,    69,    70,    71,    72,    73,    74,    75,
      76,    77,    78,    79,    80,    81,    82,    83,    84,    85,
      86,    87,    88,    89,    90,    91,    92,    93,    94,    95,
      96,    97,    98,    99,   100,   101,   102,   103,   104,   105,
     106,   107,   108,   109,   110,   111,   112,   113,   114,   115,
     116,   117,   118,   119,   120,   121,   122,   123,   124,   125,
     126,   127,   128,   129,   130,   131,   132,   133,   134,   135,
     136,   137,   138,   139,   140,     5,    -1,    -1,    -1,    -1,
      -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,
      -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,
      -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,
      -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,
      -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1,
      -1,    61,    62,    63,    64,    65,    66,    67,    68,    69,
      70,    71,    72,    73,    74,    75,    76,    77,    78,    79,
      80,    81,    82,    83,    84,    85,    86,    87,    88,    89,
      90,    91,    92,    93,    94,    95,    96,    97,    98,    99,
     100,   101,   102,   103,   104,   105,   106,   107,   108,   109,
     110,   111,   112,   113,   114,   115,   116,   117,   118,   119,
     120,   121,   122,   123,   124,   125,   126,   127,   128,   129,
     130,   131,   132,   133,   134,   135,   136,   137,   138,   139,
     140
};

/* YYSTOS[STATE-NUM] -- The symbol kind of the accessing symbol of
   state STATE-NUM.  */
static const yytype_uint8 yystos[] =
{
       0,     3,     4,   142,   143,     5,     6,     7,     8,     9,
      10,    11,    12,    13,    15,    26,    38,    40,    41,    52,
      53,    54,    55,    56,    57,    58,    59,    60,    61,    62,
      63,    64,    65,    66,    67,    68,    69,    70,    71,    72,
      73,    74,    75,    76,    77,    78,    79,    80,    81,    82,
      83,    84,    85,    86,    87,    88,    89,    90,    91,    92,
      93,    94,    95,    96,    97,    98,    99,   100,   101,   102,
     103,   104,   105,   106,   107,   108,   109,   110,   111,   112,
     113,   114,   115,   116,   117,   118,   119,   120,   121,   122,
     123,   124,   125,   126,   127,   128,   129,   130,   131,   132,
     133,   134,   135,   136,   137,   138,   139,   140,   145,   146,
     147,   155,   156,   157,   158,   159,   160,   162,   163,   164,
     165,   166,   167,   168,   170,   171,   172,     0,     1,    68,
      69,    77,    81,    91,   101,   116,   117,   123,   125,   127,
     130,   144,   179,   183,   186,   189,   191,   193,   200,   155,
      16,   155,   169,   165,    13,    13,   159,    13,    42,    42,
      39,    39,    30,    31,    32,    33,    34,    35,    36,    37,
      45,    46,    47,    48,    49,    50,    51,   161,    25,    26,
      27,    28,    29,    15,    21,    15,    21,   147,    15,   147,
     150,    17,   194,     6,     7,   154,   194,   147,   194,   147,
     147,   147,   147,   147,    14,    19,   153,   147,   147,    43,
      44,   169,   173,   157,   157,   159,   159,   163,   162,   164,
     164,   165,   165,   165,   155,     5,   155,     5,    13,   147,
     149,   195,    86,    24,    17,   194,   194,    24,    24,   155,
      16,    45,    45,   155,    10,    19,    43,    14,    16,    16,
     149,   190,    19,   153,    18,   147,   196,   197,   150,    46,
      47,    66,   133,   184,   201,    40,   147,   148,   151,    84,
      88,    94,   187,   162,   162,    19,    44,   155,    19,    14,
     147,    16,    21,    26,   147,   167,   168,   170,   174,   194,
     199,    60,   192,    84,   168,   185,   202,    19,    43,   180,
     154,   147,   194,    96,    20,    20,    44,    10,    19,    24,
       5,     8,     9,    10,   198,    13,    12,    43,   154,     1,
      18,    70,    71,    76,    93,    95,   100,   102,   105,   107,
     110,   115,   122,   129,   131,   132,   134,   135,   139,   203,
     216,   226,   227,   229,   234,   148,   155,    17,   176,   181,
     147,   174,   155,   155,    10,    44,   155,   169,   155,   154,
      92,   176,     8,    63,    79,   103,   119,   126,   137,   207,
     194,   174,   175,    72,    87,   113,   206,   155,   155,    10,
     168,   154,   154,   150,    89,    90,   121,   124,   136,   224,
     225,    17,    44,    56,   120,    17,    18,    55,    57,    58,
      17,    44,    56,    17,    44,    56,    61,   177,    82,   182,
      95,   188,    14,    14,    10,    14,    19,   147,     8,     8,
       8,     8,    11,     8,    19,    56,   204,    17,    83,    10,
      10,    10,    10,    56,   210,   108,   140,    38,    40,    41,
      59,    60,   146,   211,   218,   219,   220,   221,    10,    23,
     147,   170,   208,   209,    38,    74,    85,    97,   217,   211,
     215,    98,   109,   155,    41,   211,   232,   233,    10,    26,
     230,   231,   208,   215,    10,   208,    10,    18,   170,   178,
     155,    10,   176,   111,   111,   111,   111,   111,   174,   175,
     128,   205,   235,    10,    80,   104,   208,    45,    10,   154,
       8,    17,    17,   211,    41,   211,   220,   211,    17,    23,
      25,    27,   213,   214,    18,   219,   214,   170,    24,    19,
     211,    10,    65,    67,    80,   102,   228,   211,    18,   233,
      10,    22,    18,    24,    75,    10,   118,    78,    96,    96,
      10,    18,    60,    82,    99,   101,   130,   236,    10,    10,
     147,    17,    41,   211,   220,   222,   223,   222,   211,     8,
      20,   162,   209,   102,   114,    10,   231,   155,    73,   112,
     138,   147,    10,     8,    62,   106,    10,   147,   147,   222,
     211,    18,   223,    18,    18,    19,    15,   148,   152,   147,
      17,   238,    62,    63,    64,   237,   238,    24,    24,    18,
       8,    18,   151,   212,     6,    18,   239,   240,    10,   168,
      15,   241,    18,    19,   153,    43,    44,    56,    20,    18,
      19,   237,     6,     8,     9,    16,    26,    52,    53,    54,
     238,   241,   242,   243,   244,    16,   155,    10,   208,   243,
     240,     8,     9,    16,    19,   243
};

/* YYR1[RULE-NUM] -- Symbol kind of the left-hand side of rule RULE-NUM.  */
static const yytype_uint8 yyr1[] =
{
       0,   141,   142,   142,   143,   143,   144,   144,   144,   144,
     144,   144,   144,   144,   145,   145,   145,   145,   145,   145,
     145,   145,   145,   145,   145,   145,   145,   145,   145,   145,
     145,   145,   145,   145,   145,   145,   145,   145,   145,   145,
     145,   145,   145,   145,   145,   145,   145,   145,   145,   145,
     145,   145,   145,   145,   145,   145,   145,   145,   145,   145,
     145,   145,   145,   145,   145,   145,   145,   145,   145,   145,
     145,   145,   145,   145,   145,   145,   145,   145,   145,   145,
     145,   145,   145,   145,   145,   145,   145,   145,   145,   145,
     145,   145,   145,   145,   146,   146,   147,   147,   147,   147,
     147,   147,   147,   148,   148,   149,   149,   150,   150,   151,
     151,   152,   152,   153,   153,   154,   154,   155,   155,   156,
     156,   157,   157,   158,   158,   159,   159,   160,   160,   161,
     161,   161,   161,   161,   161,   161,   161,   161,   161,   161,
     161,   161,   161,   162,   162,   163,   163,   163,   164,   164,
     164,   164,   165,   165,   166,   166,   166,   166,   166,   166,
     167,   167,   167,   167,   167,   167,   167,   167,   167,   167,
     168,   168,   169,   169,   170,   170,   170,   171,   171,   172,
     172,   172,   173,   173,   173,   173,   173,   173,   173,   173,
     174,   175,   175,   176,   177,   177,   178,   179,   180,   180,
     181,   181,   182,   182,   182,   182,   183,   184,   184,   184,
     184,   184,   185,   185,   186,   187,   187,   187,   188,   188,
     189,   190,   190,   191,   192,   192,   193,   193,   193,   193,
     193,   193,   194,   195,   195,   196,   196,   197,   197,   198,
     198,   198,   199,   199,   199,   199,   199,   201,   200,   202,
     202,   203,   203,   203,   203,   203,   203,   203,   203,   203,
     203,   203,   203,   203,   203,   203,   203,   203,   203,   203,
     203,   204,   204,   205,   205,   206,   206,   206,   207,   207,
     207,   207,   207,   207,   208,   208,   209,   209,   209,   210,
     210,   211,   212,   212,   212,   212,   213,   213,   214,   214,
     214,   214,   214,   214,   215,   215,   216,   216,   216,   216,
     217,   217,   217,   217,   218,   218,   219,   219,   219,   219,
     219,   219,   219,   220,   220,   221,   221,   221,   222,   222,
     223,   223,   223,   224,   224,   224,   224,   224,   224,   225,
     225,   225,   226,   226,   227,   227,   227,   227,   228,   228,
     228,   228,   228,   229,   229,   229,   230,   230,   231,   231,
     232,   232,   233,   233,   234,   234,   234,   234,   235,   235,
     236,   236,   236,   236,   236,   236,   236,   236,   236,   236,
     237,   237,   238,   238,   239,   239,   240,   241,   241,   242,
     242,   243,   243,   243,   243,   243,   243,   243,   244,   244,
     244,   244
};

/* YYR2[RULE-NUM] -- Number of symbols on the right-hand side of rule RULE-NUM.  */
static const yytype_int8 yyr2[] =
{
       0,     2,     2,     2,     0,     2,     1,     1,     1,     1,
       1,     1,     1,     1,     1,     1,     1,     1,     1,     1,
       1,     1,     1,     1,     1,     1,     1,     1,     1,     1,
       1,     1,     1,     1,     1,     1,     1,     1,     1,     1,
       1,     1,     1,     1,     1,     1,     1,     1,     1,     1,
       1,     1,     1,     1,     1,     1,     1,     1,     1,     1,
       1,     1,     1,     1,     1,     1,     1,     1,     1,     1,
       1,     1,     1,     1,     1,     1,     1,     1,     1,     1,
       1,     1,     1,     1,     1,     1,     1,     1,     1,     1,
       1,     1,     1,     1,     1,     1,     1,     1,     1,     1,
       1,     1,     1,     1,     1,     1,     3,     1,     4,     1,
       3,     1,     4,     0,     1,     1,     1,     1,     1,     3,
       3,     1,     1,     3,     3,     1,     2,     1,     3,     1,
       1,     1,     1,     1,     1,     1,     1,     1,     1,     1,
       1,     1,     1,     1,     3,     1,     3,     3,     1,     3,
       3,     3,     1,     2,     1,     1,     1,     8,     8,     3,
       1,     1,     1,     1,     1,     1,     1,     1,     1,     1,
       2,     4,     1,     3,     1,     3,     4,     1,     1,     4,
       3,     4,     0,     1,     2,     4,     2,     3,     5,     6,
       1,     1,     3,     3,     0,     2,     3,     7,     0,     2,
       0,     1,     0,     4,     4,     5,     5,     0,     1,     1,
       1,     1,     1,     2,     7,     2,     2,     2,     0,     2,
       7,     0,     1,     7,     0,     2,     2,     3,     3,     2,
       2,     2,     3,     0,     2,     2,     2,     1,     3,     1,
       1,     1,     1,     1,     2,     1,     4,     0,     6,     0,
       2,     2,     2,     2,     2,     2,     2,     1,     4,     2,
       4,     4,     2,     4,     4,     2,     2,     2,     2,     5,
       1,     0,     2,     0,     1,     1,     1,     1,     4,     4,
       4,     2,     4,     4,     1,     3,     1,     2,     3,     0,
       2,     5,     0,     3,     3,     3,     0,     1,     3,     5,
       4,     1,     1,     1,     1,     2,     1,     3,     3,     3,
       1,     1,     1,     1,     1,     2,     1,     1,     2,     2,
       3,     2,     2,     1,     2,     4,     4,     5,     1,     2,
       1,     1,     2,     1,     4,     2,     4,     2,     3,     2,
       3,     3,     3,     5,     3,     3,     4,     4,     1,     1,
       2,     2,     1,     1,     3,     3,     1,     3,     1,     2,
       1,     2,     1,     2,     2,     3,     3,     3,     0,     2,
       3,     2,     3,     3,     3,     5,     2,     2,     4,     4,
       0,     1,     2,     3,     1,     3,     3,     2,     3,     1,
       3,     1,     1,     1,     1,     1,     1,     1,     1,     1,
       2,     2
};


enum { YYENOMEM = -2 };

#define yyerrok         (yyerrstatus = 0)
#define yyclearin       (yychar = T_RULE_EMPTY)

#define YYACCEPT        goto yyacceptlab
#define YYABORT         goto yyabortlab
#define YYERROR         goto yyerrorlab
#define YYNOMEM         goto yyexhaustedlab


#define YYRECOVERING()  (!!yyerrstatus)

#define YYBACKUP(Token, Value)                                    \
  do                                                              \
    if (yychar == T_RULE_EMPTY)                                        \
      {                                                           \
        yychar = (Token);                                         \
        yylval = (Value);                                         \
        YYPOPSTACK (yylen);                                       \
        yystate = *yyssp;                                         \
        YY_LAC_DISCARD ("YYBACKUP");                              \
        goto yybackup;                                            \
      }                                                           \
    else                                                          \
      {                                                           \
        yyerror (&yylloc, p, YY_("syntax error: cannot back up")); \
        YYERROR;                                                  \
      }                                                           \
  while (0)

/* Backward compatibility with an undocumented macro.
   Use T_RULE_error or T_RULE_UNDEF. */
#define YYERRCODE T_RULE_UNDEF

/* YYLLOC_DEFAULT -- Set CURRENT to span from RHS[1] to RHS[N].
   If N is 0, then set CURRENT to the empty location which ends
   the previous symbol: RHS[0] (always defined).  */

#ifndef YYLLOC_DEFAULT
# define YYLLOC_DEFAULT(Current, Rhs, N)                                \
    do                                                                  \
      if (N)                                                            \
        {                                                               \
          (Current).first_line   = YYRHSLOC (Rhs, 1).first_line;        \
          (Current).first_column = YYRHSLOC (Rhs, 1).first_column;      \
          (Current).last_line    = YYRHSLOC (Rhs, N).last_line;         \
          (Current).last_column  = YYRHSLOC (Rhs, N).last_column;       \
        }                                                               \
      else                                                              \
        {                                                               \
          (Current).first_line   = (Current).last_line   =              \
            YYRHSLOC (Rhs, 0).last_line;                                \
          (Current).first_column = (Current).last_column =              \
            YYRHSLOC (Rhs, 0).last_column;                              \
        }                                                               \
    while (0)
#endif

#define YYRHSLOC(Rhs, K) ((Rhs)[K])


/* Enable debugging if requested.  */
#if RULE_DEBUG

# ifndef YYFPRINTF
#  include <stdio.h> /* INFRINGES ON USER NAME SPACE */
#  define YYFPRINTF fprintf
# endif

# define YYDPRINTF(Args)                        \
do {                                            \
  if (yydebug)                                  \
    YYFPRINTF Args;                             \
} while (0)


/* YYLOCATION_PRINT -- Print the location on the stream.
   This macro was not mandated originally: define only if we know
   we won't break user code: when these are the locations we know.  */

# ifndef YYLOCATION_PRINT

#  if defined YY_LOCATION_PRINT

   /* Temporary convenience wrapper in case some people defined the
      undocumented and private YY_LOCATION_PRINT macros.  */
#   define YYLOCATION_PRINT(File, Loc)  YY_LOCATION_PRINT(File, *(Loc))

#  elif defined RULE_LTYPE_IS_TRIVIAL && RULE_LTYPE_IS_TRIVIAL

/* Print *YYLOCP on YYO.  Private, do not rely on its existence. */

YY_ATTRIBUTE_UNUSED
static int
yy_location_print_ (FILE *yyo, YYLTYPE const * const yylocp)
{
  int res = 0;
  int end_col = 0 != yylocp->last_column ? yylocp->last_column - 1 : 0;
  if (0 <= yylocp->first_line)
    {
      res += YYFPRINTF (yyo, "%d", yylocp->first_line);
      if (0 <= yylocp->first_column)
        res += YYFPRINTF (yyo, ".%d", yylocp->first_column);
    }
  if (0 <= yylocp->last_line)
    {
      if (yylocp->first_line < yylocp->last_line)
        {
          res += YYFPRINTF (yyo, "-%d", yylocp->last_line);
          if (0 <= end_col)
            res += YYFPRINTF (yyo, ".%d", end_col);
        }
      else if (0 <= end_col && yylocp->first_column < end_col)
        res += YYFPRINTF (yyo, "-%d", end_col);
    }
  return res;
}

#   define YYLOCATION_PRINT  yy_location_print_

    /* Temporary convenience wrapper in case some people defined the
       undocumented and private YY_LOCATION_PRINT macros.  */
#   define YY_LOCATION_PRINT(File, Loc)  YYLOCATION_PRINT(File, &(Loc))

#  else

#   define YYLOCATION_PRINT(File, Loc) ((void) 0)
    /* Temporary convenience wrapper in case some people defined the
       undocumented and private YY_LOCATION_PRINT macros.  */
#   define YY_LOCATION_PRINT  YYLOCATION_PRINT

#  endif
# endif /* !defined YYLOCATION_PRINT */


# define YY_SYMBOL_PRINT(Title, Kind, Value, Location)                    \
do {                                                                      \
  if (yydebug)                                                            \
    {                                                                     \
      YYFPRINTF (stderr, "%s ", Title);                                   \
      yy_symbol_print (stderr,                                            \
                  Kind, Value, Location, p); \
      YYFPRINTF (stderr, "\n");                                           \
    }                                                                     \
} while (0)


/*-----------------------------------.
| Print this symbol's value on YYO.  |
`-----------------------------------*/

static void
yy_symbol_value_print (FILE *yyo,
                       yysymbol_kind_t yykind, YYSTYPE const * const yyvaluep, YYLTYPE const * const yylocationp, struct parse *p)
{
  FILE *yyoutput = yyo;
  YY_USE (yyoutput);
  YY_USE (yylocationp);
  YY_USE (p);
  if (!yyvaluep)
    return;
  YY_IGNORE_MAYBE_UNINITIALIZED_BEGIN
  YY_USE (yykind);
  YY_IGNORE_MAYBE_UNINITIALIZED_END
}


/*---------------------------.
| Print this symbol on YYO.  |
`---------------------------*/

static void
yy_symbol_print (FILE *yyo,
                 yysymbol_kind_t yykind, YYSTYPE const * const yyvaluep, YYLTYPE const * const yylocationp, struct parse *p)
{
  YYFPRINTF (yyo, "%s %s (",
             yykind < YYNTOKENS ? "token" : "nterm", yysymbol_name (yykind));

  YYLOCATION_PRINT (yyo, yylocationp);
  YYFPRINTF (yyo, ": ");
  yy_symbol_value_print (yyo, yykind, yyvaluep, yylocationp, p);
  YYFPRINTF (yyo, ")");
}

/*------------------------------------------------------------------.
| yy_stack_print -- Print the state stack from its BOTTOM up to its |
| TOP (included).                                                   |
`------------------------------------------------------------------*/

static void
yy_stack_print (yy_state_t *yybottom, yy_state_t *yytop)
{
  YYFPRINTF (stderr, "Stack now");
  for (; yybottom <= yytop; yybottom++)
    {
      int yybot = *yybottom;
      YYFPRINTF (stderr, " %d", yybot);
    }
  YYFPRINTF (stderr, "\n");
}

# define YY_STACK_PRINT(Bottom, Top)                            \
do {                                                            \
  if (yydebug)                                                  \
    yy_stack_print ((Bottom), (Top));                           \
} while (0)


/*------------------------------------------------.
| Report that the YYRULE is going to be reduced.  |
`------------------------------------------------*/

static void
yy_reduce_print (yy_state_t *yyssp, YYSTYPE *yyvsp, YYLTYPE *yylsp,
                 int yyrule, struct parse *p)
{
  int yylno = yyrline[yyrule];
  int yynrhs = yyr2[yyrule];
  int yyi;
  YYFPRINTF (stderr, "Reducing stack by rule %d (line %d):\n",
             yyrule - 1, yylno);
  /* The symbols being reduced.  */
  for (yyi = 0; yyi < yynrhs; yyi++)
    {
      YYFPRINTF (stderr, "   $%d = ", yyi + 1);
      yy_symbol_print (stderr,
                       YY_ACCESSING_SYMBOL (+yyssp[yyi + 1 - yynrhs]),
                       &yyvsp[(yyi + 1) - (yynrhs)],
                       &(yylsp[(yyi + 1) - (yynrhs)]), p);
      YYFPRINTF (stderr, "\n");
    }
}

# define YY_REDUCE_PRINT(Rule)          \
do {                                    \
  if (yydebug)                          \
    yy_reduce_print (yyssp, yyvsp, yylsp, Rule, p); \
} while (0)

/* Nonzero means print parse trace.  It is left uninitialized so that
   multiple parsers can coexist.  */
int yydebug;
#else /* !RULE_DEBUG */
# define YYDPRINTF(Args) ((void) 0)
# define YY_SYMBOL_PRINT(Title, Kind, Value, Location)
# define YY_STACK_PRINT(Bottom, Top)
# define YY_REDUCE_PRINT(Rule)
#endif /* !RULE_DEBUG */


/* YYINITDEPTH -- initial size of the parser's stacks.  */
#ifndef YYINITDEPTH
# define YYINITDEPTH 200
#endif

/* YYMAXDEPTH -- maximum size the stacks can grow to (effective only
   if the built-in stack extension method is used).

   Do not make this value too large; the results are undefined if
   YYSTACK_ALLOC_MAXIMUM < YYSTACK_BYTES (YYMAXDEPTH)
   evaluated with infinite-precision integer arithmetic.  */

#ifndef YYMAXDEPTH
# define YYMAXDEPTH 10000
#endif


/* Given a state stack such that *YYBOTTOM is its bottom, such that
   *YYTOP is either its top or is YYTOP_EMPTY to indicate an empty
   stack, and such that *YYCAPACITY is the maximum number of elements it
   can hold without a reallocation, make sure there is enough room to
   store YYADD more elements.  If not, allocate a new stack using
   YYSTACK_ALLOC, copy the existing elements, and adjust *YYBOTTOM,
   *YYTOP, and *YYCAPACITY to reflect the new capacity and memory
   location.  If *YYBOTTOM != YYBOTTOM_NO_FREE, then free the old stack
   using YYSTACK_FREE.  Return 0 if successful or if no reallocation is
   required.  Return YYENOMEM if memory is exhausted.  */
static int
yy_lac_stack_realloc (YYPTRDIFF_T *yycapacity, YYPTRDIFF_T yyadd,
#if RULE_DEBUG
                      char const *yydebug_prefix,
                      char const *yydebug_suffix,
#endif
                      yy_state_t **yybottom,
                      yy_state_t *yybottom_no_free,
                      yy_state_t **yytop, yy_state_t *yytop_empty)
{
  YYPTRDIFF_T yysize_old =
    *yytop == yytop_empty ? 0 : *yytop - *yybottom + 1;
  YYPTRDIFF_T yysize_new = yysize_old + yyadd;
  if (*yycapacity < yysize_new)
    {
      YYPTRDIFF_T yyalloc = 2 * yysize_new;
      yy_state_t *yybottom_new;
      /* Use YYMAXDEPTH for maximum stack size given that the stack
         should never need to grow larger than the main state stack
         needs to grow without LAC.  */
      if (YYMAXDEPTH < yysize_new)
        {
          YYDPRINTF ((stderr, "%smax size exceeded%s", yydebug_prefix,
                      yydebug_suffix));
          return YYENOMEM;
        }
      if (YYMAXDEPTH < yyalloc)
        yyalloc = YYMAXDEPTH;
      yybottom_new =
        YY_CAST (yy_state_t *,
                 YYSTACK_ALLOC (YY_CAST (YYSIZE_T,
                                         yyalloc * YYSIZEOF (*yybottom_new))));
      if (!yybottom_new)
        {
          YYDPRINTF ((stderr, "%srealloc failed%s", yydebug_prefix,
                      yydebug_suffix));
          return YYENOMEM;
        }
      if (*yytop != yytop_empty)
        {
          YYCOPY (yybottom_new, *yybottom, yysize_old);
          *yytop = yybottom_new + (yysize_old - 1);
        }
      if (*yybottom != yybottom_no_free)
        YYSTACK_FREE (*yybottom);
      *yybottom = yybottom_new;
      *yycapacity = yyalloc;
    }
  return 0;
}

/* Establish the initial context for the current lookahead if no initial
   context is currently established.

   We define a context as a snapshot of the parser stacks.  We define
   the initial context for a lookahead as the context in which the
   parser initially examines that lookahead in order to select a
   syntactic action.  Thus, if the lookahead eventually proves
   syntactically unacceptable (possibly in a later context reached via a
   series of reductions), the initial context can be used to determine
   the exact set of tokens that would be syntactically acceptable in the
   lookahead's place.  Moreover, it is the context after which any
   further semantic actions would be erroneous because they would be
   determined by a syntactically unacceptable token.

   YY_LAC_ESTABLISH should be invoked when a reduction is about to be
   performed in an inconsistent state (which, for the purposes of LAC,
   includes consistent states that don't know they're consistent because
   their default reductions have been disabled).  Iff there is a
   lookahead token, it should also be invoked before reporting a syntax
   error.  This latter case is for the sake of the debugging output.

   For parse.lac=full, the implementation of YY_LAC_ESTABLISH is as
   follows.  If no initial context is currently established for the
   current lookahead, then check if that lookahead can eventually be
   shifted if syntactic actions continue from the current context.
   Report a syntax error if it cannot.  */
#define YY_LAC_ESTABLISH                                                \
do {                                                                    \
  if (!yy_lac_established)                                              \
    {                                                                   \
      YYDPRINTF ((stderr,                                               \
                  "LAC: initial context established for %s\n",          \
                  yysymbol_name (yytoken)));                            \
      yy_lac_established = 1;                                           \
      switch (yy_lac (yyesa, &yyes, &yyes_capacity, yyssp, yytoken))    \
        {                                                               \
        case YYENOMEM:                                                  \
          YYNOMEM;                                                      \
        case 1:                                                         \
          goto yyerrlab;                                                \
        }                                                               \
    }                                                                   \
} while (0)

/* Discard any previous initial lookahead context because of Event,
   which may be a lookahead change or an invalidation of the currently
   established initial context for the current lookahead.

   The most common example of a lookahead change is a shift.  An example
   of both cases is syntax error recovery.  That is, a syntax error
   occurs when the lookahead is syntactically erroneous for the
   currently established initial context, so error recovery manipulates
   the parser stacks to try to find a new initial context in which the
   current lookahead is syntactically acceptable.  If it fails to find
   such a context, it discards the lookahead.  */
#if RULE_DEBUG
# define YY_LAC_DISCARD(Event)                                           \
do {                                                                     \
  if (yy_lac_established)                                                \
    {                                                                    \
      YYDPRINTF ((stderr, "LAC: initial context discarded due to "       \
                  Event "\n"));                                          \
      yy_lac_established = 0;                                            \
    }                                                                    \
} while (0)
#else
# define YY_LAC_DISCARD(Event) yy_lac_established = 0
#endif

/* Given the stack whose top is *YYSSP, return 0 iff YYTOKEN can
   eventually (after perhaps some reductions) be shifted, return 1 if
   not, or return YYENOMEM if memory is exhausted.  As preconditions and
   postconditions: *YYES_CAPACITY is the allocated size of the array to
   which *YYES points, and either *YYES = YYESA or *YYES points to an
   array allocated with YYSTACK_ALLOC.  yy_lac may overwrite the
   contents of either array, alter *YYES and *YYES_CAPACITY, and free
   any old *YYES other than YYESA.  */
static int
yy_lac (yy_state_t *yyesa, yy_state_t **yyes,
        YYPTRDIFF_T *yyes_capacity, yy_state_t *yyssp, yysymbol_kind_t yytoken)
{
  yy_state_t *yyes_prev = yyssp;
  yy_state_t *yyesp = yyes_prev;
  /* Reduce until we encounter a shift and thereby accept the token.  */
  YYDPRINTF ((stderr, "LAC: checking lookahead %s:", yysymbol_name (yytoken)));
  if (yytoken == YYSYMBOL_YYUNDEF)
    {
      YYDPRINTF ((stderr, " Always Err\n"));
      return 1;
    }
  while (1)
    {
      int yyrule = yypact[+*yyesp];
      if (yypact_value_is_default (yyrule)
          || (yyrule += yytoken) < 0 || YYLAST < yyrule
          || yycheck[yyrule] != yytoken)
        {
          /* Use the default action.  */
          yyrule = yydefact[+*yyesp];
          if (yyrule == 0)
            {
              YYDPRINTF ((stderr, " Err\n"));
              return 1;
            }
        }
      else
        {
          /* Use the action from yytable.  */
          yyrule = yytable[yyrule];
          if (yytable_value_is_error (yyrule))
            {
              YYDPRINTF ((stderr, " Err\n"));
              return 1;
            }
          if (0 < yyrule)
            {
              YYDPRINTF ((stderr, " S%d\n", yyrule));
              return 0;
            }
          yyrule = -yyrule;
        }
      /* By now we know we have to simulate a reduce.  */
      YYDPRINTF ((stderr, " R%d", yyrule - 1));
      {
        /* Pop the corresponding number of values from the stack.  */
        YYPTRDIFF_T yylen = yyr2[yyrule];
        /* First pop from the LAC stack as many tokens as possible.  */
        if (yyesp != yyes_prev)
          {
            YYPTRDIFF_T yysize = yyesp - *yyes + 1;
            if (yylen < yysize)
              {
                yyesp -= yylen;
                yylen = 0;
              }
            else
              {
                yyesp = yyes_prev;
                yylen -= yysize;
              }
          }
        /* Only afterwards look at the main stack.  */
        if (yylen)
          yyesp = yyes_prev -= yylen;
      }
      /* Push the resulting state of the reduction.  */
      {
        yy_state_fast_t yystate;
        {
          const int yylhs = yyr1[yyrule] - YYNTOKENS;
          const int yyi = yypgoto[yylhs] + *yyesp;
          yystate = (0 <= yyi && yyi <= YYLAST && yycheck[yyi] == *yyesp
                     ? yytable[yyi]
                     : yydefgoto[yylhs]);
        }
        if (yyesp == yyes_prev)
          {
            yyesp = *yyes;
            YY_IGNORE_USELESS_CAST_BEGIN
            *yyesp = YY_CAST (yy_state_t, yystate);
            YY_IGNORE_USELESS_CAST_END
          }
        else
          {
            if (yy_lac_stack_realloc (yyes_capacity, 1,
#if RULE_DEBUG
                                      " (", ")",
#endif
                                      yyes, yyesa, &yyesp, yyes_prev))
              {
                YYDPRINTF ((stderr, "\n"));
                return YYENOMEM;
              }
            YY_IGNORE_USELESS_CAST_BEGIN
            *++yyesp = YY_CAST (yy_state_t, yystate);
            YY_IGNORE_USELESS_CAST_END
          }
        YYDPRINTF ((stderr, " G%d", yystate));
      }
    }
}

/* Context of a parse error.  */
typedef struct
{
  yy_state_t *yyssp;
  yy_state_t *yyesa;
  yy_state_t **yyes;
  YYPTRDIFF_T *yyes_capacity;
  yysymbol_kind_t yytoken;
  YYLTYPE *yylloc;
} yypcontext_t;

/* Put in YYARG at most YYARGN of the expected tokens given the
   current YYCTX, and return the number of tokens stored in YYARG.  If
   YYARG is null, return the number of expected tokens (guaranteed to
   be less than YYNTOKENS).  Return YYENOMEM on memory exhaustion.
   Return 0 if there are more than YYARGN expected tokens, yet fill
   YYARG up to YYARGN. */
static int
yypcontext_expected_tokens (const yypcontext_t *yyctx,
                            yysymbol_kind_t yyarg[], int yyargn)
{
  /* Actual size of YYARG. */
  int yycount = 0;

  int yyx;
  for (yyx = 0; yyx < YYNTOKENS; ++yyx)
    {
      yysymbol_kind_t yysym = YY_CAST (yysymbol_kind_t, yyx);
      if (yysym != YYSYMBOL_YYerror && yysym != YYSYMBOL_YYUNDEF)
        switch (yy_lac (yyctx->yyesa, yyctx->yyes, yyctx->yyes_capacity, yyctx->yyssp, yysym))
          {
          case YYENOMEM:
            return YYENOMEM;
          case 1:
            continue;
          default:
            if (!yyarg)
              ++yycount;
            else if (yycount == yyargn)
              return 0;
            else
              yyarg[yycount++] = yysym;
          }
    }
  if (yyarg && yycount == 0 && 0 < yyargn)
    yyarg[0] = YYSYMBOL_YYEMPTY;
  return yycount;
}




/* The kind of the lookahead of this context.  */
static yysymbol_kind_t
yypcontext_token (const yypcontext_t *yyctx) YY_ATTRIBUTE_UNUSED;

static yysymbol_kind_t
yypcontext_token (const yypcontext_t *yyctx)
{
  return yyctx->yytoken;
}

/* The location of the lookahead of this context.  */
static YYLTYPE *
yypcontext_location (const yypcontext_t *yyctx) YY_ATTRIBUTE_UNUSED;

static YYLTYPE *
yypcontext_location (const yypcontext_t *yyctx)
{
  return yyctx->yylloc;
}

/* User defined function to report a syntax error.  */
static int
yyreport_syntax_error (const yypcontext_t *yyctx, struct parse *p);

/*-----------------------------------------------.
| Release the memory associated to this symbol.  |
`-----------------------------------------------*/

static void
yydestruct (const char *yymsg,
            yysymbol_kind_t yykind, YYSTYPE *yyvaluep, YYLTYPE *yylocationp, struct parse *p)
{
  YY_USE (yyvaluep);
  YY_USE (yylocationp);
  YY_USE (p);
  if (!yymsg)
    yymsg = "Deleting";
  YY_SYMBOL_PRINT (yymsg, yykind, yyvaluep, yylocationp);

  YY_IGNORE_MAYBE_UNINITIALIZED_BEGIN
  YY_USE (yykind);
  YY_IGNORE_MAYBE_UNINITIALIZED_END
}






/*----------.
| yyparse.  |
`----------*/

int
yyparse (struct parse *p)
{
/* Lookahead token kind.  */
int yychar;


/* The semantic value of the lookahead symbol.  */
/* Default value used for initialization, for pacifying older GCCs
   or non-GCC compilers.  */
YY_INITIAL_VALUE (static YYSTYPE yyval_default;)
YYSTYPE yylval YY_INITIAL_VALUE (= yyval_default);

/* Location data for the lookahead symbol.  */
static YYLTYPE yyloc_default
# if defined RULE_LTYPE_IS_TRIVIAL && RULE_LTYPE_IS_TRIVIAL
  = { 1, 1, 1, 1 }
# endif
;
YYLTYPE yylloc = yyloc_default;

    /* Number of syntax errors so far.  */
    int yynerrs = 0;

    yy_state_fast_t yystate = 0;
    /* Number of tokens to shift before error messages enabled.  */
    int yyerrstatus = 0;

    /* Refer to the stacks through separate pointers, to allow yyoverflow
       to reallocate them elsewhere.  */

    /* Their size.  */
    YYPTRDIFF_T yystacksize = YYINITDEPTH;

    /* The state stack: array, bottom, top.  */
    yy_state_t yyssa[YYINITDEPTH];
    yy_state_t *yyss = yyssa;
    yy_state_t *yyssp = yyss;

    /* The semantic value stack: array, bottom, top.  */
    YYSTYPE yyvsa[YYINITDEPTH];
    YYSTYPE *yyvs = yyvsa;
    YYSTYPE *yyvsp = yyvs;

    /* The location stack: array, bottom, top.  */
    YYLTYPE yylsa[YYINITDEPTH];
    YYLTYPE *yyls = yylsa;
    YYLTYPE *yylsp = yyls;

    yy_state_t yyesa[20];
    yy_state_t *yyes = yyesa;
    YYPTRDIFF_T yyes_capacity = 20 < YYMAXDEPTH ? 20 : YYMAXDEPTH;

  /* Whether LAC context is established.  A Boolean.  */
  int yy_lac_established = 0;
  int yyn;
  /* The return value of yyparse.  */
  int yyresult;
  /* Lookahead symbol kind.  */
  yysymbol_kind_t yytoken = YYSYMBOL_YYEMPTY;
  /* The variables used to return semantic value and location from the
     action routines.  */
  YYSTYPE yyval;
  YYLTYPE yyloc;

  /* The locations where the error started and ended.  */
  YYLTYPE yyerror_range[3];



#define YYPOPSTACK(N)   (yyvsp -= (N), yyssp -= (N), yylsp -= (N))

  /* The number of symbols on the RHS of the reduced rule.
     Keep to zero when no symbol should be popped.  */
  int yylen = 0;

  YYDPRINTF ((stderr, "Starting parse\n"));

  yychar = T_RULE_EMPTY; /* Cause a token to be read.  */

  yylsp[0] = yylloc;
  goto yysetstate;


/*------------------------------------------------------------.
| yynewstate -- push a new state, which is found in yystate.  |
`------------------------------------------------------------*/
yynewstate:
  /* In all cases, when you get here, the value and location stacks
     have just been pushed.  So pushing a state here evens the stacks.  */
  yyssp++;


/*--------------------------------------------------------------------.
| yysetstate -- set current state (the top of the stack) to yystate.  |
`--------------------------------------------------------------------*/
yysetstate:
  YYDPRINTF ((stderr, "Entering state %d\n", yystate));
  YY_ASSERT (0 <= yystate && yystate < YYNSTATES);
  YY_IGNORE_USELESS_CAST_BEGIN
  *yyssp = YY_CAST (yy_state_t, yystate);
  YY_IGNORE_USELESS_CAST_END
  YY_STACK_PRINT (yyss, yyssp);

  if (yyss + yystacksize - 1 <= yyssp)
#if !defined yyoverflow && !defined YYSTACK_RELOCATE
    YYNOMEM;
#else
    {
      /* Get the current used size of the three stacks, in elements.  */
      YYPTRDIFF_T yysize = yyssp - yyss + 1;

# if defined yyoverflow
      {
        /* Give user a chance to reallocate the stack.  Use copies of
           these so that the &'s don't force the real ones into
           memory.  */
        yy_state_t *yyss1 = yyss;
        YYSTYPE *yyvs1 = yyvs;
        YYLTYPE *yyls1 = yyls;

        /* Each stack pointer address is followed by the size of the
           data in use in that stack, in bytes.  This used to be a
           conditional around just the two extra args, but that might
           be undefined if yyoverflow is a macro.  */
        yyoverflow (YY_("memory exhausted"),
                    &yyss1, yysize * YYSIZEOF (*yyssp),
                    &yyvs1, yysize * YYSIZEOF (*yyvsp),
                    &yyls1, yysize * YYSIZEOF (*yylsp),
                    &yystacksize);
        yyss = yyss1;
        yyvs = yyvs1;
        yyls = yyls1;
      }
# else /* defined YYSTACK_RELOCATE */
      /* Extend the stack our own way.  */
      if (YYMAXDEPTH <= yystacksize)
        YYNOMEM;
      yystacksize *= 2;
      if (YYMAXDEPTH < yystacksize)
        yystacksize = YYMAXDEPTH;

      {
        yy_state_t *yyss1 = yyss;
        union yyalloc *yyptr =
          YY_CAST (union yyalloc *,
                   YYSTACK_ALLOC (YY_CAST (YYSIZE_T, YYSTACK_BYTES (yystacksize))));
        if (! yyptr)
          YYNOMEM;
        YYSTACK_RELOCATE (yyss_alloc, yyss);
        YYSTACK_RELOCATE (yyvs_alloc, yyvs);
        YYSTACK_RELOCATE (yyls_alloc, yyls);
#  undef YYSTACK_RELOCATE
        if (yyss1 != yyssa)
          YYSTACK_FREE (yyss1);
      }
# endif

      yyssp = yyss + yysize - 1;
      yyvsp = yyvs + yysize - 1;
      yylsp = yyls + yysize - 1;

      YY_IGNORE_USELESS_CAST_BEGIN
      YYDPRINTF ((stderr, "Stack size increased to %ld\n",
                  YY_CAST (long, yystacksize)));
      YY_IGNORE_USELESS_CAST_END

      if (yyss + yystacksize - 1 <= yyssp)
        YYABORT;
    }
#endif /* !defined yyoverflow && !defined YYSTACK_RELOCATE */


  if (yystate == YYFINAL)
    YYACCEPT;

  goto yybackup;


/*-----------.
| yybackup.  |
`-----------*/
yybackup:
  /* Do appropriate processing given the current state.  Read a
     lookahead token if we need one and don't already have one.  */

  /* First try to decide what to do without reference to lookahead token.  */
  yyn = yypact[yystate];
  if (yypact_value_is_default (yyn))
    goto yydefault;

  /* Not known => get a lookahead token if don't already have one.  */

  /* YYCHAR is either empty, or end-of-input, or a valid lookahead.  */
  if (yychar == T_RULE_EMPTY)
    {
      YYDPRINTF ((stderr, "Reading a token\n"));
      yychar = yylex (&yylval, &yylloc, p);
    }

  if (yychar <= T_YYEOF)
    {
      yychar = T_YYEOF;
      yytoken = YYSYMBOL_YYEOF;
      YYDPRINTF ((stderr, "Now at end of input.\n"));
    }
  else if (yychar == T_RULE_error)
    {
      /* The scanner already issued an error message, process directly
         to error recovery.  But do not keep the error token as
         lookahead, it is too special and may lead us to an endless
         loop in error recovery. */
      yychar = T_RULE_UNDEF;
      yytoken = YYSYMBOL_YYerror;
      yyerror_range[1] = yylloc;
      goto yyerrlab1;
    }
  else
    {
      yytoken = YYTRANSLATE (yychar);
      YY_SYMBOL_PRINT ("Next token is", yytoken, &yylval, &yylloc);
    }

  /* If the proper action on seeing token YYTOKEN is to reduce or to
     detect an error, take that action.  */
  yyn += yytoken;
  if (yyn < 0 || YYLAST < yyn || yycheck[yyn] != yytoken)
    {
      YY_LAC_ESTABLISH;
      goto yydefault;
    }
  yyn = yytable[yyn];
  if (yyn <= 0)
    {
      if (yytable_value_is_error (yyn))
        goto yyerrlab;
      yyn = -yyn;
      YY_LAC_ESTABLISH;
      goto yyreduce;
    }

  /* Count tokens shifted since error; after three, turn off error
     status.  */
  if (yyerrstatus)
    yyerrstatus--;

  /* Shift the lookahead token.  */
  YY_SYMBOL_PRINT ("Shifting", yytoken, &yylval, &yylloc);
  yystate = yyn;
  YY_IGNORE_MAYBE_UNINITIALIZED_BEGIN
  *++yyvsp = yylval;
  YY_IGNORE_MAYBE_UNINITIALIZED_END
  *++yylsp = yylloc;

  /* Discard the shifted token.  */
  yychar = T_RULE_EMPTY;
  YY_LAC_DISCARD ("shift");
  goto yynewstate;


/*-----------------------------------------------------------.
| yydefault -- do the default action for the current state.  |
`-----------------------------------------------------------*/
yydefault:
  yyn = yydefact[yystate];
  if (yyn == 0)
    goto yyerrlab;
  goto yyreduce;


/*-----------------------------.
| yyreduce -- do a reduction.  |
`-----------------------------*/
yyreduce:
  /* yyn is the number of a rule to reduce with.  */
  yylen = yyr2[yyn];

  /* If YYLEN is nonzero, implement the default value of the action:
     '$$ = $1'.

     Otherwise, the following line sets YYVAL to garbage.
     This behavior is undocumented and Bison
     users should not rely upon it.  Assigning to YYVAL
     unconditionally makes the parser a bit smaller, and it avoids a
     GCC warning that YYVAL may be used uninitialized.  */
  yyval = yyvsp[1-yylen];

  /* Default location. */
  YYLLOC_DEFAULT (yyloc, (yylsp - yylen), yylen);
  yyerror_range[1] = yyloc;
  YY_REDUCE_PRINT (yyn);
  {
    int yychar_backup = yychar;
    switch (yyn)
      {
  case 3: /* start: "one expression" expr  */
#line 141 "../grammar/rule.y"
                                            { build_result(p, (yyvsp[0].expr)); }
#line 2882 "grammar/rule_parser.c"
    break;

  case 13: /* declaration: error  */
#line 148 "../grammar/rule.y"
                                            { build_recover_declaration(p); yyclearin; yyerrok; }
#line 2888 "grammar/rule_parser.c"
    break;

  case 105: /* names: name  */
#line 170 "../grammar/rule.y"
                                            { (yyval.list) = build_append_name(p, NULL, (yyvsp[0].name)); }
#line 2894 "grammar/rule_parser.c"
    break;

  case 106: /* names: names "," name  */
#line 171 "../grammar/rule.y"
                                            { (yyval.list) = build_append_name(p, (yyvsp[-2].list), (yyvsp[0].name)); }
#line 2900 "grammar/rule_parser.c"
    break;

  case 107: /* targets: name  */
#line 175 "../grammar/rule.y"
                                            { (yyval.names) = build_one_name(p, (yyvsp[0].name)); }
#line 2906 "grammar/rule_parser.c"
    break;

  case 108: /* targets: "[" names opt_comma "]"  */
#line 176 "../grammar/rule.y"
                                            { (yyval.names) = build_names(p, (yyloc), (yyvsp[-2].list)); }
#line 2912 "grammar/rule_parser.c"
    break;

  case 109: /* stream_names: stream_ref  */
#line 180 "../grammar/rule.y"
                                            { (yyval.list) = build_append_name(p, NULL, (yyvsp[0].name)); }
#line 2918 "grammar/rule_parser.c"
    break;

  case 110: /* stream_names: stream_names "," stream_ref  */
#line 181 "../grammar/rule.y"
                                            { (yyval.list) = build_append_name(p, (yyvsp[-2].list), (yyvsp[0].name)); }
#line 2924 "grammar/rule_parser.c"
    break;

  case 111: /* streams: stream_ref  */
#line 185 "../grammar/rule.y"
                                            { (yyval.names) = build_one_name(p, (yyvsp[0].name)); }
#line 2930 "grammar/rule_parser.c"
    break;

  case 112: /* streams: "[" stream_names opt_comma "]"  */
#line 186 "../grammar/rule.y"
                                            { (yyval.names) = build_names(p, (yyloc), (yyvsp[-2].list)); }
#line 2936 "grammar/rule_parser.c"
    break;

  case 118: /* expr: or_terms  */
#line 195 "../grammar/rule.y"
                                            { (yyval.expr) = build_terms(p, AST_OP_OR, (yyvsp[0].list)); }
#line 2942 "grammar/rule_parser.c"
    break;

  case 119: /* or_terms: and_expr "or" and_expr  */
#line 198 "../grammar/rule.y"
                                            { (yyval.list) = build_append(p, build_append(p, NULL, (yyvsp[-2].expr)), (yyvsp[0].expr)); }
#line 2948 "grammar/rule_parser.c"
    break;

  case 120: /* or_terms: or_terms "or" and_expr  */
#line 199 "../grammar/rule.y"
                                            { (yyval.list) = build_append(p, (yyvsp[-2].list), (yyvsp[0].expr)); }
#line 2954 "grammar/rule_parser.c"
    break;

  case 122: /* and_expr: and_terms  */
#line 202 "../grammar/rule.y"
                                            { (yyval.expr) = build_terms(p, AST_OP_AND, (yyvsp[0].list)); }
#line 2960 "grammar/rule_parser.c"
    break;

  case 123: /* and_terms: not_expr "and" not_expr  */
#line 205 "../grammar/rule.y"
                                            { (yyval.list) = build_append(p, build_append(p, NULL, (yyvsp[-2].expr)), (yyvsp[0].expr)); }
#line 2966 "grammar/rule_parser.c"
    break;

  case 124: /* and_terms: and_terms "and" not_expr  */
#line 206 "../grammar/rule.y"
                                            { (yyval.list) = build_append(p, (yyvsp[-2].list), (yyvsp[0].expr)); }
#line 2972 "grammar/rule_parser.c"
    break;

  case 126: /* not_expr: "not" not_expr  */
#line 209 "../grammar/rule.y"
                                            { (yyval.expr) = build_not(p, (yyloc), (yyvsp[0].expr)); }
#line 2978 "grammar/rule_parser.c"
    break;

  case 128: /* comparison: fallback compare fallback  */
#line 211 "../grammar/rule.y"
                                                       { (yyval.expr) = build_compare(p, (yyloc), (yyvsp[-1].op), (yyvsp[-2].expr), (yyvsp[0].expr)); }
#line 2984 "grammar/rule_parser.c"
    break;

  case 144: /* fallback: fallback "??" sum  */
#line 218 "../grammar/rule.y"
                                            { (yyval.expr) = build_binary(p, (yyloc), AST_OP_DEFAULT, (yyvsp[-2].expr), (yyvsp[0].expr)); }
#line 2990 "grammar/rule_parser.c"
    break;

  case 146: /* sum: sum "+" product  */
#line 222 "../grammar/rule.y"
                                            { (yyval.expr) = build_binary(p, (yyloc), AST_OP_ADD, (yyvsp[-2].expr), (yyvsp[0].expr)); }
#line 2996 "grammar/rule_parser.c"
    break;

  case 147: /* sum: sum "-" product  */
#line 223 "../grammar/rule.y"
                                            { (yyval.expr) = build_binary(p, (yyloc), AST_OP_SUB, (yyvsp[-2].expr), (yyvsp[0].expr)); }
#line 3002 "grammar/rule_parser.c"
    break;

  case 149: /* product: product "*" unary  */
#line 228 "../grammar/rule.y"
                                            { (yyval.expr) = build_binary(p, (yyloc), AST_OP_MUL, (yyvsp[-2].expr), (yyvsp[0].expr)); }
#line 3008 "grammar/rule_parser.c"
    break;

  case 150: /* product: product "/" unary  */
#line 229 "../grammar/rule.y"
                                            { (yyval.expr) = build_binary(p, (yyloc), AST_OP_DIV, (yyvsp[-2].expr), (yyvsp[0].expr)); }
#line 3014 "grammar/rule_parser.c"
    break;

  case 151: /* product: product "%" unary  */
#line 230 "../grammar/rule.y"
                                            { (yyval.expr) = build_binary(p, (yyloc), AST_OP_MOD, (yyvsp[-2].expr), (yyvsp[0].expr)); }
#line 3020 "grammar/rule_parser.c"
    break;

  case 153: /* unary: "-" unary  */
#line 233 "../grammar/rule.y"
                                            { (yyval.expr) = build_negative(p, (yyloc), (yyvsp[0].expr)); }
#line 3026 "grammar/rule_parser.c"
    break;

  case 155: /* primary: reference  */
#line 237 "../grammar/rule.y"
                                            { (yyval.expr) = build_path_expr(p, (yyloc), (yyvsp[0].path)); }
#line 3032 "grammar/rule_parser.c"
    break;

  case 157: /* primary: "any" "(" name "in" fallback ":" expr ")"  */
#line 239 "../grammar/rule.y"
                                              { (yyval.expr) = build_quantified(p, (yyloc), false, (yyvsp[-5].name), (yyvsp[-4].op), (yyvsp[-3].expr), (yyvsp[-1].expr)); }
#line 3038 "grammar/rule_parser.c"
    break;

  case 158: /* primary: "all" "(" name "in" fallback ":" expr ")"  */
#line 240 "../grammar/rule.y"
                                              { (yyval.expr) = build_quantified(p, (yyloc), true, (yyvsp[-5].name), (yyvsp[-4].op), (yyvsp[-3].expr), (yyvsp[-1].expr)); }
#line 3044 "grammar/rule_parser.c"
    break;

  case 159: /* primary: "(" expr ")"  */
#line 241 "../grammar/rule.y"
                                            { (yyval.expr) = build_parenthesised((yyvsp[-1].expr)); }
#line 3050 "grammar/rule_parser.c"
    break;

  case 170: /* list: "[" "]"  */
#line 247 "../grammar/rule.y"
                                            { (yyval.expr) = build_list_expr(p, (yyloc), NULL); }
#line 3056 "grammar/rule_parser.c"
    break;

  case 171: /* list: "[" exprs opt_comma "]"  */
#line 248 "../grammar/rule.y"
                                            { (yyval.expr) = build_list_expr(p, (yyloc), (yyvsp[-2].list)); }
#line 3062 "grammar/rule_parser.c"
    break;

  case 172: /* exprs: expr  */
#line 252 "../grammar/rule.y"
                                            { (yyval.list) = build_append(p, NULL, (yyvsp[0].expr)); }
#line 3068 "grammar/rule_parser.c"
    break;

  case 173: /* exprs: exprs "," expr  */
#line 253 "../grammar/rule.y"
                                            { (yyval.list) = build_append(p, (yyvsp[-2].list), (yyvsp[0].expr)); }
#line 3074 "grammar/rule_parser.c"
    break;

  case 174: /* path: name  */
#line 257 "../grammar/rule.y"
                                            { (yyval.path) = build_path(p, (yyvsp[0].name)); }
#line 3080 "grammar/rule_parser.c"
    break;

  case 175: /* path: path "." "a name"  */
#line 258 "../grammar/rule.y"
                                            { (yyval.path) = build_path_name(p, (yyvsp[-2].path), (yyvsp[0].name)); }
#line 3086 "grammar/rule_parser.c"
    break;

  case 176: /* path: path "[" expr "]"  */
#line 259 "../grammar/rule.y"
                                            { (yyval.path) = build_path_index(p, (yylsp[-1]), (yyvsp[-3].path), (yyvsp[-1].expr)); }
#line 3092 "grammar/rule_parser.c"
    break;

  case 179: /* call: name "(" args ")"  */
#line 264 "../grammar/rule.y"
                                            { (yyval.path) = build_path_of_call(p, build_call(p, (yyloc), (yyvsp[-3].name), (yyvsp[-1].args))); }
#line 3098 "grammar/rule_parser.c"
    break;

  case 180: /* call: call "." "a name"  */
#line 265 "../grammar/rule.y"
                                            { (yyval.path) = build_path_name(p, (yyvsp[-2].path), (yyvsp[0].name)); }
#line 3104 "grammar/rule_parser.c"
    break;

  case 181: /* call: call "[" expr "]"  */
#line 266 "../grammar/rule.y"
                                            { (yyval.path) = build_path_index(p, (yylsp[-1]), (yyvsp[-3].path), (yyvsp[-1].expr)); }
#line 3110 "grammar/rule_parser.c"
    break;

  case 182: /* args: %empty  */
#line 270 "../grammar/rule.y"
                                            { (yyval.args) = build_args(NULL, NULL, NULL); }
#line 3116 "grammar/rule_parser.c"
    break;

  case 183: /* args: exprs  */
#line 271 "../grammar/rule.y"
                                            { (yyval.args) = build_args((yyvsp[0].list), NULL, NULL); }
#line 3122 "grammar/rule_parser.c"
    break;

  case 184: /* args: "within" "a duration"  */
#line 272 "../grammar/rule.y"
                                            { (yyval.args) = build_args(NULL, NULL, (yyvsp[0].expr)); }
#line 3128 "grammar/rule_parser.c"
    break;

  case 185: /* args: exprs "," "within" "a duration"  */
#line 273 "../grammar/rule.y"
                                            { (yyval.args) = build_args((yyvsp[-3].list), NULL, (yyvsp[0].expr)); }
#line 3134 "grammar/rule_parser.c"
    break;

  case 186: /* args: "where" expr  */
#line 274 "../grammar/rule.y"
                                            { (yyval.args) = build_args(NULL, (yyvsp[0].expr), NULL); }
#line 3140 "grammar/rule_parser.c"
    break;

  case 187: /* args: exprs "where" expr  */
#line 275 "../grammar/rule.y"
                                            { (yyval.args) = build_args((yyvsp[-2].list), (yyvsp[0].expr), NULL); }
#line 3146 "grammar/rule_parser.c"
    break;

  case 188: /* args: "where" expr "," "within" "a duration"  */
#line 276 "../grammar/rule.y"
                                            { (yyval.args) = build_args(NULL, (yyvsp[-3].expr), (yyvsp[0].expr)); }
#line 3152 "grammar/rule_parser.c"
    break;

  case 189: /* args: exprs "where" expr "," "within" "a duration"  */
#line 277 "../grammar/rule.y"
                                             { (yyval.args) = build_args((yyvsp[-5].list), (yyvsp[-3].expr), (yyvsp[0].expr)); }
#line 3158 "grammar/rule_parser.c"
    break;

  case 190: /* path_expr: path  */
#line 280 "../grammar/rule.y"
                                            { (yyval.expr) = build_path_expr(p, (yyloc), (yyvsp[0].path)); }
#line 3164 "grammar/rule_parser.c"
    break;

  case 191: /* paths: path_expr  */
#line 282 "../grammar/rule.y"
                                            { (yyval.list) = build_append(p, NULL, (yyvsp[0].expr)); }
#line 3170 "grammar/rule_parser.c"
    break;

  case 192: /* paths: paths "," path_expr  */
#line 283 "../grammar/rule.y"
                                            { (yyval.list) = build_append(p, (yyvsp[-2].list), (yyvsp[0].expr)); }
#line 3176 "grammar/rule_parser.c"
    break;

  case 193: /* fields: "{" assigns "}"  */
#line 286 "../grammar/rule.y"
                                            { (yyval.list) = (yyvsp[-1].list); }
#line 3182 "grammar/rule_parser.c"
    break;

  case 194: /* assigns: %empty  */
#line 287 "../grammar/rule.y"
                                            { (yyval.list) = NULL; }
#line 3188 "grammar/rule_parser.c"
    break;

  case 195: /* assigns: assigns assign  */
#line 288 "../grammar/rule.y"
                                            { (yyval.list) = build_append(p, (yyvsp[-1].list), (yyvsp[0].assign)); }
#line 3194 "grammar/rule_parser.c"
    break;

  case 196: /* assign: path "=" expr  */
#line 290 "../grammar/rule.y"
                                            { (yyval.assign) = build_assign(p, (yyloc), (yyvsp[-2].path), (yylsp[-2]), (yyvsp[0].expr)); }
#line 3200 "grammar/rule_parser.c"
    break;

  case 197: /* stream: "stream" name "=" stream_names opt_where opt_fields opt_expect  */
#line 296 "../grammar/rule.y"
                                            { build_stream(p, (yyloc), (yyvsp[-5].name), (yyvsp[-3].list), (yyvsp[-2].expr), (yyvsp[-1].list), (yyvsp[0].stream)); }
#line 3206 "grammar/rule_parser.c"
    break;

  case 198: /* opt_where: %empty  */
#line 298 "../grammar/rule.y"
                  { (yyval.expr) = NULL; }
#line 3212 "grammar/rule_parser.c"
    break;

  case 199: /* opt_where: "where" expr  */
#line 298 "../grammar/rule.y"
                                                { (yyval.expr) = (yyvsp[0].expr); }
#line 3218 "grammar/rule_parser.c"
    break;

  case 200: /* opt_fields: %empty  */
#line 299 "../grammar/rule.y"
                   { (yyval.list) = NULL; }
#line 3224 "grammar/rule_parser.c"
    break;

  case 202: /* opt_expect: %empty  */
#line 301 "../grammar/rule.y"
                                            { (yyval.stream) = NULL; }
#line 3230 "grammar/rule_parser.c"
    break;

  case 203: /* opt_expect: "expect" expr "else" "warn"  */
#line 302 "../grammar/rule.y"
                                            { (yyval.stream) = build_stream_expect(p, (yyvsp[-2].expr), AST_ELSE_WARN, (struct ast_name){0}); }
#line 3236 "grammar/rule_parser.c"
    break;

  case 204: /* opt_expect: "expect" expr "else" "drop"  */
#line 303 "../grammar/rule.y"
                                            { (yyval.stream) = build_stream_expect(p, (yyvsp[-2].expr), AST_ELSE_DROP, (struct ast_name){0}); }
#line 3242 "grammar/rule_parser.c"
    break;

  case 205: /* opt_expect: "expect" expr "else" "quarantine" name  */
#line 304 "../grammar/rule.y"
                                            { (yyval.stream) = build_stream_expect(p, (yyvsp[-3].expr), AST_ELSE_QUARANTINE, (yyvsp[0].name)); }
#line 3248 "grammar/rule_parser.c"
    break;

  case 206: /* named_list: "list" name "=" list_kind list_source  */
#line 307 "../grammar/rule.y"
                                                  { build_list(p, (yyloc), (yyvsp[-3].name), (enum ast_list_kind)(yyvsp[-1].number), (yyvsp[0].items)); }
#line 3254 "grammar/rule_parser.c"
    break;

  case 207: /* list_kind: %empty  */
#line 309 "../grammar/rule.y"
                                            { (yyval.number) = AST_LIST_PLAIN; }
#line 3260 "grammar/rule_parser.c"
    break;

  case 208: /* list_kind: "text"  */
#line 310 "../grammar/rule.y"
                                            { (yyval.number) = AST_LIST_TEXT; }
#line 3266 "grammar/rule_parser.c"
    break;

  case 209: /* list_kind: "cidr"  */
#line 311 "../grammar/rule.y"
                                            { (yyval.number) = AST_LIST_CIDR; }
#line 3272 "grammar/rule_parser.c"
    break;

  case 210: /* list_kind: "like"  */
#line 312 "../grammar/rule.y"
                                            { (yyval.number) = build_list_kind(p, (yylsp[0]), (yyvsp[0].op)); }
#line 3278 "grammar/rule_parser.c"
    break;

  case 211: /* list_kind: "regex"  */
#line 313 "../grammar/rule.y"
                                            { (yyval.number) = build_list_kind(p, (yylsp[0]), (yyvsp[0].op)); }
#line 3284 "grammar/rule_parser.c"
    break;

  case 212: /* list_source: list  */
#line 316 "../grammar/rule.y"
                                            { (yyval.items) = build_list_items(p, (yyvsp[0].expr)); }
#line 3290 "grammar/rule_parser.c"
    break;

  case 213: /* list_source: "file" text  */
#line 317 "../grammar/rule.y"
                                            { (yyval.items) = build_list_file(p, (yyvsp[0].expr)); }
#line 3296 "grammar/rule_parser.c"
    break;

  case 214: /* table: "table" name "=" table_source "key" path_expr opt_keep  */
#line 320 "../grammar/rule.y"
                                                              { build_table(p, (yyloc), (yyvsp[-5].name), (yyvsp[-3].table), (yyvsp[-1].expr), (yyvsp[0].expr)); }
#line 3302 "grammar/rule_parser.c"
    break;

  case 215: /* table_source: "file" text  */
#line 322 "../grammar/rule.y"
                                            { (yyval.table) = build_table_file(p, (yyvsp[0].expr)); }
#line 3308 "grammar/rule_parser.c"
    break;

  case 216: /* table_source: "from" name  */
#line 323 "../grammar/rule.y"
                                            { (yyval.table) = build_table_stream(p, (yyvsp[0].name)); }
#line 3314 "grammar/rule_parser.c"
    break;

  case 217: /* table_source: "kafka" block  */
#line 324 "../grammar/rule.y"
                                            { (yyval.table) = build_table_kafka(p, (yyvsp[0].list)); }
#line 3320 "grammar/rule_parser.c"
    break;

  case 218: /* opt_keep: %empty  */
#line 326 "../grammar/rule.y"
                 { (yyval.expr) = NULL; }
#line 3326 "grammar/rule_parser.c"
    break;

  case 219: /* opt_keep: "keep" "a duration"  */
#line 326 "../grammar/rule.y"
                                                  { (yyval.expr) = (yyvsp[0].expr); }
#line 3332 "grammar/rule_parser.c"
    break;

  case 220: /* def: "def" name "(" opt_params ")" "=" expr  */
#line 328 "../grammar/rule.y"
                                            { build_def(p, (yyloc), (yyvsp[-5].name), (yyvsp[-3].list), (yyvsp[0].expr)); }
#line 3338 "grammar/rule_parser.c"
    break;

  case 221: /* opt_params: %empty  */
#line 329 "../grammar/rule.y"
                   { (yyval.list) = NULL; }
#line 3344 "grammar/rule_parser.c"
    break;

  case 223: /* exception: "exception" text "for" targets opt_until "where" expr  */
#line 333 "../grammar/rule.y"
                                            { build_exception(p, (yyloc), (yyvsp[-5].expr), (yyvsp[-3].names), (yyvsp[-2].expr), (yyvsp[0].expr)); }
#line 3350 "grammar/rule_parser.c"
    break;

  case 224: /* opt_until: %empty  */
#line 335 "../grammar/rule.y"
                  { (yyval.expr) = NULL; }
#line 3356 "grammar/rule_parser.c"
    break;

  case 225: /* opt_until: "until" "a time"  */
#line 335 "../grammar/rule.y"
                                                { (yyval.expr) = (yyvsp[0].expr); }
#line 3362 "grammar/rule_parser.c"
    break;

  case 226: /* config: "engine" block  */
#line 340 "../grammar/rule.y"
                                            { build_config(p, (yyloc), AST_ENGINE, (struct ast_name){0}, (yyvsp[0].list)); }
#line 3368 "grammar/rule_parser.c"
    break;

  case 227: /* config: "source" name block  */
#line 341 "../grammar/rule.y"
                                            { build_config(p, (yyloc), AST_SOURCE, (yyvsp[-1].name), (yyvsp[0].list)); }
#line 3374 "grammar/rule_parser.c"
    break;

  case 228: /* config: "sink" name block  */
#line 342 "../grammar/rule.y"
                                            { build_config(p, (yyloc), AST_SINK, (yyvsp[-1].name), (yyvsp[0].list)); }
#line 3380 "grammar/rule_parser.c"
    break;

  case 229: /* config: "http" block  */
#line 343 "../grammar/rule.y"
                                            { build_config(p, (yyloc), AST_HTTP, (struct ast_name){0}, (yyvsp[0].list)); }
#line 3386 "grammar/rule_parser.c"
    break;

  case 230: /* config: "route" block  */
#line 344 "../grammar/rule.y"
                                            { build_config(p, (yyloc), AST_ROUTE, (struct ast_name){0}, (yyvsp[0].list)); }
#line 3392 "grammar/rule_parser.c"
    break;

  case 231: /* config: "default_to" targets  */
#line 345 "../grammar/rule.y"
                                            { build_default_to(p, (yyloc), (yyvsp[0].names)); }
#line 3398 "grammar/rule_parser.c"
    break;

  case 232: /* block: "{" entries "}"  */
#line 348 "../grammar/rule.y"
                                            { (yyval.list) = (yyvsp[-1].list); }
#line 3404 "grammar/rule_parser.c"
    break;

  case 233: /* entries: %empty  */
#line 349 "../grammar/rule.y"
                                            { (yyval.list) = NULL; }
#line 3410 "grammar/rule_parser.c"
    break;

  case 234: /* entries: entries entry  */
#line 350 "../grammar/rule.y"
                                            { (yyval.list) = build_append(p, (yyvsp[-1].list), (yyvsp[0].config)); }
#line 3416 "grammar/rule_parser.c"
    break;

  case 235: /* entry: config_key config_value  */
#line 353 "../grammar/rule.y"
                                            { (yyval.config) = build_entry(p, (yyloc), (yyvsp[-1].path), (yylsp[-1]), (yyvsp[0].expr)); }
#line 3422 "grammar/rule_parser.c"
    break;

  case 236: /* entry: config_key block  */
#line 354 "../grammar/rule.y"
                                            { (yyval.config) = build_block(p, (yyloc), (yyvsp[-1].path), (yylsp[-1]), (yyvsp[0].list)); }
#line 3428 "grammar/rule_parser.c"
    break;

  case 237: /* config_key: name  */
#line 357 "../grammar/rule.y"
                                            { (yyval.path) = build_path(p, (yyvsp[0].name)); }
#line 3434 "grammar/rule_parser.c"
    break;

  case 238: /* config_key: config_key "." "a name"  */
#line 358 "../grammar/rule.y"
                                            { (yyval.path) = build_path_name(p, (yyvsp[-2].path), (yyvsp[0].name)); }
#line 3440 "grammar/rule_parser.c"
    break;

  case 244: /* config_value: "-" amount  */
#line 363 "../grammar/rule.y"
                                            { (yyval.expr) = build_negative(p, (yyloc), (yyvsp[0].expr)); }
#line 3446 "grammar/rule_parser.c"
    break;

  case 246: /* config_value: name "(" exprs ")"  */
#line 365 "../grammar/rule.y"
                                            { (yyval.expr) = build_call(p, (yyloc), (yyvsp[-3].name), build_args((yyvsp[-1].list), NULL, NULL)); }
#line 3452 "grammar/rule_parser.c"
    break;

  case 247: /* $@1: %empty  */
#line 370 "../grammar/rule.y"
                                            { build_rule_begin(p, (yyvsp[-1].name)); }
#line 3458 "grammar/rule_parser.c"
    break;

  case 248: /* rule: "rule" name "{" $@1 clauses "}"  */
#line 371 "../grammar/rule.y"
                                            { build_rule_end(p, (yyloc)); }
#line 3464 "grammar/rule_parser.c"
    break;

  case 251: /* clause: "title" text  */
#line 376 "../grammar/rule.y"
                                            { build_title(p, (yyloc), (yyvsp[0].expr)); }
#line 3470 "grammar/rule_parser.c"
    break;

  case 252: /* clause: "description" text  */
#line 377 "../grammar/rule.y"
                                            { build_description(p, (yyloc), (yyvsp[0].expr)); }
#line 3476 "grammar/rule_parser.c"
    break;

  case 253: /* clause: "severity" expr  */
#line 378 "../grammar/rule.y"
                                            { build_severity(p, (yyloc), (yyvsp[0].expr)); }
#line 3482 "grammar/rule_parser.c"
    break;

  case 254: /* clause: "risk" expr  */
#line 379 "../grammar/rule.y"
                                            { build_risk(p, (yyloc), (yyvsp[0].expr)); }
#line 3488 "grammar/rule_parser.c"
    break;

  case 255: /* clause: "tags" list  */
#line 380 "../grammar/rule.y"
                                            { build_tags(p, (yyloc), (yyvsp[0].expr)); }
#line 3494 "grammar/rule_parser.c"
    break;

  case 256: /* clause: "meta" block  */
#line 381 "../grammar/rule.y"
                                            { build_meta(p, (yyloc), (yyvsp[0].list)); }
#line 3500 "grammar/rule_parser.c"
    break;

  case 257: /* clause: "disabled"  */
#line 382 "../grammar/rule.y"
                                            { build_disabled(p, (yyloc)); }
#line 3506 "grammar/rule_parser.c"
    break;

  case 258: /* clause: match_head "{" elements "}"  */
#line 383 "../grammar/rule.y"
                                            { build_match_body(p, (yylsp[-3]), (yyvsp[-3].match), (yyvsp[-1].list)); }
#line 3512 "grammar/rule_parser.c"
    break;

  case 259: /* clause: window_body "}"  */
#line 384 "../grammar/rule.y"
                                            { build_window_body(p, (yyloc), (yyvsp[-1].window)); }
#line 3518 "grammar/rule_parser.c"
    break;

  case 260: /* clause: join_head "{" sides "}"  */
#line 385 "../grammar/rule.y"
                                            { build_join_body(p, (yylsp[-3]), (yyvsp[-3].join), (yyvsp[-1].list)); }
#line 3524 "grammar/rule_parser.c"
    break;

  case 261: /* clause: novel_head "{" steps "}"  */
#line 386 "../grammar/rule.y"
                                            { build_novel_body(p, (yylsp[-3]), (yyvsp[-3].novel), (yyvsp[-1].list)); }
#line 3530 "grammar/rule_parser.c"
    break;

  case 262: /* clause: "emit" fields  */
#line 387 "../grammar/rule.y"
                                            { build_emit(p, (yyloc), (yyvsp[0].list)); }
#line 3536 "grammar/rule_parser.c"
    break;

  case 263: /* clause: "emit" "into" name fields  */
#line 388 "../grammar/rule.y"
                                            { build_emit_into(p, (yyloc), (yyvsp[-1].name), (yyvsp[0].list)); }
#line 3542 "grammar/rule_parser.c"
    break;

  case 264: /* clause: "suppress" "a duration" opt_suppress_by opt_summary  */
#line 389 "../grammar/rule.y"
                                                    { build_suppress(p, (yyloc), (yyvsp[-2].expr), (yyvsp[-1].list), (yyvsp[0].number)); }
#line 3548 "grammar/rule_parser.c"
    break;

  case 265: /* clause: "to" targets  */
#line 390 "../grammar/rule.y"
                                            { build_to(p, (yyloc), (yyvsp[0].names)); }
#line 3554 "grammar/rule_parser.c"
    break;

  case 267: /* clause: "keep" "a whole number"  */
#line 392 "../grammar/rule.y"
                                            { build_keep(p, (yyloc), (yyvsp[0].expr)); }
#line 3560 "grammar/rule_parser.c"
    break;

  case 268: /* clause: "on_reload" reload_mode  */
#line 393 "../grammar/rule.y"
                                            { build_on_reload(p, (yyloc), (yyvsp[0].name)); }
#line 3566 "grammar/rule_parser.c"
    break;

  case 269: /* clause: "test" text "{" test_items "}"  */
#line 394 "../grammar/rule.y"
                                            { build_test(p, (yyloc), (yyvsp[-3].expr), (yyvsp[-1].list)); }
#line 3572 "grammar/rule_parser.c"
    break;

  case 270: /* clause: error  */
#line 395 "../grammar/rule.y"
                                            { build_recover_clause(p); yyclearin; yyerrok; }
#line 3578 "grammar/rule_parser.c"
    break;

  case 271: /* opt_suppress_by: %empty  */
#line 398 "../grammar/rule.y"
                        { (yyval.list) = NULL; }
#line 3584 "grammar/rule_parser.c"
    break;

  case 272: /* opt_suppress_by: "by" paths  */
#line 398 "../grammar/rule.y"
                                                    { (yyval.list) = (yyvsp[0].list); }
#line 3590 "grammar/rule_parser.c"
    break;

  case 273: /* opt_summary: %empty  */
#line 399 "../grammar/rule.y"
                    { (yyval.number) = 0; }
#line 3596 "grammar/rule_parser.c"
    break;

  case 274: /* opt_summary: "summary"  */
#line 399 "../grammar/rule.y"
                                            { (yyval.number) = 1; }
#line 3602 "grammar/rule_parser.c"
    break;

  case 278: /* limit: "runs" "a whole number" "per" "key"  */
#line 403 "../grammar/rule.y"
                                            { build_limit(p, (yyloc), AST_LIMIT_RUNS, (yyvsp[-2].expr), NULL); }
#line 3608 "grammar/rule_parser.c"
    break;

  case 279: /* limit: "events" "a whole number" "per" "run"  */
#line 404 "../grammar/rule.y"
                                            { build_limit(p, (yyloc), AST_LIMIT_EVENTS, (yyvsp[-2].expr), NULL); }
#line 3614 "grammar/rule_parser.c"
    break;

  case 280: /* limit: "values" "a whole number" "per" "key"  */
#line 405 "../grammar/rule.y"
                                            { build_limit(p, (yyloc), AST_LIMIT_VALUES, (yyvsp[-2].expr), NULL); }
#line 3620 "grammar/rule_parser.c"
    break;

  case 281: /* limit: "state" "a size"  */
#line 406 "../grammar/rule.y"
                                            { build_limit(p, (yyloc), AST_LIMIT_STATE, (yyvsp[0].expr), NULL); }
#line 3626 "grammar/rule_parser.c"
    break;

  case 282: /* limit: "alerts" "a whole number" "per" "a duration"  */
#line 407 "../grammar/rule.y"
                                            { build_limit(p, (yyloc), AST_LIMIT_ALERTS, (yyvsp[-2].expr), (yyvsp[0].expr)); }
#line 3632 "grammar/rule_parser.c"
    break;

  case 283: /* limit: "matches" "a whole number" "per" "event"  */
#line 408 "../grammar/rule.y"
                                            { build_limit(p, (yyloc), AST_LIMIT_MATCHES, (yyvsp[-2].expr), NULL); }
#line 3638 "grammar/rule_parser.c"
    break;

  case 284: /* keys: key  */
#line 414 "../grammar/rule.y"
                                            { (yyval.list) = build_append(p, NULL, (yyvsp[0].key)); }
#line 3644 "grammar/rule_parser.c"
    break;

  case 285: /* keys: keys "," key  */
#line 415 "../grammar/rule.y"
                                            { (yyval.list) = build_append(p, (yyvsp[-2].list), (yyvsp[0].key)); }
#line 3650 "grammar/rule_parser.c"
    break;

  case 286: /* key: path  */
#line 418 "../grammar/rule.y"
                                            { (yyval.key) = build_key(p, (yyloc), (yyvsp[0].path), false); }
#line 3656 "grammar/rule_parser.c"
    break;

  case 287: /* key: "?" path  */
#line 419 "../grammar/rule.y"
                                            { (yyval.key) = build_key(p, (yyloc), (yyvsp[0].path), true); }
#line 3662 "grammar/rule_parser.c"
    break;

  case 288: /* key: name "=" fallback  */
#line 420 "../grammar/rule.y"
                                            { (yyval.key) = build_named_key(p, (yyloc), (yyvsp[-2].name), (yyvsp[0].expr)); }
#line 3668 "grammar/rule_parser.c"
    break;

  case 289: /* opt_by: %empty  */
#line 422 "../grammar/rule.y"
               { (yyval.list) = NULL; }
#line 3674 "grammar/rule_parser.c"
    break;

  case 290: /* opt_by: "by" keys  */
#line 422 "../grammar/rule.y"
                                            { (yyval.list) = (yyvsp[0].list); }
#line 3680 "grammar/rule_parser.c"
    break;

  case 291: /* step: step_name quantifier ":" streams step_tail  */
#line 424 "../grammar/rule.y"
                                                 { (yyval.step) = build_step((yyloc), (yyvsp[0].step), (yyvsp[-4].name), (yyvsp[-3].count), (yyvsp[-1].names)); }
#line 3686 "grammar/rule_parser.c"
    break;

  case 292: /* step_tail: %empty  */
#line 426 "../grammar/rule.y"
                                            { (yyval.step) = build_step_new(p); }
#line 3692 "grammar/rule_parser.c"
    break;

  case 293: /* step_tail: step_tail "by" keys  */
#line 427 "../grammar/rule.y"
                                            { (yyval.step) = build_step_by(p, (yylsp[-1]), (yyvsp[-2].step), (yyvsp[0].list)); }
#line 3698 "grammar/rule_parser.c"
    break;

  case 294: /* step_tail: step_tail "where" expr  */
#line 428 "../grammar/rule.y"
                                            { (yyval.step) = build_step_where(p, (yylsp[-1]), (yyvsp[-2].step), (yyvsp[0].expr)); }
#line 3704 "grammar/rule_parser.c"
    break;

  case 295: /* step_tail: step_tail "within" "a duration"  */
#line 429 "../grammar/rule.y"
                                            { (yyval.step) = build_step_within(p, (yylsp[-1]), (yyvsp[-2].step), (yyvsp[0].expr)); }
#line 3710 "grammar/rule_parser.c"
    break;

  case 296: /* quantifier: %empty  */
#line 431 "../grammar/rule.y"
                                            { (yyval.count) = (struct build_count){1, 1, false, (yyloc)}; }
#line 3716 "grammar/rule_parser.c"
    break;

  case 298: /* count: "{" "a whole number" "}"  */
#line 433 "../grammar/rule.y"
                                            { (yyval.count) = build_count(p, (yyloc), (yyvsp[-1].expr), (yyvsp[-1].expr)); }
#line 3722 "grammar/rule_parser.c"
    break;

  case 299: /* count: "{" "a whole number" "," "a whole number" "}"  */
#line 434 "../grammar/rule.y"
                                            { (yyval.count) = build_count(p, (yyloc), (yyvsp[-3].expr), (yyvsp[-1].expr)); }
#line 3728 "grammar/rule_parser.c"
    break;

  case 300: /* count: "{" "a whole number" "," "}"  */
#line 435 "../grammar/rule.y"
                                            { (yyval.count) = build_count_from(p, (yyloc), (yyvsp[-2].expr)); }
#line 3734 "grammar/rule_parser.c"
    break;

  case 301: /* count: "+"  */
#line 436 "../grammar/rule.y"
                                            { (yyval.count) = build_count_range((yyloc), 1, AST_UNBOUNDED); }
#line 3740 "grammar/rule_parser.c"
    break;

  case 302: /* count: "*"  */
#line 437 "../grammar/rule.y"
                                            { (yyval.count) = build_count_range((yyloc), 0, AST_UNBOUNDED); }
#line 3746 "grammar/rule_parser.c"
    break;

  case 303: /* count: "?"  */
#line 438 "../grammar/rule.y"
                                            { (yyval.count) = build_count_range((yyloc), 0, 1); }
#line 3752 "grammar/rule_parser.c"
    break;

  case 304: /* steps: step  */
#line 441 "../grammar/rule.y"
                                            { (yyval.list) = build_append(p, NULL, (yyvsp[0].step)); }
#line 3758 "grammar/rule_parser.c"
    break;

  case 305: /* steps: steps step  */
#line 442 "../grammar/rule.y"
                                            { (yyval.list) = build_append(p, (yyvsp[-1].list), (yyvsp[0].step)); }
#line 3764 "grammar/rule_parser.c"
    break;

  case 306: /* match_head: "match"  */
#line 448 "../grammar/rule.y"
                                            { (yyval.match) = build_match(p); }
#line 3770 "grammar/rule_parser.c"
    break;

  case 307: /* match_head: match_head "by" keys  */
#line 449 "../grammar/rule.y"
                                            { (yyval.match) = build_match_by(p, (yylsp[-1]), (yyvsp[-2].match), (yyvsp[0].list)); }
#line 3776 "grammar/rule_parser.c"
    break;

  case 308: /* match_head: match_head "within" "a duration"  */
#line 450 "../grammar/rule.y"
                                            { (yyval.match) = build_match_within(p, (yylsp[-1]), (yyvsp[-2].match), (yyvsp[0].expr)); }
#line 3782 "grammar/rule_parser.c"
    break;

  case 309: /* match_head: match_head "select" select_mode  */
#line 451 "../grammar/rule.y"
                                            { (yyval.match) = build_match_select(p, (yylsp[0]), (yyvsp[-2].match), (enum ast_select)(yyvsp[0].number)); }
#line 3788 "grammar/rule_parser.c"
    break;

  case 310: /* select_mode: "first"  */
#line 454 "../grammar/rule.y"
            { (yyval.number) = AST_SELECT_FIRST; }
#line 3794 "grammar/rule_parser.c"
    break;

  case 311: /* select_mode: "last"  */
#line 454 "../grammar/rule.y"
                                                { (yyval.number) = AST_SELECT_LAST; }
#line 3800 "grammar/rule_parser.c"
    break;

  case 312: /* select_mode: "each"  */
#line 455 "../grammar/rule.y"
           { (yyval.number) = AST_SELECT_EACH; }
#line 3806 "grammar/rule_parser.c"
    break;

  case 313: /* select_mode: "all"  */
#line 455 "../grammar/rule.y"
                                             { (yyval.number) = AST_SELECT_ALL; }
#line 3812 "grammar/rule_parser.c"
    break;

  case 314: /* elements: element  */
#line 458 "../grammar/rule.y"
                                            { (yyval.list) = build_append(p, NULL, (yyvsp[0].element)); }
#line 3818 "grammar/rule_parser.c"
    break;

  case 315: /* elements: elements element  */
#line 459 "../grammar/rule.y"
                                            { (yyval.list) = build_append(p, (yyvsp[-1].list), (yyvsp[0].element)); }
#line 3824 "grammar/rule_parser.c"
    break;

  case 316: /* element: step  */
#line 462 "../grammar/rule.y"
                                            { (yyval.element) = build_element(p, (yyloc), (yyvsp[0].step)); }
#line 3830 "grammar/rule_parser.c"
    break;

  case 318: /* element: "next" step  */
#line 464 "../grammar/rule.y"
                                            { (yyval.element) = build_next(build_element(p, (yylsp[0]), (yyvsp[0].step)), (yyloc), (yylsp[-1])); }
#line 3836 "grammar/rule_parser.c"
    break;

  case 319: /* element: "next" group  */
#line 465 "../grammar/rule.y"
                                            { (yyval.element) = build_next((yyvsp[0].element), (yyloc), (yylsp[-1])); }
#line 3842 "grammar/rule_parser.c"
    break;

  case 320: /* element: "next" "not" step  */
#line 466 "../grammar/rule.y"
                                            { (yyval.element) = build_next(build_element_not(p, (yyloc), (yyvsp[0].step)), (yyloc), (yylsp[-2])); }
#line 3848 "grammar/rule_parser.c"
    break;

  case 321: /* element: "not" step  */
#line 467 "../grammar/rule.y"
                                            { (yyval.element) = build_element_not(p, (yyloc), (yyvsp[0].step)); }
#line 3854 "grammar/rule_parser.c"
    break;

  case 322: /* element: "until" step  */
#line 468 "../grammar/rule.y"
                                            { (yyval.element) = build_element_until(p, (yyloc), (yyvsp[0].step)); }
#line 3860 "grammar/rule_parser.c"
    break;

  case 324: /* group: group_braces count  */
#line 470 "../grammar/rule.y"
                                            { (yyval.element) = build_refuse_count(p, (yyvsp[-1].element), (yyvsp[0].count)); }
#line 3866 "grammar/rule_parser.c"
    break;

  case 325: /* group_braces: "any" "{" group_steps "}"  */
#line 472 "../grammar/rule.y"
                                            { (yyval.element) = build_group(p, (yyloc), AST_ANY, NULL, (yyvsp[-1].list)); }
#line 3872 "grammar/rule_parser.c"
    break;

  case 326: /* group_braces: "all" "{" group_steps "}"  */
#line 473 "../grammar/rule.y"
                                            { (yyval.element) = build_group(p, (yyloc), AST_ALL, NULL, (yyvsp[-1].list)); }
#line 3878 "grammar/rule_parser.c"
    break;

  case 327: /* group_braces: "all" "a whole number" "{" group_steps "}"  */
#line 474 "../grammar/rule.y"
                                            { (yyval.element) = build_group(p, (yyloc), AST_ALL, (yyvsp[-3].expr), (yyvsp[-1].list)); }
#line 3884 "grammar/rule_parser.c"
    break;

  case 328: /* group_steps: group_step  */
#line 477 "../grammar/rule.y"
                                            { (yyval.list) = build_append(p, NULL, (yyvsp[0].step)); }
#line 3890 "grammar/rule_parser.c"
    break;

  case 329: /* group_steps: group_steps group_step  */
#line 478 "../grammar/rule.y"
                                            { (yyval.list) = build_append(p, (yyvsp[-1].list), (yyvsp[0].step)); }
#line 3896 "grammar/rule_parser.c"
    break;

  case 331: /* group_step: group  */
#line 480 "../grammar/rule.y"
                         { (yyval.step) = build_refuse_group(p, (yyloc)); }
#line 3902 "grammar/rule_parser.c"
    break;

  case 332: /* group_step: "not" step  */
#line 480 "../grammar/rule.y"
                                                                          { (yyval.step) = build_negated((yyloc), (yyvsp[0].step)); }
#line 3908 "grammar/rule_parser.c"
    break;

  case 334: /* window_kind: "hopping" "a duration" "every" "a duration"  */
#line 486 "../grammar/rule.y"
                                              { (yyval.window) = build_window(p, AST_HOPPING, (yyvsp[-2].expr), (yyvsp[0].expr)); }
#line 3914 "grammar/rule_parser.c"
    break;

  case 335: /* window_kind: "session" "a duration"  */
#line 487 "../grammar/rule.y"
                                            { (yyval.window) = build_window(p, AST_SESSION, (yyvsp[0].expr), NULL); }
#line 3920 "grammar/rule_parser.c"
    break;

  case 336: /* window_kind: "session" "a duration" "max" "a duration"  */
#line 488 "../grammar/rule.y"
                                            { (yyval.window) = build_window(p, AST_SESSION, (yyvsp[-2].expr), (yyvsp[0].expr)); }
#line 3926 "grammar/rule_parser.c"
    break;

  case 337: /* window_kind: "sliding" "a duration"  */
#line 489 "../grammar/rule.y"
                                            { (yyval.window) = build_window(p, AST_SLIDING, (yyvsp[0].expr), NULL); }
#line 3932 "grammar/rule_parser.c"
    break;

  case 338: /* window_kind: "global" "expire" "a duration"  */
#line 490 "../grammar/rule.y"
                                            { (yyval.window) = build_window(p, AST_GLOBAL, NULL, (yyvsp[0].expr)); }
#line 3938 "grammar/rule_parser.c"
    break;

  case 339: /* tumbling: "tumbling" "a duration"  */
#line 493 "../grammar/rule.y"
                                            { (yyval.window) = build_window(p, AST_TUMBLING, (yyvsp[0].expr), NULL); }
#line 3944 "grammar/rule_parser.c"
    break;

  case 340: /* tumbling: tumbling "offset" "a duration"  */
#line 494 "../grammar/rule.y"
                                            { (yyval.window) = build_window_offset(p, (yylsp[-1]), (yyvsp[-2].window), (yyvsp[0].expr)); }
#line 3950 "grammar/rule_parser.c"
    break;

  case 341: /* tumbling: tumbling "zone" text  */
#line 495 "../grammar/rule.y"
                                            { (yyval.window) = build_window_zone(p, (yylsp[-1]), (yyvsp[-2].window), (yyvsp[0].expr)); }
#line 3956 "grammar/rule_parser.c"
    break;

  case 342: /* window_head: "window" window_kind opt_by  */
#line 498 "../grammar/rule.y"
                                            { (yyval.window) = build_window_by(p, (yyvsp[-1].window), (yyvsp[0].list)); }
#line 3962 "grammar/rule_parser.c"
    break;

  case 343: /* window_head: "window" window_kind opt_by "in" name  */
#line 499 "../grammar/rule.y"
                                            { (yyval.window) = build_window_in(p, build_window_by(p, (yyvsp[-3].window), (yyvsp[-2].list)), (yyvsp[-1].op), (yyvsp[0].name)); }
#line 3968 "grammar/rule_parser.c"
    break;

  case 344: /* window_body: window_head "{" steps  */
#line 502 "../grammar/rule.y"
                                            { (yyval.window) = build_window_inputs(p, (yyvsp[-2].window), (yyvsp[0].list)); }
#line 3974 "grammar/rule_parser.c"
    break;

  case 345: /* window_body: window_body "having" expr  */
#line 503 "../grammar/rule.y"
                                            { (yyval.window) = build_having(p, (yylsp[-1]), (yyvsp[-2].window), (yyvsp[0].expr)); }
#line 3980 "grammar/rule_parser.c"
    break;

  case 346: /* window_body: window_body "fire" "on" fire_mode  */
#line 504 "../grammar/rule.y"
                                            { (yyval.window) = build_fire(p, (yylsp[-2]), (yyvsp[-3].window), (enum ast_fire)(yyvsp[0].number)); }
#line 3986 "grammar/rule_parser.c"
    break;

  case 347: /* window_body: window_body "allow" "late" "a duration"  */
#line 505 "../grammar/rule.y"
                                            { (yyval.window) = build_allow_late(p, (yylsp[-2]), (yyvsp[-3].window), (yyvsp[0].expr)); }
#line 3992 "grammar/rule_parser.c"
    break;

  case 348: /* fire_mode: "close"  */
#line 508 "../grammar/rule.y"
            { (yyval.number) = AST_FIRE_ON_CLOSE; }
#line 3998 "grammar/rule_parser.c"
    break;

  case 349: /* fire_mode: "match"  */
#line 508 "../grammar/rule.y"
                                                  { (yyval.number) = AST_FIRE_ON_MATCH; }
#line 4004 "grammar/rule_parser.c"
    break;

  case 350: /* fire_mode: "match" "reset"  */
#line 509 "../grammar/rule.y"
                    { (yyval.number) = AST_FIRE_ON_MATCH_RESET; }
#line 4010 "grammar/rule_parser.c"
    break;

  case 351: /* fire_mode: "every" "match"  */
#line 509 "../grammar/rule.y"
                                                                        { (yyval.number) = AST_FIRE_ON_EVERY_MATCH; }
#line 4016 "grammar/rule_parser.c"
    break;

  case 352: /* fire_mode: "change"  */
#line 510 "../grammar/rule.y"
             { (yyval.number) = AST_FIRE_ON_CHANGE; }
#line 4022 "grammar/rule_parser.c"
    break;

  case 353: /* join_head: "join"  */
#line 514 "../grammar/rule.y"
                                            { (yyval.join) = build_join(p); }
#line 4028 "grammar/rule_parser.c"
    break;

  case 354: /* join_head: join_head "by" keys  */
#line 515 "../grammar/rule.y"
                                            { (yyval.join) = build_join_by(p, (yylsp[-1]), (yyvsp[-2].join), (yyvsp[0].list)); }
#line 4034 "grammar/rule_parser.c"
    break;

  case 355: /* join_head: join_head "within" range  */
#line 516 "../grammar/rule.y"
                                            { (yyval.join) = build_join_within(p, (yylsp[-1]), (yyvsp[-2].join), (yyvsp[0].range)); }
#line 4040 "grammar/rule_parser.c"
    break;

  case 356: /* range: "a duration"  */
#line 519 "../grammar/rule.y"
                                            { (yyval.range) = (struct build_range){NULL, (yyvsp[0].expr)}; }
#line 4046 "grammar/rule_parser.c"
    break;

  case 357: /* range: signed_duration ".." signed_duration  */
#line 520 "../grammar/rule.y"
                                               { (yyval.range) = (struct build_range){(yyvsp[-2].expr), (yyvsp[0].expr)}; }
#line 4052 "grammar/rule_parser.c"
    break;

  case 359: /* signed_duration: "-" "a duration"  */
#line 522 "../grammar/rule.y"
                                            { (yyval.expr) = build_negative(p, (yyloc), (yyvsp[0].expr)); }
#line 4058 "grammar/rule_parser.c"
    break;

  case 360: /* sides: side  */
#line 524 "../grammar/rule.y"
                                            { (yyval.list) = build_append(p, NULL, (yyvsp[0].step)); }
#line 4064 "grammar/rule_parser.c"
    break;

  case 361: /* sides: sides side  */
#line 525 "../grammar/rule.y"
                                            { (yyval.list) = build_append(p, (yyvsp[-1].list), (yyvsp[0].step)); }
#line 4070 "grammar/rule_parser.c"
    break;

  case 363: /* side: "not" step  */
#line 527 "../grammar/rule.y"
                                            { (yyval.step) = build_negated((yyloc), (yyvsp[0].step)); }
#line 4076 "grammar/rule_parser.c"
    break;

  case 364: /* novel_head: "novel" paths  */
#line 530 "../grammar/rule.y"
                                            { (yyval.novel) = build_novel(p, (yyvsp[0].list)); }
#line 4082 "grammar/rule_parser.c"
    break;

  case 365: /* novel_head: novel_head "by" keys  */
#line 531 "../grammar/rule.y"
                                            { (yyval.novel) = build_novel_by(p, (yylsp[-1]), (yyvsp[-2].novel), (yyvsp[0].list)); }
#line 4088 "grammar/rule_parser.c"
    break;

  case 366: /* novel_head: novel_head "within" "a duration"  */
#line 532 "../grammar/rule.y"
                                            { (yyval.novel) = build_novel_within(p, (yylsp[-1]), (yyvsp[-2].novel), (yyvsp[0].expr)); }
#line 4094 "grammar/rule_parser.c"
    break;

  case 367: /* novel_head: novel_head "after" "a duration"  */
#line 533 "../grammar/rule.y"
                                            { (yyval.novel) = build_novel_after(p, (yylsp[-1]), (yyvsp[-2].novel), (yyvsp[0].expr)); }
#line 4100 "grammar/rule_parser.c"
    break;

  case 368: /* test_items: %empty  */
#line 538 "../grammar/rule.y"
                                            { (yyval.list) = NULL; }
#line 4106 "grammar/rule_parser.c"
    break;

  case 369: /* test_items: test_items test_item  */
#line 539 "../grammar/rule.y"
                                            { (yyval.list) = build_append(p, (yyvsp[-1].list), (yyvsp[0].test_item)); }
#line 4112 "grammar/rule_parser.c"
    break;

  case 370: /* test_item: "a duration" name json_object  */
#line 542 "../grammar/rule.y"
                                            { (yyval.test_item) = build_event(p, (yyloc), (yyvsp[-2].expr), (yyvsp[-1].name), (yyvsp[0].span)); }
#line 4118 "grammar/rule_parser.c"
    break;

  case 371: /* test_item: "expect" "none"  */
#line 543 "../grammar/rule.y"
                                            { (yyval.test_item) = build_expect_none(p, (yyloc)); }
#line 4124 "grammar/rule_parser.c"
    break;

  case 372: /* test_item: "expect" "a whole number" "alert"  */
#line 544 "../grammar/rule.y"
                                            { (yyval.test_item) = build_expect_count(p, (yyloc), (yyvsp[-1].expr)); }
#line 4130 "grammar/rule_parser.c"
    break;

  case 373: /* test_item: "expect" "a whole number" "alerts"  */
#line 545 "../grammar/rule.y"
                                            { (yyval.test_item) = build_expect_count(p, (yyloc), (yyvsp[-1].expr)); }
#line 4136 "grammar/rule_parser.c"
    break;

  case 374: /* test_item: "expect" "alert" opt_json  */
#line 546 "../grammar/rule.y"
                                            { (yyval.test_item) = build_expect_alert(p, (yyloc), NULL, (yyvsp[0].span)); }
#line 4142 "grammar/rule_parser.c"
    break;

  case 375: /* test_item: "expect" "alert" "at" "a duration" opt_json  */
#line 547 "../grammar/rule.y"
                                            { (yyval.test_item) = build_expect_alert(p, (yyloc), (yyvsp[-1].expr), (yyvsp[0].span)); }
#line 4148 "grammar/rule_parser.c"
    break;

  case 376: /* test_item: "until" "a duration"  */
#line 548 "../grammar/rule.y"
                                            { (yyval.test_item) = build_test_until(p, (yyloc), (yyvsp[0].expr)); }
#line 4154 "grammar/rule_parser.c"
    break;

  case 377: /* test_item: "lateness" "a duration"  */
#line 549 "../grammar/rule.y"
                                            { (yyval.test_item) = build_test_lateness(p, (yyloc), (yyvsp[0].expr)); }
#line 4160 "grammar/rule_parser.c"
    break;

  case 378: /* test_item: "list" name "=" list  */
#line 550 "../grammar/rule.y"
                                            { (yyval.test_item) = build_test_list(p, (yyloc), (yyvsp[-2].name), (yyvsp[0].expr)); }
#line 4166 "grammar/rule_parser.c"
    break;

  case 379: /* test_item: "table" name "=" json_array  */
#line 551 "../grammar/rule.y"
                                            { (yyval.test_item) = build_test_table(p, (yyloc), (yyvsp[-2].name), (yyvsp[0].span)); }
#line 4172 "grammar/rule_parser.c"
    break;

  case 380: /* opt_json: %empty  */
#line 553 "../grammar/rule.y"
                 { (yyval.span) = (yyloc); }
#line 4178 "grammar/rule_parser.c"
    break;

  case 382: /* json_object: "{" "}"  */
#line 554 "../grammar/rule.y"
                     { (yyval.span) = (yyloc); }
#line 4184 "grammar/rule_parser.c"
    break;

  case 383: /* json_object: "{" json_members "}"  */
#line 554 "../grammar/rule.y"
                                                         { (yyval.span) = (yyloc); }
#line 4190 "grammar/rule_parser.c"
    break;

  case 387: /* json_array: "[" "]"  */
#line 557 "../grammar/rule.y"
                    { (yyval.span) = (yyloc); }
#line 4196 "grammar/rule_parser.c"
    break;

  case 388: /* json_array: "[" json_values "]"  */
#line 557 "../grammar/rule.y"
                                                       { (yyval.span) = (yyloc); }
#line 4202 "grammar/rule_parser.c"
    break;

  case 393: /* json_value: "a text"  */
#line 560 "../grammar/rule.y"
                                            { (yyval.span) = (yyloc); }
#line 4208 "grammar/rule_parser.c"
    break;

  case 394: /* json_value: json_number  */
#line 560 "../grammar/rule.y"
                                                                       { (yyval.span) = (yyloc); }
#line 4214 "grammar/rule_parser.c"
    break;

  case 395: /* json_value: "true"  */
#line 561 "../grammar/rule.y"
           { (yyval.span) = (yyloc); }
#line 4220 "grammar/rule_parser.c"
    break;

  case 396: /* json_value: "false"  */
#line 561 "../grammar/rule.y"
                                  { (yyval.span) = (yyloc); }
#line 4226 "grammar/rule_parser.c"
    break;

  case 397: /* json_value: "null"  */
#line 561 "../grammar/rule.y"
                                                        { (yyval.span) = (yyloc); }
#line 4232 "grammar/rule_parser.c"
    break;


#line 4236 "grammar/rule_parser.c"

        default: break;
      }
    if (yychar_backup != yychar)
      YY_LAC_DISCARD ("yychar change");
  }
  /* User semantic actions sometimes alter yychar, and that requires
     that yytoken be updated with the new translation.  We take the
     approach of translating immediately before every use of yytoken.
     One alternative is translating here after every semantic action,
     but that translation would be missed if the semantic action invokes
     YYABORT, YYACCEPT, or YYERROR immediately after altering yychar or
     if it invokes YYBACKUP.  In the case of YYABORT or YYACCEPT, an
     incorrect destructor might then be invoked immediately.  In the
     case of YYERROR or YYBACKUP, subsequent parser actions might lead
     to an incorrect destructor call or verbose syntax error message
     before the lookahead is translated.  */
  YY_SYMBOL_PRINT ("-> $$ =", YY_CAST (yysymbol_kind_t, yyr1[yyn]), &yyval, &yyloc);

  YYPOPSTACK (yylen);
  yylen = 0;

  *++yyvsp = yyval;
  *++yylsp = yyloc;

  /* Now 'shift' the result of the reduction.  Determine what state
     that goes to, based on the state we popped back to and the rule
     number reduced by.  */
  {
    const int yylhs = yyr1[yyn] - YYNTOKENS;
    const int yyi = yypgoto[yylhs] + *yyssp;
    yystate = (0 <= yyi && yyi <= YYLAST && yycheck[yyi] == *yyssp
               ? yytable[yyi]
               : yydefgoto[yylhs]);
  }

  goto yynewstate;


/*--------------------------------------.
| yyerrlab -- here on detecting error.  |
`--------------------------------------*/
yyerrlab:
  /* Make sure we have latest lookahead translation.  See comments at
     user semantic actions for why this is necessary.  */
  yytoken = yychar == T_RULE_EMPTY ? YYSYMBOL_YYEMPTY : YYTRANSLATE (yychar);
  /* If not already recovering from an error, report this error.  */
  if (!yyerrstatus)
    {
      ++yynerrs;
      {
        yypcontext_t yyctx
          = {yyssp, yyesa, &yyes, &yyes_capacity, yytoken, &yylloc};
        if (yychar != T_RULE_EMPTY)
          YY_LAC_ESTABLISH;
        if (yyreport_syntax_error (&yyctx, p) == 2)
          YYNOMEM;
      }
    }

  yyerror_range[1] = yylloc;
  if (yyerrstatus == 3)
    {
      /* If just tried and failed to reuse lookahead token after an
         error, discard it.  */

      if (yychar <= T_YYEOF)
        {
          /* Return failure if at end of input.  */
          if (yychar == T_YYEOF)
            YYABORT;
        }
      else
        {
          yydestruct ("Error: discarding",
                      yytoken, &yylval, &yylloc, p);
          yychar = T_RULE_EMPTY;
        }
    }

  /* Else will try to reuse lookahead token after shifting the error
     token.  */
  goto yyerrlab1;


/*---------------------------------------------------.
| yyerrorlab -- error raised explicitly by YYERROR.  |
`---------------------------------------------------*/
yyerrorlab:
  /* Pacify compilers when the user code never invokes YYERROR and the
     label yyerrorlab therefore never appears in user code.  */
  if (0)
    YYERROR;
  ++yynerrs;

  /* Do not reclaim the symbols of the rule whose action triggered
     this YYERROR.  */
  YYPOPSTACK (yylen);
  yylen = 0;
  YY_STACK_PRINT (yyss, yyssp);
  yystate = *yyssp;
  goto yyerrlab1;


/*-------------------------------------------------------------.
| yyerrlab1 -- common code for both syntax error and YYERROR.  |
`-------------------------------------------------------------*/
yyerrlab1:
  yyerrstatus = 3;      /* Each real token shifted decrements this.  */

  /* Pop stack until we find a state that shifts the error token.  */
  for (;;)
    {
      yyn = yypact[yystate];
      if (!yypact_value_is_default (yyn))
        {
          yyn += YYSYMBOL_YYerror;
          if (0 <= yyn && yyn <= YYLAST && yycheck[yyn] == YYSYMBOL_YYerror)
            {
              yyn = yytable[yyn];
              if (0 < yyn)
                break;
            }
        }

      /* Pop the current state because it cannot handle the error token.  */
      if (yyssp == yyss)
        YYABORT;

      yyerror_range[1] = *yylsp;
      yydestruct ("Error: popping",
                  YY_ACCESSING_SYMBOL (yystate), yyvsp, yylsp, p);
      YYPOPSTACK (1);
      yystate = *yyssp;
      YY_STACK_PRINT (yyss, yyssp);
    }

  /* If the stack popping above didn't lose the initial context for the
     current lookahead token, the shift below will for sure.  */
  YY_LAC_DISCARD ("error recovery");

  YY_IGNORE_MAYBE_UNINITIALIZED_BEGIN
  *++yyvsp = yylval;
  YY_IGNORE_MAYBE_UNINITIALIZED_END

  yyerror_range[2] = yylloc;
  ++yylsp;
  YYLLOC_DEFAULT (*yylsp, yyerror_range, 2);

  /* Shift the error token.  */
  YY_SYMBOL_PRINT ("Shifting", YY_ACCESSING_SYMBOL (yyn), yyvsp, yylsp);

  yystate = yyn;
  goto yynewstate;


/*-------------------------------------.
| yyacceptlab -- YYACCEPT comes here.  |
`-------------------------------------*/
yyacceptlab:
  yyresult = 0;
  goto yyreturnlab;


/*-----------------------------------.
| yyabortlab -- YYABORT comes here.  |
`-----------------------------------*/
yyabortlab:
  yyresult = 1;
  goto yyreturnlab;


/*-----------------------------------------------------------.
| yyexhaustedlab -- YYNOMEM (memory exhaustion) comes here.  |
`-----------------------------------------------------------*/
yyexhaustedlab:
  yyerror (&yylloc, p, YY_("memory exhausted"));
  yyresult = 2;
  goto yyreturnlab;


/*----------------------------------------------------------.
| yyreturnlab -- parsing is finished, clean up and return.  |
`----------------------------------------------------------*/
yyreturnlab:
  if (yychar != T_RULE_EMPTY)
    {
      /* Make sure we have latest lookahead translation.  See comments at
         user semantic actions for why this is necessary.  */
      yytoken = YYTRANSLATE (yychar);
      yydestruct ("Cleanup: discarding lookahead",
                  yytoken, &yylval, &yylloc, p);
    }
  /* Do not reclaim the symbols of the rule whose action triggered
     this YYABORT or YYACCEPT.  */
  YYPOPSTACK (yylen);
  YY_STACK_PRINT (yyss, yyssp);
  while (yyssp != yyss)
    {
      yydestruct ("Cleanup: popping",
                  YY_ACCESSING_SYMBOL (+*yyssp), yyvsp, yylsp, p);
      YYPOPSTACK (1);
    }
#ifndef yyoverflow
  if (yyss != yyssa)
    YYSTACK_FREE (yyss);
#endif
  if (yyes != yyesa)
    YYSTACK_FREE (yyes);

  return yyresult;
}

#line 565 "../grammar/rule.y"


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
