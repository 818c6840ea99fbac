# clweave: see README.md. `make help` lists the targets.
#
# Settings: CC, CPPFLAGS, CFLAGS, LDFLAGS, PREFIX, LIBDIR, DESTDIR, SAN=address,undefined | thread, COVERAGE=1, LOCK_ORDER=1
# (shim/door/lock_order.h), V=1 (show commands).
# Every variant builds in a folder of its own, so switching costs nothing.

PREFIX  ?= /usr/local
LIBDIR  ?= $(PREFIX)/lib
DESTDIR ?=
CC      ?= cc
OPT     ?= -O2 -g
comma   := ,
clang   := $(filter clang%,$(notdir $(CC)))
variant := $(if $(SAN),-$(subst $(comma),-,$(SAN)))$(if $(COVERAGE),-coverage)$(if $(FUZZ),-fuzz)$(if $(LOCK_ORDER),-locks)$(if $(clang),-clang)
B       := build$(variant)
Q       := $(if $(V),,@)

VERSION    := $(shell sed -n 's/^\#define CW_VERSION *"\(.*\)"/\1/p' analyzer/cli/frame/cli.h)
ABI        := $(shell sed -n 's/^\#define CW_ABI *"\([0-9]*\)".*/\1/p' analyzer/cli/frame/cli.h)

# headers of 2025 and later declare command buffers among the extensions that may still change
CW_CFLAGS  := -std=c11 -D_GNU_SOURCE -DCL_TARGET_OPENCL_VERSION=300 -DCL_ENABLE_BETA_EXTENSIONS -Wall -Wextra -Werror -fPIC \
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

# the order of locks is checked: shim/door/lock_order.h
ifneq ($(LOCK_ORDER)$(findstring thread,$(SAN)),)
CW_CFLAGS    += -DCW_LOCK_ORDER
LOCK_LDFLAGS := $(patsubst %,-Wl$(comma)--wrap=pthread_%,mutex_lock mutex_trylock mutex_unlock mutex_destroy cond_wait)
endif

JANSSON_LIBS := -ljansson
SQLITE_LIBS  ?= -l:libsqlite3.a # static and hidden: see analyzer/history/history_store.h
OPENCL_LIBS  := -lOpenCL
# the newest one that has headers, too
LLVM_CONFIG  ?= $(firstword $(foreach v,$(patsubst %,llvm-config-%,19 18 17 16 15 14) llvm-config,$(shell \
                    command -v $(v) > /dev/null && [ -e $$($(v) --includedir)/llvm-c/Core.h ] && command -v $(v))))

sched_src     := $(wildcard sched/*.c)
# what the library's users include: sched.h and what it needs
sched_public  := $(patsubst %,sched/%,sched.h api.h bounds.h generate.h generate_options.inc graph.h groups.h metrics.h plan.h platform.h \
                   policy.h policy_options.inc schedule.h simulate.h status.h timeline.h)
cli_src       := $(wildcard $(patsubst %,analyzer/%/*.c,cli cli/frame execute))
footprint_src := $(wildcard analyzer/kernels/llvm/*.c)
# the one program that is linked with Work Queue, where that is (package coop-computing-tools-dev)
queue_src     := $(if $(wildcard /usr/include/cctools/work_queue.h),$(wildcard analyzer/farm/queue/*.c))
compile_src   := $(patsubst %,analyzer/compile/%.c,answer builder dry_run fulfil main)
# what the library is linked with, and what only the tool is
analyzer_src  := $(wildcard $(patsubst %,analyzer/%/*.c,io settings history record graph plan $(patsubst %,kernels/%,source rewrite rows footprint models))) \
                 $(filter-out $(compile_src),$(wildcard analyzer/compile/*.c))
tool_src      := $(wildcard $(patsubst %,analyzer/%/*.c,explain explain/draw farm))
shim_src      := $(wildcard shim/*/*.c shim/*/*/*.c)
shim_pure_src := shim/builds/helper_cache.c shim/door/registry.c shim/door/query.c $(patsubst %,shim/run/groups/%.c,group_choice group_cache) shim/run/windows/window_flow.c \
                 $(patsubst %,shim/run/planner/%.c,plan planner profit transfers flow estimate) shim/run/tuning/first_launch.c $(patsubst %,shim/run/staging/staging_%.c,pieces pages choice) \
                 $(patsubst %,shim/run/streams/%.c,stream_access stream_binary stream_object) \
                 shim/run/memory/extents.c shim/run/memory/coherence.c shim/run/memory/link_fit.c $(patsubst %,shim/device/%.c,dsp_clock dsp_fault gpu_lease pace vendor_traits)
obj = $(patsubst %.c,$(B)/obj/%.o,$(1))

programs := $(B)/clweave $(B)/libclweave.so $(B)/libcwsched.so $(B)/clweave-compile $(if $(and $(LLVM_CONFIG),$(footprint_src)),$(B)/clweave-footprint) \
            $(if $(queue_src),$(B)/clweave-farm-queue)

# A test program is a file test/FOLDER/NAME.c with a main() (that of fuzz_*.c and credulous.c is elsewhere), and becomes
# $(B)/test/FOLDER/NAME. Scripts build the others of test/shim themselves, with options of their own.
fuzz_src := $(wildcard test/fuzz/fuzz_*.c)
test_src := $(shell grep -l '^int main\b' $(wildcard $(patsubst %,test/%/*.c,apps apps/stencil bench compile devices execute \
                footprint rewrite runmode suites unit vendor))) $(fuzz_src) \
            test/rewrite/credulous.c test/shim/trace_counts.c test/shim/kernel_edges.c
# what needs LLVM, and what a shell test builds with sanitizers
test_src := $(filter-out $(if $(LLVM_CONFIG),,test/rewrite/credulous.c test/rewrite/claims.c) test/rewrite/fuzz.c,$(test_src))
fuzzers  := $(patsubst %.c,$(B)/%,$(fuzz_src))
tests    := $(patsubst %.c,$(B)/%,$(test_src)) $(patsubst %,$(B)/test/lib%.so,nullcl countcl played readcl gpucl awake spancl exittime tilecl)

all: $(programs)

# ---- libraries and programs
$(B)/obj/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(Q)$(CC) $(CW_CFLAGS) $(CPPFLAGS) $(CFLAGS) -c $< -o $@

# these test what others have compiled (-O2), and their own code takes longer to optimize than to run
$(foreach d,runmode unit vendor,$(B)/obj/test/$d/%.o): CW_CFLAGS += -O0
$(B)/obj/test/stub/%.o: CW_CFLAGS += -O1
# cmocka 2 has other names for assertions that cmocka 1 has, too
$(B)/obj/test/%.o: CW_CFLAGS += -DCMOCKA_DISABLE_DEPRECATION_WARNINGS

# anew, as ar only adds; under another name until it is whole
archive = $(Q)rm -f $@.part && ar rcs $@.part $^ && mv $@.part $@

$(B)/libcwsched.a: $(call obj,$(sched_src))
	$(archive)
# the same for programs of others, with the symbols of the public headers (api.h)
$(call obj,$(sched_src)): CW_CFLAGS += -fno-semantic-interposition
$(B)/libcwsched.so: $(call obj,$(sched_src))
	$(Q)$(CC) -shared $(CW_LDFLAGS) $(LDFLAGS) -Wl,-soname,libcwsched.so.$(ABI) -o $@ $^ -lm
$(B)/libcwanalyzer.a: $(call obj,$(analyzer_src))
	$(archive)
$(B)/libcwtool.a: $(call obj,$(tool_src))
	$(archive)
# the part of shim/ that neither OpenCL nor a process hangs on: unit tests and benches link it
$(B)/libcwpure.a: $(call obj,$(shim_pure_src))
	$(archive)

$(call obj,analyzer/cli/launch.c): CW_CFLAGS += -DCW_MULTIARCH='"$(shell $(CC) -print-multiarch 2> /dev/null)"'
$(B)/clweave: $(call obj,$(cli_src)) $(B)/libcwtool.a $(B)/libcwanalyzer.a $(B)/libcwsched.a
	$(Q)$(CC) $(CW_LDFLAGS) $(LDFLAGS) -o $@ $^ $(JANSSON_LIBS) $(SQLITE_LIBS) $(OPENCL_LIBS) -lpthread -lm

$(B)/libclweave.so: $(call obj,$(shim_src)) $(B)/libcwanalyzer.a $(B)/libcwsched.a shim/door/libclweave.map
	$(Q)$(CC) -shared $(CW_LDFLAGS) $(LOCK_LDFLAGS) $(LDFLAGS) -Wl,--version-script=shim/door/libclweave.map -Wl,-soname,libclweave.so.$(ABI) \
	    -Wl,-z,nodelete -Wl,--exclude-libs,ALL -o $@ $(filter %.o %.a,$^) $(JANSSON_LIBS) $(SQLITE_LIBS) -ldl -lpthread -lm

compile_exports := -Wl,--export-dynamic-symbol=dlopen -Wl,--export-dynamic-symbol=dlsym
$(B)/clweave-compile: $(call obj,$(compile_src)) $(B)/libcwanalyzer.a $(B)/libcwsched.a
	$(Q)$(CC) $(CW_LDFLAGS) $(LDFLAGS) $(compile_exports) -o $@ $^ $(JANSSON_LIBS) $(OPENCL_LIBS) -lpthread -lm

llvm_major := $(if $(LLVM_CONFIG),$(firstword $(subst ., ,$(shell $(LLVM_CONFIG) --version))),14)
llvm_cflags := $(if $(LLVM_CONFIG),$(patsubst -I%,-isystem%,$(filter -I% -D%,$(shell $(LLVM_CONFIG) --cflags))))
# models that an earlier build has kept are another analysis's
models_of := $(wildcard $(patsubst %,analyzer/kernels/%/*.[ch],footprint llvm rewrite rows source))
$(call obj,analyzer/kernels/models/program_models.c): $(models_of)
$(call obj,analyzer/kernels/models/program_models.c): CW_CFLAGS += -DCW_FOOTPRINT_SOURCES='"$(shell cat $(models_of) | cksum | tr ' ' -)"' -DCW_FOOTPRINT_LLVM='"$(llvm_major)"'
$(call obj,analyzer/explain/draw/report.c): $(wildcard analyzer/explain/draw/page/*)
$(call obj,$(footprint_src) test/rewrite/credulous.c test/rewrite/claims.c): CW_CFLAGS += $(llvm_cflags)
footprint_libs = $$($(LLVM_CONFIG) --ldflags --libs core bitreader irreader passes) $(JANSSON_LIBS) -lpthread -lm
$(B)/clweave-footprint: $(call obj,$(footprint_src)) $(B)/libcwanalyzer.a $(B)/libcwsched.a
	$(Q)$(CC) $(CW_LDFLAGS) $(LDFLAGS) -o $@ $^ $(footprint_libs)

# Work Queue of Debian 13 wants OpenSSL, of 12 not
ssl_libs := $(patsubst %,-l:%,$(notdir $(wildcard $(addprefix /usr/lib/$(shell $(CC) -print-multiarch 2> /dev/null)/,libssl.so.3 libcrypto.so.3))))
$(B)/clweave-farm-queue: $(call obj,$(queue_src)) $(B)/libcwtool.a $(B)/libcwanalyzer.a $(B)/libcwsched.a
	$(Q)$(CC) $(CW_LDFLAGS) $(LDFLAGS) -o $@ $^ -lwork_queue -ldttools -l:libz.so.1 -Wl,--as-needed $(ssl_libs) -lpthread -lm

# ---- tests: one program per file, with what its folder needs; the linker takes of the libraries those that it uses
own  := $(B)/libcwtool.a $(B)/libcwanalyzer.a $(B)/libcwsched.a
pure := $(B)/libcwpure.a $(own)
app  := $(call obj,test/apps/common.c)
with_apps      := $(app)
with_bench     := $(app) $(pure)
with_compile   := $(own)
with_execute   := $(call obj,test/execute/common.c $(wildcard analyzer/execute/*.c)) $(own)
with_footprint := $(own)
with_fuzz      := $(if $(FUZZ),,$(call obj,test/fuzz/replay.c)) $(pure) # replay.c runs a corpus, libFuzzer looks for more
with_rewrite   := $(own)
with_runmode   := $(app)
with_suites    := $(app)
with_unit      := $(pure)
with_vendor    := $(call obj,test/vendor/common.c) $(app)
TEST_LIBS = -Wl,--as-needed $(JANSSON_LIBS) $(SQLITE_LIBS) $(OPENCL_LIBS) -lcmocka -ldl -lpthread -lm

# credulous.c stands for a rewriter that believes too much: its functions come before those of the library
$(B)/test/rewrite/credulous: $(call obj,$(footprint_src))
$(B)/test/rewrite/claims: $(call obj,$(filter-out analyzer/kernels/llvm/main.c,$(footprint_src)))
$(B)/test/rewrite/credulous $(B)/test/rewrite/claims: TEST_LIBS = $(footprint_libs)
$(B)/test/rewrite/credulous: CW_LDFLAGS += -Wl,-z,muldefs
$(fuzzers): CW_LDFLAGS += $(if $(FUZZ),-fsanitize=fuzzer)

# one clweave-compile for many processes
$(B)/test/compile/shared: $(call obj,$(patsubst %,analyzer/compile/%.c,answer dry_run))
$(B)/test/compile/shared: CW_LDFLAGS += $(compile_exports)

.SECONDEXPANSION:
$(B)/test/%: $(B)/obj/test/%.o $$(with_$$(firstword $$(subst /, ,$$*)))
	@mkdir -p $(@D)
	$(Q)$(CC) $(CW_LDFLAGS) $(LDFLAGS) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(TEST_LIBS)

# drivers, layers and libraries to be preloaded: libcountcl.so, the witness below the loader, has none of the project's code
of_nullcl  := $(wildcard test/stub/*.c)
of_countcl := test/shim/countcl.c
of_played  := test/shim/played.c
of_readcl  := $(wildcard test/suites/readcl*.c)
of_gpucl   := test/runmode/gpucl.c
of_awake   := test/suites/awake.c
of_spancl  := test/bench/spancl.c
of_exittime := test/bench/exit_time.c
of_tilecl  := $(wildcard test/rewrite/tilecl*.c)
$(B)/test/libtilecl.so: $(own)
$(B)/test/lib%.so: $$(call obj,$$(of_$$*))
	@mkdir -p $(@D)
	$(Q)$(CC) -shared $(CW_LDFLAGS) $(LDFLAGS) -Wl,--exclude-libs,ALL -o $@ $(filter %.o,$^) $(filter %.a,$^) \
	    -Wl,--as-needed $(JANSSON_LIBS) -ldl -lpthread -lm

# what Oclgrind tells the tests of footprints, where it is with its headers
oclgrind := $(if $(and $(shell command -v oclgrind),$(shell command -v $(CXX)),$(wildcard /usr/include/oclgrind/Plugin.h)),$(B)/test/footprint/trace.so)
$(B)/test/footprint/trace.so: test/footprint/trace_plugin.cc
	@mkdir -p $(@D)
	$(Q)$(CXX) -std=c++17 -O1 -fno-rtti -Wall -Wextra -shared -fPIC $< -o $@ -loclgrind

tests: all $(tests) $(oclgrind)

-include $(foreach d,*/*.d */*/*.d */*/*/*.d,$(wildcard $(B)/obj/$(d)))

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
	@B=$(B) exec test/run fast

check-all: deps-slow
	@$(MAKE) --no-print-directory tests
	@B=$(B) exec test/run all

fuzz: deps-fuzz
	@$(MAKE) --no-print-directory FUZZ=1 SAN=address,undefined CC=clang-14 fuzz-harnesses
fuzz-harnesses: $(fuzzers)
	@B=$(B) SECONDS_EACH=$(or $(SECONDS),60) test/fuzz/run $(HARNESS)

bench: deps
	@$(MAKE) --no-print-directory tests
	@B=$(B) test/bench/run

# ---- installation: `make uninstall` removes every path that `make install` writes
bindir     = $(DESTDIR)$(PREFIX)/bin
libdir     = $(DESTDIR)$(LIBDIR)
libexecdir = $(DESTDIR)$(PREFIX)/libexec/clweave
includedir = $(DESTDIR)$(PREFIX)/include/clweave
docdir     = $(DESTDIR)$(PREFIX)/share/doc/clweave
mandir     = $(DESTDIR)$(PREFIX)/share/man/man1
bash_dir   = $(DESTDIR)$(PREFIX)/share/bash-completion/completions
ZSH_DIR    ?= $(PREFIX)/share/zsh/site-functions
zsh_dir    = $(DESTDIR)$(ZSH_DIR)
fish_dir   = $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d
# the pages under their own paths, so that their links hold
doc_files := LICENSE .github/CHANGELOG.md analyzer/record/trace.schema.json \
             $(wildcard *.md $(foreach d,sched analyzer shim test scripts,$(patsubst %,$d/%.md,* */* */*/*)))
# the tool's commands, for a manual page each
commands   = $(shell $(B)/clweave help --names)

install: all
	install -d $(bindir) $(libdir)/pkgconfig $(libexecdir) $(includedir) $(docdir) $(mandir) $(bash_dir) $(zsh_dir) $(fish_dir)
	install -m 755 $(B)/clweave $(bindir)/
	for p in compile footprint farm-queue; do \
	    if [ -e $(B)/clweave-$$p ]; then install -m 755 $(B)/clweave-$$p $(libexecdir)/; fi; done
	for l in clweave cwsched; do \
	    install -m 755 $(B)/lib$$l.so $(libdir)/lib$$l.so.$(VERSION) && \
	    ln -sf lib$$l.so.$(VERSION) $(libdir)/lib$$l.so.$(ABI) && ln -sf lib$$l.so.$(ABI) $(libdir)/lib$$l.so || exit 1; done
	install -m 644 $(B)/libcwsched.a $(libdir)/
	install -m 644 $(sched_public) $(includedir)/
	sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(LIBDIR:$(PREFIX)/%=$${prefix}/%)|' -e 's|@VERSION@|$(VERSION)|' sched/clweave-sched.pc.in > \
	    $(libdir)/pkgconfig/clweave-sched.pc
	for d in $(doc_files); do install -D -m 644 $$d $(docdir)/$$d || exit 1; done
	$(B)/clweave help --man > $(mandir)/clweave.1
	for c in $(commands); do $(B)/clweave help --man $$c > $(mandir)/clweave-$$c.1 || exit 1; done
	$(B)/clweave help --completion bash > $(bash_dir)/clweave
	$(B)/clweave help --completion zsh > $(zsh_dir)/_clweave
	$(B)/clweave help --completion fish > $(fish_dir)/clweave.fish

uninstall:
	rm -f $(bindir)/clweave $(libdir)/pkgconfig/clweave-sched.pc $(libdir)/libcwsched.a \
	    $(foreach l,clweave cwsched,$(addprefix $(libdir)/lib$l.so,.$(VERSION) .$(ABI)) $(libdir)/lib$l.so) \
	    $(mandir)/clweave.1 $(mandir)/clweave-*.1 $(bash_dir)/clweave $(zsh_dir)/_clweave $(fish_dir)/clweave.fish
	rm -rf $(libexecdir) $(includedir) $(docdir)

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
# make install     PREFIX=/usr/local LIBDIR=$(PREFIX)/lib DESTDIR=
# make uninstall   with the same settings
# make clean       remove build folders

.PHONY: all tests deps deps-demo deps-slow demo check check-all bench install uninstall clean help
.SECONDARY:
