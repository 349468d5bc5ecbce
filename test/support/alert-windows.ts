import type { Client } from "@svc/sdk";
import { vi } from "vitest";
import type { TestServer } from "./server.ts";
import { freshName } from "./world.ts";

const MINUTE_MS = 60_000;
export const WINDOW_MS = 15 * MINUTE_MS;
/** The clock of the specs of alerts starts some hours ago, at the start of a window, so that no span lies in the future. */
export const START_MS = Math.floor(Date.now() / WINDOW_MS) * WINDOW_MS - 48 * WINDOW_MS;

/** Sets the clock to some minutes after its start. Timers use the real clock. */
export const setClock = (minutes: number) =>
  vi.useFakeTimers({ now: START_MS + minutes * MINUTE_MS, toFake: ["Date"] });

/** Creates a project, and returns a client with a key of it. */
export async function newProject(server: TestServer): Promise<Client> {
  const { project } = await server.admin.projects.create({ name: freshName("project") });
  return server.clientOf((await server.admin.keys.create({ project_id: project.id })).secret);
}
