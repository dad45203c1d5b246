// ii: inverted index. Each map gets a piece of an HTML file, of whole lines. For each link in it, it emits the URL, and
// the file with the position of the link in it. The pairs are grouped by URL; there is no reduce.
#include "mapreduce.h"

#define TAG 9  // characters of the tag up to the URL

__constant__ unsigned char tag[TAG + 1] = "<a href=\"";

// An input pair's key is the file and where that begins, its value where the piece begins and how long it is. An
// emitted key is the place of a URL and its length.
struct Ii {
    template <class Out>
    static __device__ __forceinline__ void map(const Data &data, const Words &file, const Words &piece, Out &out) {
        const unsigned char *text = data.text;
        const unsigned number = file[0], start = file[1], end = piece[0] + piece[1];
        unsigned matched = 0, url = 0;  // characters of the tag; all of them: inside the URL
        for (unsigned i = piece[0]; i < end; i++) {
            const unsigned c = text[i];
            if (matched == TAG) {
                if (c != '"') continue;
                out.emit(2, 2, [&](unsigned *key, unsigned *value) {
                    key[0] = url;
                    key[1] = i - url;
                    value[0] = number;
                    value[1] = url - TAG - start;
                });
                matched = 0;
            } else if (c == tag[matched]) {
                matched++;
                url = i + 1;
            } else {
                matched = c == '<';
            }
        }
    }

    static __device__ __forceinline__ int compare(const Data &data, const unsigned *a, const unsigned *b) {
        return compare_text(data.text + a[0], a[1], data.text + b[0], b[1]);
    }
};

MAPREDUCE_MAP(ii, Ii)
MAPREDUCE_GROUP(ii, Ii)
