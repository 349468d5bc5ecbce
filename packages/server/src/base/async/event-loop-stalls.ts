/** A time in which this process ran nothing. Times are those of `performance.now()`. */
type Stall = { fromMs: number; toMs: number; clockLeapMs: number };

const TICK_MS = 50;
/** Shorter delays are ordinary work of a busy process. */
const STALL_MS = 250;
const STALLS_MAX = 10_000;

const stalls: Stall[] = [];
let stallsInAll = 0;
let stalledMsInAll = 0;
let lastTickMs = performance.now();
let lastClockMs = Date.now();

function tick(): void {
  record();
  lastTickMs = performance.now();
  lastClockMs = Date.now();
}

/** Records a stall when the next tick is overdue, or when the clock leapt, as it does after the machine slept. */
function record(): void {
  const nowMs = performance.now();
  const silentMs = nowMs - lastTickMs;
  const clockLeapMs = Math.abs(Date.now() - lastClockMs - silentMs);
  const isStall = silentMs >= TICK_MS + STALL_MS;
  const isLeap = clockLeapMs >= STALL_MS;
  if (!isStall && !isLeap) return;
  stallsInAll++;
  stalledMsInAll += isStall ? silentMs : 0;
  stalls.push({ fromMs: isStall ? lastTickMs : nowMs, toMs: nowMs, clockLeapMs: isLeap ? clockLeapMs : 0 });
  if (stalls.length > STALLS_MAX) stalls.shift();
  lastTickMs = nowMs;
  lastClockMs = Date.now();
}

setInterval(tick, TICK_MS).unref();

/** Returns the stalls that ended after a time of `performance.now()`, also the one from which the process has just woken. */
function stallsSince(fromMs: number): Stall[] {
  record();
  return stalls.slice(stalls.findLastIndex(({ toMs }) => toMs < fromMs) + 1);
}

/**
 * Returns for how many milliseconds this process was stopped or blocked, or its clock leapt, since a time of
 * `performance.now()`; 0 without a stall. A time that was measured across a stall says nothing about another program.
 */
export const stalledMsSince = (fromMs: number): number =>
  stallsSince(fromMs).reduce((sum, stall) => sum + stall.clockLeapMs + stall.toMs - Math.max(stall.fromMs, fromMs), 0);

/** Returns the length of the longest stall since a time of `performance.now()`, in milliseconds; 0 without a stall. */
export const longestStallMsSince = (fromMs: number): number =>
  stallsSince(fromMs).reduce((longest, stall) => Math.max(longest, stall.toMs - Math.max(stall.fromMs, fromMs)), 0);

/** Returns for how many milliseconds this process has run since a time of `performance.now()`. */
export const ranMsSince = (fromMs: number): number =>
  performance.now() -
  fromMs -
  stallsSince(fromMs).reduce((sum, { fromMs: begunMs, toMs }) => sum + toMs - Math.max(begunMs, fromMs), 0);

/** Returns the number of all stalls since the start of this process, with their time together. */
export function allStalls(): { stalls: number; stalledMs: number } {
  record();
  return { stalls: stallsInAll, stalledMs: stalledMsInAll };
}

/** A limit on the time that another program may take. `clear` releases its timer. */
type RunningLimit = { signal: AbortSignal; clear: () => void };

/**
 * Creates a limit that aborts after this process has run for `ms` milliseconds. A stall of this process does not shorten it:
 * an answer that arrived during the stall is read first. The timer does not keep the process alive.
 */
export function createRunningLimit(ms: number): RunningLimit {
  const fromMs = performance.now();
  const limit = new AbortController();
  let timer: NodeJS.Timeout;
  const wait = (leftMs: number) => {
    timer = setTimeout(() => {
      const stillMs = ms - ranMsSince(fromMs);
      if (stillMs >= 1) wait(stillMs);
      else limit.abort(new DOMException("The time limit is over.", "TimeoutError"));
    }, leftMs).unref();
  };
  wait(ms);
  return { signal: limit.signal, clear: () => clearTimeout(timer) };
}
