import { setTimeout as delay } from "node:timers/promises";
import { LineFailure } from "../line.ts";
import { type MediaServer, type ProjectKey, signToken } from "./media-server.ts";
import { CALLER_IDENTITY, type RoomAccess } from "./room-access.ts";

/** Validity of the caller's token, longer than any call. */
const TOKEN_SECONDS = 2 * 60 * 60;
/** Time in which a worker must take a dispatched call. */
const TAKE_MS = 10_000;
const LOOK_EVERY_MS = 250;
/** Largest number of dispatches for one call, when a worker took a call recently and is probably only busy. */
const DISPATCHES_MAX = 3;
const CLOSE_TIMEOUT_MS = 5_000;

type ProjectRoom = {
  server: MediaServer;
  key: ProjectKey;
  room: string;
  /** Name under which the worker registers; empty for workers without a name. */
  agentName: string;
  metadata: string;
  workers: KnownWorkers;
  /** Only specs change it. */
  takeMs?: number;
};

export async function openProjectRoom(
  { server, key, room, agentName, metadata, workers, takeMs = TAKE_MS }: ProjectRoom,
  signal: AbortSignal,
): Promise<RoomAccess> {
  await server.createRoom(room, signal);
  const grants = { room, roomJoin: true, canPublish: true, canSubscribe: true } as const;

  async function isTaken(dispatchId: string, summoning: AbortSignal): Promise<boolean> {
    for (let waitedMs = 0; waitedMs < takeMs; waitedMs += LOOK_EVERY_MS) {
      const [job] = await server.listJobs(room, dispatchId, summoning);
      if (job?.hasFailed)
        throw new LineFailure(
          "agent_error",
          "The agent's worker took the call and failed to start it: its log says why.",
        );
      if (job) return true;
      await delay(LOOK_EVERY_MS, undefined, { signal: summoning });
    }
    return false;
  }

  return {
    token: signToken(key, CALLER_IDENTITY, grants, TOKEN_SECONDS),

    async summonAgent(summoning) {
      for (let dispatches = 1; ; dispatches++) {
        const dispatchId = await server.dispatch(room, agentName, metadata, summoning);
        if (await isTaken(dispatchId, summoning)) return workers.took(agentName);
        const isKnown = workers.tookRecently(agentName);
        if (!isKnown || dispatches === DISPATCHES_MAX) throw notTaken(agentName, isKnown);
        await server.deleteDispatch(room, dispatchId, summoning);
      }
    },

    async close() {
      await server.deleteRoom(room, AbortSignal.timeout(CLOSE_TIMEOUT_MS)).catch(() => {});
    },
  };
}

function notTaken(agentName: string, isKnown: boolean): LineFailure {
  const which = agentName === "" ? "No worker without an agent name" : `No worker of the agent name "${agentName}"`;
  if (isKnown)
    return new LineFailure(
      "worker_full",
      `${which} took the call, although one took a call shortly before: lower the run's concurrency, or start more workers.`,
    );
  return new LineFailure(
    "worker_missing",
    `${which} took the call within ${TAKE_MS / 1_000} s: start the worker, and check that it registers at this media server under this name. A worker whose load is over its limit takes no calls either.`,
  );
}

/** Agent names whose workers took calls of one media server. A media server does not report whether a worker is registered. */
type KnownWorkers = {
  took: (agentName: string) => void;
  tookRecently: (agentName: string) => boolean;
};

const RECENT_MS = 10 * 60_000;
const NAMES_MAX = 1_000;

export function createKnownWorkers(): (server: string) => KnownWorkers {
  const lastMs = new Map<string, number>();
  return (server) => {
    const keyOf = (agentName: string) => JSON.stringify([server, agentName]);
    return {
      took(agentName) {
        lastMs.delete(keyOf(agentName));
        lastMs.set(keyOf(agentName), performance.now());
        if (lastMs.size > NAMES_MAX) lastMs.delete(lastMs.keys().next().value!);
      },
      tookRecently: (agentName) => performance.now() - (lastMs.get(keyOf(agentName)) ?? -Infinity) < RECENT_MS,
    };
  };
}
