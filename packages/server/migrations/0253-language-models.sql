-- The language model that an organization set. Its key is sealed. The revision changes whenever the model is set.
CREATE TABLE language_models (
  organization_id TEXT PRIMARY KEY REFERENCES organizations (id),
  base_url TEXT NOT NULL,
  model TEXT NOT NULL,
  price_input REAL,
  price_output REAL,
  revision TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- The organization whose own language model was calibrated; empty for the model of the service's settings. The key of a calibration has
-- both the organization and the judge, so that organizations with models of the same name do not share a calibration.
ALTER TABLE judge_calibrations ADD COLUMN organization_id TEXT NOT NULL DEFAULT '';
