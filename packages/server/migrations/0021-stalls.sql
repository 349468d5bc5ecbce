-- Attempts of a simulation that a stall of the service spoilt. The simulation is played again a bounded number of times.
-- The model that played the caller of a run; null for scripted callers, and for runs before this migration.

ALTER TABLE simulations ADD COLUMN stalled_attempts INTEGER NOT NULL DEFAULT 0;
ALTER TABLE runs ADD COLUMN caller_model TEXT;
