/* trace_plugin.cc - Oclgrind plugin: which bytes of global memory each work-group reads and writes.
 *
 * Writes to the file that TRACE_OUT names: "buffer N BYTES" per allocation in order, and when a work-group ends, lines
 * "x y z r|w N BEGIN END" (atomics count as both). C++ because Oclgrind's plugin interface is. */
#include <oclgrind/Context.h>
#include <oclgrind/Memory.h>
#include <oclgrind/Plugin.h>
#include <oclgrind/WorkGroup.h>
#include <oclgrind/WorkItem.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <tuple>
#include <vector>

using namespace oclgrind;

namespace
{
class Trace : public Plugin
{
public:
    explicit Trace(const Context *context) : Plugin(context)
    {
        const char *name = getenv("TRACE_OUT");
        out = name ? fopen(name, "w") : nullptr;
    }
    ~Trace() override
    {
        if (out)
            fclose(out);
    }
    bool isThreadSafe() const override
    {
        return false;
    }
    void memoryAllocated(const Memory *memory, size_t address, size_t size, cl_mem_flags, const uint8_t *) override
    {
        if (!global(memory) || !out)
            return;
        fprintf(out, "buffer %zu %zu\n", buffers.size(), size);
        buffers.push_back({address, size});
    }
    void memoryLoad(const Memory *m, const WorkItem *i, size_t a, size_t n) override
    {
        touch(m, i->getWorkGroup(), 'r', a, n);
    }
    void memoryLoad(const Memory *m, const WorkGroup *g, size_t a, size_t n) override
    {
        touch(m, g, 'r', a, n);
    }
    void memoryStore(const Memory *m, const WorkItem *i, size_t a, size_t n, const uint8_t *) override
    {
        touch(m, i->getWorkGroup(), 'w', a, n);
    }
    void memoryStore(const Memory *m, const WorkGroup *g, size_t a, size_t n, const uint8_t *) override
    {
        touch(m, g, 'w', a, n);
    }
    void memoryAtomicLoad(const Memory *m, const WorkItem *i, AtomicOp, size_t a, size_t n) override
    {
        touch(m, i->getWorkGroup(), 'r', a, n);
    }
    void memoryAtomicStore(const Memory *m, const WorkItem *i, AtomicOp, size_t a, size_t n) override
    {
        touch(m, i->getWorkGroup(), 'w', a, n);
    }
    void workGroupComplete(const WorkGroup *g) override
    {
        Size3 id = g->getGroupID();
        for (auto &set : touched[g])
            for (auto &span : set.second)
                if (out)
                    fprintf(out, "%zu %zu %zu %c %zu %zu %zu\n", id.x, id.y, id.z, set.first.second, set.first.first,
                            span.first, span.second);
        touched.erase(g);
    }

private:
    struct Buffer
    {
        size_t address, bytes;
    };
    using Spans = std::map<size_t, size_t>; /* begin -> end, disjoint */
    std::vector<Buffer> buffers;
    std::map<const WorkGroup *, std::map<std::pair<size_t, char>, Spans>> touched;
    FILE *out;

    static bool global(const Memory *m)
    {
        return m->getAddressSpace() == AddrSpaceGlobal;
    }
    void touch(const Memory *m, const WorkGroup *g, char kind, size_t address, size_t bytes)
    {
        if (!global(m))
            return;
        for (size_t i = 0; i < buffers.size(); i++)
            if (address >= buffers[i].address && address < buffers[i].address + buffers[i].bytes)
                add(touched[g][{i, kind}], address - buffers[i].address, address - buffers[i].address + bytes);
    }
    static void add(Spans &s, size_t begin, size_t end)
    {
        auto next = s.upper_bound(begin);
        if (next != s.begin() && std::prev(next)->second >= begin) {
            --next;
            begin = next->first;
        }
        while (next != s.end() && next->first <= end) {
            end = next->second > end ? next->second : end;
            next = s.erase(next);
        }
        s[begin] = end;
    }
};
} // namespace

static Trace *trace;

extern "C" void initializePlugins(Context *context)
{
    trace = new Trace(context);
    context->registerPlugin(trace);
}

extern "C" void releasePlugins(Context *context)
{
    context->unregisterPlugin(trace);
    delete trace;
}
