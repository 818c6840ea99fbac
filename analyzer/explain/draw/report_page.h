/* report_page.h - the page of `clweave report`, as it stands in explain/draw/page: markup, style, script. */
#ifndef CW_REPORT_PAGE_H
#define CW_REPORT_PAGE_H

/* The files in one, a NUL behind them; in it are @GRAPH@ and, behind that, @DATA@. */
extern const char cw_report_page[];

#endif
