import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createAnswerSlots, type AnswerSlot } from "../../packages/server/src/http/answer-slots.ts";
import { encodeJson } from "../../packages/server/src/http/json-pieces.ts";
import { until } from "../support/until.ts";

const never = new AbortController().signal;
const soon = () => new Promise((resolve) => setImmediate(resolve));

test("organizations take turns, in the order in which they came", async () => {
  const turns = createAnswerSlots({ atOnce: { list: 1, conversation: 1 } });
  const order: string[] = [];
  const read = async (organization: string, number: number) => {
    const turn = await turns.take(organization, "conversation", 1, never);
    order.push(`${organization}${number}`);
    await soon();
    turn.release();
  };
  await Promise.all([
    ...[1, 2, 3, 4].map((number) => read("a", number)),
    ...[1, 2].map((number) => read("b", number)),
    read("c", 1),
  ]);
  expect(order).toEqual(["a1", "a2", "b1", "c1", "a3", "b2", "a4"]);
});

test("slow clients of one organization leave half of the budget to the others", async () => {
  const turns = createAnswerSlots({ budgetBytes: 100, waitMs: 0 });
  const slow = await turns.take("a", "conversation", 50, never);
  slow.made();
  await expect(turns.take("a", "conversation", 10, never)).rejects.toMatchObject({ status: 503, retryAfterSeconds: 5 });
  const other = await turns.take("b", "conversation", 50, never);
  other.release();
  slow.release();
  expect(turns.state()).toEqual({ bytes: 0, waiting: 0 });
});

test("a small answer does not overtake a large one that waits for the budget", async () => {
  const turns = createAnswerSlots({ budgetBytes: 100 });
  const first = await turns.take("a", "conversation", 40, never);
  first.made();
  const order: string[] = [];
  const large = turns.take("b", "conversation", 90, never).then((turn) => (order.push("large"), turn));
  const small = turns.take("c", "conversation", 5, never).then((turn) => (order.push("small"), turn));
  await soon();
  expect(order).toEqual([]);
  first.release();
  await Promise.all([large, small]);
  expect(order).toEqual(["large", "small"]);
});

test("an answer larger than the whole budget is made alone", async () => {
  const turns = createAnswerSlots({ budgetBytes: 100 });
  const huge = await turns.take("a", "conversation", 1_000, never);
  let began = false;
  const next = turns.take("b", "conversation", 1, never).then((turn) => ((began = true), turn));
  await soon();
  expect(began).toBe(false);
  huge.release();
  (await next).release();
});

test("one organization has a limited number of waiting requests", async () => {
  const turns = createAnswerSlots({ atOnce: { list: 0, conversation: 0 }, waitingOfOne: 2 });
  const leave = new AbortController();
  const waiting = [1, 2].map(() => turns.take("a", "list", 1, leave.signal));
  await expect(turns.take("a", "list", 1, never)).rejects.toMatchObject({ status: 503 });
  leave.abort(new Error("left"));
  for (const request of waiting) await expect(request).rejects.toThrow("left");
  expect(turns.state()).toEqual({ bytes: 0, waiting: 0 });
});

test("whatever clients do, answers stay within their budget of bytes and number, and free their part in the end", async () => {
  const step = fc.record({
    organization: fc.constantFrom("a", "b", "c"),
    kind: fc.constantFrom("list" as const, "conversation" as const),
    bytes: fc.integer({ min: 1, max: 60 }),
    ending: fc.constantFrom("release", "made", "shrink", "abort", "release twice"),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const turns = createAnswerSlots({ budgetBytes: 100, atOnce: { list: 3, conversation: 2 } });
      const held: AnswerSlot[] = [];
      let making = 0;
      const requests = steps.map(async ({ organization, kind, bytes, ending }) => {
        const leave = new AbortController();
        const asked = turns.take(organization, kind, bytes, leave.signal);
        if (ending === "abort") leave.abort(new Error("left"));
        const turn = await asked;
        making++;
        expect(making).toBeLessThanOrEqual(5);
        expect(turns.state().bytes).toBeLessThanOrEqual(100);
        await soon();
        making--;
        if (ending === "made") turn.made();
        if (ending === "shrink") turn.resize(1);
        if (ending === "made") held.push(turn);
        else turn.release();
        if (ending === "release twice") turn.release();
      });
      const all = Promise.allSettled(requests);
      let over = false;
      void all.then(() => (over = true));
      await until("every request has ended", () => {
        held.shift()?.release();
        return over;
      });
      held.forEach((turn) => turn.release());
      const refused = (await all).flatMap(({ status }, at) => (status === "rejected" ? steps[at]!.ending : []));
      expect(refused.filter((ending) => ending !== "abort")).toEqual([]);
      expect(turns.state()).toEqual({ bytes: 0, waiting: 0 });
    }),
    { numRuns: 40 },
  );
});

test("an answer in pieces has the bytes of the whole JSON", async () => {
  const member = fc.oneof(
    fc.jsonValue(),
    fc.constant(undefined),
    fc.date({ noInvalidDate: true }),
    fc.array(fc.option(fc.jsonValue(), { nil: undefined })),
    fc.string({ unit: "binary" }),
  );
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.jsonValue(), fc.dictionary(fc.string(), member)), async (value) => {
      const { pieces, bytes } = await encodeJson(value);
      const whole = Buffer.from(JSON.stringify(value));
      expect(Buffer.concat(pieces)).toEqual(whole);
      expect(bytes).toBe(whole.length);
    }),
    { numRuns: 300 },
  );
});
