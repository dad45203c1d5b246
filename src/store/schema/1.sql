-- The results store. A row of run is one simulated program, stored under the hash of what determines its result; what
-- it measured hangs below it. Launches of the same kernel are summed. tools/docs.sh makes doc/results.md's tables of the
-- comments behind tables and columns: every one has its sentence.
CREATE TABLE run (                          -- a simulated program
    id           INTEGER PRIMARY KEY,       -- the row's number, in this store alone
    key          TEXT NOT NULL UNIQUE,      -- 32 hexadecimal digits: the hash of what determines the result
    verb         TEXT NOT NULL,             -- what was done: run, or probe, whose program is a measurement
    program      TEXT NOT NULL,             -- the workload, with its suite where the bare name isn't enough; or the measurement
    params       TEXT NOT NULL,             -- its parameters as they were used: "nx=64 ny=64"
    gpu          TEXT NOT NULL,             -- the description, by name or file
    overrides    TEXT NOT NULL,             -- keys of the description that were set: "l1.size=16KiB sched.policy=lrr"
    options      TEXT NOT NULL,             -- what was simulated of it, such as "functional" or "max-cycles=1000", and "ptx=FILE"; mostly empty
    status       TEXT NOT NULL CHECK (status IN ('done', 'failed')), -- done or failed
    error        TEXT,                      -- the diagnostic of a run that failed; null: none
    verified     INTEGER,                   -- 1: the result was checked and is right
    cycles       INTEGER NOT NULL,          -- core cycles of all kernels
    warp_instructions   INTEGER NOT NULL,   -- instructions executed by warps, of all kernels
    thread_instructions INTEGER NOT NULL,   -- instructions executed by threads, of all kernels
    model        INTEGER NOT NULL,          -- version of the model, which is part of the key
    version      TEXT NOT NULL,             -- version of onchip
    wall_seconds REAL NOT NULL,             -- host time in the simulator, s
    memory_bytes INTEGER NOT NULL,          -- most memory that the process had, byte
    finished     TEXT NOT NULL,             -- when it was stored, UTC: "2026-01-31T23:59:59Z"
    host         TEXT NOT NULL              -- the machine it ran on
);
CREATE INDEX run_program ON run (program, params);

CREATE TABLE setting (                      -- parameters and overrides one by one, for filters and pivots
    run_id INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE, -- the run
    name   TEXT NOT NULL,                   -- the parameter or key: "nx", "l1.size"
    value  TEXT NOT NULL,                   -- its value: of a parameter a number, of a key what was written
    PRIMARY KEY (run_id, name)
) WITHOUT ROWID;

CREATE TABLE kernel (                       -- the launches of one kernel in a run, timed ones and others apart
    id               INTEGER PRIMARY KEY,   -- the row's number, in this store alone; kernels of a run are in the order of their first launches
    run_id           INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE, -- the run
    name             TEXT NOT NULL,         -- the kernel's name in the PTX
    launches         INTEGER NOT NULL,      -- how often it was launched
    grid             TEXT NOT NULL,         -- blocks of the first launch in x, y, z: "4,1,1"
    block            TEXT NOT NULL,         -- threads of a block of the first launch in x, y, z
    dynamic_shared   INTEGER NOT NULL,      -- dynamic shared memory of a block of the first launch, byte
    functional       INTEGER NOT NULL,      -- 1: executed without time; only the instruction counts and blocks mean something
    partial          INTEGER NOT NULL,      -- 1: cut short, by max-cycles or a fault
    occupancy_blocks INTEGER NOT NULL,      -- blocks that fit an SM
    occupancy_warps  INTEGER NOT NULL,      -- warps of these
    occupancy_limit  TEXT NOT NULL,         -- what limits them: blocks, warps, threads, registers or shared memory
    seconds          REAL NOT NULL,         -- simulated time of all launches, s
    UNIQUE (run_id, name, functional)
);

CREATE TABLE counter (                      -- the counters of a kernel, summed over its launches
    kernel_id INTEGER NOT NULL REFERENCES kernel (id) ON DELETE CASCADE, -- the kernel
    name      TEXT NOT NULL,                -- the counter, as in counters.md
    value     INTEGER NOT NULL,             -- its value, in the unit given there
    PRIMARY KEY (kernel_id, name)
) WITHOUT ROWID;

CREATE TABLE rate (                         -- the rates of a kernel: formulas over its summed counters
    kernel_id INTEGER NOT NULL REFERENCES kernel (id) ON DELETE CASCADE, -- the kernel
    name      TEXT NOT NULL,                -- the rate, as in counters.md
    value     REAL,                         -- its value; of a kernel that was executed without time it means nothing
    PRIMARY KEY (kernel_id, name)
) WITHOUT ROWID;

CREATE TABLE structure (                    -- what a kernel did with its data structures, summed over its launches; see json.md
    kernel_id    INTEGER NOT NULL REFERENCES kernel (id) ON DELETE CASCADE, -- the kernel
    name         TEXT NOT NULL,             -- the data structure: the label of its allocation
    loads        INTEGER NOT NULL,          -- loads of warps
    stores       INTEGER NOT NULL,          -- stores of warps
    atomics      INTEGER NOT NULL,          -- atomics and reductions of warps
    transactions INTEGER NOT NULL,          -- segments of 128 bytes that they touched
    sectors      INTEGER NOT NULL,          -- sectors of 32 bytes that they touched
    l1_accesses  INTEGER NOT NULL,          -- tag look-ups in the L1, or the cache that serves it
    l1_hits      INTEGER NOT NULL,          -- of those, hits
    dram_bytes   INTEGER NOT NULL,          -- read from and written to DRAM on its behalf
    PRIMARY KEY (kernel_id, name)
) WITHOUT ROWID;

CREATE TABLE sample (                       -- time series of runs with an interval: counters as they stand at each sample
    kernel_id INTEGER NOT NULL REFERENCES kernel (id) ON DELETE CASCADE, -- the kernel
    number    INTEGER NOT NULL,             -- the sample's, from 0, through all launches
    name      TEXT NOT NULL,                -- the counter
    value     INTEGER NOT NULL,             -- since the launch's start
    PRIMARY KEY (kernel_id, number, name)
) WITHOUT ROWID;

CREATE TABLE measure (                      -- what verbs other than run give, by name
    run_id INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE, -- the run
    name   TEXT NOT NULL,                   -- what it is, with its unit; of a point of a curve with its place: "shared.stride_cycles[stride=2]"
    value  REAL,                            -- its value; null: there is none, or it is a text
    text   TEXT,                            -- or its text, such as why there is no value
    PRIMARY KEY (run_id, name)
) WITHOUT ROWID;
