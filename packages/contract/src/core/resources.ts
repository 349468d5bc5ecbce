/** A kind of resource that belongs to one project and that a path names by its id. */
export type Resource =
  | "suite"
  | "test"
  | "testVersion"
  | "persona"
  | "personaVersion"
  | "mockTool"
  | "agent"
  | "run"
  | "schedule"
  | "simulation"
  | "grader"
  | "grade"
  | "trace"
  | "destination"
  | "alertRule"
  | "alert"
  | "group";
