import type { Client } from "@svc/sdk";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createGradeTexts } from "../../packages/server/src/grading/graders/store/grade-texts.ts";
import { openStoreOf } from "../support/engine.ts";
import { traceIdOf } from "../support/ingest.ts";
import { join, type Person } from "../support/people.ts";
import { gradesOf } from "../support/production.ts";
import { judgingGrader, queued, reviewedProject, say, startReviewed } from "../support/review.ts";
import type { TestServer } from "../support/server.ts";
import { until } from "../support/until.ts";

let server: TestServer;
let people: [Person, Person, Person];
beforeAll(async () => {
  server = await startReviewed();
  const named = ["ada", "ben", "cem"].map((name) => join(server.url, server.admin, `${name}@acme.test`, "member"));
  people = (await Promise.all(named)) as [Person, Person, Person];
});
afterAll(() => server.stop());

/** Creates a project with this many items in its queue, and returns the clients of three people in it. */
async function queueOf(count: number, settings: Parameters<Client["review"]["configure"]>[0] = {}) {
  const { project, client, grader } = await reviewedProject(server);
  await client.review.configure({ enabled: true, sources: ["random"], randomShare: 1, ...settings });
  const traces = await say(server, client, ...Array.from({ length: count }, () => "sure" as const));
  const items = await queued(client, count);
  const keys = people.map(async ({ client: own }) => (await own.keys.create({ project_id: project.id })).secret);
  const [ada, ben, cem] = (await Promise.all(keys)).map((key) => server.clientOf(key)) as [Client, Client, Client];
  return { client, grader, traces, items, ids: items.map(({ id }) => id), ada, ben, cem };
}

const idOf = (person: Person) => person.session.user.id;
const taken = async (client: Client, input: Parameters<Client["review"]["next"]>[0] = {}) =>
  (await client.review.next(input)).item?.id ?? null;

describe("a label of an item", () => {
  test("a label of an item is the person's label of the grade, and makes the item done", async () => {
    const { grader, traces, ids, ada, client } = await queueOf(2);
    const { item, grades } = await ada.review.next();
    expect(item).toMatchObject({
      id: ids[0],
      people: [{ userId: idOf(people[0]), userName: "ada", did: "reviewing" }],
    });
    expect(grades).toMatchObject([{ id: item!.gradeIds[0], verdict: "passed", labels: [] }]);
    const answer = await ada.review.label({ reviewItemId: ids[0]!, verdict: "failed", note: "It was rude." });
    expect(answer).toMatchObject({
      item: { state: "done", closedAt: expect.any(String), people: [{ userName: "ada", did: "labeled" }] },
      grades: [{ labels: [{ verdict: "failed", note: "It was rude.", userName: "ada" }] }],
    });
    const shown = (await Promise.all(traces.map((trace) => gradesOf(client, trace)))).flat();
    expect(shown.find(({ id }) => id === item!.gradeIds[0])).toEqual(answer.grades[0]);
    const { versions } = await client.graders.agreement({ graderId: grader.id });
    expect(versions).toMatchObject([{ labels: 1, unsure: 0, people: { grades: 0 } }]);
    expect((await client.review.queue()).queue.counts).toMatchObject({ open: 1, inWork: 0, done: 1 });
    expect(await taken(ada)).toBe(ids[1]);
  });

  test("given on the conversation's page counts too, and a later one replaces the person's own only", async () => {
    const { ids, ada, ben } = await queueOf(1);
    const [gradeId] = (await ada.review.get({ reviewItemId: ids[0]! })).item.gradeIds;
    await ada.grades.label({ gradeId: gradeId!, verdict: "passed" });
    expect((await ben.review.get({ reviewItemId: ids[0]! })).item.state).toBe("done");
    await ben.review.label({ reviewItemId: ids[0]!, verdict: "failed" });
    await ada.review.label({ reviewItemId: ids[0]!, verdict: "unsure", note: "I cannot hear it." });
    const { item, grades } = await ada.review.get({ reviewItemId: ids[0]! });
    expect(item.people.map(({ userName, did }) => `${userName} ${did}`).toSorted()).toEqual([
      "ada labeled",
      "ben labeled",
    ]);
    expect(grades[0]!.labels.map(({ userName, verdict }) => `${userName} ${verdict}`).toSorted()).toEqual([
      "ada unsure",
      "ben failed",
    ]);
  });

  test("that is unsure is kept, and counts in no agreement", async () => {
    const { client, grader, ids, ada } = await queueOf(2);
    await ada.review.label({ reviewItemId: ids[0]!, verdict: "unsure" });
    await ada.review.label({ reviewItemId: ids[1]!, verdict: "passed" });
    const { versions } = await client.graders.agreement({ graderId: grader.id });
    expect(versions).toMatchObject([{ labels: 1, unsure: 1, undecided: 0 }]);
    const agreeing = async (agrees: boolean) => (await client.graders.labels({ graderId: grader.id, agrees })).labels;
    expect([(await agreeing(true)).length, (await agreeing(false)).length]).toEqual([1, 0]);
    expect((await client.graders.labels({ graderId: grader.id })).labels).toHaveLength(2);
  });

  test("a label of an item with several grades names the grade, and the last label makes the item done", async () => {
    const { client, grader } = await reviewedProject(server);
    const other = await judgingGrader(client);
    await client.review.configure({ enabled: true, sources: ["random"], randomShare: 1 });
    await say(server, client, "bad");
    const [item] = await until("both grades are to be labeled", async () => {
      const items = await queued(client, 1);
      return items[0]!.gradeIds.length === 2 && items;
    });
    const reviewItemId = item!.id;
    await expect(client.review.label({ reviewItemId, verdict: "failed" })).rejects.toMatchObject({
      code: "unprocessable",
      message: `Name the grade to label with \`gradeId\`: you have not labeled ${item!.gradeIds.join(", ")}.`,
    });
    await expect(
      client.review.label({ reviewItemId, gradeId: "gra_00000000000000000000000000", verdict: "failed" }),
    ).rejects.toMatchObject({ code: "unprocessable", message: expect.stringMatching(/^The item has no grade gra_0/) });
    const first = await client.review.label({ reviewItemId, gradeId: item!.gradeIds[0]!, verdict: "failed" });
    expect(first.item).toMatchObject({ state: "open", people: [{ did: "reviewing" }] });
    const second = await client.review.label({ reviewItemId, verdict: "failed" });
    expect(second.item).toMatchObject({ state: "done", people: [{ did: "labeled" }] });
    expect(second.grades.map(({ graderId }) => graderId).toSorted()).toEqual([grader.id, other.id].toSorted());
  });
});

describe("two people at once", () => {
  test("two people at once never have the same item in work, and finish the queue together", async () => {
    const { ids, ada, ben, cem } = await queueOf(12);
    const done: string[] = [];
    const work = async (client: Client) => {
      for (let id = await taken(client); id !== null; id = await taken(client)) {
        done.push(id);
        await client.review.label({ reviewItemId: id, verdict: "passed" });
      }
    };
    await Promise.all([work(ada), work(ben), work(cem)]);
    expect(done.toSorted()).toEqual(ids.toSorted());
    expect((await ada.review.queue()).queue.counts).toMatchObject({ open: 0, inWork: 0, done: 12 });
  });

  test("get each item again that they have in work, until it is free for others after some minutes", async () => {
    const { ids, ada, ben } = await queueOf(2);
    expect([await taken(ada), await taken(ada), await taken(ben), await taken(ada)]).toEqual([
      ids[0],
      ids[0],
      ids[1],
      ids[0],
    ]);
    expect((await ada.review.queue()).queue.counts).toMatchObject({ open: 2, inWork: 2 });
    const { db, close } = await openStoreOf(server.dataDir);
    await db.updateTable("review_people").set({ until_ms: 1 }).where("item_id", "=", ids[0]!).execute();
    await close();
    expect((await ben.review.get({ reviewItemId: ids[0]! })).item.people).toEqual([]);
    await ben.review.label({ reviewItemId: ids[1]!, verdict: "passed" });
    expect(await taken(ben)).toBe(ids[0]);
    expect(await taken(ada)).toBeNull();
  });

  test("move on from an item that they leave, which is free at once, and reach the end", async () => {
    const { ids, ada, ben } = await queueOf(3);
    expect(await taken(ada)).toBe(ids[0]);
    expect(await taken(ada, { after: ids[0]! })).toBe(ids[1]);
    expect(await taken(ben)).toBe(ids[0]);
    expect(await taken(ada, { after: ids[1]! })).toBe(ids[2]);
    expect(await taken(ada, { after: ids[2]! })).toBeNull();
    expect(await taken(ada)).toBe(ids[1]);
    await expect(ada.review.next({ after: "rvi_00000000000000000000000000" })).rejects.toMatchObject({ status: 404 });
  });

  test("two people label an item that needs two labels, and the agreement between them is shown", async () => {
    const { client, grader, ids, ada, ben, cem } = await queueOf(20, { secondPersonShare: 1 });
    expect([await taken(ada), await taken(ben), await taken(cem)]).toEqual([ids[0], ids[0], ids[1]]);
    for (const [at, reviewItemId] of ids.entries()) {
      const first = await ada.review.label({ reviewItemId, verdict: at < 10 ? "passed" : "failed" });
      expect(first.item).toMatchObject({ state: "open", peopleWanted: 2 });
      await ada.review.label({ reviewItemId, verdict: at < 10 ? "passed" : "failed", note: "Again." });
      expect((await ada.review.get({ reviewItemId })).item.state).toBe("open");
    }
    // Nobody gets an item that they have finished.
    expect(await taken(ada)).toBeNull();
    for (const [at, reviewItemId] of ids.entries()) {
      const second = await ben.review.label({ reviewItemId, verdict: at < 8 || at === 19 ? "passed" : "failed" });
      expect(second.item.state).toBe("done");
    }
    // The two people agree on 17 of 20 grades: 8 passed and 9 failed. Of their 40 labels, 19 are `passed`.
    const { versions } = await client.graders.agreement({ graderId: grader.id });
    const share = 19 / 40;
    expect(versions[0]!.people).toMatchObject({ grades: 20, agreement: 17 / 20, missing: null });
    expect(versions[0]!.people.kappa).toBeCloseTo(1 - 3 / (2 * 20 * share * (1 - share)), 12);
    expect(versions[0]!.people.kappaLow).toBeLessThan(versions[0]!.people.kappa!);
    expect(versions[0]!.labels).toBe(40);
    // A third label and an unsure label do not change the numbers.
    await cem.review.label({ reviewItemId: ids[0]!, verdict: "failed" });
    await cem.review.label({ reviewItemId: ids[1]!, verdict: "unsure" });
    expect((await client.graders.agreement({ graderId: grader.id })).versions[0]!.people).toEqual(versions[0]!.people);
  });
});

describe("a skipped item", () => {
  test("a skipped item leaves the queue for everybody, and a later label makes it done", async () => {
    const { ids, ada, ben } = await queueOf(2);
    const { item } = await ada.review.skip({ reviewItemId: ids[0]! });
    expect(item).toMatchObject({ state: "skipped", closedAt: expect.any(String), people: [{ did: "skipped" }] });
    expect((await ada.review.skip({ reviewItemId: ids[0]! })).item).toEqual(item);
    expect([await taken(ben), await taken(ada)]).toEqual([ids[1], null]);
    const labeled = await ben.review.label({ reviewItemId: ids[0]!, verdict: "passed" });
    expect(labeled.item.state).toBe("done");
    await expect(ada.review.skip({ reviewItemId: ids[0]! })).rejects.toMatchObject({ code: "conflict" });
  });
});

describe("an erased conversation", () => {
  test("an erased conversation takes its item, its reasons and its notes along", async () => {
    const { client, traces, items, ids, ada } = await queueOf(2);
    const at = items.findIndex(({ traceId }) => traceId === traceIdOf(traces[0]!));
    await ada.review.label({ reviewItemId: ids[at]!, verdict: "failed", note: "A canary sings." });
    await client.traces.delete({ traceId: items[at]!.traceId! });
    await expect(ada.review.get({ reviewItemId: ids[at]! })).rejects.toMatchObject({ status: 404 });
    expect((await client.review.list()).items.map(({ id }) => id)).toEqual([ids[1 - at]]);
    const { db, close } = await openStoreOf(server.dataDir);
    for (const table of ["review_reasons", "review_grades", "review_people"] as const)
      expect(await db.selectFrom(table).select("item_id").where("item_id", "=", ids[at]!).execute()).toEqual([]);
    const notes = await db.selectFrom("grade_labels").select("note").where("note", "is not", null).execute();
    expect(notes.map(({ note }) => note)).not.toContain("A canary sings.");
    await close();
  });

  test("an erased conversation takes its item along when its retention ends, and no item of another project", async () => {
    const [one, other] = [await queueOf(2), await queueOf(1)];
    const { db, close } = await openStoreOf(server.dataDir);
    await createGradeTexts(db).eraseBefore(new Date(Date.now() + 60_000).toISOString(), one.items[0]!.projectId);
    await close();
    expect((await one.client.review.list()).items).toEqual([]);
    expect((await other.client.review.list()).items).toHaveLength(1);
  });
});
