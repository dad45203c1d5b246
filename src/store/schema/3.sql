-- Version 3: runs with --lines have the lines of their kernels, and the text of these lines.
CREATE TABLE line (                         -- what a kernel's lines did, summed over its launches; only of runs with --lines
    kernel_id    INTEGER NOT NULL REFERENCES kernel (id) ON DELETE CASCADE, -- the kernel
    number       INTEGER NOT NULL,          -- the row's number: lines come first, the hottest of them first, then accesses of memory
    file         TEXT NOT NULL,             -- the source file; of a line, that of the kernel itself
    line         INTEGER NOT NULL,          -- the line, counted from 1
    at_file      TEXT,                      -- of an access in an inlined function: the file into which that was inlined; else null
    at_line      INTEGER NOT NULL,          -- the line there; 0: it wasn't inlined
    array        TEXT,                      -- of an access: the data structure; null: it isn't known, or the row is a line
    what         TEXT,                      -- of an access: load, store, atomic, …; null: the row is a line, with what was inlined there
    issued       INTEGER NOT NULL,          -- instructions issued, of warps
    lanes        INTEGER NOT NULL,          -- lanes that took part in these instructions
    transactions INTEGER NOT NULL,          -- segments of 128 bytes that they touched; in shared memory, passes
    sectors      INTEGER NOT NULL,          -- sectors of 32 bytes that they touched
    l1_accesses  INTEGER NOT NULL,          -- tag look-ups in the L1, or in the cache that serves the access
    l1_hits      INTEGER NOT NULL,          -- look-ups that hit
    stalls       INTEGER NOT NULL,          -- issue slots lost at the line to waiting for memory
    queued       INTEGER NOT NULL,          -- issue slots lost at the line to waiting for a place in the load-store unit
    PRIMARY KEY (kernel_id, number)
) WITHOUT ROWID;

CREATE TABLE source (                       -- the text of the lines in the table line, as it was when the run was made
    run_id INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE, -- the run
    file   TEXT NOT NULL,                   -- the source file
    line   INTEGER NOT NULL,                -- the line, counted from 1
    text   TEXT NOT NULL,                   -- its text: at most 400 bytes, with blanks for control characters
    PRIMARY KEY (run_id, file, line)
) WITHOUT ROWID;
