// laplace.cuh: the five-point Laplacian of a square grid as a sparse matrix, for the solvers.
#ifndef LAPLACE_CUH
#define LAPLACE_CUH

#include "check.cuh"

struct Csr {
    int n = 0;
    std::vector<int> offsets{0}, columns;
    std::vector<double> values;
    void add(int column, double value) { columns.push_back(column), values.push_back(value); }
    void end() { offsets.push_back((int)columns.size()), n++; }
    std::vector<double> times(const std::vector<double> &x) const
    {
        std::vector<double> y(n);
        for (int i = 0; i < n; i++)
            for (int k = offsets[i]; k < offsets[i + 1]; k++) y[i] += values[k] * x[columns[k]];
        return y;
    }
};

inline Csr laplacian(int side)
{
    Csr a;
    for (int y = 0; y < side; y++)
        for (int x = 0; x < side; x++) {
            const int i = y * side + x;
            if (y > 0) a.add(i - side, -1);
            if (x > 0) a.add(i - 1, -1);
            a.add(i, 4);
            if (x < side - 1) a.add(i + 1, -1);
            if (y < side - 1) a.add(i + side, -1);
            a.end();
        }
    return a;
}

#endif
