import type { FindProjects } from "../access/projects.ts";
import { traceIdOf } from "./rules.ts";
import type { TraceReader } from "./store/trace-store.ts";

/** Creates the look-up of the projects that have a trace. Each project may have a trace with the same id. */
export const createFindProjects =
  (reader: TraceReader): FindProjects =>
  async (id, projects) => {
    const traceId = traceIdOf(id);
    if (traceId === undefined) return [];
    const holders = await reader.findProjects(
      projects.map(({ number }) => number),
      traceId,
    );
    return projects.filter(({ number }) => holders.includes(number)).map((project) => project.id);
  };
