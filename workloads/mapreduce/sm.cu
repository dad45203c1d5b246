// sm: string match. Each map gets a piece of a text, of whole lines, and emits the lines with a keyword: the line as
// the key, and the position of the first keyword in it as the value. Nothing is grouped or reduced.
#include "mapreduce.h"

// The data's own is the keyword; their number is its length. The piece, the value, is where it begins and how long it
// is; so is the line.
struct Sm {
    template <class Out>
    static __device__ __forceinline__ void map(const Data &data, const Words &, const Words &piece, Out &out) {
        const unsigned char *text = data.text, *keyword = (const unsigned char *)data.own;
        const unsigned end = piece[0] + piece[1];
        unsigned line = piece[0];
        for (unsigned i = piece[0]; i < end; i++) {
            unsigned matched = 0;  // it ends at the newline, which no keyword has
            while (matched < data.number && text[i + matched] == keyword[matched]) matched++;
            if (matched == data.number) {
                const unsigned position = i;
                while (text[i] != '\n') i++;
                out.emit(2, 1, [&](unsigned *key, unsigned *value) {
                    key[0] = line;
                    key[1] = i - line;
                    value[0] = position;
                });
            }
            if (text[i] == '\n') line = i + 1;
        }
    }
};

MAPREDUCE_MAP(sm, Sm)
