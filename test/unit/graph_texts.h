/* graph_texts.h - small task graphs in the formats of others, whole and right. */
#ifndef GRAPH_TEXTS_H
#define GRAPH_TEXTS_H

/* Standard Task Graph Set, without and with times of transfers. */
#define STG                                                                                                  \
    "3\n0 0 0\n 1 4 1 0\n 2 5 1 1 # comment\n 3 6.5 2 1 2\n\n4 0 1 3\n"                                      \
    "# Standard Task Graph Set\n"
#define STG_TRANSFERS "2\n0 0 0\n1 4 1\n 0 0\n2 5 1\n 1 2.5\n3 0 1\n 2 0\n"

/* WfFormat: today's, and two older ones. */
#define WF15                                                                                                 \
    "{\"name\":\"w\",\"schemaVersion\":\"1.5\",\"workflow\":{\"specification\":{\"tasks\":["                 \
    "{\"name\":\"a\",\"id\":\"1\",\"parents\":[],\"children\":[\"2\"],\"outputFiles\":[\"f\",\"g\"]},"       \
    "{\"name\":\"a\",\"id\":\"2\",\"parents\":[\"1\"],\"children\":[],\"inputFiles\":[\"f\",\"g\",\"h\","    \
    "\"f\"]}],"                                                                                              \
    "\"files\":[{\"id\":\"f\",\"sizeInBytes\":1000},{\"id\":\"g\",\"sizeInBytes\":24},{\"id\":\"h\","        \
    "\"sizeInBytes\":7}]},"                                                                                  \
    "\"execution\":{\"makespanInSeconds\":3,\"executedAt\":\"x\",\"tasks\":["                                \
    "{\"id\":\"2\",\"runtimeInSeconds\":2.5},{\"id\":\"1\",\"runtimeInSeconds\":0.5}]}}}"
#define WF14                                                                                                 \
    "{\"name\":\"w\",\"schemaVersion\":\"1.4\",\"workflow\":{\"makespanInSeconds\":3,\"tasks\":["            \
    "{\"name\":\"a\",\"id\":\"ID1\",\"runtimeInSeconds\":1,\"parents\":[],\"children\":[\"b\"],"             \
    "\"files\":[{\"link\":\"output\",\"name\":\"f\",\"sizeInBytes\":10}]},"                                  \
    "{\"name\":\"b\",\"id\":\"ID2\",\"runtimeInSeconds\":2,\"parents\":[\"a\"],\"children\":[],"             \
    "\"files\":[{\"link\":\"input\",\"name\":\"f\",\"sizeInBytes\":10}]}]}}"
#define WF12                                                                                                 \
    "{\"name\":\"w\",\"schemaVersion\":\"1.2\",\"workflow\":{\"jobs\":[{\"name\":\"a\",\"runtime\":1},"      \
    "{\"name\":\"b\",\"runtime\":2,\"parents\":[\"a\"],\"files\":[{\"link\":\"input\",\"name\":\"f\","       \
    "\"size\":10}]}]}}"

#endif
