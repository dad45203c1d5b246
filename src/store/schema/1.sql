-- The results store. A row of the table run is one simulated program. Its key is the hash of what determines the result.
-- What the run measured is in the other tables, whose rows refer to it. Launches of the same kernel are summed.
-- tools/docs.sh makes doc/reference/store.md's tables from the comments behind tables and columns: each has a sentence.
CREATE TABLE run (                          -- a simulated program
    id           INTEGER PRIMARY KEY,       -- the row's number, in this store alone
    key          TEXT NOT NULL UNIQUE,      -- 32 hexadecimal digits: the hash of what determines the result
    verb         TEXT NOT NULL,             -- what was done: run, of a program; or probe, of a measurement
    program      TEXT NOT NULL,             -- the workload, with its suite if the bare name isn't enough; or the measurement
    params       TEXT NOT NULL,             -- the program's parameters as they were used: "nx=64 ny=64"
    gpu          TEXT NOT NULL,             -- the GPU's description, by name or file
    overrides    TEXT NOT NULL,             -- the keys of the description that were overridden: "l1.size=16KiB sched.policy=lrr"
    options      TEXT NOT NULL,             -- options that change what is simulated, such as "functional", "max-cycles=1000" or "ptx=FILE"; mostly empty
    status       TEXT NOT NULL CHECK (status IN ('done', 'failed')), -- done or failed
    error        TEXT,                      -- the error message of a run that failed; null: there is none
    verified     INTEGER,                   -- 1: the program's result was checked and is right
    cycles       INTEGER NOT NULL,          -- core cycles of all kernels
    warp_instructions   INTEGER NOT NULL,   -- instructions executed by warps, of all kernels
    thread_instructions INTEGER NOT NULL,   -- instructions executed by threads, of all kernels
    model        INTEGER NOT NULL,          -- version of the model, which is part of the key
    version      TEXT NOT NULL,             -- version of onchip
    wall_seconds REAL NOT NULL,             -- host time that the simulation took, s
    memory_bytes INTEGER NOT NULL,          -- the most memory that the process had, byte
    finished     TEXT NOT NULL,             -- when the run was stored, UTC: "2026-01-31T23:59:59Z"
    host         TEXT NOT NULL              -- the machine on which it was simulated
);
CREATE INDEX run_program ON run (program, params);

CREATE TABLE setting (                      -- parameters and overrides one by one, for filters and pivots
    run_id INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE, -- the run
    name   TEXT NOT NULL,                   -- the parameter or key: "nx", "l1.size"
    value  TEXT NOT NULL,                   -- the value of it: of a parameter a number, of a key what was written
    PRIMARY KEY (run_id, name)
) WITHOUT ROWID;

CREATE TABLE kernel (                       -- the launches of one kernel in a run; timed and untimed ones have rows of their own
    id               INTEGER PRIMARY KEY,   -- the row's number, in this store alone; the kernels of a run have the order of their first launches
    run_id           INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE, -- the run
    name             TEXT NOT NULL,         -- the kernel's name in the PTX
    launches         INTEGER NOT NULL,      -- how often it was launched
    grid             TEXT NOT NULL,         -- blocks of the first launch in x, y, z: "4,1,1"
    block            TEXT NOT NULL,         -- threads of a block of the first launch in x, y, z
    dynamic_shared   INTEGER NOT NULL,      -- dynamic shared memory of a block of the first launch, byte
    functional       INTEGER NOT NULL,      -- 1: executed without time; only the instruction counts and blocks have a meaning then
    partial          INTEGER NOT NULL,      -- 1: some launch was cut short, by max-cycles or a fault
    occupancy_blocks INTEGER NOT NULL,      -- how many blocks an SM has room for
    occupancy_warps  INTEGER NOT NULL,      -- how many warps these blocks have
    occupancy_limit  TEXT NOT NULL,         -- what limits that number: blocks, warps, threads, registers or shared memory
    seconds          REAL NOT NULL,         -- simulated time of all launches, s
    UNIQUE (run_id, name, functional)
);

CREATE TABLE counter (                      -- the counters of a kernel, summed over its launches
    kernel_id INTEGER NOT NULL REFERENCES kernel (id) ON DELETE CASCADE, -- the kernel
    name      TEXT NOT NULL,                -- the counter, as in counters.md
    value     INTEGER NOT NULL,             -- the counter's value, in the unit given there
    PRIMARY KEY (kernel_id, name)
) WITHOUT ROWID;

CREATE TABLE rate (                         -- the rates of a kernel: formulas over its summed counters
    kernel_id INTEGER NOT NULL REFERENCES kernel (id) ON DELETE CASCADE, -- the kernel
    name      TEXT NOT NULL,                -- the rate, as in counters.md
    value     REAL,                         -- the rate's value; of a kernel that was executed without time it has no meaning
    PRIMARY KEY (kernel_id, name)
) WITHOUT ROWID;

CREATE TABLE structure (                    -- what a kernel did with its data structures, summed over its launches; see json.md
    kernel_id    INTEGER NOT NULL REFERENCES kernel (id) ON DELETE CASCADE, -- the kernel
    name         TEXT NOT NULL,             -- the data structure: the label of its allocation
    loads        INTEGER NOT NULL,          -- load instructions of warps
    stores       INTEGER NOT NULL,          -- store instructions of warps
    atomics      INTEGER NOT NULL,          -- atomics and reductions of warps
    transactions INTEGER NOT NULL,          -- segments of 128 bytes that these instructions touched
    sectors      INTEGER NOT NULL,          -- sectors of 32 bytes that these instructions touched
    l1_accesses  INTEGER NOT NULL,          -- tag look-ups in the L1, or in the cache that serves the data structure
    l1_hits      INTEGER NOT NULL,          -- look-ups that hit
    dram_bytes   INTEGER NOT NULL,          -- bytes read from DRAM and written to it for this data structure
    PRIMARY KEY (kernel_id, name)
) WITHOUT ROWID;

CREATE TABLE sample (                       -- the time series of runs with an interval: every counter at every sample
    kernel_id INTEGER NOT NULL REFERENCES kernel (id) ON DELETE CASCADE, -- the kernel
    number    INTEGER NOT NULL,             -- the sample's number, counted from 0 through all launches
    name      TEXT NOT NULL,                -- the counter
    value     INTEGER NOT NULL,             -- the counter's value, counted from the launch's start
    PRIMARY KEY (kernel_id, number, name)
) WITHOUT ROWID;

CREATE TABLE measure (                      -- what measurements found, by name
    run_id INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE, -- the run
    name   TEXT NOT NULL,                   -- what was measured, with its unit; a point of a curve has its place behind it: "shared.stride_cycles[stride=2]"
    value  REAL,                            -- the value; null: there is none, or it is a text
    text   TEXT,                            -- the text, such as the reason why there is no value
    PRIMARY KEY (run_id, name)
) WITHOUT ROWID;
