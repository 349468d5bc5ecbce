import { readFileSync } from "node:fs";
import { z } from "zod";
import { readBehavior } from "../../packages/server/src/grading/read-behavior.ts";
import { CASES } from "./hard-cases.ts";

/** Returns how the service understands each expected behavior of `test/grading/cases/sentences.json`, which testers wrote. */
export function sentenceReadings() {
  const sentences = z.array(z.string()).parse(JSON.parse(readFileSync(`${CASES}sentences.json`, "utf8")));
  return sentences.map((sentence) => {
    const { behavior, ...reading } = readBehavior(sentence, true);
    return { sentence: behavior, ...reading };
  });
}
