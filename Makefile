# clweave: see README.md. `make help` lists the targets.
#
# Settings: CC, CFLAGS, PREFIX, DESTDIR, SAN=address,undefined | thread, COVERAGE=1, V=1 (show commands).
# Every variant builds in a folder of its own, so switching costs nothing.

PREFIX  ?= /usr/local
DESTDIR ?=
CC      ?= cc
OPT     ?= -O2 -g
comma   := ,
clang   := $(filter clang%,$(notdir $(CC)))
variant := $(if $(SAN),-$(subst $(comma),-,$(SAN)))$(if $(COVERAGE),-coverage)$(if $(FUZZ),-fuzz)$(if $(clang),-clang)
B       := build$(variant)
Q       := $(if $(V),,@)

CW_CFLAGS  := -std=c11 -D_GNU_SOURCE -DCL_TARGET_OPENCL_VERSION=300 -Wall -Wextra -Werror -fPIC \
              -fvisibility=hidden -fno-omit-frame-pointer -ffp-contract=off -MMD -MP $(OPT)
CW_LDFLAGS :=
ifneq ($(SAN),)
# float-cast-overflow: not among those that gcc calls `undefined`
CW_CFLAGS  += -fsanitize=$(SAN)$(if $(findstring undefined,$(SAN)),$(comma)float-cast-overflow) -fno-sanitize-recover=all
CW_LDFLAGS += -fsanitize=$(SAN)
# as gcc says it to the source
CW_CFLAGS  += $(if $(clang),$(if $(findstring address,$(SAN)),-D__SANITIZE_ADDRESS__) $(if $(findstring thread,$(SAN)),-D__SANITIZE_THREAD__))
endif
ifneq ($(COVERAGE),)
CW_CFLAGS  += --coverage
CW_LDFLAGS += --coverage
endif
# `make fuzz` sets it: code that libFuzzer watches
ifneq ($(FUZZ),)
CW_CFLAGS  += -fsanitize=fuzzer-no-link
endif

JANSSON_LIBS := -ljansson
SQLITE_LIBS  ?= -l:libsqlite3.a # static and hidden: see analyzer/history/history_store.h
OPENCL_LIBS  := -lOpenCL
LLVM_CONFIG  ?= $(firstword $(foreach v,llvm-config-16 llvm-config-15 llvm-config-14 llvm-config,$(shell command -v $(v))))

sched_src     := $(wildcard sched/*.c)
# what the library's users include: sched.h and what it needs
sched_public  := $(patsubst %,sched/%,sched.h bounds.h generate.h generate_options.inc graph.h groups.h metrics.h plan.h platform.h \
                   policy.h policy_options.inc schedule.h simulate.h status.h timeline.h)
cli_src       := $(wildcard analyzer/cli/*.c analyzer/execute/*.c)
footprint_src := $(wildcard analyzer/llvm/*.c)
compile_src   := $(patsubst %,analyzer/compile/%.c,answer dry_run main)
analyzer_src  := $(filter-out $(cli_src) $(footprint_src) $(compile_src),$(wildcard analyzer/*/*.c))
shim_src      := $(wildcard shim/*/*.c shim/*/*/*.c)
shim_pure_src := shim/builds/helper_cache.c $(patsubst %,shim/run/groups/%.c,group_choice group_kept) \
                 $(patsubst %,shim/run/planner/%.c,plan planner profit estimate) shim/run/tuning/first_launch.c \
                 $(wildcard shim/history/*.c) $(patsubst %,shim/device/%.c,dsp_clock dsp_fault dsp_wait vendor_traits)
unit_src      := $(wildcard test/unit/*.c)
apps_src      := $(wildcard test/apps/*.c test/apps/stencil/*.c)
vendor_src    := $(wildcard test/vendor/*.c)
execute_src   := $(wildcard test/execute/*.c)
runmode_src   := $(wildcard test/runmode/*.c)
stub_src      := $(wildcard test/stub/*.c)
fuzz_src      := $(wildcard test/fuzz/fuzz_*.c)
bench_src     := $(filter-out test/bench/spancl.c,$(wildcard test/bench/*.c))

obj = $(patsubst %.c,$(B)/obj/%.o,$(1))

programs := $(B)/clweave $(B)/libclweave.so $(B)/clweave-compile $(if $(and $(LLVM_CONFIG),$(footprint_src)),$(B)/clweave-footprint)
fuzzers  := $(patsubst test/fuzz/%.c,$(B)/test/fuzz/%,$(fuzz_src))
tests    := $(patsubst test/unit/%.c,$(B)/test/unit/%,$(unit_src)) \
            $(patsubst test/apps/%.c,$(B)/test/apps/%,$(filter-out test/apps/common.c,$(apps_src))) \
            $(patsubst test/vendor/%.c,$(B)/test/vendor/%,$(filter-out test/vendor/common.c,$(vendor_src))) \
            $(patsubst test/execute/%.c,$(B)/test/execute/%,$(filter-out test/execute/common.c,$(execute_src))) \
            $(patsubst test/runmode/%.c,$(B)/test/runmode/%,$(runmode_src)) \
            $(fuzzers) \
            $(if $(stub_src),$(B)/test/libnullcl.so) $(B)/test/libcountcl.so $(B)/test/libreadcl.so $(B)/test/libawake.so $(B)/test/rewriter $(B)/test/rows $(B)/test/linked $(B)/test/ids $(B)/test/libtilecl.so $(B)/test/liar $(if $(LLVM_CONFIG),$(B)/test/credulous $(B)/test/claims) $(B)/test/models $(B)/test/compiled $(B)/test/trace_counts $(B)/test/kernel_edges $(B)/test/compiler $(B)/test/bench/run_speed $(B)/test/bench/tile_speed
benches  := $(patsubst test/bench/%.c,$(B)/test/bench/%,$(bench_src)) $(B)/test/libspancl.so

all: $(programs)

# ---- libraries and programs
$(B)/obj/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(Q)$(CC) $(CW_CFLAGS) $(CFLAGS) -c $< -o $@

# rm first: ar only adds, so a deleted source would stay in the archive
$(B)/libcwsched.a: $(call obj,$(sched_src))
	$(Q)rm -f $@ && ar rcs $@ $^
$(B)/libcwanalyzer.a: $(call obj,$(analyzer_src))
	$(Q)rm -f $@ && ar rcs $@ $^
# the part of shim/ that neither OpenCL nor a process hangs on: unit tests and benches link it
$(B)/libcwpure.a: $(call obj,$(shim_pure_src))
	$(Q)rm -f $@ && ar rcs $@ $^

$(B)/clweave: $(call obj,$(cli_src)) $(B)/libcwanalyzer.a $(B)/libcwsched.a
	$(Q)$(CC) $(CW_LDFLAGS) $(LDFLAGS) -o $@ $^ $(JANSSON_LIBS) $(SQLITE_LIBS) $(OPENCL_LIBS) -lpthread -lm

$(B)/libclweave.so: $(call obj,$(shim_src)) $(B)/libcwanalyzer.a $(B)/libcwsched.a shim/door/libclweave.map
	$(Q)$(CC) -shared $(CW_LDFLAGS) $(LDFLAGS) -Wl,--version-script=shim/door/libclweave.map -Wl,-soname,libclweave.so \
	    -Wl,-z,nodelete -Wl,--exclude-libs,ALL -o $@ $(filter %.o %.a,$^) $(JANSSON_LIBS) $(SQLITE_LIBS) -ldl -lpthread -lm

$(B)/clweave-compile: $(call obj,$(compile_src)) $(B)/libcwanalyzer.a $(B)/libcwsched.a
	$(Q)$(CC) $(CW_LDFLAGS) $(LDFLAGS) -Wl,--export-dynamic-symbol=dlopen -Wl,--export-dynamic-symbol=dlsym -o $@ $^ $(JANSSON_LIBS) $(OPENCL_LIBS) -lpthread -lm

llvm_major := $(if $(LLVM_CONFIG),$(firstword $(subst ., ,$(shell $(LLVM_CONFIG) --version))),14)
llvm_cflags := $(if $(LLVM_CONFIG),$(patsubst -I%,-isystem%,$(filter -I% -D%,$(shell $(LLVM_CONFIG) --cflags))))
# models that an earlier build has kept are another analysis's
models_of := $(wildcard $(patsubst %,analyzer/%/*.[ch],footprint llvm rewrite rows source))
$(call obj,analyzer/models/program_models.c): $(models_of)
$(call obj,analyzer/models/program_models.c): CW_CFLAGS += -DCW_FOOTPRINT_SOURCES='"$(shell cat $(models_of) | cksum | tr ' ' -)"' -DCW_FOOTPRINT_LLVM='"$(llvm_major)"'
$(call obj,analyzer/draw/report.c): analyzer/draw/report_page.html
$(call obj,$(footprint_src) test/rewrite/credulous.c test/rewrite/claims.c): CW_CFLAGS += $(llvm_cflags)
footprint_libs = $$($(LLVM_CONFIG) --ldflags --libs core bitreader passes) $(JANSSON_LIBS) -lpthread -lm
$(B)/clweave-footprint: $(call obj,$(footprint_src)) $(B)/libcwanalyzer.a $(B)/libcwsched.a
	$(Q)$(CC) $(CW_LDFLAGS) $(LDFLAGS) -o $@ $^ $(footprint_libs)

# the same, with a rewriter that believes too much: its functions come first
$(B)/test/credulous: $(B)/obj/test/rewrite/credulous.o $(call obj,$(footprint_src)) $(B)/libcwanalyzer.a $(B)/libcwsched.a
	@mkdir -p $(@D)
	$(Q)$(CC) $(CW_LDFLAGS) $(LDFLAGS) -Wl,-z,muldefs -o $@ $^ $(footprint_libs)

$(B)/test/claims: $(B)/obj/test/rewrite/claims.o $(filter-out $(B)/obj/analyzer/llvm/main.o,$(call obj,$(footprint_src))) $(B)/libcwanalyzer.a $(B)/libcwsched.a
	@mkdir -p $(@D)
	$(Q)$(CC) $(CW_LDFLAGS) $(LDFLAGS) -o $@ $^ $(footprint_libs)

# ---- tests: one program per file, all of the project's code linked in
$(B)/test/unit/%: $(B)/obj/test/unit/%.o $(B)/libcwpure.a $(B)/libcwanalyzer.a $(B)/libcwsched.a
	@mkdir -p $(@D)
	$(Q)$(CC) $(CW_LDFLAGS) $(LDFLAGS) -o $@ $^ $(JANSSON_LIBS) $(SQLITE_LIBS) -lcmocka -lpthread -lm
# with replay.c each runs a corpus, with libFuzzer (FUZZ=1) it looks for more
$(B)/test/fuzz/%: $(B)/obj/test/fuzz/%.o $(if $(FUZZ),,$(B)/obj/test/fuzz/replay.o) $(B)/libcwpure.a $(B)/libcwanalyzer.a $(B)/libcwsched.a
	@mkdir -p $(@D)
	$(Q)$(CC) $(CW_LDFLAGS) $(if $(FUZZ),-fsanitize=fuzzer) $(LDFLAGS) -o $@ $^ $(JANSSON_LIBS) $(SQLITE_LIBS) -lpthread -lm
$(B)/test/apps/%: $(B)/obj/test/apps/%.o $(call obj,$(wildcard test/apps/common.c))
	@mkdir -p $(@D)
	$(Q)$(CC) $(CW_LDFLAGS) $(LDFLAGS) -o $@ $^ $(OPENCL_LIBS) -lpthread -lm
$(B)/test/runmode/%: $(B)/obj/test/runmode/%.o $(call obj,test/apps/common.c)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CW_LDFLAGS) $(LDFLAGS) -o $@ $^ $(OPENCL_LIBS) -lpthread -lm
$(B)/test/vendor/%: $(B)/obj/test/vendor/%.o $(call obj,test/vendor/common.c test/apps/common.c)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CW_LDFLAGS) $(LDFLAGS) -o $@ $^ $(OPENCL_LIBS) -lpthread -lm
$(B)/test/execute/%: $(B)/obj/test/execute/%.o $(call obj,$(wildcard test/execute/common.c analyzer/execute/*.c)) $(B)/libcwanalyzer.a $(B)/libcwsched.a
	@mkdir -p $(@D)
	$(Q)$(CC) $(CW_LDFLAGS) $(LDFLAGS) -o $@ $^ $(JANSSON_LIBS) $(OPENCL_LIBS) -lcmocka -lpthread -lm
$(B)/test/bench/run_speed $(B)/test/bench/tile_speed $(B)/test/bench/groups_speed: $(call obj,test/apps/common.c)
$(B)/test/bench/%: $(B)/obj/test/bench/%.o $(B)/libcwpure.a $(B)/libcwanalyzer.a $(B)/libcwsched.a
	@mkdir -p $(@D)
	$(Q)$(CC) $(CW_LDFLAGS) $(LDFLAGS) -o $@ $^ $(JANSSON_LIBS) $(SQLITE_LIBS) $(OPENCL_LIBS) -lpthread -lm
$(B)/test/libnullcl.so: $(call obj,$(stub_src))
	@mkdir -p $(@D)
	$(Q)$(CC) -shared $(CW_LDFLAGS) $(LDFLAGS) -o $@ $^ -lpthread

# the independent witness: counts enqueues below the loader, and in traces, with none of the project's code
$(B)/test/libcountcl.so: $(B)/obj/test/shim/countcl.o
	@mkdir -p $(@D)
	$(Q)$(CC) -shared $(CW_LDFLAGS) $(LDFLAGS) -o $@ $^ -ldl -lpthread
# the witness of what programs read back: a layer above everything else
$(B)/test/libreadcl.so: $(call obj,$(wildcard test/suites/readcl*.c))
	@mkdir -p $(@D)
	$(Q)$(CC) -shared $(CW_LDFLAGS) $(LDFLAGS) -o $@ $^ -lpthread
# threads that do not sleep, for bare runs that are to show what a program varies in
$(B)/test/libawake.so: $(B)/obj/test/suites/awake.o
	@mkdir -p $(@D)
	$(Q)$(CC) -shared $(CW_LDFLAGS) $(LDFLAGS) -o $@ $^ -lpthread
# what a program's OpenCL part takes, for benches
$(B)/test/libspancl.so: $(B)/obj/test/bench/spancl.o
	@mkdir -p $(@D)
	$(Q)$(CC) -shared $(CW_LDFLAGS) $(LDFLAGS) -o $@ $^ -ldl
$(B)/test/liar: $(call obj,test/suites/liar.c test/apps/common.c)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CW_LDFLAGS) $(LDFLAGS) -o $@ $^ $(OPENCL_LIBS) -lpthread -lm
$(B)/test/trace_counts $(B)/test/kernel_edges: $(B)/test/%: $(B)/obj/test/shim/%.o
	@mkdir -p $(@D)
	$(Q)$(CC) $(CW_LDFLAGS) $(LDFLAGS) -o $@ $^ $(JANSSON_LIBS)

$(B)/test/models $(B)/test/compiled: $(B)/test/%: $(B)/obj/test/footprint/%.o $(B)/libcwanalyzer.a $(B)/libcwsched.a
	@mkdir -p $(@D)
	$(Q)$(CC) $(CW_LDFLAGS) $(LDFLAGS) -o $@ $^ $(JANSSON_LIBS) -lpthread -lm

$(B)/test/compiler: $(B)/obj/test/compile/compiler.o $(B)/libcwanalyzer.a $(B)/libcwsched.a
	@mkdir -p $(@D)
	$(Q)$(CC) $(CW_LDFLAGS) $(LDFLAGS) -o $@ $^ $(JANSSON_LIBS) $(OPENCL_LIBS) -lpthread -lm

# the rewriter on a device: a program that shows what it makes of a source, and a layer that runs launches in tiles
$(B)/test/rewriter $(B)/test/rows $(B)/test/linked: $(B)/test/%: $(B)/obj/test/rewrite/%.o $(B)/libcwanalyzer.a $(B)/libcwsched.a
	@mkdir -p $(@D)
	$(Q)$(CC) $(CW_LDFLAGS) $(LDFLAGS) -o $@ $^ $(JANSSON_LIBS) $(OPENCL_LIBS) -lpthread -lm
$(B)/test/ids: $(B)/obj/test/rewrite/ids.o
	@mkdir -p $(@D)
	$(Q)$(CC) $(CW_LDFLAGS) $(LDFLAGS) -o $@ $^ $(OPENCL_LIBS)
$(B)/test/libtilecl.so: $(call obj,$(wildcard test/rewrite/tilecl*.c)) $(B)/libcwanalyzer.a $(B)/libcwsched.a
	@mkdir -p $(@D)
	$(Q)$(CC) -shared $(CW_LDFLAGS) $(LDFLAGS) -Wl,--exclude-libs,ALL -o $@ $^ $(JANSSON_LIBS) -ldl -lpthread -lm

tests: all $(tests)
benches: tests $(benches)

-include $(patsubst %.o,%.d,$(call obj,$(sched_src) $(cli_src) $(analyzer_src) $(footprint_src) $(shim_src) \
           $(unit_src) $(apps_src) $(vendor_src) $(execute_src) $(runmode_src) $(stub_src) $(bench_src) $(fuzz_src) test/fuzz/replay.c test/shim/countcl.c test/bench/spancl.c test/footprint/models.c test/footprint/compiled.c $(wildcard test/suites/*.c test/rewrite/*.c test/compile/*.c) test/shim/trace_counts.c test/shim/kernel_edges.c))

# ---- the commands of README.md
deps:
	@scripts/deps.sh
deps-slow:
	@scripts/deps.sh slow
deps-demo:
	@scripts/deps.sh demo
deps-fuzz:
	@scripts/deps.sh fuzz

demo: deps-demo
	@$(MAKE) --no-print-directory all tests
	@B=$(B) scripts/demo.sh

check: deps
	@$(MAKE) --no-print-directory tests
	@B=$(B) test/run fast

check-all: deps-slow
	@$(MAKE) --no-print-directory tests benches
	@B=$(B) test/run all

fuzz: deps-fuzz
	@$(MAKE) --no-print-directory FUZZ=1 SAN=address,undefined CC=clang-14 fuzz-harnesses
fuzz-harnesses: $(fuzzers)
	@B=$(B) SECONDS_EACH=$(or $(SECONDS),60) test/fuzz/run $(HARNESS)

bench: deps
	@$(MAKE) --no-print-directory benches
	@B=$(B) test/bench/run

install: all
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/lib $(DESTDIR)$(PREFIX)/share/doc/clweave
	install -m 755 $(B)/clweave $(B)/clweave-compile $(DESTDIR)$(PREFIX)/bin/
	if [ -e $(B)/clweave-footprint ]; then install -m 755 $(B)/clweave-footprint $(DESTDIR)$(PREFIX)/bin/; fi
	install -m 755 $(B)/libclweave.so $(DESTDIR)$(PREFIX)/lib/
	install -m 644 README.md LICENSE analyzer/FORMAT.md analyzer/trace/trace.schema.json $(DESTDIR)$(PREFIX)/share/doc/clweave/
	install -d $(DESTDIR)$(PREFIX)/include/clweave $(DESTDIR)$(PREFIX)/lib/pkgconfig
	install -m 644 $(sched_public) $(DESTDIR)$(PREFIX)/include/clweave/
	install -m 644 $(B)/libcwsched.a $(DESTDIR)$(PREFIX)/lib/
	sed -e 's|@PREFIX@|$(PREFIX)|' -e "s|@VERSION@|$$(sed -n 's/^#define CW_VERSION *"\(.*\)"/\1/p' analyzer/cli/cli.h)|" \
	    sched/clweave-sched.pc.in > $(DESTDIR)$(PREFIX)/lib/pkgconfig/clweave-sched.pc
	install -m 644 sched/README.md $(DESTDIR)$(PREFIX)/share/doc/clweave/sched.md
	install -d $(DESTDIR)$(PREFIX)/share/man/man1 $(DESTDIR)$(PREFIX)/share/bash-completion/completions
	$(B)/clweave help --man > $(DESTDIR)$(PREFIX)/share/man/man1/clweave.1
	$(B)/clweave help --completion bash > $(DESTDIR)$(PREFIX)/share/bash-completion/completions/clweave

clean:
	rm -rf build build-*

help:
	@sed -n 's/^# \(make .*\)/\1/p' Makefile
# make             build build/clweave and build/libclweave.so
# make demo        install what is missing, build, trace real programs, draw pictures
# make check       install what is missing, build, run the fast tests
# make check-all   all tests, also the slow ones and real programs
# make fuzz        SECONDS=60 HARNESS=... libFuzzer over each harness of test/fuzz, or those named
# make bench       ratios against baselines timed in the same run
# make install     PREFIX=/usr/local DESTDIR=
# make clean       remove build folders

.PHONY: all tests benches deps deps-demo deps-slow demo check check-all bench install clean help
.SECONDARY:
