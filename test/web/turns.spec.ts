import { expect, test } from "vitest";
import { readTurnSearch, turnInputOf } from "../../packages/web/src/conversations/turn-search.ts";

test("the address of the list of turns keeps the filters that turns have, and drops those of conversations and unknown values", () => {
  const search = readTurnSearch({
    agent: "Hotel",
    tool: 7,
    slow: "1500",
    interrupted: "false",
    status: "error",
    search: "room",
    note: "content",
    sort: "-duration",
    from: "yesterday",
  });
  expect(turnInputOf(search)).toEqual({
    agent: "Hotel",
    tool: "7",
    slowerThanMs: 1_500,
    interrupted: false,
    sort: "-answerMs",
  });
  expect(turnInputOf(readTurnSearch({ sort: "startedAt", version: "41" }))).toEqual({
    sort: "startedAt",
    agentVersion: "41",
  });
});
