-- The newest conversations with a verdict are found without reading all grades of the project.

CREATE INDEX production_grades_by_verdict ON production_grades (project_id, json_extract(grade, '$.verdict'), id, conversation);
CREATE INDEX simulations_by_verdict ON simulations (project_id, verdict, id) WHERE verdict IS NOT NULL;
