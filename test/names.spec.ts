import { allOperations, nameText } from "@svc/contract";
import { describe, expect, test } from "vitest";
import type { z } from "zod";
import { expectRefusal, jsonOf } from "./support/request.ts";
import { useTwoOrganizations } from "./support/two-organizations.ts";

const world = useTwoOrganizations();

describe("names", () => {
  test.each([
    ["Cafe\u0301", "Caf\u00e9"],
    ["A  B", "A B"],
    ["A\u00a0B", "A B"],
    [" A\tB ", "A B"],
    ["👩‍👩‍👧 at the desk", "👩‍👩‍👧 at the desk"],
    ["❤️", "❤️"],
    ["1\ufe0f\u20e3", "1\ufe0f\u20e3"],
    ["نامه\u200cای", "نامه\u200cای"],
    ["क्\u200dष", "क्\u200dष"],
    ["日本語", "日本語"],
  ])("%j is accepted and becomes %j", (given, kept) => {
    expect(nameText().parse(given)).toBe(kept);
  });

  test.each([
    ["Caf\u00e9\u200b", "U+200B"],
    ["Cafe\u200d", "U+200D"],
    ["Ca\u200dfe", "U+200D"],
    ["日本\u200d語", "U+200D"],
    ["\0", "U+0000"],
    ["a\nb", "U+000A"],
    ["abc\u202edef", "U+202E"],
    ["soft\u00adhyphen", "U+00AD"],
    ["x\ufe0f", "U+FE0F"],
    ["\u3164", "U+3164"],
    ["\ud800x", "U+D800"],
  ])("%j is refused, with the character to remove", (given, character) => {
    const refused = nameText().safeParse(given);
    expect(refused.error?.issues.map(({ message }) => message)).toEqual([
      `Remove the character ${character}, which shows nothing.`,
    ]);
  });

  test("every operation that gives a name to something refuses one that is equal to the eye", () => {
    const named = allOperations.flatMap(({ name, operation: { body } }) => {
      const schema =
        typeof body === "object" && "shape" in body ? (body.shape as Record<string, z.ZodType>).name : undefined;
      return schema === undefined ? [] : [{ name, schema }];
    });
    expect(named.length).toBeGreaterThan(20);
    const accepting = named.filter(({ schema }) => schema.safeParse("Caf\u00e9\u200b").success);
    expect(accepting.map(({ name }) => name)).toEqual([]);
  });

  test("names of projects that look alike count as the same name", async () => {
    const create = (name: string) =>
      world.ask({ method: "POST", path: "/v1/projects", json: { name }, cookie: world.acme.cookie });
    const first = await create("Cafe\u0301");
    expect({ status: first.status, ...jsonOf<object>(first) }).toMatchObject({
      status: 201,
      project: { name: "Caf\u00e9" },
    });
    expectRefusal(await create("Caf\u00e9"), "name_taken");
    expectRefusal(await create("Caf\u00e9\u200b"), "unprocessable");
  });
});
