import { listTurns } from "../../../packages/server/src/traces/store/index/list-turns.ts";
import type { TurnFilters, TurnSort } from "../../../packages/server/src/traces/turn-rules.ts";
import type { Case } from "./case.ts";

/** This text occurs only in the statement that finds the end of a walk. */
const WALK = "AS answer FROM turns";
const AFTER = { answerUs: "5", startedNs: "5", key: "one", turn: 3 };

const page =
  (filters: TurnFilters, by: TurnSort["by"], isLater: boolean): Case["ask"] =>
  ({ db }) =>
    listTurns(db, {
      project: 1,
      limit: 50,
      sort: { by, descending: true },
      after: isLater ? AFTER : undefined,
      filters,
    });

type Named = [name: string, filters: TurnFilters];

const walked: Named[] = [
  ["all", {}],
  ["those that nobody interrupted", { interrupted: false }],
];
/** Few turns can match. They are sorted when a first walk does not fill the page. */
const sorted: Named[] = [
  ["an agent", { agents: ["Ada"] }],
  ["a tool", { tool: "book", source: "simulation" }],
  ["named conversations", { conversations: ["one"], simulations: ["sim_1"] }],
  ["an alert's conversations", { traceIds: ["1"] }],
];
const INTERRUPTED: Named = ["interrupted ones", { interrupted: true }];
const TIMED: Named = ["a time", { fromNs: 1n, toNs: 9n }];
const SLOW: Named = ["slow ones", { slowerThanMs: 800 }];

const casesOf = (by: TurnSort["by"], uses: string, named: Named[], inOrder = WALK) =>
  named.flatMap(([name, filters]) =>
    [false, true].map((isLater): [string, Case] => [
      `a ${isLater ? "later" : "first"} page of turns by ${by}: ${name}`,
      { ask: page(filters, by, isLater), uses, bound: uses, ...(inOrder !== "" && { inOrder }) },
    ]),
  );

export const turnPages: [string, Case][] = [
  ...casesOf("startedAt", "turns_by_start", [...walked, TIMED]),
  ...casesOf("answerMs", "turns_by_time", [...walked, SLOW]),
  ...casesOf("startedAt", "turns_cut_short_by_start", [INTERRUPTED]),
  ...casesOf("answerMs", "turns_cut_short_by_time", [INTERRUPTED]),
  ...casesOf("startedAt", "turns_by_start", sorted, ""),
  ...casesOf("answerMs", "turns_by_time", sorted, ""),
  // The few turns within the range are sorted.
  ...casesOf("startedAt", "turns_by_time", [SLOW], ""),
  ...casesOf("answerMs", "turns_by_start", [TIMED], ""),
];
