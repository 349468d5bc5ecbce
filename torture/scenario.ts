import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Draws } from "./random.ts";
import { type Launch, launch, type Service } from "./service.ts";

export type Scenario = {
  /** The name for `--only`. */
  name: string;
  /** The guarantee that the scenario tests, in one sentence. */
  shows: string;
  /** The share of the total time, relative to the other scenarios. */
  weight: number;
  /** What happens in a trial, in the plural, such as kills, stalls or bytes. */
  trials: string;
  /** The number of trials after which the scenario ends, even if time is left. */
  goal: number;
  run: (arena: Arena) => Promise<void>;
};

type Violation = { what: string; evidence: string; details: unknown };

export type ScenarioResult = {
  name: string;
  shows: string;
  trials: string;
  trialCount: number;
  goal: number;
  counts: Record<string, number>;
  figures: Record<string, string>;
  notes: string[];
  violations: Violation[];
  seconds: number;
};

/** After this many violations a scenario ends, because more violations of the same kind show nothing new. */
const VIOLATIONS_MAX = 20;
const COPIES_MAX = 3;

/** The environment of one scenario: its folder, its random values, its time and its record. */
export type Arena = ReturnType<typeof openArena>;

export function openArena(
  scenario: Scenario,
  {
    folder,
    draws,
    untilMs,
    isLong,
    isPlanted,
    say,
  }: {
    folder: string;
    draws: Draws;
    untilMs: number;
    isLong: boolean;
    isPlanted: boolean;
    say: (text: string) => void;
  },
) {
  mkdirSync(folder, { recursive: true });
  const startedMs = performance.now();
  const services = new Set<Service>();
  let lives = 0;
  let looks = 0;
  const result: ScenarioResult = {
    name: scenario.name,
    shows: scenario.shows,
    trials: scenario.trials,
    trialCount: 0,
    goal: scenario.goal,
    counts: {},
    figures: {},
    notes: [],
    violations: [],
    seconds: 0,
  };

  const count = (what: string, by = 1): void => void (result.counts[what] = (result.counts[what] ?? 0) + by);
  const remainingMs = () => untilMs - performance.now();
  return {
    folder,
    draws,
    /** Whether the run is long enough for the full number of trials. */
    isLong,
    /** Whether the scenario must cause a violation on purpose, to show that it would find one. */
    isPlanted,
    result,
    remainingMs,
    /**
     * Returns whether another case may start. The first case always may; later cases may while there is time and the goal is not
     * reached.
     */
    goesOn(): boolean {
      if (looks++ === 0) return true;
      return remainingMs() > 0 && result.trialCount < scenario.goal && result.violations.length < VIOLATIONS_MAX;
    },
    trial: (by = 1) => void (result.trialCount += by),
    count,
    figure: (name: string, value: string) => void (result.figures[name] = value),
    note(text: string): void {
      if (!result.notes.includes(text)) result.notes.push(text);
    },
    /** Records a violation. `copyOf` is a folder or file to keep with the record. */
    violation(what: string, details: unknown = {}, copyOf?: string): void {
      const number = result.violations.length + 1;
      if (number > VIOLATIONS_MAX) return count("more violations");
      const evidence = join(folder, `violation-${number}`);
      mkdirSync(evidence, { recursive: true });
      writeFileSync(join(evidence, "violation.json"), `${JSON.stringify({ what, details }, jsonSafe, 2)}\n`);
      if (copyOf !== undefined && number <= COPIES_MAX)
        cpSync(copyOf, join(evidence, "data"), { recursive: true, force: true });
      result.violations.push({ what, evidence, details });
      say(`  violation: ${what}`);
    },
    /** Starts the service in a folder of this scenario. The service is stopped when the scenario ends. */
    launch(options: Omit<Launch, "logFile">): Service {
      const service = launch({ ...options, logFile: join(folder, "logs", `${++lives}.log`) });
      services.add(service);
      void service.exited.then(() => services.delete(service));
      return service;
    },
    /** Returns the memory of the scenario's services in MB. */
    rssMb: () => [...services].reduce((sum, service) => sum + service.rssMb(), 0),
    say,
    async close(): Promise<ScenarioResult> {
      for (const service of services) {
        service.resume();
        await service.kill();
      }
      result.seconds = Math.round((performance.now() - startedMs) / 100) / 10;
      return result;
    },
  };
}

const jsonSafe = (_: string, value: unknown) => {
  if (typeof value === "bigint") return String(value);
  if (value instanceof Error) return { message: value.message, stack: value.stack };
  if (value instanceof Map || value instanceof Set) return [...value];
  return value;
};
