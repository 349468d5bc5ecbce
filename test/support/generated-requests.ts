import fc from "fast-check";
import { type KnownId, type Schema, type SchemasByRef, faultsOf, valuesOf } from "./json-schema.ts";
import { type Ask, jsonOf, type Reply, send } from "./request.ts";

type Content = Record<string, { schema: Schema }>;
type Described = {
  operationId: string;
  security: object[];
  parameters?: { in: "path" | "query" | "header"; name: string; required?: boolean; schema: Schema }[];
  requestBody?: { required?: boolean; content: Content };
  responses: Record<string, { content?: Content; headers?: Record<string, { required?: boolean; schema: Schema }> }>;
};
type Document = {
  paths: Record<string, Record<string, Described>>;
  components: { schemas: Record<string, Schema> };
};

/** An operation of the OpenAPI document for which requests are drawn. */
type Target = { method: string; path: string; described: Described; requests: fc.Arbitrary<Drawn> };

/** The input of one request. `mutation` says in which way the input breaks the description; null for an input that does not. */
type Drawn = { input: Input; mutation: string | null };

/** A request whose answer is not one of those that the description allows. */
type Finding = { operation: string; fault: string; request: string; answer: string };

type GeneratedRequests = {
  /** The address of a running service, which must not have a low rate limit. */
  url: string;
  /**
   * The API keys, of which each request carries one; a key that is listed twice is used twice as often. `project` is the project
   * that most requests with this key name.
   */
  callers: readonly { key: string; project?: string }[];
  count: number;
  /** The same seed draws the same operations and mutations. The ids in the requests come from the service's own answers. */
  seed: number;
  /** Number of requests under way at once. Default: 8. */
  concurrency?: number;
  /** Operations to leave out, such as `judge.calibrate`. Event streams are always left out. */
  without?: readonly string[];
};

type GeneratedAnswers = { findings: Finding[]; statuses: Record<string, number>; reached: Set<string> };

/** Content types of answers that are not JSON. */
const STREAMS = ["text/event-stream", "audio/wav"];
/** Operations that each hash a password, which is slow by design: only a few of the requests go to them. */
const HASHING = new Set(["accounts.signUp", "accounts.signIn"]);
/** Ids of these kinds are never used: a drawn request could revoke the keys or remove the people of the caller. */
const KEPT = new Set(["key", "usr"]);
const KNOWN_IDS_MAX = 500;
const ANSWER_SHOWN = 600;

/**
 * Draws requests from the service's own OpenAPI document, sends them and checks each answer against the document.
 *
 * Create a few resources of every kind first, so that requests reach them by the ids in lists.
 *
 * About two thirds of the requests match the description; the others break it in one place (a missing or an unknown member, a
 * value of another type or beyond its bounds, no body). Ids are taken from earlier answers, so that requests reach real
 * resources. These are findings:
 * - a status of 500 or more, except a declared 503 `provider_unavailable`;
 * - a status, content type, header or body that the description does not declare for the operation;
 * - a request that breaks the description and is accepted.
 *
 * Returns the findings, the number of answers by status, and the operations that answered a request with success.
 */
export async function sendGeneratedRequests({
  url,
  callers,
  count,
  seed,
  concurrency = 8,
  without = [],
}: GeneratedRequests): Promise<GeneratedAnswers> {
  const document = jsonOf<Document>(await send(url, { method: "GET", path: "/openapi.json" }));
  const byRef: SchemasByRef = (ref) => document.components.schemas[ref.slice("#/components/schemas/".length)]!;
  const ids = createIdPool();
  const targets = targetsOf(document, byRef, ids.pick).filter(
    ({ described }) => !without.includes(described.operationId),
  );
  const plan = fc.sample(fc.tuple(fc.nat(targets.length - 1), fc.nat(callers.length - 1), fc.nat(19)), {
    seed,
    numRuns: count,
  });
  const statuses: Record<string, number> = {};
  const findings: Finding[] = [];
  const reached = new Set<string>();

  let next = 0;
  const worker = async () => {
    for (let index = next++; index < count; index = next++) {
      const [target, which, chance] = plan[index]!;
      const { key, project } = callers[which]!;
      const { described, requests, method, path } = targets[target]!;
      if (HASHING.has(described.operationId) && chance > 0) continue;
      const [drawn] = fc.sample(requests, { seed: seed + index, numRuns: 1 });
      const named = project !== undefined && chance > 3 ? withProject(drawn!.input, project) : drawn!.input;
      const ask = askOf(method, path, named);
      const reply = await send(url, { ...ask, key });
      statuses[reply.status] = (statuses[reply.status] ?? 0) + 1;
      if (reply.status < 300) reached.add(described.operationId);
      ids.collect(reply.text);
      for (const fault of faultsOfAnswer(described, drawn!, reply, byRef)) {
        findings.push({
          operation: `${described.operationId} (${method} ${path})`,
          fault,
          request: `${drawn!.mutation ?? "as described"}: ${shown(ask)}`,
          answer: `${reply.status} ${reply.text.slice(0, ANSWER_SHOWN)}`,
        });
      }
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  return { findings, statuses, reached };
}

const shown = ({ method, path, json, body }: Ask): string =>
  `${method} ${path} ${json === undefined ? (body === undefined ? "" : "(bytes)") : JSON.stringify(json)}`.slice(
    0,
    1_500,
  );

function faultsOfAnswer(described: Described, { mutation }: Drawn, reply: Reply, byRef: SchemasByRef): string[] {
  const { status, headers, text } = reply;
  const declared = described.responses[String(status)];
  const isProvider = status === 503 && text.includes('"provider_unavailable"');
  if (status >= 500 && !isProvider && described.operationId !== "health.get") return [`the status is ${status}`];
  if (!declared) return [`the status ${status} is not declared`];
  const faults: string[] = [];
  if (mutation !== null && status < 400) faults.push(`a request that breaks the description is accepted: ${mutation}`);
  for (const [name, header] of Object.entries(declared.headers ?? {})) {
    if (header.required && headers.get(name) === null) faults.push(`the header ${name} is missing`);
  }
  if (declared.content === undefined) return text === "" ? faults : [...faults, "the answer has an undeclared body"];
  const type = headers.get("content-type")?.split(";")[0] ?? "none";
  const content = declared.content[type];
  if (!content) return [...faults, `the content type ${type} is not declared`];
  if (type !== "application/json") return faults;
  return [
    ...faults,
    ...faultsOf(content.schema, JSON.parse(text), byRef).map((fault) => `the answer does not match: ${fault}`),
  ];
}

/** Keeps ids that the service answered, by their prefixes. */
function createIdPool(): { pick: KnownId; collect: (answer: string) => void } {
  const pool = new Map<string, string[]>();
  return {
    pick: (prefix, draw) => {
      const known = pool.get(prefix);
      return known && known[draw % known.length];
    },
    collect: (answer) => {
      const traces = [...answer.matchAll(/"traceId":"([0-9a-f]{32})"/g)].map(([, id]) => [id!, "trace"] as const);
      const others = [...answer.matchAll(/\b([a-z]{3,4})_[0-9a-hjkmnp-tv-z]{26}\b/g)];
      for (const [id, prefix] of [...traces, ...others]) {
        const known = pool.get(prefix!) ?? [];
        pool.set(prefix!, known);
        if (!KEPT.has(prefix!) && known.length < KNOWN_IDS_MAX && !known.includes(id)) known.push(id);
      }
    },
  };
}

function targetsOf(document: Document, byRef: SchemasByRef, knownId: KnownId): Target[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { responses }]) => !STREAMS.some((type) => responses["200"]?.content?.[type] !== undefined))
      .map(([method, described]) => ({
        method: method.toUpperCase(),
        path,
        described,
        requests: requestsOf(described, byRef, knownId),
      })),
  );
}

type Input = { path: Record<string, unknown>; query: Record<string, unknown>; body: unknown; type: string | undefined };

function requestsOf(
  { parameters = [], requestBody, security }: Described,
  byRef: SchemasByRef,
  knownId: KnownId,
): fc.Arbitrary<Drawn> {
  const group = (where: "path" | "query"): Schema => {
    const inGroup = parameters.filter((parameter) => parameter.in === where);
    return {
      type: "object",
      properties: Object.fromEntries(inGroup.map(({ name, schema }) => [name, schema])),
      required: inGroup.filter(({ required }) => required).map(({ name }) => name),
      additionalProperties: false,
    };
  };
  const querySchema = group("query");
  const bodies = Object.entries(requestBody?.content ?? {}).map(([type, { schema }]) =>
    fc.record({ type: fc.constant(type as string | undefined), body: bodyOf(schema, byRef, knownId) }),
  );
  const body = bodies.length > 0 ? fc.oneof(...bodies) : fc.constant({ type: undefined, body: undefined });
  const inputs = fc.record({
    path: valuesOf(group("path"), byRef, knownId) as fc.Arbitrary<Record<string, unknown>>,
    query: valuesOf(querySchema, byRef, knownId) as fc.Arbitrary<Record<string, unknown>>,
    content: body,
  });
  const described = inputs.map(({ path: inPath, query, content }): Input => ({ path: inPath, query, ...content }));
  const asDescribed = described.map((input): Drawn => ({ input, mutation: null }));
  const jsonSchema = requestBody?.content["application/json"]?.schema;
  const schemas: Schemas = {
    body: jsonSchema && resolve(jsonSchema, byRef),
    needsBody: requestBody?.required === true,
    query: querySchema,
    ignoresParameters: security.length === 0 || requestBody?.content["application/x-protobuf"] !== undefined,
    byRef,
  };
  const broken = fc.tuple(described, fc.nat(), fc.nat()).map(([input, which, where]): Drawn => {
    const { mutation, ...changed } = broke(input, schemas, which, where);
    return { input: { ...input, ...changed }, mutation };
  });
  return fc.oneof({ weight: 2, arbitrary: asDescribed }, { weight: 1, arbitrary: broken });
}

const bodyOf = (schema: Schema, byRef: SchemasByRef, knownId: KnownId): fc.Arbitrary<unknown> =>
  schema.format === "binary"
    ? fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes))
    : valuesOf(schema, byRef, knownId);

const resolve = (schema: Schema, byRef: SchemasByRef): Schema =>
  schema.$ref === undefined ? schema : byRef(schema.$ref);

type Schemas = {
  body: Schema | undefined;
  needsBody: boolean;
  query: Schema;
  ignoresParameters: boolean;
  byRef: SchemasByRef;
};

/** Breaks an input in one place. `mutation` is null when the operation has nothing to break at this place. */
function broke(
  { query, body, type }: Input,
  { body: bodySchema, needsBody, query: querySchema, ignoresParameters, byRef }: Schemas,
  which: number,
  where: number,
): Partial<Input> & { mutation: string | null } {
  const isJson = type === "application/json" && bodySchema?.additionalProperties === false;
  const members = Object.entries(bodySchema?.properties ?? {});
  const object = body as Record<string, unknown>;
  const [name, schema] = members[where % Math.max(1, members.length)] ?? ["", {}];
  const unlessItFits = (changed: Record<string, unknown>, mutation: string) =>
    faultsOf(bodySchema!, changed, byRef).length === 0 ? { mutation: null } : { body: changed, mutation };
  const kinds = isJson
    ? [
        () => ({ body: undefined, type: undefined, mutation: needsBody ? "no body" : null }),
        () => ({ body: { ...object, unknownMember: 1 }, mutation: "an unknown member" }),
        () => ({ body: [object], mutation: "an array as the body" }),
        () => unlessItFits(Object.fromEntries(Object.entries(object).filter(([key]) => key !== name)), `no ${name}`),
        () => unlessItFits({ ...object, [name]: null }, `${name}: null`),
        () => unlessItFits({ ...object, [name]: { of: "another type" } }, `${name}: an object`),
        () => unlessItFits({ ...object, [name]: -1 }, `${name}: -1`),
        () => unlessItFits({ ...object, [name]: "" }, `${name}: ""`),
        () =>
          unlessItFits(
            { ...object, [name]: "x".repeat((resolve(schema, byRef).maxLength ?? 0) + 1) },
            `${name}: too long`,
          ),
      ]
    : [];
  const queries = Object.entries(querySchema.properties!).filter(
    ([, { enum: choices, type: of }]) => choices ?? of === "integer",
  );
  const [member] = queries[where % Math.max(1, queries.length)] ?? [];
  const all = [
    ...kinds,
    () => ({
      query: { ...query, unknownParameter: "1" },
      // Public operations and trace ingest ignore unknown query parameters, because load balancers and gateways add such parameters.
      mutation: ignoresParameters ? null : "an unknown query parameter",
    }),
    ...(member === undefined ? [] : [() => ({ query: { ...query, [member]: "~" }, mutation: `${member}=~` })]),
  ];
  return all[which % all.length]!();
}

/** Replaces any other project that the input names by this project. */
function withProject(input: Input, project: string): Input {
  const named = <T>(members: T): T =>
    Object.fromEntries(
      Object.entries(members as object).map(([name, value]: [string, unknown]) => [
        name,
        (name === "project" || name === "projectId") && typeof value === "string" && value !== "" ? project : value,
      ]),
    ) as T;
  const isObject = input.body !== null && Object.getPrototypeOf(input.body ?? 0) === Object.prototype;
  return { ...input, query: named(input.query), body: isObject ? named(input.body) : input.body };
}

function askOf(method: string, path: string, { path: inPath, query, body, type }: Input): Ask {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => segmentOf(String(inPath[name])));
  const search = new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
  );
  const ask: Ask = { method, path: search.size > 0 ? `${filled}?${search.toString()}` : filled };
  if (type === undefined) return ask;
  if (type === "application/json") return { ...ask, json: body };
  if (type === "application/x-www-form-urlencoded")
    return {
      ...ask,
      body: new URLSearchParams(body as Record<string, string>).toString(),
      headers: { "content-type": type },
    };
  return { ...ask, body: body as Buffer, headers: { "content-type": type } };
}

/** `encodeURIComponent` leaves the segments `.` and `..` unchanged, and a client would resolve them to another path. */
const segmentOf = (value: string): string => (/^\.{1,2}$/.test(value) ? "x" : encodeURIComponent(value));
