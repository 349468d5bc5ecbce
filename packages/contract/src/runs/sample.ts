import { z } from "zod";
import { id, timestamp } from "../core/ids.ts";
import { createOperation } from "../core/resource-operations.ts";
import { projectId } from "../core/selection.ts";

/** Sample of a project: an agent that ships with the service, a suite of tests for it, and the first run of these tests. */
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

/** Sample of a project. It shows a new user a graded run within seconds. */
export const sample = {
  /**
   * Creates the sample of the project and starts its run. When the project already has a sample, returns it with 200 and starts
   * nothing.
   *
   * The agent runs inside the service and books hotel rooms by rules. It has one deliberate defect, and one of the five tests finds
   * that defect. The tests need no language model.
   */
  start: createOperation({
    ...common,
    summary: "Play the sample agent",
    description:
      "The sample agent runs inside the service and has one deliberate defect, which one of its five tests finds. When the project already has a sample, the service returns this sample and starts nothing.",
    alsoStatus: { 200: "The project already has a sample. The answer contains the existing sample." },
    errors: ["name_taken"],
  }),
};
