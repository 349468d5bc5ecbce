-- The channel of the conversation when it was graded: telephone, room or text. Null when it is unknown. Grades of earlier versions of
-- the service have none.
ALTER TABLE production_grades ADD COLUMN channel TEXT;
