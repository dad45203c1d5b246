-- Version 4: what is said of a kernel in words, and why its loads missed. The words follow from more than a store keeps,
-- so that they are kept themselves.
CREATE TABLE said (                         -- what is said of a kernel in words
    kernel_id INTEGER NOT NULL REFERENCES kernel (id) ON DELETE CASCADE, -- the kernel
    name      TEXT NOT NULL,                -- what the words are about: limits, for what limits a kernel that was timed
    text      TEXT NOT NULL,                -- the words, as onchip run prints them
    PRIMARY KEY (kernel_id, name)
) WITHOUT ROWID;

CREATE TABLE why (                          -- why a kernel's loads missed, with --why: its loads of lines by what became of them
    kernel_id   INTEGER NOT NULL REFERENCES kernel (id) ON DELETE CASCADE, -- the kernel
    name        TEXT NOT NULL,              -- the data structure
    served      REAL NOT NULL,              -- loads that the L1 served
    first_touch REAL NOT NULL,              -- misses of lines that were never loaded before
    capacity    REAL NOT NULL,              -- misses that a larger L1 would hold
    conflict    REAL NOT NULL,              -- misses that an L1 with other sets would hold
    dropped     REAL NOT NULL,              -- misses of lines that stores or others dropped
    PRIMARY KEY (kernel_id, name)
) WITHOUT ROWID;
