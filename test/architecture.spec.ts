import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { cyclesOf, imports, offenders, packageOf, resolved, sources } from "./support/imports.ts";
import { LAYERS, inServer } from "./support/layers.ts";

/** The packages that each package may import. */
const PACKAGES: Record<string, string[]> = {
  contract: [],
  sdk: ["contract"],
  server: ["contract"],
  web: ["contract", "sdk"],
  cli: ["contract", "sdk", "server", "web"],
  "worker-helper": [],
};
type Layer = (typeof LAYERS)[number];

/** The rooms of the server, which are the folders of its features, and the rooms that each of them may import. */
const ROOMS: Record<string, string[]> = {
  tenancy: ["authoring"],
  authoring: ["agents", "grading", "voice"],
  agents: [],
  runs: ["agents", "authoring", "grading", "traces", "voice"],
  grading: ["traces"],
  voice: ["traces"],
  traces: [],
  monitoring: ["traces", "voice"],
  alerts: ["grading", "monitoring", "traces"],
  groups: ["grading", "runs", "traces"],
  notifications: ["traces"],
  operations: ["alerts", "grading", "groups", "notifications", "runs", "traces", "voice"],
};

/** Imports inside a room that are forbidden, each with the reason. */
const WRONG_WITHIN: readonly (readonly [from: RegExp, to: RegExp, reason: string])[] = [
  [/^voice\/audio\//, /^voice\/(?!audio\/)/, "audio/ has pure functions on sound"],
  [/^voice\/calls\//, /^voice\/(?!(calls|audio)\/)/, "a media process loads no more than the sound of a call needs"],
  [/^grading\/(?!graders\/)/, /^grading\/graders\//, "decisions know no stored grader"],
];

/** Each way to open a connection to another host, and the files of the server that may use it. */
const CONNECTIONS: readonly (readonly [RegExp, ...string[]])[] = [
  [/\bfetch\(|\bhttps?\.(request|get)\(|from "node:(tls|http2)"/, "voice/calls/lines/sip/stream-socket.ts"],
  [/\brequest as overHttps?\b|from "node:https"/, "base/net/outbound.ts"],
  [/\bnew WebSocket\(/, "base/net/outbound-socket.ts"],
  [/\b(connect|createConnection)\b[^}]*\} from "node:net"|\bnew Socket\(/, "voice/calls/lines/sip/stream-socket.ts"],
  [
    /from "node:dgram"/,
    "voice/calls/lines/room/turn-relay.ts",
    "voice/calls/lines/sip/control.ts",
    "voice/calls/lines/sip/sockets.ts",
  ],
  [/@livekit\/rtc-node/, "voice/calls/lines/room/room-package.ts", "voice/calls/lines/room/room.ts"],
  [/(from|import\() ?"nodemailer"/, "base/net/mail.ts"],
  [/import\("pg"\)/, "stores/postgres/postgres-notices.ts", "stores/postgres/postgres.ts"],
  [/import\("@clickhouse\/client"\)/, "traces/store/clickhouse/client.ts"],
  [/\bDuckDBInstance\.create\(/, "traces/store/duckdb/database.ts"],
];

/** The layer of each file at the root of the server's sources. */
const ROOT_FILES: Record<string, Layer> = { "index.ts": "main", "context.ts": "access", "assets.ts": "base" };

const roomOf = (path: string) => path.split("/")[0]!;

function layerOf(path: string): Layer {
  const first = roomOf(path);
  if (first === path) return ROOT_FILES[path] ?? expect.fail(`give ${path} a layer in test/architecture.spec.ts`);
  if (first in ROOMS) return "rooms";
  if (first !== "rooms" && (LAYERS as readonly string[]).includes(first)) return first as Layer;
  return expect.fail(`${first}/ is no layer and no room: name it in test/architecture.spec.ts and ARCHITECTURE.md`);
}

/** Returns the imports between files of the server, with both paths relative to its sources. */
const inServerImports = () =>
  imports
    .filter((entry) => packageOf(entry.file) === "server" && entry.target.startsWith("."))
    .map((entry) => ({ ...entry, from: inServer(entry.file), to: inServer(resolved(entry)) }));

describe("the architecture", () => {
  test("this spec finds source files to check", () => {
    expect(sources.length).toBeGreaterThan(50);
    expect(imports.length).toBeGreaterThan(200);
  });

  test("packages import each other only as the table says", () => {
    const crossing = imports.filter(({ target }) => target.startsWith("@svc/"));
    const wrong = crossing.filter(({ file, target }) => !PACKAGES[packageOf(file)]?.includes(target.split("/")[1]!));
    expect(offenders(wrong)).toEqual([]);
  });

  test("the command line reaches the server only to start it or its sample agent, and to work on its data", () => {
    const reaching = imports.filter(
      ({ file, target }) => packageOf(file) === "cli" && target.startsWith("@svc/server"),
    );
    expect([...new Set(reaching.map(({ file, target }) => `${file} ${target}`))].sort()).toEqual([
      "packages/cli/src/service/data-folder.ts @svc/server/data-folder",
      "packages/cli/src/service/reset-owner.ts @svc/server",
      "packages/cli/src/service/start-server.ts @svc/server",
      "packages/cli/src/service/start-server.ts @svc/server/loader-thread",
      "packages/cli/src/service/start-voice-agent.ts @svc/server/voice-agent",
    ]);
  });

  test("no file imports a path out of its package", () => {
    const wrong = imports.filter(
      (entry) => entry.target.startsWith(".") && packageOf(resolved(entry)) !== packageOf(entry.file),
    );
    expect(offenders(wrong)).toEqual([]);
  });

  test("a layer of the server imports only itself and lower layers", () => {
    const wrong = inServerImports().filter(
      ({ from, to }) => LAYERS.indexOf(layerOf(to)) < LAYERS.indexOf(layerOf(from)),
    );
    expect(offenders(wrong)).toEqual([]);
  });

  test("rooms import each other only where the table says so", () => {
    const wrong = inServerImports().filter(({ from, to }) => {
      const [room, other] = [roomOf(from), roomOf(to)];
      return room !== other && room in ROOMS && other in ROOMS && !ROOMS[room]!.includes(other);
    });
    expect(offenders(wrong)).toEqual([]);
  });

  test.each(WRONG_WITHIN)("no file of %s imports one of %s: %s", (from, to) => {
    expect(offenders(inServerImports().filter((entry) => from.test(entry.from) && to.test(entry.to)))).toEqual([]);
  });

  test("only stores import the database engines", () => {
    const engines = /^(better-sqlite3|kysely|pg$|@duckdb\/|@clickhouse\/)/;
    const wrong = imports.filter(
      ({ file, target }) => engines.test(target) && !/(^|\/)(stores?\/|store\.ts$)/.test(inServer(file)),
    );
    expect(offenders(wrong)).toEqual([]);
  });

  test("only the stores of traces import the engines of spans and samples", () => {
    for (const [engine, library, user] of [
      ["traces/store/duckdb/", "@duckdb/", "traces/store/folder/"],
      ["traces/store/clickhouse/", "@clickhouse/", "traces/store/open.ts"],
    ] as const) {
      const wrong = imports.filter(
        (entry) =>
          (entry.target.startsWith(library) ||
            (entry.target.startsWith(".") && inServer(resolved(entry)).startsWith(engine))) &&
          !inServer(entry.file).startsWith(engine) &&
          !inServer(entry.file).startsWith(user) &&
          inServer(entry.file) !== "traces/store/open.ts",
      );
      expect(offenders(wrong)).toEqual([]);
    }
  });

  test("only sessions and their store import the sign-in library", () => {
    const wrong = imports.filter(
      ({ file, target }) =>
        /^@?better-auth/.test(target) && !/access\/(sessions|session-start|token-hashes)\.ts$/.test(file),
    );
    expect(offenders(wrong)).toEqual([]);
  });

  /** Files that contain only pure functions. */
  const PURE = [
    /(^|\/)([\w-]*rules|conversation|span-tree|present[\w-]*|quality|sorted|versions|library|[\w-]*plan)\.ts$/,
    /\/(vocabulary|measures|members|catalogue)\//,
    /\/capabilities\/(resolve|allows|pair|language-tag)\.ts$/,
    /\/grading\/(?!graders\/|language-model\/|judge\/model\.ts$)/,
    /\/voice\/(audio|calls\/heard)\//,
  ];

  test("rules are pure: no I/O, no clock, no engine", () => {
    const rules = sources.filter((file) => PURE.some((part) => part.test(file)));
    expect(rules.length).toBeGreaterThan(5);
    const impure = imports.filter(
      ({ file, target, typeOnly }) =>
        rules.includes(file) && !typeOnly && /^node:(?!util)|\/store\.ts$|stores\/relational/.test(target),
    );
    const clocked = rules.filter((file) =>
      /Date\.now\(|new Date\(\)|performance\.now|Math\.random/.test(readFileSync(file, "utf8")),
    );
    expect([...offenders(impure), ...clocked]).toEqual([]);
  });

  test("the trace store's thread loads no schemas, which would take most of its start time", () => {
    const loaded = new Set(["packages/server/src/traces/store/folder/thread.ts"]);
    const outside = new Set<string>();
    for (const file of loaded) {
      for (const entry of imports.filter((entry) => entry.file === file && !entry.typeOnly)) {
        if (entry.target.startsWith(".")) loaded.add(resolved(entry));
        else if (entry.target === "@svc/contract/constants") loaded.add("packages/contract/src/constants.ts");
        else if (!entry.target.startsWith("node:")) outside.add(entry.target);
      }
    }
    expect(loaded).toContain("packages/contract/src/traces/measures.ts");
    expect([...outside].filter((target) => !/^(@duckdb\/|better-sqlite3$|kysely$)/.test(target))).toEqual([]);
  });

  test("only the configuration reads the environment of the server", () => {
    const reading = sources.filter(
      (file) => packageOf(file) === "server" && readFileSync(file, "utf8").includes("process.env"),
    );
    expect(reading.map(inServer)).toEqual(["main/main.ts"]);
  });

  test("only assets.ts and package-files.ts name files beside the code, so that the single executable finds them", () => {
    const naming = sources.filter(
      (file) => packageOf(file) === "server" && /\bimport\.meta\b/.test(readFileSync(file, "utf8")),
    );
    expect(naming.map(inServer).sort()).toEqual(["assets.ts", "base/package-files.ts", "main/main.ts"]);
  });

  test("each way to open a connection is in the files that docs/security.md explains", () => {
    const inFiles = (pattern: RegExp) =>
      sources
        .filter((file) => packageOf(file) === "server" && pattern.test(readFileSync(file, "utf8")))
        .map(inServer)
        .sort();
    const found = Object.fromEntries(CONNECTIONS.map(([pattern]) => [pattern.source, inFiles(pattern)]));
    expect(found).toEqual(Object.fromEntries(CONNECTIONS.map(([pattern, ...files]) => [pattern.source, files])));
    const explained = readFileSync("docs/security.md", "utf8");
    const files = CONNECTIONS.flatMap(([, ...all]) => all);
    expect(files.filter((file) => !explained.includes(`packages/server/src/${file}`))).toEqual([]);
  });

  test("threads start in one file, and few files outside the stores ask which engine runs", () => {
    const filesWith = (text: string) =>
      sources
        .filter((file) => packageOf(file) === "server" && readFileSync(file, "utf8").includes(text))
        .map(inServer)
        .filter((file) => !file.startsWith("stores/"))
        .sort();
    expect(filesWith("new Worker(")).toEqual(["base/threads/call-thread.ts"]);
    expect(filesWith("isPostgres"), "use SQL that holds on both engines").toEqual([
      "http/shared-rate-limit.ts",
      "runs/open.ts",
      "voice/recordings/open.ts",
    ]);
  });

  test("no file is called utils, helpers, common, misc, manager, service or handler", () => {
    const vague = sources.filter((file) => /(utils?|helpers?|common|misc|manager|service|handler)s?\.ts$/.test(file));
    expect(vague).toEqual([]);
  });

  test("no file of the packages and of the specs has more than 350 lines", () => {
    const specs = globSync("test/**/*.{ts,tsx}");
    expect(specs).toContain("test/architecture.spec.ts");
    const long = [...sources, ...specs].filter((file) => readFileSync(file, "utf8").split("\n").length > 351);
    expect(long).toEqual([]);
  });

  test("the architecture exports of the contract and the SDK, and all operations, have a doc comment", () => {
    const silent = sources
      .filter((file) => packageOf(file) === "contract" || packageOf(file) === "sdk")
      .flatMap((file) => {
        const lines = readFileSync(file, "utf8").split("\n");
        return lines
          .filter(
            (line, at) =>
              /^export (async )?(const|function\*?|class|type) \w|^  \w+: (\w+O|o)peration\(/.test(line) &&
              /^export (async )?(const|function\*?|class|type) (?!\{)|^  \w+: (\w+O|o)peration\(/.test(line) &&
              !/^export type (\w+) = z\.(infer|output)<typeof \1>/.test(line) &&
              !lines[at - 1]?.endsWith("*/"),
          )
          .map((line) => `${file}: ${line}`);
      });
    expect(silent).toEqual([]);
  });

  test("imports form no cycle, and neither do imports of types", () => {
    const graph = new Map<string, string[]>();
    for (const entry of imports) {
      if (!entry.target.startsWith(".")) continue;
      graph.set(entry.file, [...(graph.get(entry.file) ?? []), resolved(entry)]);
    }
    expect(cyclesOf(graph)).toEqual([]);
  });

  test("ARCHITECTURE.md names every package, layer and room", () => {
    const map = readFileSync("ARCHITECTURE.md", "utf8");
    const names = [...Object.keys(PACKAGES), ...LAYERS.filter((layer) => layer !== "rooms"), ...Object.keys(ROOMS)].map(
      (name) => `${name}/`,
    );
    expect(names.filter((name) => !map.includes(name))).toEqual([]);
  });

  test("ARCHITECTURE.md lists the same imports between rooms as the table of this spec", () => {
    const listed = [...readFileSync("ARCHITECTURE.md", "utf8").matchAll(/^- `([\w-]+) → ([\w, -]+)`$/gm)];
    const sorted = (names: string[]) => names.toSorted((x, y) => x.localeCompare(y));
    const written = Object.fromEntries(listed.map(([, from, to]) => [from!, sorted(to!.split(", "))]));
    const table = Object.fromEntries(
      Object.entries(ROOMS)
        .filter(([, to]) => to.length > 0)
        .map(([from, to]) => [from, sorted(to)]),
    );
    expect(written).toEqual(table);
  });

  test("ARCHITECTURE.md is a map of at most 14 kB", () => {
    expect(Buffer.byteLength(readFileSync("ARCHITECTURE.md"))).toBeLessThanOrEqual(14_000);
  });

  test("ARCHITECTURE.md and the pages beside the code name only files that exist", () => {
    const beside = globSync("{packages,distribution}/**/README.md", { exclude: ["**/node_modules/**", "**/dist/**"] });
    const wrong = ["ARCHITECTURE.md", ...beside].flatMap((page) => {
      const text = readFileSync(page, "utf8");
      const named = [...text.matchAll(/`((?:[\w.-]+\/)+[\w.-]+\.(?:tsx?|sql|json|mjs))`/g)].map(([, path]) => path!);
      if (page === "ARCHITECTURE.md") expect(named.length).toBeGreaterThan(20);
      const places = [dirname(page), ".", ...(page === "ARCHITECTURE.md" ? ["packages/server/src"] : [])];
      return named.filter((path) => !places.some((place) => existsSync(join(place, path))));
    });
    expect(wrong).toEqual([]);
  });
});
