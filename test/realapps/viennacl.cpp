// viennacl.cpp - ViennaCL: a sparse system by conjugate gradients, dense products, a sum of vectors; kernels are generated
// and built on demand, scalars are read back in every iteration. Prints hashes of the results.
#define VIENNACL_WITH_OPENCL
#include <cstdint>
#include <cstdio>
#include <map>
#include <vector>
#include <viennacl/compressed_matrix.hpp>
#include <viennacl/linalg/cg.hpp>
#include <viennacl/linalg/inner_prod.hpp>
#include <viennacl/linalg/prod.hpp>
#include <viennacl/matrix.hpp>
#include <viennacl/vector.hpp>

static void print(const char *name, const viennacl::vector<float> &v)
{
    std::vector<float> host(v.size());
    uint64_t h = 0xcbf29ce484222325u;

    viennacl::copy(v.begin(), v.end(), host.begin());
    for (size_t i = 0; i < host.size() * sizeof(float); i++)
        h = (h ^ reinterpret_cast<const unsigned char *>(host.data())[i]) * 0x100000001b3u;
    std::printf("%s %016llx %.4f\n", name, static_cast<unsigned long long>(h), static_cast<double>(host[1]));
}

int main()
{
    const int n = 400;
    std::vector<std::map<unsigned, float>> rows(n);
    std::vector<float> ones(n, 1.0f);
    std::vector<std::vector<float>> dense(48, std::vector<float>(48));

    for (int i = 0; i < n; i++) {
        rows[i][i] = 4;
        if (i)
            rows[i][i - 1] = rows[i - 1][i] = -1;
    }
    for (int i = 0; i < 48; i++)
        for (int j = 0; j < 48; j++)
            dense[i][j] = static_cast<float>((i * 5 + j * 3) % 17) / 17;
    viennacl::compressed_matrix<float> a(n, n);
    viennacl::vector<float> b(n), y(48), z(48);
    viennacl::matrix<float> m(48, 48), p(48, 48);

    viennacl::copy(rows, a);
    viennacl::copy(ones.begin(), ones.end(), b.begin());
    viennacl::copy(dense, m);
    viennacl::vector<float> x = viennacl::linalg::solve(a, b, viennacl::linalg::cg_tag(1e-6, 60));
    p = viennacl::linalg::prod(m, m);
    for (int i = 0; i < 48; i++)
        y[i] = static_cast<float>(i);
    z = viennacl::linalg::prod(p, y);
    z += 2.0f * y;
    float dot = viennacl::linalg::inner_prod(z, y);
    print("x", x);
    print("z", z);
    std::printf("dot %.6g\ndone\n", static_cast<double>(dot));
    return 0;
}
