/**
 * A period in which this process ran no code. `fromMs` and `toMs` are times of `performance.now()`. `clockLeapMs` is the number of
 * milliseconds by which the system clock leapt.
 */
type Stall = { fromMs: number; toMs: number; clockLeapMs: number };

const TICK_MS = 50;
/** Smallest delay of a timer that counts as a stall. A shorter delay is normal in a busy process. */
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

/** Records a stall when the next tick is overdue, or when the system clock leapt. The clock leaps when the machine slept, for example. */
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

/** Returns the stalls that ended after `fromMs`, a time of `performance.now()`. Also detects a stall that ended just now. */
function stallsSince(fromMs: number): Stall[] {
  record();
  return stalls.slice(stalls.findLastIndex(({ toMs }) => toMs < fromMs) + 1);
}

/**
 * Returns the total duration of all stalls since `fromMs`, a time of `performance.now()`, plus the milliseconds by which the system clock
 * leapt; 0 without a stall. A duration that was measured across a stall proves nothing about another program.
 */
export const stalledMsSince = (fromMs: number): number =>
  stallsSince(fromMs).reduce((sum, stall) => sum + stall.clockLeapMs + stall.toMs - Math.max(stall.fromMs, fromMs), 0);

/** Returns the milliseconds of the longest stall since `fromMs`, a time of `performance.now()`; 0 without a stall. */
export const longestStallMsSince = (fromMs: number): number =>
  stallsSince(fromMs).reduce((longest, stall) => Math.max(longest, stall.toMs - Math.max(stall.fromMs, fromMs)), 0);

/** Returns the milliseconds since `fromMs`, a time of `performance.now()`, minus the duration of this process's stalls. */
export const ranMsSince = (fromMs: number): number =>
  performance.now() -
  fromMs -
  stallsSince(fromMs).reduce((sum, { fromMs: begunMs, toMs }) => sum + toMs - Math.max(begunMs, fromMs), 0);

/**
 * Returns the number and the total duration of all stalls of this process. A leap of the system clock counts as a stall without a duration.
 */
export function allStalls(): { stalls: number; stalledMs: number } {
  record();
  return { stalls: stallsInAll, stalledMs: stalledMsInAll };
}

type RunningLimit = { signal: AbortSignal; clear: () => void };

/**
 * Creates a limit that aborts after this process has run for `ms` milliseconds. Stalls of this process do not count, so that the process
 * can still read an answer that arrived during a stall. The timer does not keep the process alive.
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
