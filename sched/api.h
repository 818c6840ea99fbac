/* api.h - brackets of the scheduling library's public headers: C linkage for C++ programs, and symbols that
 * the shared library exports (all others are compiled with -fvisibility=hidden). */
#ifndef CW_API_H
#define CW_API_H

#ifdef __cplusplus
#define CW_API_BEGIN                                                                                         \
    _Pragma("GCC visibility push(default)") extern "C"                                                       \
    {
#define CW_API_END                                                                                           \
    }                                                                                                        \
    _Pragma("GCC visibility pop")
#else
#define CW_API_BEGIN _Pragma("GCC visibility push(default)")
#define CW_API_END   _Pragma("GCC visibility pop")
#endif

#endif
