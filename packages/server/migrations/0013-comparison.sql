-- A test's and an agent's results over runs. Agreement with people is of judge-decided grades, per judge, so labels carry
-- both; a label whose grade no judge decided has no judge.

CREATE INDEX simulations_of_test ON simulations (test_id, run_id, test_version_id, status, grading, verdict);
CREATE INDEX runs_of_agent ON runs (agent_id, id);

ALTER TABLE grade_labels ADD COLUMN judge TEXT;

UPDATE grade_labels SET judge = (
  SELECT json_object (
    'model', coalesce (json_extract (grade, '$.votes[0].model'), 'unknown'),
    'promptVersion', coalesce (json_extract (grade, '$.votes[0].promptVersion'), 'unknown')
  )
  FROM (
    SELECT grade FROM grades WHERE grades.id = grade_labels.grade_id
    UNION ALL
    SELECT grade FROM production_grades WHERE production_grades.id = grade_labels.grade_id
  )
  WHERE json_extract (grade, '$.decidedBy') = 'judge'
);
