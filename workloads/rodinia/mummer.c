// mummer: where and how far each suffix of each query matches a reference of DNA. The host builds the reference's
// suffix tree; the device matches the queries with it.
#include "../host.h"

#include <string.h>

#define BLOCK 256  // Rodinia's
#define KINDS 5    // of letters: A, C, G, T, and $, which ends the reference
#define ROOT 1
#define KEY 10  // letters of the check's index, at most

// A node's number is its place among the nodes; 0: there is none. The edge to a node has the reference's letters from
// begin on, before end. link: the suffix link, to the node of the same letters from the root on but for the first.
typedef struct TreeNode {
    int32_t begin, end, link, child[KINDS];
} TreeNode;

typedef struct Tree {
    const char *text;
    TreeNode *nodes;
    int32_t length, count;
} Tree;

// A node as the device has it, in two parts. Fields of 24 bits: the number of the parent, that of the suffix link, the
// edge's first letter, its last letter, and the depth in letters; in the other part, the children's numbers.
typedef struct Packed {
    uint8_t bytes[16];
} Packed;

// Of the edge to the node the match has on_edge letters. 0: it ends at the node, which may have an edge of any length.
typedef struct Match {
    int32_t node, on_edge;
} Match;

static int kind_of(char letter) { return (int)(strchr("ACGT$", letter) - "ACGT$"); }

static int32_t add_node(Tree *t, int32_t begin, int32_t end)
{
    t->nodes[++t->count] = (TreeNode){.begin = begin, .end = end};
    return t->count;
}

// Ukkonen: letter by letter. `left` suffixes aren't leaves yet. The longest of them ends `below` letters below the
// node, on the edge that begins with letter `edge` of the text. A leaf's edge gets its last end at once.
static void build_tree(Tree *t)
{
    int32_t node = add_node(t, 0, 0), edge = 0, below = 0, left = 0;
    for (int32_t i = 0; i < t->length; i++) {
        int32_t waiting = 0;  // the inner node that was made last waits for its link
        for (left++; left > 0;) {
            if (below == 0) edge = i;
            int32_t *slot = &t->nodes[node].child[kind_of(t->text[edge])];
            TreeNode *next = &t->nodes[*slot];
            const int32_t along = (next->end < i + 1 ? next->end : i + 1) - next->begin;
            if (*slot && below >= along) {
                node = *slot, edge += along, below -= along;
                continue;
            }
            const bool there = *slot && t->text[next->begin + below] == t->text[i];
            int32_t inner = node;
            if (!*slot) {
                *slot = add_node(t, i, t->length);
            } else if (!there) {
                const int32_t lower = *slot;
                *slot = inner = add_node(t, next->begin, next->begin + below);
                next->begin += below;
                t->nodes[inner].child[kind_of(t->text[next->begin])] = lower;
                t->nodes[inner].child[kind_of(t->text[i])] = add_node(t, i, t->length);
            }
            if (waiting) t->nodes[waiting].link = inner;
            waiting = inner == node ? 0 : inner;
            below += there;
            if (there) break;
            left--;
            if (node == ROOT && below > 0)
                below--, edge = i - left + 1;
            else
                node = t->nodes[node].link ? t->nodes[node].link : ROOT;
        }
    }
}

static Packed pack(int32_t a, int32_t b, int32_t c, int32_t d, int32_t e)
{
    const int32_t fields[] = {a, b, c, d, e};
    Packed p = {{0}};
    for (int k = 0; k < 15; k++) p.bytes[k] = (uint8_t)(fields[k / 3] >> k % 3 * 8);
    return p;
}

static int32_t field(const Packed *p, int k)
{
    return p->bytes[3 * k] | p->bytes[3 * k + 1] << 8 | p->bytes[3 * k + 2] << 16;
}

// Numbers the nodes anew, breadth first, and packs them. order, number: room for as many numbers as there are nodes.
static void pack_tree(const Tree *t, int32_t *order, int32_t *number, Packed *nodes, Packed *children)
{
    int32_t known = 0;
    order[known++] = ROOT;
    for (int32_t k = 0; k < known; k++) {
        const int32_t *child = t->nodes[order[k]].child;
        number[order[k]] = k + 1;
        for (int kind = 0; kind < KINDS; kind++)
            if (child[kind]) order[known++] = child[kind];
    }
    for (int32_t k = 0; k < known; k++) {
        const int32_t *child = t->nodes[order[k]].child, depth = field(&nodes[k + 1], 4);
        children[k + 1] =
            pack(number[child[0]], number[child[1]], number[child[2]], number[child[3]], number[child[4]]);
        for (int kind = 0; kind < KINDS; kind++) {
            const TreeNode *c = &t->nodes[child[kind]];
            if (child[kind])
                nodes[number[child[kind]]] =
                    pack(k + 1, number[c->link], c->begin, c->end - 1, depth + c->end - c->begin);
        }
    }
}

// Random letters, and now and then a piece of what is there already: as in a genome, pieces come more than once.
static void make_reference(Work *work, char *text, int64_t n)
{
    for (int64_t i = 0; i < n;) {
        const int64_t end = i + 100 < n ? i + 100 : n;
        const bool again = i > 0 && work_random(work) % 4 == 0;
        for (int64_t from = again ? work_random(work) % i : 0; i < end; i++)
            text[i] = again ? text[from++] : "ACGT"[work_random(work) % 4];
    }
    text[n] = '$';
}

// Pieces of the reference in which a letter in 64 is drawn anew. A query stands behind the letter q and ends with 0.
static void make_queries(Work *work, const char *text, int64_t n, int64_t count, int64_t length, char *queries)
{
    for (int64_t q = 0; q < count; q++, queries += length + 2) {
        const int64_t from = work_random(work) % (uint32_t)(n - length + 1);
        queries[0] = 'q';
        for (int64_t i = 0; i < length; i++)
            queries[1 + i] = work_random(work) % 64 == 0 ? "ACGT"[work_random(work) % 4] : text[from + i];
    }
}

// How many letters of the query the match has; 0 if they aren't the query's.
static uint32_t length_of(const char *text, const Packed *nodes, int32_t count, Match m, const char *query)
{
    if (m.node < ROOT || m.node > count) return 0;
    const Packed *node = &nodes[m.node], *parent = &nodes[field(node, 0)];
    const int32_t begin = field(node, 2), end = field(node, 3) + 1;
    if (m.on_edge < 0 || m.on_edge > end - begin) return 0;
    const int32_t length = m.on_edge ? field(parent, 4) + m.on_edge : field(node, 4);
    const int32_t stop = m.on_edge ? begin + m.on_edge : end;
    return strncmp(text + stop - length, query, (size_t)length) ? 0 : (uint32_t)length;
}

static int64_t key_of(const char *letters, int64_t size)
{
    int64_t key = 0;
    for (int64_t i = 0; i < size; i++) key = 4 * key + kind_of(letters[i]);
    return key;
}

// The longest match of each suffix of at least `least` letters, by a try at every place of the reference that begins
// like the suffix. places: of the reference, by their key; those of a key stand from first[key] to first[key + 1].
static void find_longest(const char *text, int64_t n, const char *queries, int64_t count, int64_t length, int64_t least,
                         int32_t *first, int32_t *places, uint32_t *longest)
{
    const int64_t size = least < KEY ? least : KEY, keys = (int64_t)1 << 2 * size;
    for (int64_t i = 0; i + size <= n; i++) first[key_of(text + i, size)]++;
    for (int64_t k = 0; k < keys; k++) first[k + 1] += first[k];
    for (int64_t i = 0; i + size <= n; i++) places[--first[key_of(text + i, size)]] = (int32_t)i;
    for (int64_t q = 0; q < count; q++, queries += length + 2)
        for (int64_t s = 0; s <= length - least; s++, longest++) {
            const char *query = queries + 1 + s;
            const int64_t key = key_of(query, size);
            for (int64_t p = first[key]; p < first[key + 1]; p++) {
                int64_t same = size;
                while (query[same] && text[places[p] + same] == query[same]) same++;
                if (same >= least && same > (int64_t)*longest) *longest = (uint32_t)same;
            }
        }
}

static void run(Work *work)
{
    const int64_t n = work_param(work, "n"), queries = work_param(work, "queries");
    const int64_t length = work_param(work, "length"), least = work_param(work, "match");
    if (least > length) work_refuse(work, "match", "no more than the query's length");
    const size_t most = 2 * (size_t)n + 3, of_queries = (size_t)(queries * (length + 2));
    const size_t count = work_ok(work) ? (size_t)(queries * (length - least + 1)) : 1;
    work_seed(work, work_param(work, "seed"));
    char *text = work_host(work, (size_t)n + 2), *letters = work_host(work, of_queries);
    TreeNode *tree_nodes = work_host(work, most * sizeof(TreeNode));
    int32_t *order = work_host(work, most * sizeof(int32_t)), *number = work_host(work, most * sizeof(int32_t));
    Packed *nodes = work_host(work, most * sizeof(Packed)), *children = work_host(work, most * sizeof(Packed));
    int32_t *starts = work_host(work, (size_t)queries * 4), *lengths = work_host(work, (size_t)queries * 4);
    Match *matches = work_host(work, count * sizeof(Match));
    uint32_t *got = work_host(work, count * sizeof(uint32_t)), *want = work_host(work, count * sizeof(uint32_t));
    int32_t *first = work_host(work, (((size_t)1 << 2 * KEY) + 1) * sizeof(int32_t));
    if (!work_ok(work)) return;
    make_reference(work, text, n);
    make_queries(work, text, n, queries, length, letters);
    for (int64_t q = 0; q < queries; q++) starts[q] = (int32_t)(q * (length + 2)), lengths[q] = (int32_t)length;
    Tree tree = {text, tree_nodes, (int32_t)n + 1, 0};
    build_tree(&tree);
    pack_tree(&tree, order, number, nodes, children);

    const size_t of_nodes = (size_t)(tree.count + 1) * sizeof(Packed);
    WorkBuf dreference = work_upload(work, "reference", text, (size_t)n + 1);
    WorkBuf dnodes = work_upload(work, "nodes", nodes, of_nodes);
    WorkBuf dchildren = work_upload(work, "children", children, of_nodes);
    WorkBuf dletters = work_upload(work, "queries", letters, of_queries);
    WorkBuf dstarts = work_upload(work, "starts", starts, (size_t)queries * 4);
    WorkBuf dlengths = work_upload(work, "lengths", lengths, (size_t)queries * 4);
    WorkBuf dmatches = work_device(work, "matches", count * sizeof(Match));
    work_launch(work, "mummer", dim1(ceil_div(queries, BLOCK)), dim1(BLOCK), 0,
                ARGS(arg_i32(queries), arg_i32(least), arg_buf(dreference), arg_buf(dnodes), arg_buf(dchildren),
                     arg_buf(dletters), arg_buf(dstarts), arg_buf(dlengths), arg_buf(dmatches)));
    work_read(work, matches, dmatches, count * sizeof(Match));
    if (!work_ok(work)) return;

    for (size_t i = 0, each = count / (size_t)queries; i < count; i++)
        got[i] =
            length_of(text, nodes, tree.count, matches[i], letters + i / each * (size_t)(length + 2) + 1 + i % each);
    find_longest(text, n, letters, queries, length, least, first, number, want);
    work_check_u32(work, "letters that match", got, want, count);
}

static const WorkParam params[] = {
    {"n", "letters of the reference, 1000 to 2^22", 3000, 1 << 18, 1000, 1 << 22},
    {"queries", "queries, 1 to 2^18", 700, 8192, 1, 1 << 18},
    {"length", "letters of a query, 20 to 1000", 60, 100, 20, 1000},
    {"match", "letters of the shortest match that counts, 8 to 1000", 12, 20, 8, 1000},
    {"seed", "seed of the letters, 0 to 2^32 - 1", 0, 0, 0, UINT32_MAX},
    {.name = NULL},
};

const Workload workload_rodinia_mummer = {
    "mummer", "rodinia", "Matches of many queries with a reference of DNA, by its suffix tree (MUMmerGPU, Rodinia)",
    params, run};
