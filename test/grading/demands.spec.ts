import { describe, expect, test } from "vitest";
import { readDemand } from "../../packages/server/src/grading/judge/proof.ts";
import cases from "./cases/demands.json" with { type: "json" };

const { seen, unseen, saying } = cases;

describe("a sentence that only forbids", () => {
  test.each([...seen["absence proves"], ...unseen["absence proves"]])(
    "a sentence that only forbids may pass by absence: %s",
    (sentence) => {
      expect(readDemand(sentence).kind).toBe("prohibition");
    },
  );
});

/** The author of the code did not see the second list until the code was complete. */
describe("a sentence that demands something, or cannot be read", () => {
  test.each([...seen["a quote is needed"], ...unseen["a quote is needed"]])(
    "a sentence that demands something, or cannot be read, needs a quote: %s",
    (sentence) => {
      expect(readDemand(sentence).kind).not.toBe("prohibition");
    },
  );
});

describe("a behavior about saying", () => {
  test.each(saying["the agent's words are needed"])(
    "a behavior about saying needs the agent's words: %s",
    (sentence) => {
      expect(readDemand(sentence).isAboutSaying).toBe(true);
    },
  );

  test.each(saying["a tool call may do"])("a behavior about saying is not one about doing: %s", (sentence) => {
    expect(readDemand(sentence).isAboutSaying).toBe(false);
  });
});
