// boost_compute.cpp - Boost.Compute: vectors, sorts, scans, reductions, a transform with a function of its own, all on one
// queue; results are copied back at the end. Prints a hash of each.
#include <boost/compute.hpp>
#include <cstdint>
#include <cstdio>
#include <vector>
namespace compute = boost::compute;

template <typename T> static void print(const char *name, const compute::vector<T> &v, compute::command_queue &queue)
{
    std::vector<T> host(v.size());
    uint64_t h = 0xcbf29ce484222325u;

    compute::copy(v.begin(), v.end(), host.begin(), queue);
    for (size_t i = 0; i < host.size() * sizeof(T); i++)
        h = (h ^ reinterpret_cast<const unsigned char *>(host.data())[i]) * 0x100000001b3u;
    std::printf("%s %zu %016llx\n", name, host.size(), static_cast<unsigned long long>(h));
}

BOOST_COMPUTE_FUNCTION(int, mixed, (int x), { return (x * 1103515245 + 12345) & 0xfffff; });

int main()
{
    compute::device device = compute::system::default_device();
    compute::context context(device);
    compute::command_queue queue(context, device);
    std::vector<int> numbers(20000);

    for (size_t i = 0; i < numbers.size(); i++)
        numbers[i] = static_cast<int>(i * 7919 % 10007);
    compute::vector<int> a(numbers.begin(), numbers.end(), queue), b(numbers.size(), context), c(numbers.size(), context);
    compute::transform(a.begin(), a.end(), b.begin(), mixed, queue);
    compute::exclusive_scan(a.begin(), a.end(), c.begin(), queue);
    compute::sort(b.begin(), b.end(), queue);
    compute::iota(a.begin(), a.begin() + 5000, 3, queue);
    compute::reverse(c.begin(), c.end(), queue);
    int sum = 0;
    compute::reduce(b.begin(), b.end(), &sum, queue);
    compute::vector<int> odd(numbers.size(), context);
    using compute::_1;
    auto end = compute::copy_if(b.begin(), b.end(), odd.begin(), _1 % 2 == 1, queue);
    compute::fill(end, odd.end(), -1, queue);
    print("a", a, queue);
    print("b", b, queue);
    print("c", c, queue);
    print("odd", odd, queue);
    std::printf("sum %d odd %d\ndone\n", sum, static_cast<int>(end - odd.begin()));
    return 0;
}
