import { liveKitRequest } from "../test/support/livekit-request.ts";
import { encodeProtobuf } from "../test/support/otlp.ts";
import { type Body, distinctBodies } from "./distinct-bodies.ts";
import { bodiesOfCall, bodyFor, newCall } from "./live-calls.ts";

export type Workload = { name: string; connections: number; bodies: (count: number) => Body[] };

const heavy = [1, 2, 3, 4, 5, 6, 7, 8].map((seed) => encodeProtobuf(liveKitRequest(seed)));
const call = bodiesOfCall(8);

/** Returns the bodies of calls, one call after another. */
function bodiesOfCalls(count: number): Body[] {
  let ids = newCall();
  return Array.from({ length: count }, (_, at) => {
    const body = call[at % call.length]!;
    if (at % call.length === 0) ids = newCall();
    return { gzip: bodyFor(body, ids), spans: body.spans };
  });
}

export const HEAVY: Workload = {
  name: "512-span bodies, gzip",
  connections: 8,
  bodies: (count) => distinctBodies(heavy, count),
};

export const CALLS: Workload = { name: "calls of a real worker, gzip", connections: 32, bodies: bodiesOfCalls };
