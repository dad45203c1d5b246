// affinity: which merchants the customers of a target merchant go to. A line is one payment, card,merchant,date,amount.
// One pass over the log marks the target's customers, a second counts where else they paid (S-L1, Table 1; Mokhtari and
// Stumm, "BigKernel", IPDPS 2014). All threads count in one array, with atomics; marks are all alike, so that racing
// stores of them do no harm.
#include "feed.h"

// The fields of a line that matter, as its characters come.
struct Payment {
    unsigned field, card, merchant;

    __device__ __forceinline__ void add(unsigned c) {
        if (c == ',')
            field++;
        else if (field == 0)
            card = card * 10 + c - '0';
        else if (field == 1)
            merchant = merchant * 10 + c - '0';
    }
};

extern "C" __global__ void affinity_customers(unsigned size, unsigned chunk, const unsigned char *log, unsigned target,
                                              unsigned char *customers) {
    const Chunk mine = my_chunk(size, chunk);
    Payment payment = {0, 0, 0};
    unsigned i = first_line(log, mine);
    if (i == mine.end) return;
    for (;; i++) {
        const unsigned c = log[i];
        if (c != '\n') {
            payment.add(c);
        } else {
            if (payment.merchant == target) customers[payment.card] = 1;
            if (i + 1 >= mine.end) break;
            payment = {0, 0, 0};
        }
    }
}

extern "C" __global__ void affinity_merchants(unsigned size, unsigned chunk, const unsigned char *log,
                                              const unsigned char *customers, unsigned *visits) {
    const Chunk mine = my_chunk(size, chunk);
    Payment payment = {0, 0, 0};
    unsigned i = first_line(log, mine);
    if (i == mine.end) return;
    for (;; i++) {
        const unsigned c = log[i];
        if (c != '\n') {
            payment.add(c);
        } else {
            if (customers[payment.card]) atomicAdd(visits + payment.merchant, 1u);
            if (i + 1 >= mine.end) break;
            payment = {0, 0, 0};
        }
    }
}

// BigKernel's: of each line card and merchant, and the comma behind each.
extern "C" __global__ void affinity_gather(unsigned n, unsigned each, const unsigned *index, unsigned *lists) {
    list_lines(n, each, index, lists);
}

extern "C" __global__ void affinity_customers_compute(const unsigned char *assembled, unsigned unit, unsigned target,
                                                      unsigned char *customers) {
    Feed feed(assembled, unit);
    Payment payment = {0, 0, 0};
    while (feed.left > 0) {
        payment.add(feed.next());
        if (payment.field == 2) {
            if (payment.merchant == target) customers[payment.card] = 1;
            payment = {0, 0, 0};
        }
    }
}

extern "C" __global__ void affinity_merchants_compute(const unsigned char *assembled, unsigned unit,
                                                      const unsigned char *customers, unsigned *visits) {
    Feed feed(assembled, unit);
    Payment payment = {0, 0, 0};
    while (feed.left > 0) {
        payment.add(feed.next());
        if (payment.field == 2) {
            if (customers[payment.card]) atomicAdd(visits + payment.merchant, 1u);
            payment = {0, 0, 0};
        }
    }
}
