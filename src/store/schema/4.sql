-- Version 4: what is said of a kernel in words. It follows from more than a store keeps, so that it is kept itself.
CREATE TABLE said (                         -- what is said of a kernel in words
    kernel_id INTEGER NOT NULL REFERENCES kernel (id) ON DELETE CASCADE, -- the kernel
    name      TEXT NOT NULL,                -- what the words are about: limits, for what limits a kernel that was timed
    text      TEXT NOT NULL,                -- the words, as onchip run prints them
    PRIMARY KEY (kernel_id, name)
) WITHOUT ROWID;
