import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { channelOf } from "../../packages/server/src/traces/conversation/channel.ts";
import { conversationOf } from "../../packages/server/src/traces/conversation/conversation.ts";
import { turnRowsOf } from "../../packages/server/src/traces/measures/turn-rows.ts";
import { measuresOf } from "../../packages/server/src/traces/measures/measures-of.ts";
import { MAPPING_VERSION } from "../../packages/server/src/traces/vocabulary/version.ts";
import { captureSets, spansOfCapture } from "../support/spans-of-capture.ts";

const FILE = fileURLToPath(new URL("../fixtures/golden/mapping-version.json", import.meta.url));

type Recorded = { version: number; readings: Record<string, string> };
const recorded = JSON.parse(readFileSync(FILE, "utf8")) as Recorded;

function readings(): Record<string, string> {
  const hashOf = (set: string) => {
    const spans = spansOfCapture(set);
    const conversation = conversationOf(spans);
    const measures = measuresOf(conversation);
    const samples = measures.map(({ name, provenance, samples }) => ({ name, provenance, samples }));
    const read = [conversation, samples, channelOf(spans, conversation, false), turnRowsOf(conversation, measures)];
    const json = JSON.stringify(read, (_key, value) => (typeof value === "bigint" ? `${value}` : value));
    return createHash("sha256").update(json).digest("hex").slice(0, 16);
  };
  return Object.fromEntries(captureSets().map((set) => [set, hashOf(set)]));
}

// UPDATE_GOLDEN=1 records what a higher version derives, and what is derived from new recorded calls.
test("what is derived from a recorded call, such as turns, channel, samples of measures and rows of turns, changes only with a higher mapping version", () => {
  const now: Recorded = { version: MAPPING_VERSION, readings: readings() };
  const changed = Object.keys(recorded.readings).filter((set) => recorded.readings[set] !== now.readings[set]);
  if (now.version <= recorded.version) {
    expect(changed, "raise MAPPING_VERSION in vocabulary/version.ts, then run with UPDATE_GOLDEN=1").toEqual([]);
  }
  if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(FILE, `${JSON.stringify(now, null, 2)}\n`);
  else expect(now, "run with UPDATE_GOLDEN=1 to record what changed").toEqual(recorded);
});
