/* test_trace_schema.c - record/trace.schema.json describes the writer's output: all of it and nothing
 * else.
 *
 * A small validator for the part of JSON Schema that the file uses: type, const, enum, required, properties,
 * additionalProperties false, items, minItems, maxItems, minimum, pattern. */
#include "trace_sample.h"

#include <glob.h>
#include <jansson.h>
#include <regex.h>

#include "../../analyzer/record/trace_fields.h"

static char problem[400];

static bool complain(const char *where, const char *what)
{
    snprintf(problem, sizeof problem, "%s: %s", where, what);
    return false;
}

static bool has_type(const json_t *v, const char *type)
{
    return (strcmp(type, "integer") == 0 && json_is_integer(v)) ||
           (strcmp(type, "string") == 0 && json_is_string(v)) ||
           (strcmp(type, "boolean") == 0 && json_is_boolean(v)) ||
           (strcmp(type, "null") == 0 && json_is_null(v)) ||
           (strcmp(type, "array") == 0 && json_is_array(v)) ||
           (strcmp(type, "object") == 0 && json_is_object(v));
}

static bool type_fits(const json_t *schema, const json_t *v)
{
    const json_t *type = json_object_get(schema, "type"), *one;
    size_t i;
    if (!type)
        return true;
    if (json_is_string(type))
        return has_type(v, json_string_value(type));
    json_array_foreach(type, i, one) if (has_type(v, json_string_value(one))) return true;
    return false;
}

static bool valid(const json_t *schema, const json_t *v, const char *where);

static bool valid_object(const json_t *schema, const json_t *v, const char *where)
{
    const char *key;
    json_t *member, *name, *properties = json_object_get(schema, "properties");
    size_t i;
    json_array_foreach(
        json_object_get(schema, "required"), i,
        name) if (!json_object_get(v, json_string_value(name))) return complain(where,
                                                                                json_string_value(name));
    json_object_foreach((json_t *)v, key, member)
    {
        char inner[200];
        json_t *rule = json_object_get(properties, key);
        if (!properties)
            continue;
        snprintf(inner, sizeof inner, "%.100s.%.60s", where, key);
        if (!rule)
            return complain(inner, "not in the schema");
        if (!valid(rule, member, inner))
            return false;
    }
    return true;
}

static bool matches(const char *pattern, const char *text)
{
    regex_t r;
    assert_int_equal(regcomp(&r, pattern, REG_EXTENDED | REG_NOSUB), 0);
    bool ok = regexec(&r, text, 0, NULL, 0) == 0;
    regfree(&r);
    return ok;
}

static bool valid(const json_t *schema, const json_t *v, const char *where)
{
    const json_t *rule, *one;
    size_t i;
    bool found = false;
    if (!type_fits(schema, v))
        return complain(where, "wrong type");
    if ((rule = json_object_get(schema, "const")) && !json_equal(rule, v))
        return complain(where, "not the constant");
    json_array_foreach(json_object_get(schema, "enum"), i, one) found |= json_equal(one, v);
    if (json_object_get(schema, "enum") && !found)
        return complain(where, "not one of the words");
    if ((rule = json_object_get(schema, "minimum")) && json_is_integer(v) &&
        json_integer_value(v) < json_integer_value(rule))
        return complain(where, "too small");
    if ((rule = json_object_get(schema, "pattern")) && json_is_string(v) &&
        !matches(json_string_value(rule), json_string_value(v)))
        return complain(where, json_string_value(v));
    if (json_is_array(v)) {
        if ((rule = json_object_get(schema, "minItems")) &&
            json_array_size(v) < (size_t)json_integer_value(rule))
            return complain(where, "too few");
        if ((rule = json_object_get(schema, "maxItems")) &&
            json_array_size(v) > (size_t)json_integer_value(rule))
            return complain(where, "too many");
        json_array_foreach(v, i, one) if (!valid(json_object_get(schema, "items"), one, where)) return false;
    }
    return !json_is_object(v) || valid_object(schema, v, where);
}

static json_t *load(const char *path)
{
    json_error_t error;
    json_t *v = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    if (!v)
        fail_msg("%s:%d:%d: %s (start in the repository's root)", path, error.line, error.column, error.text);
    return v;
}

static void written_traces_are_valid(void **state)
{
    json_t *schema = load("analyzer/record/trace.schema.json"), *v;
    struct cw_trace t;
    size_t n;
    glob_t files;
    (void)state;
    sample_trace(&t);
    char *text = sample_text(&t, &n);
    v = json_loadb(text, n, 0, NULL);
    if (!valid(schema, v, "sample"))
        fail_msg("%s", problem);
    json_object_set_new(json_array_get(json_object_get(v, "commands"), 0), "queue", json_string("x"));
    assert_false(valid(schema, v, "spoilt"));
    json_decref(v);
    free(text);
    cw_trace_finish(&t);
    assert_int_equal(glob("test/fuzz/*.json", 0, NULL, &files), 0);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        v = load(files.gl_pathv[i]);
        if (!valid(schema, v, files.gl_pathv[i]))
            fail_msg("%s", problem);
        json_decref(v);
    }
    globfree(&files);
    json_decref(schema);
}

/* Every member that the tables have is in the schema, and the other way round. */
static void same_members(const struct cw_field *fields, const json_t *object, bool has_id, const char *what)
{
    const json_t *properties = json_object_get(object, "properties");
    size_t n = has_id;
    for (const struct cw_field *f = fields; f->name; f++, n++) {
        if (!json_object_get(properties, f->name))
            fail_msg("%s.%s is not in the schema", what, f->name);
    }
    if (n != json_object_size(properties))
        fail_msg("the schema has %zu members of %s, the tables %zu", json_object_size(properties), what, n);
}

static void schema_and_tables_agree(void **state)
{
    json_t *schema = load("analyzer/record/trace.schema.json"),
           *properties = json_object_get(schema, "properties");
    (void)state;
    for (int s = 0; s < CW_S_COUNT; s++) {
        json_t *section = json_object_get(properties, cw_sections[s].name);
        assert_non_null(section);
        same_members(cw_sections[s].fields, s == CW_S_PROCESS ? section : json_object_get(section, "items"),
                     cw_sections[s].has_id, cw_sections[s].name);
    }
    json_t *command =
        json_object_get(json_object_get(json_object_get(properties, "commands"), "items"), "properties");
    same_members(cw_transfer_fields, json_object_get(command, "transfer"), false, "transfer");
    assert_int_equal(json_integer_value(json_object_get(json_object_get(properties, "version"), "const")),
                     CW_TRACE_VERSION);
    json_decref(schema);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(written_traces_are_valid),
                                       cmocka_unit_test(schema_and_tables_agree)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
