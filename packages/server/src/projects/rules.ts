import type { Project } from "@svc/contract";
import type { z } from "zod";
import type { ProjectRow } from "../stores/schema.ts";

/** A slug from a name: its letters and digits, lower-case, without accents, hyphens between. */
export function slugOf(name: string): string {
  const plain = name.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase();
  return (
    plain
      .replaceAll(/[^a-z0-9]+/g, "-")
      .slice(0, 60)
      .replaceAll(/^-+|-+$/g, "") || "project"
  );
}

/** The slug, or the first of `slug-2`, `slug-3` … that is free. */
export function freeSlug(wanted: string, taken: ReadonlySet<string>): string {
  if (!taken.has(wanted)) return wanted;
  let suffix = 2;
  while (taken.has(`${wanted}-${suffix}`)) suffix++;
  return `${wanted}-${suffix}`;
}

export function presentProject(row: ProjectRow): z.infer<typeof Project> {
  return { id: row.id, name: row.name, slug: row.slug, createdAt: row.created_at, updatedAt: row.updated_at };
}
