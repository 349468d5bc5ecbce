import { z } from "zod";

/** Project of an `/api` operation: id or exact name; a project-scoped key needs none. */
export const project = z
  .string()
  .min(1)
  .optional()
  .meta({ description: "Project id or exact name. A project-scoped key needs none." });

/** Project of a `/v1` operation: id or exact name; a project-scoped key needs none. */
export const projectId = project;

/** Which side of an archive a list shows. */
export const archived = z
  .union([z.boolean(), z.stringbool({ truthy: ["true"], falsy: ["false"], case: "sensitive" })], {
    error: "Write true or false.",
  })
  .default(false)
  .meta({
    description: "True lists the archived ones instead of the live ones.",
    override: { type: "boolean", default: false },
  });
