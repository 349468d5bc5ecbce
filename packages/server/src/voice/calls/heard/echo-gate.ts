import { SILENCE_DBFS } from "../../audio/level.ts";
import type { EchoPath, EchoStretch } from "./echo-path.ts";
import { WINDOW_MS } from "./side-levels.ts";

/**
 * Number of windows for which the room of the agent's side reflects the caller's sound. With each window, the reflection becomes `FADE_DB`
 * weaker.
 */
const ROOM_WINDOWS = 60 / WINDOW_MS;
const FADE_DB = 0.75;

/** At some frequencies, the echo may be louder than its measured gain, by at most this difference. */
const MARGIN_DB = 10;

/** Sound of the caller below this level has no audible echo. */
const LEAST_DBFS = -60;

/** The real delay of the echo may be shorter than the measured delay, by at most this number of windows. */
const EARLY_WINDOWS = 2;

/** Returns whether an echo of the caller, with this delay and gain, explains the level on the agent's side in one window. */
function isEcho(agentDbfs: number, sentDbfs: Float32Array, at: number, { delayMs, gainDb }: EchoPath): boolean {
  const nearest = at - Math.round(delayMs / WINDOW_MS);
  let loudest = SILENCE_DBFS;
  for (
    let from = Math.max(0, nearest - ROOM_WINDOWS);
    from <= nearest + EARLY_WINDOWS && from < sentDbfs.length;
    from++
  )
    loudest = Math.max(loudest, sentDbfs[from]! - Math.max(0, nearest - from) * FADE_DB);
  return loudest > LEAST_DBFS && agentDbfs < loudest + gainDb + MARGIN_DB;
}

/** The longest delay and the highest gain of an echo that are assumed before its delay and gain have been measured. */
const UNKNOWN_PATH: EchoPath = { delayMs: 250, gainDb: -22 };

/** After the delay of the echo has been measured in a call, it grows by at most this time. */
const CHANGE_MS = 150;

/**
 * Returns whether sound on the agent's side may be an echo of the caller, for use during the call. `known` is null before the echo's delay
 * and gain have been measured.
 */
export function mayBeEcho(agentDbfs: number, sentDbfs: Float32Array, at: number, known: EchoPath | null): boolean {
  const { delayMs, gainDb } = known ?? UNKNOWN_PATH;
  let loudest = SILENCE_DBFS;
  const reach = Math.round((delayMs + CHANGE_MS) / WINDOW_MS);
  for (let from = Math.max(0, at - reach); from <= at && from < sentDbfs.length; from++)
    loudest = Math.max(loudest, sentDbfs[from]!);
  return loudest > LEAST_DBFS && agentDbfs < loudest + gainDb + MARGIN_DB;
}

/**
 * Returns the levels of the agent's side. In windows with an echo of the caller, the level is lowered to the quiet level of the agent's own
 * sound.
 */
export function withoutEcho(
  agentDbfs: Float32Array,
  sentDbfs: Float32Array,
  stretches: readonly EchoStretch[],
): Float32Array {
  const found = stretches.flatMap(({ fromMs, path }) => (path === null ? [] : [{ fromMs, path }]));
  if (found.length === 0) return agentDbfs;
  const gainDb = found.reduce((sum, { path }) => sum + path.gainDb, 0) / found.length;
  const nearestTo = (ms: number) =>
    found.reduce((a, b) => (Math.abs(b.fromMs - ms) < Math.abs(a.fromMs - ms) ? b : a)).path.delayMs;
  const paths = stretches.map(({ fromMs, path }) => ({ delayMs: path?.delayMs ?? nearestTo(fromMs), gainDb }));
  const lengthMs = stretches[1]?.fromMs ?? Infinity;
  const echoes = agentDbfs.map((dbfs, at) => {
    // The delay of the echo may change within a stretch, so the neighbouring stretches count too.
    const stretch = Math.floor((at * WINDOW_MS) / lengthMs);
    const near = paths.slice(Math.max(0, stretch - 1), stretch + 2);
    return near.some((path) => isEcho(dbfs, sentDbfs, at, path)) ? 1 : 0;
  });
  const own = agentDbfs.filter((_, at) => echoes[at] === 0);
  const quiet = Math.min(levelAt(own, 0.2), levelAt(agentDbfs, 0.1));
  return agentDbfs.map((dbfs, at) => (echoes[at] === 1 ? Math.min(dbfs, quiet) : dbfs));
}

const levelAt = (dbfs: Float32Array, share: number): number =>
  dbfs.toSorted()[Math.floor(dbfs.length * share)] ?? SILENCE_DBFS;
