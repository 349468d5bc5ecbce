import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { openMediaPool, type MediaPool, POOL_LIMITS } from "../../packages/server/src/voice/calls/media/pool.ts";
import { createLog } from "../../packages/server/src/base/log/log.ts";
import { type FakeVoiceAgent, startFakeVoiceAgent } from "../support/calls/fake-voice-agent.ts";
import { placeAt } from "../support/calls/placed-call.ts";
import { isAlive } from "../support/calls/processes.ts";
import { until } from "../support/until.ts";

let agent: FakeVoiceAgent;
let pool: MediaPool;

beforeAll(async () => {
  agent = await startFakeVoiceAgent({ silent: () => {} });
});
afterEach(() => pool.close());
afterAll(() => agent.stop());

const open = (limits: Partial<typeof POOL_LIMITS> = {}): MediaPool =>
  (pool = openMediaPool(createLog("silent"), { ...POOL_LIMITS, ...limits }));

const place = () => placeAt(pool, agent.urlOf("silent"));

describe("the media processes", () => {
  test("a killed process ends its calls as the service's fault, and the next call gets another process", async () => {
    open();
    const calls = [place(), place()];
    await Promise.all(calls.map(({ event }) => event("connected")));
    const [killed, ...others] = pool.processIds();
    expect(others).toEqual([]);
    process.kill(killed!, "SIGKILL");
    for (const { ended } of calls)
      expect(await ended).toMatchObject({ reason: "simulator_error", isOurFault: true, summary: null });
    expect(calls.map(({ events }) => events.filter(({ kind }) => kind === "ended").length)).toEqual([1, 1]);
    expect(pool.underWay()).toEqual({ processes: 0, calls: 0 });
    expect([...pool.counts.all()]).toEqual([["lost", 2]]);
    const next = place();
    await next.event("connected");
    expect(pool.processIds()).not.toContain(killed);
    next.hangUp();
    expect(pool.underWay()).toEqual({ processes: 1, calls: 1 });
    const { summary } = await next.ended;
    expect(await next.ended).toMatchObject({ reason: "persona_concluded", isOurFault: false });
    expect(pool.counts.all().get("ended")).toBe(1);
    expect(pool.counts.all().has("gaps")).toBe(!summary!.isTimingReliable);
  });

  test("a stopped process is killed, and its calls end as the service's fault", async () => {
    open({ silentMs: 3_000 });
    const call = place();
    await call.event("connected");
    process.kill(pool.processIds()[0]!, "SIGSTOP");
    expect(await call.ended).toMatchObject({ reason: "simulator_error", isOurFault: true });
    await until("no process", () => pool.processIds().length === 0);
  });

  test("a process carries at most its number of calls at once", async () => {
    open({ callsAtOnce: 2 });
    const calls = [place(), place(), place()];
    await Promise.all(calls.map(({ event }) => event("connected")));
    expect(pool.processIds()).toHaveLength(2);
    for (const { hangUp } of calls) hangUp();
    await Promise.all(calls.map(({ ended }) => ended));
  });

  test("a process ends after its number of calls in all, and no call is lost", async () => {
    open({ callsInAll: 2 });
    const used = new Set<number>();
    for (let count = 0; count < 4; count++) {
      const call = place();
      await call.event("connected");
      for (const pid of pool.processIds()) used.add(pid);
      call.hangUp();
      expect(await call.ended).toMatchObject({ reason: "persona_concluded" });
    }
    expect(used.size).toBe(2);
    await until("the end of the used processes", () => [...used].every((pid) => !isAlive(pid)));
  });

  test("a call that fails by a fault of the code ends as the service's fault, and the log has the stack of the fault", async () => {
    const logged: unknown[] = [];
    const log = { ...createLog("silent"), error: (...said: unknown[]) => void logged.push(said) };
    pool = openMediaPool(log as ReturnType<typeof createLog>);
    const call = placeAt(pool, agent.urlOf("silent"), { turnTaking: null as never });
    expect(await call.ended).toMatchObject({ reason: "simulator_error", isOurFault: true });
    expect(logged).toEqual([
      [{ stack: expect.stringMatching(/^TypeError: [^]*\n +at /) }, "a fault in a media process"],
    ]);
  });

  test("a closed pool leaves no process and ends its calls as the service's fault", async () => {
    open();
    const call = place();
    await call.event("connected");
    const pids = pool.processIds();
    await pool.close();
    expect(await call.ended).toMatchObject({ isOurFault: true });
    expect(pids.some(isAlive)).toBe(false);
    expect(await place().ended).toMatchObject({ isOurFault: true });
  });
});
