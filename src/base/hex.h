// SPDX-License-Identifier: Apache-2.0
/* hex - hexadecimal digits. buf_add_hex (base/buf.h) writes them. */
#ifndef BASE_HEX_H
#define BASE_HEX_H

/* What a digit of either case is, 0 to 15; -1: it is none. */
static inline int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    char low = (char)(c | 0x20);
    return low >= 'a' && low <= 'f' ? low - 'a' + 10 : -1;
}

#endif
