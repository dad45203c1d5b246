// pvc: page view count, of a log whose entries are a URL, an IP address and a cookie. It has two phases. The first
// removes what stands in the log twice: the key is the whole entry, and the reduce emits one of each. The second counts
// the views of each URL by what is left: the key is the URL, the value the IP address.
#include "mapreduce.h"

// An entry, the value of an input pair, is where it begins and how long it is; so is an emitted key.
struct Entries {
    template <class Out>
    static __device__ __forceinline__ void map(const Data &, const Words &, const Words &entry, Out &out) {
        out.emit(2, 1, [&](unsigned *key, unsigned *value) {
            key[0] = entry[0];
            key[1] = entry[1];
            value[0] = entry[1];
        });
    }

    static __device__ __forceinline__ int compare(const Data &data, const unsigned *a, const unsigned *b) {
        return compare_text(data.text + a[0], a[1], data.text + b[0], b[1]);
    }

    template <class Out>
    static __device__ __forceinline__ void reduce(const Data &, const Words &entry, const Group &sizes, Out &out) {
        out.emit(2, 1, [&](unsigned *key, unsigned *value) {
            key[0] = entry[0];
            key[1] = entry[1];
            value[0] = sizes[0][0];
        });
    }
};

// The input is what the first phase emitted.
struct Views {
    template <class Out>
    static __device__ __forceinline__ void map(const Data &data, const Words &entry, const Words &, Out &out) {
        out.emit(2, 2, [&](unsigned *key, unsigned *value) {
            unsigned i = entry[0];
            while (data.text[i] != '\t') i++;
            key[0] = entry[0];
            key[1] = i - entry[0];
            value[0] = ++i;
            while (data.text[i] != '\t') i++;
            value[1] = i - value[0];
        });
    }

    static __device__ __forceinline__ int compare(const Data &data, const unsigned *a, const unsigned *b) {
        return Entries::compare(data, a, b);
    }

    template <class Out>
    static __device__ __forceinline__ void reduce(const Data &, const Words &url, const Group &addresses, Out &out) {
        out.emit(2, 1, [&](unsigned *key, unsigned *value) {
            key[0] = url[0];
            key[1] = url[1];
            value[0] = addresses.count;
        });
    }
};

MAPREDUCE_MAP(pvc_entries, Entries)
MAPREDUCE_GROUP(pvc_entries, Entries)
MAPREDUCE_REDUCE(pvc_entries, Entries)
MAPREDUCE_MAP(pvc_views, Views)
MAPREDUCE_GROUP(pvc_views, Views)
MAPREDUCE_REDUCE(pvc_views, Views)
