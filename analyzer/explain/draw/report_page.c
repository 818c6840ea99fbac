/* report_page.c - see report_parts.h. The scripts stand in the order in which they need each other. */

#define PART(file) ".incbin \"analyzer/explain/draw/page/" file "\"\n"

__asm__(".section .rodata\n"
        ".globl cw_report_page\n.hidden cw_report_page\n"
        "cw_report_page:\n"
        /* clang-format off */
        PART("head.html") PART("page.css") PART("body.html")
        PART("data.js") PART("colours.js") PART("lanes.js") PART("view.js")
        PART("columns.js") PART("counters.js") PART("paint.js") PART("overview.js")
        PART("input.js") PART("search.js") PART("sums.js") PART("detail.js")
        PART("summary.js") PART("plots.js") PART("tables.js") PART("commands.js")
        PART("tail.html")
        /* clang-format on */
        ".byte 0\n.previous\n");
