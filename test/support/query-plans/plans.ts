import type { CompiledQuery } from "kysely";
import type { TraceIndex } from "../trace-index.ts";
import type { Case } from "./case.ts";

/** Indexes that contain only the conversations for which some work is due. */
const OF_FEW = ["conversations_due", "conversations_without_terms"];
/** Tables of few rows. */
const SMALL = ["trace_index", "unmoved_readings", "version_attributes"];

type Plan = { sql: string; steps: string[] };

/** Returns how SQLite executes each statement. */
export function plansOf(engine: TraceIndex["engine"], queries: readonly CompiledQuery[]): Plan[] {
  return queries
    .filter(({ sql }) => !/^(begin|commit|rollback|savepoint|release)\b/i.test(sql))
    .map(({ sql, parameters }) => ({
      sql,
      steps: engine
        .prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
        .all(...parameters)
        .map(({ detail }) => detail),
    }));
}

/**
 * Returns the steps of a plan that read all rows of a table or of a project. Steps that follow an index only until a page is full,
 * and steps in small indexes and tables, are left out.
 */
function scansOf({ sql, steps }: Plan): string[] {
  const made = new Set(steps.flatMap((step) => /^(?:CO-ROUTINE|MATERIALIZE) (\S+)/.exec(step)?.[1] ?? []));
  const walks = /\bLIMIT\b/.test(sql) && !steps.some((step) => step.includes("TEMP B-TREE"));
  return steps.filter((step) => {
    if (OF_FEW.some((name) => step.includes(`INDEX ${name}`))) return false;
    if (/^SEARCH .* \(project=\?\)$/.test(step)) return !walks;
    const [, table] = /^SCAN (\S+)/.exec(step) ?? [];
    if (table === undefined || made.has(table) || table.startsWith("(") || SMALL.includes(table)) return false;
    return !/VIRTUAL TABLE|CONSTANT ROW/.test(step);
  });
}

/** Returns what is wrong with the plans of a case. */
export function faultsOf(plans: readonly Plan[], { uses, bound, inOrder, readsAll }: Case): string[] {
  const steps = plans.flatMap((plan) => plan.steps);
  const ordered = plans.filter(({ sql }) => inOrder !== undefined && sql.includes(inOrder));
  const scans = plans.flatMap(scansOf).filter((step) => readsAll === undefined || step.startsWith("SCAN"));
  return [
    ...scans,
    ...(uses === undefined || steps.some((step) => new RegExp(`INDEX ${uses}\\b`).test(step)) ? [] : [`no ${uses}`]),
    ...(bound === undefined || steps.some((step) => step.includes(bound)) ? [] : [`no bound ${bound}`]),
    ...(inOrder !== undefined && ordered.length === 0 ? [`no statement with ${inOrder}`] : []),
    ...ordered.flatMap((plan) => plan.steps.filter((step) => step.includes("TEMP B-TREE FOR ORDER BY"))),
  ];
}
