-- Migration 0013 named the judge of a grade without votes `unknown`. Such a grade has no judge.

UPDATE grade_labels SET judge = NULL
WHERE json_extract (judge, '$.model') = 'unknown'
  AND json_extract (judge, '$.promptVersion') = 'unknown'
  AND grade_id IN (
    SELECT id FROM grades WHERE json_extract (grade, '$.votes[0]') IS NULL AND json_extract (grade, '$.judge') IS NULL
    UNION ALL
    SELECT id FROM production_grades
    WHERE json_extract (grade, '$.votes[0]') IS NULL AND json_extract (grade, '$.judge') IS NULL
  );
