import { z } from "zod";

/** Project of an `/api` operation: id or exact name; a project-scoped key needs none. */
export const project = z
  .string()
  .min(1)
  .optional()
  .meta({ description: "Project id or exact name. A project-scoped key needs none." });

/** Project of a `/v1` operation: id or exact name; a project-scoped key needs none. */
export const projectId = project;

/** Describes a boolean without the two forms by which it is read. */
const asBoolean = ({ jsonSchema }: { jsonSchema: { anyOf?: unknown; type?: string } }) => {
  delete jsonSchema.anyOf;
  jsonSchema.type = "boolean";
};

/** A member of a query that says yes or no. */
export const yesOrNo = z
  .union([z.boolean(), z.enum(["true", "false"])], { error: "Write true or false." })
  .transform((value) => value === true || value === "true")
  .meta({ override: asBoolean });

/** Which side of an archive a list shows. */
export const archived = yesOrNo.default(false).meta({
  description: "True lists the archived ones instead of the live ones.",
  override: { default: false },
});
