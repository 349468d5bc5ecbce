import { type Connection, rowsOf } from "../../stores/analytics.ts";
import { MAPPING_VERSION } from "../vocabulary/version.ts";
import { KEY } from "./groups.ts";
import { integer } from "./integer.ts";

/**
 * Has the project's conversations read again that an older mapping read, or all of them. What was read stays until then.
 * Answers how many still wait.
 */
export async function markForReading(write: Connection, project: number, all: boolean): Promise<number> {
  const ofProject = `project = ${integer(project)}`;
  const older = `reading IN (SELECT reading FROM conversations WHERE ${ofProject} AND mapping_version < ${MAPPING_VERSION})`;
  await write.run(`UPDATE traces SET reread = true WHERE ${ofProject} AND NOT reread AND ${all ? "true" : older}`);
  const [row] = await rowsOf<{ remaining: number }>(
    write,
    `SELECT count(DISTINCT ${KEY})::INTEGER AS remaining FROM traces WHERE ${ofProject} AND reread`,
  );
  return row!.remaining;
}
