/* completion_bash.c - the completion script of bash. */
#include "cli.h"

#include <string.h>

/* One case of the options' arguments; "-o" and "--out" alike. Behind `--set rows=`, "=" divides words. */
static void put_option(FILE *f, const struct cw_command_def *def, const struct cw_cli_option *o)
{
    const char *name = o->help ? o->name : cw_completion_setting(o);

    fprintf(f, "    '%s %s%.*s'", def->name, o->help ? "--" : "", (int)strcspn(name, "="), name);
    if (o->letter)
        fprintf(f, " | '%s -%c'", def->name, o->letter);
    fputs(") COMPREPLY=($(", f);
    if (cw_completion_words_option(NULL, def, o)) {
        fputs("compgen -W '", f);
        cw_completion_words_option(f, def, o);
        fputs("' -- \"$cur\"", f);
    }
    if (cw_completion_words_or_file(o))
        fprintf(f, "%scompgen -f -- \"$cur\"", cw_completion_words_option(NULL, def, o) ? "; " : "");
    fputs(")); return ;;\n", f);
}

static void put_operands(FILE *f, const struct cw_command_def *const *table)
{
    fputs("    case \"${COMP_WORDS[1]} $COMP_CWORD $cur\" in\n", f);
    for (size_t i = 0; table[i]; i++)
        if (cw_completion_words_operand(NULL, table, table[i])) {
            fprintf(f, "    '%s 2 '[!-]* | '%s 2 ') COMPREPLY=($(compgen -W '", table[i]->name,
                    table[i]->name);
            cw_completion_words_operand(f, table, table[i]);
            fputs("' -- \"$cur\")); return ;;\n", f);
        }
    fputs("    esac\n", f);
}

void cw_completion_bash(FILE *f, const struct cw_command_def *const *table)
{
    fputs("# bash completion of clweave: source this file, or install it as "
          ".../bash-completion/completions/clweave\n"
          "_clweave() {\n    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} words=\n"
          "    if [ \"$cur\" = = ]; then cur=\n"
          "    elif [ \"$prev\" = = ]; then prev=${COMP_WORDS[COMP_CWORD-2]}; fi\n"
          "    if [ \"$COMP_CWORD\" = 1 ]; then\n        COMPREPLY=($(compgen -W '",
          f);
    for (size_t i = 0; table[i]; i++)
        fprintf(f, "%s ", table[i]->name);
    fputs("--help --version' -- \"$cur\")); return\n    fi\n    case \"${COMP_WORDS[1]} $prev\" in\n", f);
    for (size_t i = 0; table[i]; i++)
        for (const struct cw_cli_option *o = table[i]->options; o && o->name; o++)
            if (cw_completion_takes(o))
                put_option(f, table[i], o);
    fputs("    esac\n    case \"${COMP_WORDS[1]}\" in\n", f);
    for (size_t i = 0; table[i]; i++) {
        fprintf(f, "    %s) words='", table[i]->name);
        CW_CLI_EACH(o, table[i]->options)
        fprintf(f, "--%s ", o->name);
        fputs("--help' ;;\n", f);
    }
    fputs("    esac\n", f);
    put_operands(f, table);
    fputs("    case $cur in\n    -*) COMPREPLY=($(compgen -W \"$words\" -- \"$cur\")) ;;\n"
          "    *) COMPREPLY=($(compgen -f -- \"$cur\")) ;;\n    esac\n}\ncomplete -o filenames -F _clweave "
          "clweave\n",
          f);
}
