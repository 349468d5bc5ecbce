-- The 95 percent confidence interval of the value that raised the alert; null when a bound is unknown.
ALTER TABLE alerts ADD COLUMN interval_low REAL;
ALTER TABLE alerts ADD COLUMN interval_high REAL;
