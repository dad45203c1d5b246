-- Version 2: each run has checksums, so that a damaged byte is noticed when the run is read. What hashes to what stands
-- in src/store/checksum.c, which also makes the checksums of runs that a store of version 1 has.
CREATE TABLE checksum (                     -- what the rows of a run hash to, table by table; a run is read only if they still do
    run_id INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE, -- the run
    name   TEXT NOT NULL,                   -- the table whose rows are meant: run, setting, measure, kernel, counter, rate, structure, sample
    value  TEXT NOT NULL,                   -- 32 hexadecimal digits: the hash of the run's rows in that table
    PRIMARY KEY (run_id, name)
) WITHOUT ROWID;
