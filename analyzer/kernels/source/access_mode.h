/* access_mode.h - how a command, or a kernel through one of its parameters, accesses a memory object. */
#ifndef CW_ACCESS_MODE_H
#define CW_ACCESS_MODE_H

enum cw_access_mode { CW_ACCESS_READ = 1, CW_ACCESS_WRITE = 2, CW_ACCESS_READ_WRITE = 3 };

#endif
