import { gzipSync } from "node:zlib";
import { allOperations, bodyBytesOf, LIMITS } from "@svc/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hostileBodies, hostileForms, nestedBody, wideBody } from "../support/expensive-bodies.ts";
import { expensiveExports, realExport } from "../support/expensive-exports.ts";
import { random } from "../support/livekit-request.ts";
import { IS_LONG } from "../support/long-form.ts";
import { INPUTS, type OperationName } from "../support/operation-inputs.ts";
import { askOf } from "../support/operation-request.ts";
import { IN_PROCESS } from "../support/program.ts";
import { seed } from "../support/property-seed.ts";
import { type Ask, send } from "../support/request.ts";
import { type Cost, spawnedServer } from "../support/spawned-server.ts";
import { openWorld, type World } from "../support/world.ts";
import { bareAsk, type Named, readAsk, takingJson } from "./refusals/row.ts";

// The limits are on memory and processor time, because other processes on the machine would change a duration. A body that can end
// a service needs minutes and gigabytes; the most expensive JSON bodies in this spec need a third of the limits.
const CPU_MS_MAX = 2_000;
const MEGABYTES_MAX = 100;
/** Up to three copies of an export of 20 MiB exist at the same time: its chunks, its joined bytes and its text. */
const EXPORT_MEGABYTES_MAX = MEGABYTES_MAX + 60;
const SHOWN = IS_LONG ? 50 : 5;
const JSON_TYPE = "application/json";
const FORM_TYPE = "application/x-www-form-urlencoded";

const drawnSeed = Number(seed ?? Date.now() % 1_000_000);
const next = random(drawnSeed);
const draw = <T>(from: readonly T[], count: number): T[] => {
  const rest = [...from];
  return Array.from(
    { length: Math.min(count, rest.length) },
    () => rest.splice(Math.floor(next() * rest.length), 1)[0]!,
  );
};

const takingBodies: Named[] = allOperations.filter(({ operation }) => operation.body !== undefined);

type Row = Cost & { name: string; what: string; status: number };

const isExpensive = ({ name, cpuMs, megabytes }: Row) =>
  cpuMs > CPU_MS_MAX || megabytes > (name === "traces.ingest" ? EXPORT_MEGABYTES_MAX : MEGABYTES_MAX);
const shareOf = ({ cpuMs, megabytes }: Cost) => cpuMs / CPU_MS_MAX + megabytes / MEGABYTES_MAX;

const service = spawnedServer();
let w: World;

describe.skipIf(!IN_PROCESS || process.platform !== "linux")("a hostile body", () => {
  beforeAll(async () => {
    w = (await openWorld(service.start)) as World;
  });
  afterAll(() => w.stop());

  /** For each operation, a request with a valid body and a credential with which the service reads the body. */
  const validAsks = new Map<string, Promise<Ask>>();
  function validAsk(named: Named): Promise<Ask> {
    const known = validAsks.get(named.name);
    if (known !== undefined) return known;
    const made = (async () => {
      const input = await INPUTS[named.name as OperationName](w);
      return askOf(named.operation, { project: w.project.id, projectId: w.project.id, ...input });
    })();
    validAsks.set(named.name, made);
    return made;
  }

  async function rowOf(name: string, what: string, ask: Ask, contentType: string, body: string | Buffer): Promise<Row> {
    let status = 0;
    const sent = async () => {
      const headers = { "content-type": contentType, ...ask.headers };
      const reply = await send(w.url, { ...ask, json: undefined, body, headers }).catch((cause: unknown) => {
        throw new Error(`the service ended or did not answer: ${name} with ${what} (seed ${drawnSeed})`, { cause });
      });
      status = reply.status;
      if (name === "traces.ingest") await service.quiet();
    };
    const row = { name, what, ...(await service.costOf(sent)), status };
    if (!isExpensive(row)) return row;
    // Otherwise the service might collect the garbage of earlier bodies now, at the cost of this body.
    await service.collectGarbage();
    return { name, what, ...(await service.costOf(sent)), status };
  }

  function expectCheap(title: string, rows: readonly Row[]): void {
    const dearest = rows.toSorted((a, b) => shareOf(b) - shareOf(a));
    console.log(`${title}: ${rows.length} bodies, seed ${drawnSeed}. The dearest:`);
    for (const { name, what, status, cpuMs, megabytes } of dearest.slice(0, SHOWN))
      console.log(`${String(cpuMs).padStart(6)} ms ${String(megabytes).padStart(5)} MB  ${status}  ${name}  ${what}`);
    expect(rows.filter(isExpensive)).toEqual([]);
    expect(rows.filter(({ status }) => status >= 500)).toEqual([]);
  }

  test("a hostile body with one long name or 60,000 levels above numbers that doubles lose costs every operation little", async () => {
    const bodies = { "one long name": wideBody(), "60,000 levels": nestedBody() };
    const rows: Row[] = [];
    const ingest = takingBodies.filter(({ name }) => name === "traces.ingest");
    const others = takingBodies.filter(({ name }) => name !== "traces.ingest");
    for (const named of [...ingest, ...(IS_LONG ? others : draw(others, 12))]) {
      const ask = await readAsk(w, named, bareAsk(named.operation));
      const key = named.operation.body === "otlp" ? { key: w.projectKey } : {};
      await service.collectGarbage();
      for (const [what, body] of Object.entries(bodies))
        rows.push(await rowOf(named.name, what, { ...ask, ...key }, JSON_TYPE, body));
    }
    expectCheap("the two bodies", rows);
    const accepted = rows.filter(({ status }) => status < 400).map(({ name }) => name);
    expect(new Set(accepted)).toEqual(new Set(["traces.ingest"])); // this operation ignores unknown members
  });

  test("a hostile body that is valid but for one place costs every operation little", async () => {
    const cases = takingJson.flatMap((named) =>
      hostileBodies(named.operation, {}, bodyBytesOf(named.operation)).map((_, at) => ({ named, at })),
    );
    const rows: Row[] = [];
    for (const { named, at } of draw(cases, IS_LONG ? 1_500 : 16)) {
      if (rows.length % 10 === 0) await service.collectGarbage();
      const ask = await validAsk(named);
      const { what, text } = hostileBodies(named.operation, ask.json, bodyBytesOf(named.operation))[at]!();
      rows.push(await rowOf(named.name, what, await readAsk(w, named, ask), JSON_TYPE, text));
    }
    const ofForms = takingJson.filter(({ operation }) => operation.acceptsForm);
    for (const { name, operation } of ofForms)
      for (const { what, text } of hostileForms(LIMITS.publicBodyBytes))
        rows.push(await rowOf(name, what, bareAsk(operation), FORM_TYPE, text));
    expectCheap("bodies with one hostile place", rows);
  });

  test("a hostile body that consists of 20 MiB of parts without content costs the intake of spans little, plain and compressed", async () => {
    const exports = expensiveExports();
    const rows: Row[] = [];
    for (const { kind, encoding, body } of IS_LONG ? exports : draw(exports, 2)) {
      await service.collectGarbage();
      const bytes = body();
      const type = encoding === "json" ? JSON_TYPE : "application/x-protobuf";
      const ask = { method: "POST", path: "/v1/traces", key: w.projectKey };
      rows.push(await rowOf("traces.ingest", `${kind} in ${encoding}`, ask, type, bytes));
      const headers = { "content-encoding": "gzip" };
      const gzip = gzipSync(bytes, { level: 1 });
      rows.push(await rowOf("traces.ingest", `${kind} in ${encoding}, gzip`, { ...ask, headers }, type, gzip));
    }
    expectCheap("bodies of spans", rows);
  });

  test("a hostile body does not keep 20 MiB of real spans from being accepted", async () => {
    for (const encoding of ["protobuf", "json"] as const) {
      const contentType = encoding === "json" ? JSON_TYPE : "application/x-protobuf";
      await expect(w.client.traces.ingest({ body: realExport(encoding), contentType })).resolves.toEqual({});
    }
  });
});
