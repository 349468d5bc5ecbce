import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { VERDICTS } from "@svc/contract";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { decide, parseCheck } from "../../packages/server/src/grading/checks/table.ts";
import { evidenceFrom, Sketch } from "../support/labelled-behaviors.ts";

const FALSE_FAILS_MAX = 0.02;

/** The author of the sketches had read docs/behaviors.md but no code. If `expected` is a list, each of its verdicts is right. */
const Expected = z.union([z.enum(VERDICTS), z.array(z.enum(VERDICTS))]).transform((verdicts) => [verdicts].flat());
const Sketches = z.array(
  Sketch.omit({ behaviors: true }).extend({
    behaviors: z.array(z.object({ behavior: z.string(), expected: Expected, why: z.string() })),
  }),
);

const FOLDER = fileURLToPath(new URL("sketches/", import.meta.url));

/** The author of the code did not see the second folder until the code was complete. */
const decided = ["seen", "unseen"].flatMap((half) =>
  readdirSync(FOLDER + half).flatMap((file) =>
    Sketches.parse(JSON.parse(readFileSync(`${FOLDER}${half}/${file}`, "utf8"))).flatMap(({ behaviors, ...sketch }) => {
      const evidence = evidenceFrom({ ...sketch, behaviors: [] });
      return behaviors.map(({ behavior, expected }) => {
        const { verdict, reason } = decide(parseCheck(behavior)!, evidence);
        return { expected, verdict, text: `${file}, ${sketch.about}: ${behavior}: ${verdict}, ${reason}` };
      });
    }),
  ),
);

const wrong = (as: "passed" | "failed") =>
  decided.filter(({ verdict, expected }) => verdict === as && !expected.includes(verdict)).map(({ text }) => text);

describe("the sketches", () => {
  test("the sketches are at least 800", () => expect(decided.length).toBeGreaterThanOrEqual(800));

  test("the sketches get no pass that their author ruled out", () => expect(wrong("passed")).toEqual([]));

  test("the sketches get a failure that their author ruled out in at most one of fifty", () => {
    expect(wrong("failed").length / decided.length, wrong("failed").join("\n")).toBeLessThanOrEqual(FALSE_FAILS_MAX);
  });

  test("the sketches get a verdict that their author accepts in nine of ten", () => {
    const right = decided.filter(({ verdict, expected }) => expected.includes(verdict));
    expect(right.length / decided.length).toBeGreaterThan(0.9);
  });
});
