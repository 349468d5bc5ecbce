-- Alert rules count grades by agent and time. Grades of earlier versions have neither and are not counted.
ALTER TABLE production_grades ADD COLUMN agent TEXT;
ALTER TABLE production_grades ADD COLUMN graded_ms INTEGER;
CREATE INDEX production_grades_by_window ON production_grades (project_id, graded_ms) WHERE graded_ms IS NOT NULL;
