import { rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { send } from "../test/support/request.ts";
import { until } from "../test/support/until.ts";
import { newBody } from "./loads/ingest.ts";
import { allIsRead } from "./sample-data.ts";
import type { Draws } from "./random.ts";
import type { Arena, Scenario } from "./scenario.ts";
import { claimed, clientOf } from "./service.ts";
import { bytesBelow, holds } from "./traces-of-text.ts";
import { keysIn } from "../test/support/secret.ts";

const DAY_MS = 86_400_000;
const RETENTION_DAYS = 10;
const OLD_DAYS = 20;
/** At this speed, a day of the service's time takes six seconds. */
const SPEED = 14_400;
const ERASE_MS = 60_000;
const BODIES = 4;

export const retention: Scenario = {
  name: "retention",
  shows: "expired and deleted conversations leave no byte of their text in any file, and the others stay as they are",
  weight: 1.5,
  trials: "conversations past retention or deleted",
  goal: 1_000,
  async run(arena) {
    for (let number = 0; arena.goesOn(); number++) await expire(arena, arena.draws.named(`case ${number}`), number);
  },
};

type Conversation = ReturnType<typeof newBody>;

async function expire(arena: Arena, draws: Draws, number: number): Promise<void> {
  const dataDir = join(arena.folder, `data-${number}`);
  const settings = claimed(draws, { SVC_RETENTION_DAYS: String(RETENTION_DAYS) });
  const key = keysIn(settings).projectKey;
  const conversations = () => Array.from({ length: BODIES }, () => newBody(draws, draws.whole(2, 12)));
  const [old, kept, deleted] = [conversations(), conversations(), newBody(draws, 5)];
  const sendAll = async (url: string, bodies: readonly Conversation[]) => {
    for (const { send: body } of bodies) await clientOf(url, key).traces.ingest(body);
    await allIsRead(url, key);
  };
  const statusOf = async (url: string, { traceId }: Conversation) =>
    (await send(url, { method: "GET", path: `/v1/traces/${traceId}`, key })).status;

  const past = arena.launch({ dataDir, settings, clock: { offsetMs: -OLD_DAYS * DAY_MS } });
  await sendAll(await past.serving, old);
  await past.stop();

  const present = arena.launch({ dataDir, settings });
  const url = await present.serving;
  await sendAll(url, [...kept, deleted]);
  const before = new Map<string, string>();
  for (const { traceId } of kept) before.set(traceId, await answerOf(url, key, traceId));
  const path = `/v1/traces/${deleted.traceId}`;
  const removed = await send(url, { method: "DELETE", path, key });
  if (removed.status >= 300)
    arena.violation(`DELETE /v1/traces/{traceId} is answered ${removed.status}`, { text: removed.text });
  else if ((await statusOf(url, deleted)) !== 404) arena.violation("a deleted conversation is still shown");
  await present.stop();

  const fast = arena.launch({ dataDir, settings, clock: { speed: SPEED } });
  const fastUrl = await fast.serving;
  const gone = await until(
    "the expired conversations are gone",
    async () => (await Promise.all(old.map((one) => statusOf(fastUrl, one)))).every((status) => status === 404),
    ERASE_MS,
  ).catch(() => false);
  if (!gone)
    arena.violation("expired conversations are still shown after two days of running time", fast.warnings().slice(-5));
  // The erasure may take a further day of the service's time.
  const targets = [...old, ...(removed.status < 300 ? [deleted] : [])];
  const left = () => remains(dataDir, targets);
  await until("no byte is left", () => left().length === 0, ERASE_MS).catch(() => undefined);
  await clientOf(fastUrl, key).traces.ingest(deleted.send);
  await delay(1_500);
  if (removed.status < 300 && (await statusOf(fastUrl, deleted)) !== 404)
    arena.violation("a deleted conversation comes back when its spans are sent again");
  for (const { traceId } of kept) {
    const after = await answerOf(fastUrl, key, traceId);
    if (after !== before.get(traceId))
      arena.violation(`the conversation ${traceId}, which is kept, changed`, { before: before.get(traceId), after });
  }
  await fast.stop();
  if (arena.isPlanted) targets.push(kept[0]!);
  for (const { file, text } of left()) arena.violation(`${file} holds "${text}"`, {}, join(dataDir, file));
  arena.trial(targets.length);
  rmSync(dataDir, { recursive: true, force: true });
}

const VOLATILE = /"(lastReceivedAt|state)":"[^"]*"/g;

async function answerOf(url: string, key: string, traceId: string): Promise<string> {
  const { status, text } = await send(url, { method: "GET", path: `/v1/traces/${traceId}`, key });
  return `${status} ${text.replaceAll(VOLATILE, '"$1":0')}`;
}

/** Returns the files that still contain a text of these conversations. */
const remains = (dataDir: string, conversations: readonly Conversation[]): { file: string; text: string }[] =>
  bytesBelow(dataDir).flatMap(({ file, bytes }) =>
    conversations.filter(({ text }) => holds(bytes, text)).map(({ text }) => ({ file, text })),
  );
