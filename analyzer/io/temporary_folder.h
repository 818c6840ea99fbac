/* temporary_folder.h - the folder of files that end with the process: $TMPDIR, /tmp where that is not set. */
#ifndef CW_TEMPORARY_FOLDER_H
#define CW_TEMPORARY_FOLDER_H

#include <stdlib.h>

/* The text is the environment's: it holds until the next setenv. Never NULL, never empty. */
static inline const char *cw_temporary_folder(void)
{
    const char *set = getenv("TMPDIR");

    return set && *set ? set : "/tmp";
}

#endif
