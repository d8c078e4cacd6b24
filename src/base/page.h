// SPDX-License-Identifier: Apache-2.0
/* page - text on standard output as help and manual pages have it. */
#ifndef BASE_PAGE_H
#define BASE_PAGE_H

enum { PAGE_WIDTH = 88 };

/* Words, `indent` in, lines at most PAGE_WIDTH long; a line break stays one. Ends with a line break. */
void page_wrap(const char *text, int indent);
/* Text that roff prints as it is: a line break begins a paragraph, what stands in back quotes is bold. */
void page_roff(const char *text);

#endif
