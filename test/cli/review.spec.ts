import { afterAll, beforeAll, expect, test } from "vitest";
import type { ReviewItem, ReviewQueue } from "@svc/contract";
import { openHome } from "../support/cli.ts";
import { judgingGrader, queued, say, startReviewed } from "../support/review.ts";
import type { TestServer } from "../support/server.ts";

let server: TestServer;
let home: ReturnType<typeof openHome>;

beforeAll(async () => {
  server = await startReviewed();
  home = openHome({ SVC_URL: server.url, SVC_API_KEY: server.projectKey });
  await judgingGrader(server.client, "Polite");
});
afterAll(async () => {
  await server?.stop();
  home?.remove();
});

const out = async (...args: string[]) => {
  const { stdout, stderr, exitCode } = await home.svc(["review", ...args]);
  expect([exitCode, stderr]).toEqual([0, ""]);
  return stdout;
};

test("the queue is switched on, taken item by item, labeled and skipped, and says what to do next at each step", async () => {
  expect(await out("show")).toMatch(
    /^The review queue is off\n[^]*Open +0\n[^]*Sources +Random share \(2 %\), Votes differ, Low confidence \(below 70 %\), Alert, Failure group\nOf +production and simulations\nGraders +every grade that a judge decided\nTwo people +for no item\nNext step +svc review configure --on/,
  );
  expect(await out("list")).toMatch(/^No conversation has come into the review queue\. .*svc review show/);
  expect(await out("next")).toMatch(/^Nothing is left to label for you\. .*svc review show/);
  expect(await out("configure", "--on", "--random", "0%", "--confidence-below", "0.6")).toMatch(
    /^The review queue is on\n[^]*Random share \(0 %\)[^]*below 60 %[^]*Next step +wait: /,
  );
  await say(server, server.client, "split", "doubt");
  await queued(server.client, 2);
  expect(await out("show")).toMatch(/Open +2\n[^]*Next step +svc review next/);
  expect(await out("list", "--state", "open")).toMatch(
    /QUEUED +STATE +REASONS[^]* open +(Votes differ|Low confidence) /,
  );
  expect(await out("list", "--reason", "alert")).toBe("No such item.\n");

  const shown = await out("next");
  const id = /Id +(rvi_\w+)/.exec(shown)![1]!;
  expect(shown).toMatch(
    /^Production conversation of an agent without a name\n[^]*Conversation +svc traces show \w+\n[^]*State +open, .* has it in work\nBecause +The judge[^]*passed +Polite[^]*To label it: svc review label rvi_\w+ passed\|failed\|unsure$/m,
  );
  expect(await out("label", id, "failed", "--note", "It was rude.")).toBe("Done. To go on: svc review next\n");
  const { item } = await home.json<{ item: ReviewItem }>(["review", "next"]);
  expect(item.id).not.toBe(id);
  expect(await out("skip", item.id)).toBe("Skipped. To go on: svc review next\n");
  const queue = await home.json<ReviewQueue>(["review", "show"]);
  expect(queue.counts).toEqual({ waiting: 0, open: 0, inWork: 0, done: 1, skipped: 1 });
});

test("what it cannot do is refused with the way out", async () => {
  const nothing = await home.svc(["review", "configure"]);
  expect([nothing.exitCode, nothing.stderr]).toEqual([2, expect.stringMatching(/Nothing to change\. Set --on/)]);
  const share = await home.svc(["review", "configure", "--random", "200%"]);
  expect([share.exitCode, share.stderr]).toEqual([2, expect.stringMatching(/Write a share such as 2% or 0\.02/)]);
  const missing = await home.svc(["review", "label", "rvi_00000000000000000000000000", "passed"]);
  expect(missing.exitCode).not.toBe(0);
  const grader = await home.svc(["review", "configure", "--grader", "Politeness"]);
  expect(grader.stderr).toMatch(/svc graders list/);
});

test("a grader's agreement shows balanced accuracy and people's kappa, with what is missing", async () => {
  const { stdout } = await home.svc(["graders", "agreement", "Polite"]);
  expect(stdout).toMatch(/KAPPA +BALANCED +FALSE PASS +FALSE FAIL +PEOPLE[^]*Agreement needs at least 20 labels/);
});
