import { SvcError } from "@svc/sdk";
import type { Client } from "@svc/sdk";
import type { Draws } from "../random.ts";

const WAIT_MS = 60_000;

/** One process of the service, from its start to its kill, as a load reaches it. */
export type Access = {
  url: string;
  /** A client with the organization's key. */
  admin: Client;
  /** A client with the key of the project "Default". */
  client: Client;
  projectKey: string;
  dataDir: string;
  /** Milliseconds by which the service's clock is ahead; 0 by default. */
  clockOffsetMs?: number;
  /** The longest time that `faults` waits for work that continues after an answer; 60 seconds by default. */
  waitMs?: number;
  draws: Draws;
};

/** A stream of requests of one kind that remembers every fact that the service acknowledged. */
export type Load = {
  name: string;
  /** Creates what the load needs. Runs once, while the service is not killed. */
  prepare?: (access: Access) => Promise<void>;
  /** Sends one request. Rejects when the service does not answer. */
  step: (access: Access) => Promise<void>;
  /**
   * Returns a sentence for each acknowledged fact that is missing, wrong or doubled. May wait for work that continues after an
   * answer.
   */
  faults: (access: Access) => Promise<string[]>;
  /** Number of acknowledged facts. */
  acknowledged: () => number;
  /** Adds a fact that the service never acknowledged, so that `faults` must report it. */
  plant: () => void;
  close?: () => Promise<void>;
};

/** Returns whether the request may have succeeded or failed: there was no answer, an incomplete answer, or a fault of the service. */
export const isUnknown = (error: unknown): boolean =>
  !(error instanceof SvcError) || error.status === 0 || error.status >= 500 || error.code === "unexpected_answer";

/** Looks for faults until there is none or the wait is over. Returns the faults of the last look. */
export async function lastingFaults({ waitMs = WAIT_MS }: Access, look: () => Promise<string[]>): Promise<string[]> {
  const endMs = performance.now() + waitMs;
  for (;;) {
    const found = await look();
    if (found.length === 0 || performance.now() > endMs) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Repeats the steps of a load until the service no longer answers. Returns a sentence for each refusal or fault. */
export async function work(load: Load, access: Access, signal: AbortSignal): Promise<string[]> {
  const faults: string[] = [];
  while (!signal.aborted) {
    try {
      await load.step(access);
    } catch (error) {
      if (signal.aborted) break;
      const refused = error instanceof SvcError && error.status !== 0 && error.status !== 503;
      if (refused) faults.push(`${load.name}: ${error.status} ${error.code}: ${error.message}`);
      if (faults.length > 3) break;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
  return faults;
}
