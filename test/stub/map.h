/* map.h - MAP(m, a, b, c): m(a) m(b) m(c), for up to 16 arguments; nothing for none. */
#ifndef MAP_H
#define MAP_H

#define MAP_1(m, x)                                                          m(x)
#define MAP_2(m, x, ...)                                                     m(x) MAP_1(m, __VA_ARGS__)
#define MAP_3(m, x, ...)                                                     m(x) MAP_2(m, __VA_ARGS__)
#define MAP_4(m, x, ...)                                                     m(x) MAP_3(m, __VA_ARGS__)
#define MAP_5(m, x, ...)                                                     m(x) MAP_4(m, __VA_ARGS__)
#define MAP_6(m, x, ...)                                                     m(x) MAP_5(m, __VA_ARGS__)
#define MAP_7(m, x, ...)                                                     m(x) MAP_6(m, __VA_ARGS__)
#define MAP_8(m, x, ...)                                                     m(x) MAP_7(m, __VA_ARGS__)
#define MAP_9(m, x, ...)                                                     m(x) MAP_8(m, __VA_ARGS__)
#define MAP_10(m, x, ...)                                                    m(x) MAP_9(m, __VA_ARGS__)
#define MAP_11(m, x, ...)                                                    m(x) MAP_10(m, __VA_ARGS__)
#define MAP_12(m, x, ...)                                                    m(x) MAP_11(m, __VA_ARGS__)
#define MAP_13(m, x, ...)                                                    m(x) MAP_12(m, __VA_ARGS__)
#define MAP_14(m, x, ...)                                                    m(x) MAP_13(m, __VA_ARGS__)
#define MAP_15(m, x, ...)                                                    m(x) MAP_14(m, __VA_ARGS__)
#define MAP_16(m, x, ...)                                                    m(x) MAP_15(m, __VA_ARGS__)
#define MAP_PICK(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, which, ...) which
#define MAP_NAME(...)                                                                                        \
    MAP_PICK(__VA_ARGS__, MAP_16, MAP_15, MAP_14, MAP_13, MAP_12, MAP_11, MAP_10, MAP_9, MAP_8, MAP_7,       \
             MAP_6, MAP_5, MAP_4, MAP_3, MAP_2, MAP_1, 0)
#define MAP_SOME(m, ...) MAP_NAME(__VA_ARGS__)(m, __VA_ARGS__)
#define MAP(m, ...)      __VA_OPT__(MAP_SOME(m, __VA_ARGS__))

#endif
