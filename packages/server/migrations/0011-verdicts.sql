-- A simulation passes only when every expected behavior passed. `allow_ungraded` lets the simulations of a run pass on the
-- behaviors that were decided. `behaviors_graded` counts behaviors with the verdict passed or failed.

ALTER TABLE runs ADD COLUMN allow_ungraded INTEGER NOT NULL DEFAULT 0 CHECK (allow_ungraded IN (0, 1));

-- Earlier versions also counted behaviors that are inconclusive or errored.
UPDATE simulations SET behaviors_graded = (
  SELECT coalesce(max(decided), 0) FROM (
    SELECT count(*) AS decided
    FROM grades
    WHERE grades.simulation_id = simulations.id
      AND grades.grading = simulations.gradings
      AND json_extract(grade, '$.counts') = 1
      AND json_extract(grade, '$.verdict') IN ('passed', 'failed')
      AND json_extract(grade, '$.graderVersionId') IN (
        SELECT json_extract(value, '$.id')
        FROM runs, json_each(runs.graders)
        WHERE runs.id = simulations.run_id AND json_extract(value, '$.definition.kind') = 'expected_behaviors'
      )
    GROUP BY json_extract(grade, '$.graderVersionId')
  )
)
WHERE behaviors_graded > 0;

-- Earlier versions passed a simulation when a part of its behaviors was decided. Its grades stay as they are.
UPDATE simulations SET verdict = iif(
  EXISTS (
    SELECT 1 FROM grades
    WHERE grades.simulation_id = simulations.id
      AND grades.grading = simulations.gradings
      AND json_extract(grade, '$.counts') = 1
      AND json_extract(grade, '$.verdict') = 'inconclusive'
  ),
  'inconclusive',
  'not_graded'
)
WHERE verdict = 'passed' AND behaviors_graded < behavior_count;

DROP INDEX simulations_counted;
CREATE INDEX simulations_counted ON simulations (run_id, status, verdict, grading, behaviors_graded, behavior_count);
