import type { Project } from "@svc/contract";
import type { z } from "zod";
import type { ProjectRow } from "../../stores/schema.ts";

export function presentProject(row: ProjectRow): z.infer<typeof Project> {
  return { id: row.id, name: row.name, slug: row.slug, createdAt: row.created_at, updatedAt: row.updated_at };
}
