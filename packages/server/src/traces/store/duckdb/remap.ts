import { MAPPING_VERSION } from "../../vocabulary/version.ts";
import { type DatabaseConnection, integer, rowsOf } from "./database.ts";
import { KEY } from "./groups.ts";

/**
 * Marks conversations of the project to be read again: those whose reading used an older mapping, or all. Their readings stay
 * until the projector replaces them. Returns how many conversations are marked.
 */
export async function markForRemap(write: DatabaseConnection, project: number, all: boolean): Promise<number> {
  const ofProject = `project = ${integer(project)}`;
  const older = `reading IN (SELECT reading FROM conversations WHERE ${ofProject} AND mapping_version < ${MAPPING_VERSION})`;
  await write.run(`UPDATE traces SET reread = true WHERE ${ofProject} AND NOT reread AND ${all ? "true" : older}`);
  const [row] = await rowsOf<{ remaining: number }>(
    write,
    `SELECT count(DISTINCT ${KEY})::INTEGER AS remaining FROM traces WHERE ${ofProject} AND reread`,
  );
  return row!.remaining;
}
