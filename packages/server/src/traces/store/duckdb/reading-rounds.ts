import type { ThreadLog } from "./messages.ts";
import type { ReadingSchedule, StartedRound } from "./reading-schedule.ts";

/** Work on the writing connection, and its time in that of `performance.now`; Infinity when it has no reason yet. */
export type Work = { at: number; work: () => Promise<void> };

/** The time between two rounds without a backlog. */
const PACE_MS = 250;
/** The pause after work for readings while rows arrive, as a multiple of its duration. */
const PAUSE_FACTOR = 1;
/** The same while more rows arrive than one commit holds. */
const OVERLOAD_PAUSE_FACTOR = 4;
const FAILED_READING_MS = 5_000;

type RoundsOptions = {
  schedule: ReadingSchedule;
  log: ThreadLog;
  isOverloaded: () => boolean;
  /** Is called after each round that was stored. */
  onStored: () => void;
  /** Is called when `next` has changed without work on the connection. */
  onRead: () => void;
};

type ReadingRounds = {
  /** Returns the next work for readings. */
  next: () => Work;
  /** Returns whether a round has begun and is not stored yet. */
  isUnderWay: () => boolean;
};

/** Creates the rounds of readings: the connection chooses conversations, is free while another thread reads them, and stores the readings. */
export function createReadingRounds({ schedule, log, isOverloaded, onStored, onRead }: RoundsOptions): ReadingRounds {
  let round: StartedRound | undefined;
  let isRead = false;
  let beginAt = 0;

  async function begin(): Promise<void> {
    const start = performance.now();
    beginAt = start + FAILED_READING_MS; // until the round succeeds, so that commits go on after a failure
    const begun = await schedule.begin();
    pause(start);
    if (begun === undefined) return;
    round = begun;
    void read(begun);
  }

  async function read(begun: StartedRound): Promise<void> {
    try {
      await begun.read();
      isRead = true;
    } catch (error) {
      log("error", "conversations could not be read; they are read again later", { error });
      round = undefined;
      beginAt = performance.now() + FAILED_READING_MS;
    }
    onRead();
  }

  async function store(): Promise<void> {
    const start = performance.now();
    const done = round!;
    round = undefined;
    isRead = false;
    beginAt = start + FAILED_READING_MS;
    await done.store();
    onStored();
    pause(start);
  }

  function pause(start: number): void {
    const end = performance.now();
    const pauseMs = (isOverloaded() ? OVERLOAD_PAUSE_FACTOR : PAUSE_FACTOR) * (end - start);
    beginAt = end + (schedule.isBehind() ? pauseMs : Math.max(PACE_MS, pauseMs));
  }

  return {
    next() {
      if (round !== undefined) return { at: isRead ? 0 : Number.POSITIVE_INFINITY, work: store };
      return { at: Math.max(beginAt, schedule.nextAt()), work: begin };
    },
    isUnderWay: () => round !== undefined,
  };
}
