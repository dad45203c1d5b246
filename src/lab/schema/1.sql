-- The results store. A row of run is one simulated program, stored under the hash of what determines its result; what
-- it measured hangs below it. Launches of the same kernel are summed. doc/results.md describes every column.
CREATE TABLE run (
    id           INTEGER PRIMARY KEY,
    key          TEXT NOT NULL UNIQUE,      -- 32 hexadecimal digits
    verb         TEXT NOT NULL,             -- run
    program      TEXT NOT NULL,             -- workload, or file
    params       TEXT NOT NULL,             -- as they were used: "nx=64 ny=64"
    gpu          TEXT NOT NULL,             -- description
    overrides    TEXT NOT NULL,             -- "l1.size=16KiB sched.policy=lrr"
    options      TEXT NOT NULL,             -- what was simulated of it: "functional", "max-cycles=1000"; mostly empty
    status       TEXT NOT NULL CHECK (status IN ('done', 'failed')),
    error        TEXT,                      -- the diagnostic of a failed one
    verified     INTEGER,                   -- 1: the result was checked and is right
    cycles       INTEGER NOT NULL,          -- of all kernels
    warp_instructions   INTEGER NOT NULL,
    thread_instructions INTEGER NOT NULL,
    model        INTEGER NOT NULL,          -- version of the model, part of the key
    version      TEXT NOT NULL,             -- of onchip
    wall_seconds REAL NOT NULL,             -- host time in the simulator
    memory_bytes INTEGER NOT NULL,          -- most memory the process had
    finished     TEXT NOT NULL,             -- when, UTC
    host         TEXT NOT NULL              -- where
);
CREATE INDEX run_program ON run (program, params);

CREATE TABLE setting (                      -- parameters and overrides one by one, for filters and pivots
    run_id INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
    name   TEXT NOT NULL,                   -- "nx", "l1.size"
    value  TEXT NOT NULL,
    PRIMARY KEY (run_id, name)
) WITHOUT ROWID;

CREATE TABLE kernel (
    id               INTEGER PRIMARY KEY,
    run_id           INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
    name             TEXT NOT NULL,
    launches         INTEGER NOT NULL,
    grid             TEXT NOT NULL,         -- of the first launch: "4,1,1"
    block            TEXT NOT NULL,
    dynamic_shared   INTEGER NOT NULL,      -- bytes
    functional       INTEGER NOT NULL,      -- 1: executed without time
    partial          INTEGER NOT NULL,      -- 1: cut short, by max-cycles or a fault
    occupancy_blocks INTEGER NOT NULL,      -- of an SM
    occupancy_warps  INTEGER NOT NULL,
    occupancy_limit  TEXT NOT NULL,
    seconds          REAL NOT NULL,         -- simulated
    UNIQUE (run_id, name, functional)
);

CREATE TABLE counter (                      -- doc/counters.md
    kernel_id INTEGER NOT NULL REFERENCES kernel (id) ON DELETE CASCADE,
    name      TEXT NOT NULL,
    value     INTEGER NOT NULL,
    PRIMARY KEY (kernel_id, name)
) WITHOUT ROWID;

CREATE TABLE rate (                         -- formulas over counters, of the summed launches
    kernel_id INTEGER NOT NULL REFERENCES kernel (id) ON DELETE CASCADE,
    name      TEXT NOT NULL,
    value     REAL,
    PRIMARY KEY (kernel_id, name)
) WITHOUT ROWID;

CREATE TABLE structure (                    -- data structures
    kernel_id    INTEGER NOT NULL REFERENCES kernel (id) ON DELETE CASCADE,
    name         TEXT NOT NULL,
    loads        INTEGER NOT NULL,
    stores       INTEGER NOT NULL,
    atomics      INTEGER NOT NULL,
    transactions INTEGER NOT NULL,
    sectors      INTEGER NOT NULL,
    l1_accesses  INTEGER NOT NULL,
    l1_hits      INTEGER NOT NULL,
    dram_bytes   INTEGER NOT NULL,
    PRIMARY KEY (kernel_id, name)
) WITHOUT ROWID;

CREATE TABLE sample (                       -- time series: counters at the end of each interval
    kernel_id INTEGER NOT NULL REFERENCES kernel (id) ON DELETE CASCADE,
    number    INTEGER NOT NULL,
    name      TEXT NOT NULL,
    value     INTEGER NOT NULL,
    PRIMARY KEY (kernel_id, number, name)
) WITHOUT ROWID;

CREATE TABLE measure (                      -- what verbs other than run give, by name
    run_id INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
    name   TEXT NOT NULL,
    value  REAL,
    text   TEXT,
    PRIMARY KEY (run_id, name)
) WITHOUT ROWID;
