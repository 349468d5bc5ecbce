import { z } from "zod";

/** Project of an `/api` operation: id or exact name; a project-scoped key needs none. */
export const project = z
  .string()
  .min(1)
  .optional()
  .meta({ description: "Project id or exact name. A project-scoped key needs none." });

/** Project of a `/v1` operation: id or exact name; a project-scoped key needs none. */
export const projectId = project;
