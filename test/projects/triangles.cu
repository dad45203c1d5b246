// triangles.cu: the triangles of a graph: edges that are sorted on the host become CSR by cusparseXcoo2csr, the square
// of the matrix comes from SpGEMM, and a kernel adds it up where there are edges. Column sums come from the transposed
// matrix (Csr2cscEx2). The host counts them one by one.
#include "check.cuh"

#include <cusparse.h>

// For each edge (i, j): the paths of two edges from i to j. Columns of a row are in order.
__global__ void add_paths(const int *offsets, const int *columns, const int *square_offsets, const int *square_columns,
                          const float *square, int n, unsigned *sum)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned mine = 0;
    for (int k = offsets[i]; k < offsets[i + 1]; k++)
        for (int s = square_offsets[i]; s < square_offsets[i + 1]; s++)
            if (square_columns[s] == columns[k]) mine += (unsigned)square[s];
    atomicAdd(sum, mine);
}

int main(int argc, char **argv)
{
    const int n = size_of(argc, argv, 80);
    std::vector<std::vector<bool>> edge(n, std::vector<bool>(n));
    std::vector<int> rows, columns;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            if (random_bits() % 8 == 0) edge[i][j] = edge[j][i] = true;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (edge[i][j]) rows.push_back(i), columns.push_back(j);
    const int edges = (int)rows.size();
    std::vector<float> weights;
    for (int k = 0; k < edges; k++) weights.push_back((float)(rows[k] + 1));
    Array<int> d_rows(rows), d_columns(columns), offsets(n + 1), square_offsets(n + 1);
    Array<float> ones(std::vector<float>(edges, 1));
    Array<unsigned> sum(1);
    cusparseHandle_t sparse;
    MUST(cusparseCreate(&sparse));
    MUST(cusparseXcoo2csr(sparse, d_rows, edges, n, offsets, CUSPARSE_INDEX_BASE_ZERO));

    const cusparseIndexType_t index = CUSPARSE_INDEX_32I;
    const cusparseIndexBase_t base = CUSPARSE_INDEX_BASE_ZERO;
    const cusparseOperation_t plain = CUSPARSE_OPERATION_NON_TRANSPOSE;
    const float one = 1, zero = 0;
    cusparseSpMatDescr_t a, b, c;
    MUST(cusparseCreateCsr(&a, n, n, edges, offsets.at, d_columns.at, ones.at, index, index, base, CUDA_R_32F));
    MUST(cusparseCreateCsr(&b, n, n, edges, offsets.at, d_columns.at, ones.at, index, index, base, CUDA_R_32F));
    MUST(cusparseCreateCsr(&c, n, n, 0, square_offsets.at, nullptr, nullptr, index, index, base, CUDA_R_32F));
    cusparseSpGEMMDescr_t plan;
    size_t first = 0, second = 0;
    void *first_room, *second_room;
    MUST(cusparseSpGEMM_createDescr(&plan));
    MUST(cusparseSpGEMM_workEstimation(sparse, plain, plain, &one, a, b, &zero, c, CUDA_R_32F, CUSPARSE_SPGEMM_DEFAULT,
                                       plan, &first, nullptr));
    MUST(cudaMalloc(&first_room, first + 1));
    MUST(cusparseSpGEMM_workEstimation(sparse, plain, plain, &one, a, b, &zero, c, CUDA_R_32F, CUSPARSE_SPGEMM_DEFAULT,
                                       plan, &first, first_room));
    MUST(cusparseSpGEMM_compute(sparse, plain, plain, &one, a, b, &zero, c, CUDA_R_32F, CUSPARSE_SPGEMM_DEFAULT, plan,
                                &second, nullptr));
    MUST(cudaMalloc(&second_room, second + 1));
    MUST(cusparseSpGEMM_compute(sparse, plain, plain, &one, a, b, &zero, c, CUDA_R_32F, CUSPARSE_SPGEMM_DEFAULT, plan,
                                &second, second_room));
    int64_t height, width, entries;
    MUST(cusparseSpMatGetSize(c, &height, &width, &entries));
    Array<int> square_columns(entries);
    Array<float> square(entries);
    MUST(cusparseCsrSetPointers(c, square_offsets, square_columns, square));
    MUST(cusparseSpGEMM_copy(sparse, plain, plain, &one, a, b, &zero, c, CUDA_R_32F, CUSPARSE_SPGEMM_DEFAULT, plan));
    add_paths<<<(n + 31) / 32, 32>>>(offsets, d_columns, square_offsets, square_columns, square, n, sum);
    MUST(cudaGetLastError());

    unsigned want = 0;
    int64_t there = 0;
    std::vector<std::vector<int>> paths(n, std::vector<int>(n));
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            for (int k = 0; k < n; k++) paths[i][j] += edge[i][k] && edge[k][j];
            there += paths[i][j] > 0;
            for (int k = 0; k < j && j < i; k++) want += edge[i][j] && edge[j][k] && edge[i][k];
        }
    CHECK(sum.get()[0] == 6 * want && height == n && width == n && entries == there);
    const std::vector<int> so = square_offsets.get(), sc = square_columns.get();
    const std::vector<float> sv = square.get();
    for (int i = 0; i < n; i++)
        for (int s = so[i]; s < so[i + 1]; s++) CHECK(sv[s] == (float)paths[i][sc[s]]);

    // The weights' matrix turned: a row's sum is that of a column.
    Array<float> values(weights), turned(edges);
    Array<int> turned_offsets(n + 1), turned_rows(edges);
    size_t bytes = 0;
    MUST(cusparseCsr2cscEx2_bufferSize(sparse, n, n, edges, values, offsets, d_columns, turned, turned_offsets,
                                       turned_rows, CUDA_R_32F, CUSPARSE_ACTION_NUMERIC, base,
                                       CUSPARSE_CSR2CSC_ALG_DEFAULT, &bytes));
    Array<char> buffer(bytes + 1);
    MUST(cusparseCsr2cscEx2(sparse, n, n, edges, values, offsets, d_columns, turned, turned_offsets, turned_rows,
                            CUDA_R_32F, CUSPARSE_ACTION_NUMERIC, base, CUSPARSE_CSR2CSC_ALG_DEFAULT, buffer.at));
    const std::vector<int> to = turned_offsets.get(), tr = turned_rows.get();
    const std::vector<float> tv = turned.get();
    for (int j = 0; j < n; j++) {
        double column = 0, expected = 0;
        for (int k = to[j]; k < to[j + 1]; k++) CHECK(edge[tr[k]][j]), column += tv[k];
        for (int i = 0; i < n; i++) expected += edge[i][j] ? i + 1 : 0;
        CHECK(column == expected);
    }
    MUST(cusparseSpGEMM_destroyDescr(plan));
    MUST(cusparseDestroy(sparse));
    return verdict();
}
