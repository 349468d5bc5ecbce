import { z } from "zod";
import { id, timestamp } from "../core/ids.ts";
import { createOperation } from "../core/resource-operations.ts";
import { projectId } from "../core/selection.ts";

/** The sample of a project: an agent that ships with the service, a suite of tests for it, and their first run. */
export const ProjectSample = z
  .strictObject({
    agentId: id("agt"),
    connectionId: id("con"),
    suiteId: id("ste"),
    runId: id("run").meta({ description: "The run that started with the sample." }),
    createdAt: timestamp(),
  })
  .meta({ id: "ProjectSample" });
export type ProjectSample = z.infer<typeof ProjectSample>;

const common = {
  tag: "Runs",
  path: "/v1/sample",
  query: z.strictObject({ projectId }),
  answer: z.strictObject({ sample: ProjectSample }),
} as const;

/** The sample of a project, with which a person sees a graded run within seconds. */
export const sample = {
  /**
   * Creates the sample of the project and starts its run; returns the existing sample with 200 and starts nothing when the
   * project has one. The agent runs inside the service and books hotel rooms by rules. It has one deliberate defect, which one
   * of the five tests finds. The tests need no language model.
   */
  start: createOperation({
    ...common,
    summary: "Play the sample agent",
    description:
      "The sample agent runs inside the service and has one deliberate defect, which one of its five tests finds. A project with a sample keeps it, and nothing starts.",
    alsoStatus: { 200: "The project has a sample already; the answer holds it unchanged." },
    errors: ["name_taken"],
  }),
};
