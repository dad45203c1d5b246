// together.c: what several threads do with each other. Only where all threads of a block come, and none has left
// before, does an element get another owner: across a barrier the ranks of the block's threads move on, across a warp's
// barrier those of its lanes. Anywhere else a datum may be published: see put_gather.
#include "maker.h"

// %shift and %turn say how far ranks have moved in the block and in the warp.
void put_rank(Maker *m)
{
    put(m, "add.u32 %%rank, %%lane, %%turn;");
    put(m, "rem.u32 %%rank, %%rank, %%lanes;");
    put(m, "add.u32 %%rank, %%rank, %%first;");
    put(m, "add.u32 %%rank, %%rank, %%shift;");
    put(m, "rem.u32 %%rank, %%rank, %u;", m->threads);
    put(m, "add.u32 %%rank, %%rank, %%block;");
    put_bases(m);
}

static bool has_sync(const Maker *m) { return m->sm >= 70 || (m->sm >= 30 && m->version >= 60); }

static void put_barrier(Maker *m)
{
    uint32_t t = temp(m), q = temp(m), kind = pick(m, 8);
    if (kind == 0) {
        put_condition(m, q, 2);
        put(m, "bar.red.popc.u32 %%t%u, 0, %%q%u;", t, q);
        put(m, "xor.b32 %%a0, %%a0, %%t%u;", t);
    } else {
        put(m, "%s", kind == 1 && m->version >= 60 && m->sm >= 30 ? "barrier.sync 0;" : "bar.sync 0;");
    }
}

static void put_block_turn(Maker *m)
{
    put_barrier(m);
    put(m, "add.u32 %%shift, %%shift, %u;", range(m, 1, 40));
    if (once_in(m, 3)) put(m, "add.u32 %%turn, %%turn, 1;");
    put_rank(m);
}

static void put_warp_turn(Maker *m)
{
    if (!has_sync(m)) return;
    put(m, "bar.warp.sync %%mask;");
    put(m, "add.u32 %%turn, %%turn, %u;", range(m, 1, 5));
    put_rank(m);
}

// A neighbour's word of the block's shared memory.
static void put_exchange(Maker *m)
{
    uint32_t t = temp(m), u = temp(m), other = temp(m);
    const char *name = once_in(m, 2) ? "tile" : "dynamic";
    put(m, "mov.u32 %%t%u, %s;", t, name);
    put(m, "add.u32 %%t%u, %%t%u, %%slot;", u, t);
    put(m, "st.shared.u32 [%%t%u], %%a%u;", u, pick(m, A));
    put(m, "bar.sync 0;");
    put(m, "add.u32 %%t%u, %%slot, %u;", other, 8 * range(m, 1, 20));
    put(m, "rem.u32 %%t%u, %%t%u, %u;", other, other, 8 * m->threads);
    put(m, "add.u32 %%t%u, %%t%u, %%t%u;", u, t, other);
    put(m, "ld.shared.u32 %%t%u, [%%t%u];", u, u);
    put(m, "add.u32 %%a0, %%a0, %%t%u;", u);
    put(m, "bar.sync 0;");
}

static void put_lanes(Maker *m)
{
    uint32_t t = temp(m), u = temp(m), q = temp(m), a = pick(m, A);
    bool sync = has_sync(m) && (m->sm >= 70 || once_in(m, 2));
    const char *dot = sync ? ".sync" : "", *mask = sync ? ", %mask" : "";
    if (m->sm >= 30 && once_in(m, 2)) {
        put(m, "add.u32 %%t%u, %%lane, %u;", t, range(m, 1, 31));
        put(m, "rem.u32 %%t%u, %%t%u, %%lanes;", t, t);
        put(m, "shfl%s.idx.b32 %%t%u, %%a%u, %%t%u, 31%s;", dot, u, a, t, mask);
    } else {
        put_condition(m, q, 2);
        if (once_in(m, 2)) {
            put(m, "vote%s.ballot.b32 %%t%u, %%q%u%s;", dot, u, q, mask);
        } else {
            put(m, "vote%s.%s.pred %%q%u, %%q%u%s;", dot, once_in(m, 2) ? "all" : "any", q, q, mask);
            put(m, "selp.b32 %%t%u, 5, 9, %%q%u;", u, q);
        }
    }
    put(m, "xor.b32 %%a%u, %%a%u, %%t%u;", a, a, u);
}

void put_together(Maker *m)
{
    switch (pick(m, 5)) {
    case 0: put_exchange(m); break;
    case 1: put_warp_turn(m); break;
    case 2: put_lanes(m); break;
    default: put_block_turn(m);
    }
}

// Where rank j of the thread's group has its element of the round: the address is for %t `rank`.
static void put_theirs(Maker *m, uint32_t x, uint32_t rank)
{
    const View *post = &m->views.v[m->post];
    const Section *s = section_of(m, (uint32_t)m->post);
    put(m, "cvta.to.global.u64 %%x%u, %%p%d;", x, post->arg);
    put(m, "mad.wide.u32 %%x%u, %%t%u, %u, %%x%u;", x, m->counters[0], s->step, x);
    put(m, "mad.wide.u32 %%x%u, %%t%u, %u, %%x%u;", x, rank, s->thread, x);
}

// The count of those that were there before. By which of two ways depends on rank and round, so that each may come
// last.
static void put_arrival(Maker *m, uint32_t t, uint32_t group, bool ordered)
{
    uint32_t x = temp(m), index = temp(m), q = temp(m), u = temp(m), other = m->labels++, both = m->labels++;
    const char *form = ordered ? ".acq_rel.gpu" : "";
    put(m, "mad.lo.u32 %%t%u, %%t%u, %u, %%t%u;", index, group, section_of(m, (uint32_t)m->post)->count,
        m->counters[0]);
    put(m, "mad.wide.u32 %%x%u, %%t%u, 4, %%x%u;", x, index, m->views.v[m->counter].base);
    put(m, "add.u32 %%t%u, %%rank, %%t%u;", u, m->counters[0]);
    put(m, "and.b32 %%t%u, %%t%u, %u;", u, u, 1 + pick(m, 3));
    put(m, "setp.eq.u32 %%q%u, %%t%u, 0;", q, u);
    put(m, "@%%q%u bra $L%u;", q, other);
    put(m, "atom%s.global.add.u32 %%t%u, [%%x%u], 1;", form, t, x);
    put(m, "bra $L%u;", both);
    put(m, "$L%u:", other);
    put(m, "atom%s.global.add.u32 %%t%u, [%%x%u], 1;", form, t, x);
    put(m, "$L%u:", both);
}

// Each thread writes its element of the round, fences and counts; the one that comes last of its group reads some of
// them all, and leaves what it made of them; which one that is doesn't matter. (CUDA programming guide, memory fence
// functions.) It also changes the group's baton, which one that was last in an earlier round may still have in a line:
// that one's count came after the change.
void put_gather(Maker *m)
{
    const View *post = &m->views.v[m->post], *result = &m->views.v[m->result], *baton = &m->views.v[m->baton];
    const Section *s = section_of(m, (uint32_t)m->post);
    uint32_t q = temp(m), mine = temp(m), theirs = temp(m), into = temp(m), held = temp(m);
    uint32_t t = temp(m), u = temp(m), sum = temp(m), rank = temp(m), n = temp(m), group = temp(m);
    uint32_t round = m->counters[0], end = m->labels++, again = m->labels++;
    bool single = m->sm >= 70 && !once_in(m, 3);  // an atomic with an order, instead of fences
    const char *fence = m->sm >= 70 && once_in(m, 2) ? "fence.acq_rel.gpu;" : "membar.gl;";
    uint32_t few = once_in(m, 2) ? range(m, 2, 8) : m->group, last = few < m->group ? few : m->group;
    const char *type = s->element == 1 ? "u8" : s->element == 2 ? "u16" : "u32";
    m->posted = true;
    put(m, "setp.ge.u32 %%q%u, %%t%u, %u;", q, round, s->count);
    put(m, "@%%q%u bra $L%u;", q, end);
    put(m, "mad.wide.u32 %%x%u, %%t%u, %u, %%x%u;", mine, round, s->step, post->base);
    put(m, "st.global.%s [%%x%u], %%a%u;", type, mine, pick(m, A));
    for (uint32_t k = pick(m, 4); k; k--) {  // more of it, so that it is worth a line
        put(m, "ld.global.%s %%t%u, [%%x%u];", type, t, mine);
        put(m, "mad.lo.u32 %%t%u, %%t%u, 5, %%a%u;", t, t, pick(m, A));
        put(m, "st.global.%s [%%x%u], %%t%u;", type, mine, t);
    }
    if (m->near)
        put(m, "div.u32 %%t%u, %%rank, %u;", group, m->group);
    else
        put(m, "rem.u32 %%t%u, %%rank, %u;", group, m->groups);
    if (!single) put(m, "%s", fence);
    put_arrival(m, t, group, single);
    put(m, "setp.ne.u32 %%q%u, %%t%u, %u;", q, t, m->group - 1);
    put(m, "@%%q%u bra $L%u;", q, end);
    if (!single) put(m, "%s", fence);
    put(m, "mov.u32 %%t%u, 0;", sum);
    put(m, "mov.u32 %%t%u, %u;", n,
        m->group - last);  // those that share lines with the one that most likely reads, or all
    put(m, "$L%u:", again);
    if (m->near)
        put(m, "mad.lo.u32 %%t%u, %%t%u, %u, %%t%u;", rank, group, m->group, n);
    else
        put(m, "mad.lo.u32 %%t%u, %%t%u, %u, %%t%u;", rank, n, m->groups, group);
    put_theirs(m, theirs, rank);
    put(m, "ld.global.%s %%t%u, [%%x%u%+d];", type, t, theirs, post->start);
    put(m, "mad.lo.u32 %%t%u, %%t%u, 31, %%t%u;", sum, sum, t);
    put(m, "add.u32 %%t%u, %%t%u, %u;", n, n, last > 20 ? last / 20 : 1);
    put(m, "setp.lt.u32 %%q%u, %%t%u, %u;", q, n, m->group);
    put(m, "@%%q%u bra $L%u;", q, again);
    put(m, "mad.lo.u32 %%t%u, %%t%u, %u, %%t%u;", u, group, s->count, round);
    put(m, "mad.wide.u32 %%x%u, %%t%u, 4, %%x%u;", into, u, result->base);
    put(m, "st.global.u32 [%%x%u], %%t%u;", into, sum);
    put(m, "mad.wide.u32 %%x%u, %%t%u, 4, %%x%u;", held, group, baton->base);
    for (uint32_t k = range(m, 1, 3); k; k--) {
        put(m, "ld.global.u32 %%t%u, [%%x%u];", t, held);
        put(m, "mad.lo.u32 %%t%u, %%t%u, 33, %%t%u;", t, t, sum);
        put(m, "st.global.u32 [%%x%u], %%t%u;", held, t);
    }
    put(m, "$L%u:", end);
}
