import { expect } from "vitest";
import { requestOf, spanOf, traceIdOf } from "../support/ingest.ts";
import { encodeProtobuf } from "../support/otlp.ts";
import { jsonOf } from "../support/request.ts";
import type { Draws } from "../../torture/random.ts";
import { listedTimes } from "./listed-times.ts";
import type { Load } from "./loads.ts";
import type { Processes } from "./processes.ts";

const CALLS_AT_ONCE = 4;
const SPANS = 3;

/**
 * Sends the spans of calls, each span in its own body. If the answer is not 200, the body is sent again, to any of the processes.
 * Some acknowledged bodies are also sent again, as by an exporter that did not get the answer.
 */
export function ingesting({ ask, client }: Processes, key: string, draws: Draws): Load {
  /** The calls of which every span is acknowledged. */
  const whole: number[] = [];
  let next = 1;
  let repeats = 0;

  async function sendSpan(trace: number, span: number): Promise<boolean> {
    const reply = await ask({
      method: "POST",
      path: "/v1/traces",
      key,
      headers: { "content-type": "application/x-protobuf" },
      body: encodeProtobuf(requestOf([spanOf(trace, span)])),
    });
    return reply?.status === 200;
  }

  async function play(trace: number): Promise<void> {
    for (let span = 0; span < SPANS; span++) {
      for (let tries = 1; !(await sendSpan(trace, span)); tries++) {
        if (tries === 10) return;
        repeats++;
      }
      if (draws.whole(0, 9) === 0) {
        repeats++;
        await sendSpan(trace, span);
      }
    }
    whole.push(trace);
  }

  return {
    async round() {
      const traces = Array.from({ length: CALLS_AT_ONCE }, () => next++);
      await Promise.all(traces.map(play));
    },
    async verify() {
      const listed = await listedTimes(client());
      let lost = 0;
      let doubled = 0;
      for (const trace of whole) {
        const traceId = traceIdOf(trace);
        const reply = await ask({ method: "GET", path: `/v1/traces/${traceId}`, key });
        const spans = reply?.status === 200 ? jsonOf<{ spans: object[] }>(reply).spans.length : 0;
        if (spans < SPANS || !listed.has(traceId)) lost++;
        if (spans > SPANS || listed.get(traceId)! > 1) doubled++;
      }
      expect({ lost, doubled }).toEqual({ lost: 0, doubled: 0 });
      expect(whole.length).toBeGreaterThan(0);
      return {
        "spans acknowledged": whole.length * SPANS,
        "bodies sent again": repeats,
        "spans lost": lost,
        "spans doubled": doubled,
      };
    },
    plant: () => sendSpan(whole[0]!, SPANS),
  };
}
