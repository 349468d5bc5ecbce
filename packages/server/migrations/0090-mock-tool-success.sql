-- The condition on a mock tool's result by which a call of the tool succeeds, as its author wrote it.
ALTER TABLE mock_tools ADD COLUMN succeeds_when TEXT;
