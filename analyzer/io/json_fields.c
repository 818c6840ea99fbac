#include "json_fields.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../sched/nearest_word.h"
#include "text.h"

static enum cw_status check_header(const json_t *root, const char *path, const char *format, int version,
                                   struct cw_error *err)
{
    const json_t *f, *v;

    if (!json_is_object(root))
        return cw_error_set(err, CW_ERR_FORMAT, "%s: holds no JSON object", path);
    if (!format)
        return CW_OK;
    f = json_object_get(root, "format");
    v = json_object_get(root, "version");
    if (!json_is_string(f) || strcmp(json_string_value(f), format) != 0)
        return cw_error_set(err, CW_ERR_FORMAT, "%s: \"format\" is not \"%s\"", path, format);
    if (!json_is_integer(v))
        return cw_error_set(err, CW_ERR_FORMAT, "%s: has no \"version\"", path);
    if (json_integer_value(v) != version)
        return cw_error_set(err, CW_ERR_VERSION, "%s: %s version %lld; this clweave reads version %d", path,
                            format, (long long)json_integer_value(v), version);
    return CW_OK;
}

enum cw_status cw_json_load_any(const char *path, json_t **root, struct cw_error *err)
{
    return cw_json_load(path, NULL, NULL, 0, root, err);
}

enum cw_status cw_json_load(const char *path, const char *text, const char *format, int version,
                            json_t **root, struct cw_error *err)
{
    json_error_t problem;
    struct cw_file_text file = {.text = ""};
    enum cw_status status = text ? CW_OK : cw_file_text_open(&file, path, err);

    *root = NULL;
    if (status != CW_OK)
        return status;
    *root = text ? json_loads(text, JSON_REJECT_DUPLICATES, &problem)
                 : json_loadb(file.text, file.length, JSON_REJECT_DUPLICATES, &problem);
    cw_file_text_close(&file);
    if (*root)
        status = check_header(*root, path, format, version, err);
    else
        status = cw_error_set(err, CW_ERR_FORMAT, "%s: line %d, column %d: %s", path, problem.line,
                              problem.column, problem.text);
    if (status != CW_OK) {
        json_decref(*root);
        *root = NULL;
    }
    return status;
}

static enum cw_status wrong(const char *where, const char *key, const char *wanted, struct cw_error *err)
{
    return cw_error_set(err, CW_ERR_FORMAT, "%s%s%s: %s", where, *where ? "." : "", key, wanted);
}

/* Finds a member. *found is NULL when it is absent and may be. */
static enum cw_status find(const json_t *object, const char *where, const char *key, bool optional,
                           const json_t **found, struct cw_error *err)
{
    if (!json_is_object(object)) {
        *found = NULL;
        return cw_error_set(err, CW_ERR_FORMAT, "%s: is not an object", *where ? where : "the file");
    }
    *found = json_object_get(object, key);
    return *found || optional ? CW_OK : wrong(where, key, "is missing", err);
}

enum cw_status cw_json_get_number(const json_t *object, const char *where, const char *key, bool optional,
                                  double *value, struct cw_error *err)
{
    const json_t *j;
    enum cw_status status = find(object, where, key, optional, &j, err);

    if (status != CW_OK || !j)
        return status;
    if (!json_is_number(j))
        return wrong(where, key, "is not a number", err);
    *value = json_number_value(j);
    return CW_OK;
}

enum cw_status cw_json_get_count(const json_t *object, const char *where, const char *key, bool optional,
                                 uint64_t *value, struct cw_error *err)
{
    const json_t *j;
    enum cw_status status = find(object, where, key, optional, &j, err);

    if (status != CW_OK || !j)
        return status;
    if (!json_is_integer(j) || json_integer_value(j) < 0)
        return wrong(where, key, "is not a whole number from 0 on", err);
    *value = (uint64_t)json_integer_value(j);
    return CW_OK;
}

enum cw_status cw_json_get_string(const json_t *object, const char *where, const char *key, bool optional,
                                  const char **value, struct cw_error *err)
{
    const json_t *j;
    enum cw_status status = find(object, where, key, optional, &j, err);

    if (status != CW_OK || !j)
        return status;
    if (!json_is_string(j))
        return wrong(where, key, "is not a string", err);
    *value = json_string_value(j);
    return CW_OK;
}

enum cw_status cw_json_get_flag(const json_t *object, const char *where, const char *key, bool optional,
                                bool *value, struct cw_error *err)
{
    const json_t *j;
    enum cw_status status = find(object, where, key, optional, &j, err);

    if (status != CW_OK || !j)
        return status;
    if (!json_is_boolean(j))
        return wrong(where, key, "is neither true nor false", err);
    *value = json_is_true(j);
    return CW_OK;
}

enum cw_status cw_json_get_array(const json_t *object, const char *where, const char *key, bool optional,
                                 const json_t **value, struct cw_error *err)
{
    const json_t *j;
    enum cw_status status = find(object, where, key, optional, &j, err);

    *value = NULL;
    if (status != CW_OK || !j)
        return status;
    if (!json_is_array(j))
        return wrong(where, key, "is not an array", err);
    *value = j;
    return CW_OK;
}

enum cw_status cw_json_known_keys(const json_t *object, const char *where, const char *const *keys,
                                  struct cw_error *err)
{
    const char *key;
    json_t *value;

    if (!json_is_object(object))
        return cw_error_set(err, CW_ERR_FORMAT, "%s: is not an object", *where ? where : "the file");
    json_object_foreach((json_t *)(uintptr_t)object, key, value)
    {
        size_t k = 0;
        const char *near;
        while (keys[k] && strcmp(keys[k], key) != 0)
            k++;
        if (keys[k])
            continue;
        near = cw_nearest_word(key, keys);
        return cw_error_set(err, CW_ERR_FORMAT, "%s%s%.60s: is not known here%s%s%s", where,
                            *where ? "." : "", key, near ? "; did you mean \"" : "", near ? near : "",
                            near ? "\"?" : "");
    }
    return CW_OK;
}

/* Reads row[0 .. n - 1] of numbers. In a matrix null is infinite. */
static enum cw_status read_row(const json_t *row, const char *where, uint32_t n, int rank, double *values,
                               struct cw_error *err)
{
    if (!json_is_array(row) || json_array_size(row) != n)
        return cw_error_set(err, CW_ERR_FORMAT, "%s: is not an array of %u numbers, one per device", where,
                            n);
    for (uint32_t k = 0; k < n; k++) {
        const json_t *j = json_array_get(row, k);
        if (!json_is_number(j) && !(rank == 2 && json_is_null(j)))
            return cw_error_set(err, CW_ERR_FORMAT, "%s[%u]: is not a number", where, k);
        values[k] = json_is_null(j) ? INFINITY : json_number_value(j);
    }
    return CW_OK;
}

enum cw_status cw_json_per_device(const json_t *object, const char *key, int rank, uint32_t devices,
                                  double *one, double **values, struct cw_error *err)
{
    const json_t *j = json_object_get(object, key);
    enum cw_status status = CW_OK;
    char where[64];

    *values = NULL;
    if (!j)
        return CW_OK;
    if (json_is_number(j) || (rank == 2 && json_is_null(j))) {
        *one = json_is_null(j) ? INFINITY : json_number_value(j);
        return CW_OK;
    }
    if (!json_is_array(j) || json_array_size(j) != devices)
        return cw_error_set(err, CW_ERR_FORMAT,
                            "%s: is neither a number nor an array with an entry for each of the %u "
                            "devices",
                            key, devices);
    *values = malloc((rank == 2 ? devices : 1) * (size_t)devices * sizeof **values);
    if (!*values)
        return cw_error_set(err, CW_ERR_NOMEM, "out of memory");
    if (rank == 1)
        status = read_row(j, key, devices, rank, *values, err);
    for (uint32_t m = 0; rank == 2 && status == CW_OK && m < devices; m++) {
        snprintf(where, sizeof where, "%s[%u]", key, m);
        status = read_row(json_array_get(j, m), where, devices, rank, *values + (size_t)m * devices, err);
    }
    if (status != CW_OK) {
        free(*values);
        *values = NULL;
    }
    return status;
}
