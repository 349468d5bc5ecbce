import { expect, test } from "vitest";
import { queued } from "../packages/server/src/access/password-hash.ts";

/** Returns a hash of passwords whose calls end when the spec ends them. */
function openHash(limits: { atOnce: number; waitingMax: number }) {
  const ends: ((answer: string) => void)[] = [];
  let most = 0;
  let running = 0;
  const { hash, verify } = queued(
    {
      hash: async () => {
        most = Math.max(most, ++running);
        const answer = await new Promise<string>((resolve) => ends.push(resolve));
        running--;
        return answer;
      },
      verify: () => Promise.reject(new Error("damaged")),
    },
    limits,
  );
  return { hash, verify, ends, most: () => most };
}

test("few passwords are hashed at a time, in the order in which they came", async () => {
  const { hash, ends, most } = openHash({ atOnce: 2, waitingMax: 50 });
  const done: number[] = [];
  const all = Array.from({ length: 20 }, (_, at) => hash(`${at}`).then(() => done.push(at)));
  while (done.length < 20) {
    ends.shift()?.("");
    await new Promise((resolve) => setImmediate(resolve));
  }
  await Promise.all(all);
  expect(most()).toBe(2);
  expect(done).toEqual(Array.from({ length: 20 }, (_, at) => at));
});

test("a full queue refuses with 503 and the time to try again, and takes more when it moves", async () => {
  const { hash, ends } = openHash({ atOnce: 1, waitingMax: 2 });
  const taken = [hash("a"), hash("b"), hash("c")];
  await expect(hash("d")).rejects.toMatchObject({ code: "unavailable", status: 503, retryAfterSeconds: 5 });
  ends.shift()!("1");
  expect(await taken[0]).toBe("1");
  const later = hash("e");
  for (const call of [...taken.slice(1), later]) {
    await expect.poll(() => ends.length).toBe(1);
    ends.shift()!("2");
    expect(await call).toBe("2");
  }
});

test("a hash that fails gives its place to the next", async () => {
  const { hash, verify, ends } = openHash({ atOnce: 1, waitingMax: 5 });
  const failed = verify({ hash: "", password: "" });
  const next = hash("a");
  await expect(failed).rejects.toThrow("damaged");
  await expect.poll(() => ends.length).toBe(1);
  ends[0]!("x");
  expect(await next).toBe("x");
});
