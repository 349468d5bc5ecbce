-- A process that shares its database holds the simulations that it plays or grades until this time, in Unix milliseconds of the
-- database's clock. NULL in a data folder: its lock is the lease of its one process.

ALTER TABLE simulations ADD COLUMN leased_until_ms INTEGER;
