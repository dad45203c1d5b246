// bulk_copies.h: copies in bulk, as cuda/barrier, which includes this, offers them (CUDA C++ Programming Guide,
// "Asynchronous Data Copies using the Tensor Memory Accelerator"; sm_90 and up). One thread starts each. What comes in
// is counted by a barrier in bytes; what goes out belongs to the thread's groups.
#ifndef ONCHIP_BULK_COPIES_H
#define ONCHIP_BULK_COPIES_H

typedef struct CUtensorMap_st CUtensorMap;

namespace cuda {
namespace device {
namespace experimental {

// What was written to shared memory before is seen by copies that start afterwards.
ONCHIP_FN void fence_proxy_async_shared_cta() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
ONCHIP_FN void cp_async_bulk_commit_group() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
// Until all but the latest n_prior groups have read what they copy.
template <int n_prior> ONCHIP_FN void cp_async_bulk_wait_group_read()
{
    asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(n_prior) : "memory");
}

ONCHIP_FN void cp_async_bulk_global_to_shared(void *dest, const void *src, uint32_t size,
                                              barrier<thread_scope_block> &bar)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                     onchip_shared(dest)),
                 "l"(__cvta_generic_to_global(src)), "r"(size), "r"(onchip_shared(barrier_native_handle(bar)))
                 : "memory");
}
ONCHIP_FN void cp_async_bulk_shared_to_global(void *dest, const void *src, uint32_t size)
{
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(__cvta_generic_to_global(dest)),
                 "r"(onchip_shared(src)), "r"(size)
                 : "memory");
}

// A box of a tensor, whose first element is at the coordinates c0, c1, …
#define ONCHIP_BOX_IN(n, at, ...)                                                                             \
    asm volatile("cp.async.bulk.tensor." n ".shared::cluster.global.tile.mbarrier::complete_tx::bytes "       \
                 "[%0], [%1, {" at "}], [%2];" ::"r"(onchip_shared(dest)),                                    \
                 "l"(tensor_map), "r"(onchip_shared(barrier_native_handle(bar))), __VA_ARGS__                 \
                 : "memory")
#define ONCHIP_BOX_OUT(n, at, ...)                                                                            \
    asm volatile("cp.async.bulk.tensor." n ".global.shared::cta.tile.bulk_group [%0, {" at "}], [%1];" ::"l"( \
                     tensor_map),                                                                             \
                 "r"(onchip_shared(src)), __VA_ARGS__                                                         \
                 : "memory")
ONCHIP_FN void cp_async_bulk_tensor_1d_global_to_shared(void *dest, const CUtensorMap *tensor_map, int c0,
                                                        barrier<thread_scope_block> &bar)
{
    ONCHIP_BOX_IN("1d", "%3", "r"(c0));
}
ONCHIP_FN void cp_async_bulk_tensor_1d_shared_to_global(const CUtensorMap *tensor_map, int c0, const void *src)
{
    ONCHIP_BOX_OUT("1d", "%2", "r"(c0));
}
ONCHIP_FN void cp_async_bulk_tensor_2d_global_to_shared(void *dest, const CUtensorMap *tensor_map, int c0, int c1,
                                                        barrier<thread_scope_block> &bar)
{
    ONCHIP_BOX_IN("2d", "%3, %4", "r"(c0), "r"(c1));
}
ONCHIP_FN void cp_async_bulk_tensor_2d_shared_to_global(const CUtensorMap *tensor_map, int c0, int c1, const void *src)
{
    ONCHIP_BOX_OUT("2d", "%2, %3", "r"(c0), "r"(c1));
}
ONCHIP_FN void cp_async_bulk_tensor_3d_global_to_shared(void *dest, const CUtensorMap *tensor_map, int c0, int c1,
                                                        int c2, barrier<thread_scope_block> &bar)
{
    ONCHIP_BOX_IN("3d", "%3, %4, %5", "r"(c0), "r"(c1), "r"(c2));
}
ONCHIP_FN void cp_async_bulk_tensor_3d_shared_to_global(const CUtensorMap *tensor_map, int c0, int c1, int c2,
                                                        const void *src)
{
    ONCHIP_BOX_OUT("3d", "%2, %3, %4", "r"(c0), "r"(c1), "r"(c2));
}
ONCHIP_FN void cp_async_bulk_tensor_4d_global_to_shared(void *dest, const CUtensorMap *tensor_map, int c0, int c1,
                                                        int c2, int c3, barrier<thread_scope_block> &bar)
{
    ONCHIP_BOX_IN("4d", "%3, %4, %5, %6", "r"(c0), "r"(c1), "r"(c2), "r"(c3));
}
ONCHIP_FN void cp_async_bulk_tensor_4d_shared_to_global(const CUtensorMap *tensor_map, int c0, int c1, int c2, int c3,
                                                        const void *src)
{
    ONCHIP_BOX_OUT("4d", "%2, %3, %4, %5", "r"(c0), "r"(c1), "r"(c2), "r"(c3));
}
ONCHIP_FN void cp_async_bulk_tensor_5d_global_to_shared(void *dest, const CUtensorMap *tensor_map, int c0, int c1,
                                                        int c2, int c3, int c4, barrier<thread_scope_block> &bar)
{
    ONCHIP_BOX_IN("5d", "%3, %4, %5, %6, %7", "r"(c0), "r"(c1), "r"(c2), "r"(c3), "r"(c4));
}
ONCHIP_FN void cp_async_bulk_tensor_5d_shared_to_global(const CUtensorMap *tensor_map, int c0, int c1, int c2, int c3,
                                                        int c4, const void *src)
{
    ONCHIP_BOX_OUT("5d", "%2, %3, %4, %5, %6", "r"(c0), "r"(c1), "r"(c2), "r"(c3), "r"(c4));
}
#undef ONCHIP_BOX_OUT
#undef ONCHIP_BOX_IN

}  // namespace experimental

// Besides arrivals, a phase expects so many bytes of bulk copies.
ONCHIP_FN void barrier_expect_tx(barrier<thread_scope_block> &b, ptrdiff_t transaction_count_update)
{
    asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(
                     onchip_shared(barrier_native_handle(b))),
                 "r"((unsigned)transaction_count_update)
                 : "memory");
}
ONCHIP_FN barrier<thread_scope_block>::arrival_token
barrier_arrive_tx(barrier<thread_scope_block> &b, ptrdiff_t arrive_count_update, ptrdiff_t transaction_count_update)
{
    barrier_expect_tx(b, transaction_count_update);
    return b.arrive(arrive_count_update);
}
// By one thread. The number of bytes and both addresses are multiples of 16.
template <class T, size_t Alignment>
ONCHIP_FN void memcpy_async_tx(T *dst, const T *src, aligned_size_t<Alignment> size, barrier<thread_scope_block> &b)
{
    static_assert(Alignment >= 16, "a bulk copy is aligned to 16 bytes");
    experimental::cp_async_bulk_global_to_shared(dst, src, (uint32_t)size.value, b);
}

}  // namespace device
}  // namespace cuda

#endif
