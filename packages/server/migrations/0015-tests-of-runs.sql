-- The verdicts of each test of a run, from which the interval of the run's pass rate is drawn.

CREATE INDEX simulations_by_test ON simulations (run_id, test_id, test_version_id, status, grading, verdict);
