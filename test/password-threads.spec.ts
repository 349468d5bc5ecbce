import { readdirSync, readFileSync } from "node:fs";
import { getPriority } from "node:os";
import { hashPassword, verifyPassword } from "better-auth/crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openPasswordThreads } from "../packages/server/src/access/password-threads.ts";

const PASSWORD = "a long enough pässword";
let threads: ReturnType<typeof openPasswordThreads>;
beforeAll(() => {
  threads = openPasswordThreads(2);
});
afterAll(() => threads.close());

test("a hash is one of the sign-in library: each verifies the passwords of the other, and no other password", async () => {
  const hashes = [await threads.hash(PASSWORD), await hashPassword(PASSWORD)];
  for (const hash of hashes)
    for (const verify of [threads.verify, verifyPassword]) {
      expect(await verify({ hash, password: PASSWORD })).toBe(true);
      expect(await verify({ hash, password: PASSWORD.normalize("NFD") })).toBe(true);
      expect(await verify({ hash, password: `${PASSWORD}.` })).toBe(false);
    }
  expect(await threads.hash(PASSWORD)).not.toBe(hashes[0]);
});

test("a stored hash of another form is a fault, and no password has it", async () => {
  for (const hash of ["", "spec$salt$digest", "salt:", ":00"])
    await expect(threads.verify({ hash, password: PASSWORD })).rejects.toThrow("hash of a password");
  expect(await threads.verify({ hash: "00:00", password: PASSWORD })).toBe(false);
});

test.runIf(process.platform === "linux")(
  "passwords are hashed in as many threads as may hash at once, below the priority of all that answer requests",
  async () => {
    const own = getPriority();
    const low = () => nicenessOfThreads().filter((niceness) => niceness === Math.min(19, own + 10)).length;
    const before = low();
    const more = openPasswordThreads(2);
    await Promise.all([1, 2, 3, 4].map(() => more.hash(PASSWORD)));
    expect(low() - before).toBe(2);
    await more.close();
    expect(low()).toBe(before);
  },
);

/** Returns the nice values of this process's threads (proc_pid_stat(5), field 19). */
const nicenessOfThreads = (): number[] =>
  readdirSync("/proc/self/task").map((id) => {
    const stat = readFileSync(`/proc/self/task/${id}/stat`, "utf8");
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[16]);
  });
