// A process of the service loads this file first. It moves the wall clock by an offset, and can make all time pass faster.
// Monotonic clocks and timers follow the speed, so that the service runs through a day in a short time.
import { syncBuiltinESMExports } from "node:module";
import timers from "node:timers";
import timersPromises from "node:timers/promises";

const { offsetMs = 0, speed = 1 } = JSON.parse(process.env.TORTURE_CLOCK ?? "{}");
const RealDate = Date;
const startedMs = RealDate.now();
const monotonic = performance.now.bind(performance);
const startedAt = monotonic();
const now = () => Math.round(startedMs + offsetMs + (monotonic() - startedAt) * speed);

globalThis.Date = class extends RealDate {
  constructor(...parts) {
    if (parts.length === 0) super(now());
    else super(...parts);
  }
  static now = now;
};

if (speed !== 1) {
  performance.now = () => startedAt + (monotonic() - startedAt) * speed;
  const bigint = process.hrtime.bigint.bind(process.hrtime);
  const from = bigint();
  process.hrtime.bigint = () => from + (bigint() - from) * BigInt(Math.round(speed));
  const shorter = (ms = 1) => Math.max(1, ms / speed);
  for (const name of ["setTimeout", "setInterval"]) {
    const real = timers[name];
    timers[name] = globalThis[name] = (work, ms, ...rest) => real(work, shorter(ms), ...rest);
    const promised = timersPromises[name];
    timersPromises[name] = (ms, ...rest) => promised(shorter(ms), ...rest);
  }
  syncBuiltinESMExports();
}
