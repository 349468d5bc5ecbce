import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startEmbeddings } from "../support/embeddings.ts";
import { conversation, sendSpans } from "../support/production.ts";
import { keySettings } from "../support/secret.ts";
import type { TestServer } from "../support/server.ts";
import { until } from "../support/until.ts";
import { openProcesses, type Processes } from "./processes.ts";
import { spawnService, type Spawned } from "./spawned.ts";

const OPTIONS = {
  productionPace: { everyMs: 100, leaseMs: 2_000 },
  groups: {
    pace: { everyMs: 20, leaseMs: 2_000 },
    embeddingPace: { everyMs: 20, leaseMs: 2_000, pauseMs: 20, pauseMsMax: 50, timeoutMs: 1_000 },
  },
};
/** Wordings that only their meaning joins: each fourth word means the same. */
const WORDS = "amber birch cedar dune ember frost grove heron ivory jade kelp lotus maple night opal pearl".split(" ");
const MEANINGS = 4;
/** The key of the killed process, by which its requests are known. */
const KEY = "key-of-the-killed-process";
const meaningOf = (text: string) => WORDS.findIndex((word) => text.includes(word)) % MEANINGS;

let processes: Processes;
let endpoint: Awaited<ReturnType<typeof startEmbeddings>>;
let spawned: Spawned | undefined;
const folder = mkdtempSync(join(tmpdir(), "svc-spec-"));
beforeAll(async () => {
  endpoint = await startEmbeddings((text) => Array.from({ length: MEANINGS }, (_, at) => +(at === meaningOf(text))));
  processes = await openProcesses(2, { ...OPTIONS, settings: endpoint.settings() });
  const definition = { kind: "check", check: 'never says "guarantee"' } as const;
  await services()[0].client.graders.create({ name: "promises", definition, scope: "production" });
});
afterAll(async () => {
  await spawned?.kill();
  await processes.stop();
  endpoint.stop();
  rmSync(folder, { recursive: true });
});

const services = () => processes.services as [TestServer, TestServer];

/** Sends conversations with these words. Each process gets half of them at the same time. */
async function sendWords(from: number, words: readonly string[]): Promise<void> {
  const spans = words.map((word, at) => conversation(from + at, `Guarantee ${word} ${word}wood ${word}stone.`));
  await Promise.all(
    services().map((service, half) =>
      sendSpans(service, service.client, spans.filter((_, at) => at % 2 === half).flat()),
    ),
  );
}

const groupedIn = (...sizes: number[]) =>
  until(`groups of ${sizes.join()}`, async () => {
    const { groups } = await services()[1].client.groups.list({ sort: "size", pageSize: 200 });
    return groups.map(({ size }) => size).join() === sizes.join() && groups;
  });

test("several processes group by meaning, and ask for the vector of each wording once", async () => {
  await sendWords(1, WORDS.slice(0, 8));
  const groups = await groupedIn(2, 2, 2, 2);
  expect(groups.map(({ joinedByMeaning }) => joinedByMeaning)).toEqual([1, 1, 1, 1]);
  expect(endpoint.texts().toSorted()).toEqual([...new Set(endpoint.texts())].toSorted());
});

test("a process that is killed while it waits for vectors leaves the work to the others", async () => {
  const [{ adminKey, projectKey }] = services();
  spawned = await spawnService({
    dataDir: folder,
    databases: processes.databases,
    settings: { ...keySettings({ adminKey, projectKey }), ...endpoint.settings(), SVC_EMBEDDINGS_API_KEY: KEY },
    ...OPTIONS,
  });
  endpoint.answerWith(() => {});
  await sendWords(101, WORDS.slice(8));
  await until("it asked", () => endpoint.asked.at(-1)?.authorization === `Bearer ${KEY}`);
  await spawned.kill();
  endpoint.answerWith(undefined);
  await groupedIn(4, 4, 4, 4);
});
