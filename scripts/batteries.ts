// Every battery of checks. The gate runs some of them before a change is merged, and the full battery runs all of them before a release.

/** How much of a battery runs; the battery's configuration reads it in `SPEC_SCOPE`. */
export type Scope = "gate" | "full";

export type Battery = {
  /** The name of the battery's npm script. */
  script: string;
  /** The guarantee that no other battery shows. */
  proves: string;
  /** The part that the gate leaves out, with the reason; undefined when the gate runs all of it. */
  leftOut?: string;
  /** Whether the gate leaves out the whole battery. */
  onlyInFull?: true;
  /** Another battery that runs at the same time. Both wait more than they compute. */
  beside?: string;
  /** Settings with which the full battery runs it. */
  inFull?: Record<string, string>;
  /** Returns the arguments of the script. */
  args?: (scope: Scope) => string[];
};

export const BATTERIES: readonly Battery[] = [
  {
    script: "check",
    proves: "types, lint, terms, format, lock file, licences, generated files and the map are right",
  },
  {
    script: "test",
    proves: "every rule holds once, through the front door, on SQLite and DuckDB",
  },
  {
    script: "torture",
    proves: "what was acknowledged survives kills, full disks, stalls and wrong clocks of a service as a process",
    leftOut: "28 of the 30 minutes: more draws of the same scenarios",
    args: (scope) => ["--", "--seed", "20261122", "--minutes", scope === "gate" ? "2" : "30"],
  },
  {
    script: "test:engines",
    proves: "the same rules hold on PostgreSQL and ClickHouse, and several processes share them",
    leftOut: "the specs whose rules `npm test` shows and whose SQL the remaining specs use as well",
  },
  {
    script: "test:pages",
    proves: "each page is accessible, keeps its layout and runs no script of a text, in a browser",
    leftOut: "the narrow size, live pages and every state: they show layout, and change with the pages only",
  },
  {
    script: "test:binary",
    proves: "the single executable starts, unpacks, serves and plays a call",
    leftOut: "the specs of endpoints that `npm test` runs on the same code",
  },
  {
    script: "test:packs",
    proves: "the npm packages and a clone install into empty folders, and work there",
    leftOut: "Vitest 3 and 4 beside the SDK: the oldest and the newest are there",
  },
  {
    script: "test:python",
    proves: "the wheel builds, installs and works",
  },
  {
    script: "test:hostile-rooms",
    proves: "no media server makes the service reach another address",
    leftOut: "all statuses of answers: the gate draws some",
    beside: "torture",
    inFull: { SPEC_FORM: "long" },
  },
  {
    script: "test:long",
    proves: "all cases of the specs that draw some, damage at every place, and a process per command",
    onlyInFull: true,
    leftOut: "more cases of the rules that `npm test` draws from",
  },
  {
    script: "test:cluster",
    proves: "many processes lose nothing while they, PostgreSQL and ClickHouse are killed",
    onlyInFull: true,
    leftOut: "it needs minutes for each kill of a database, and `test:engines` shows the rules of several processes",
  },
  {
    script: "test:calls",
    proves: "calls at the same time keep their times",
    onlyInFull: true,
    leftOut: "it needs a quiet machine",
  },
];
