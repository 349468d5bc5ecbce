/**
 * Measures the alert rules of a project alone: `npm run bench -- judging`. Writes conversations into the tables of the trace
 * store, and then judges 200 varied rules (`bench/team-loop.ts`) at each time of an hour at which a rule is due. Prints the CPU
 * time as a share of a core in that hour. Leaves out rules about grades and import failures, whose tables are empty here.
 */
import { operations } from "@svc/contract";
import { Command } from "commander";
import {
  judgedAgents,
  judgeWindows,
  lastWindowEnd,
  NEW_STATE,
  SETTLE_MS,
} from "../packages/server/src/alerts/rules.ts";
import { readWatched, type Watching, withSharedReads } from "../packages/server/src/alerts/watched.ts";
import { windowMsOf } from "../packages/server/src/alerts/windows.ts";
import { countConversations, countEndings } from "../packages/server/src/traces/store/index/counts.ts";
import { openStored } from "./stored-conversations.ts";
import { RULES, ruleOf } from "./team-loop.ts";

const [CONVERSATIONS, HOURS] = new Command("judging")
  .description("Measures 200 varied alert rules over many conversations.")
  .argument("[conversations]", "number of conversations", Number, 72_000)
  .argument("[hours]", "the hours over which they are spread", Number, 3)
  .parse().processedArgs as [number, number];
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const endMs = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
const { index, samples } = await openStored(CONVERSATIONS, endMs, HOURS);
const { db } = index;

const watching: Watching = {
  reader: {
    metrics: samples.metrics,
    countToolCalls: samples.countToolCalls,
    countOccurrences: samples.countOccurrences,
    countConversations: (period) => countConversations(db, period),
    countEndings: (period) => countEndings(db, period),
  },
  countGraded: async () => [],
  countOpenAtEnds: async () => [],
};
const project = { id: "prj", number: 1 };
const agents = Array.from({ length: 8 }, (_, n) => `agent-${n}`);
const rules = Array.from({ length: RULES }, (_, n) => operations.alertRules.create.body.parse(ruleOf(n, agents)));

/** Judges the rules whose window ends at this time. Returns their number and the CPU time in milliseconds. */
async function judgeDue(atMs: number) {
  const together = withSharedReads(watching);
  const due = rules.filter((rule) => atMs % windowMsOf(rule) === 0);
  const before = process.cpuUsage();
  const judged = { good: 0, bad: 0, too_few: 0, no_data: 0 };
  for (const rule of due) {
    const toMs = lastWindowEnd(rule, atMs + SETTLE_MS);
    const fromMs = toMs - windowMsOf(rule);
    const found = (await readWatched(together, project, rule, { fromMs, toMs }))!;
    for (const series of judgedAgents(rule, found, new Set(), fromMs))
      for (const window of judgeWindows(rule, NEW_STATE, series, { fromMs: series.fromMs, toMs }).judged)
        judged[window.judged]++;
  }
  const { user, system } = process.cpuUsage(before);
  return { rules: due.length, cpuMs: (user + system) / 1_000, judged };
}

await judgeDue(endMs - HOUR_MS); // also compiles code
let [cpuMs, times] = [0, 0];
console.log("minute   rules   CPU ms   good / bad / too few / no data, windows of agents");
for (let atMs = endMs - HOUR_MS + 5 * MINUTE_MS; atMs <= endMs; atMs += 5 * MINUTE_MS) {
  const due = await judgeDue(atMs);
  cpuMs += due.cpuMs;
  times += due.rules;
  const minute = ((atMs - endMs) / MINUTE_MS + 60).toString();
  const counts = Object.values(due.judged).join(" / ");
  console.log(`${minute.padStart(6)}${String(due.rules).padStart(8)}${due.cpuMs.toFixed(0).padStart(9)}   ${counts}`);
}
console.log(
  `${times} judgements in an hour: ${cpuMs.toFixed(0)} ms, ${((cpuMs / HOUR_MS) * 100).toFixed(2)} % of a core`,
);
await samples.close(true);
await index.close();
