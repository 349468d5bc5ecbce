import { z } from "zod";

/** Project of an `/api` operation: its id or exact name. Optional with a project-scoped key. */
export const project = z
  .string()
  .min(1)
  .optional()
  .meta({ description: "Project id or exact name. Optional with a project-scoped key." });

/** Project of a `/v1` operation: its id or exact name. Optional with a project-scoped key. */
export const projectId = project;

/** Makes the JSON Schema of `yesOrNo` a plain boolean. */
const asBoolean = ({ jsonSchema }: { jsonSchema: { anyOf?: unknown; type?: string } }) => {
  delete jsonSchema.anyOf;
  jsonSchema.type = "boolean";
};

/** Schema of a boolean query parameter. */
export const yesOrNo = z
  .union([z.boolean(), z.enum(["true", "false"])], { error: "Write true or false." })
  .transform((value) => value === true || value === "true")
  .meta({ override: asBoolean });

/** Query parameter of a list that selects live or archived items. Default: live items. */
export const archived = yesOrNo.default(false).meta({
  description: "`true` lists archived items instead of live ones.",
  override: { default: false },
});
