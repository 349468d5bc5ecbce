import type { DuckDBConnection, DuckDBPreparedStatement } from "@duckdb/node-api";

/** Values of `$1`, `$2`, … in a statement. */
type Values = readonly bigint[];

/**
 * Runs statements of one connection and keeps their plans: for few rows, a plan costs more than its work. DuckDB keeps a plan
 * also when rows change, and its optimizer uses statistics of rows in plans: turn `statistics_propagation` off.
 */
export type Statements = {
  run: (sql: string, values?: Values) => Promise<void>;
  /** Returns the rows of a query as objects, as `rowsOf` does. */
  rowsOf: <Row>(sql: string, values?: Values) => Promise<Row[]>;
  /** Forgets the plans; call it before the connection closes. */
  close: () => void;
};

const SHARED_LSNS = 16_384;

/**
 * Returns a number at or before that of a journal record, the same for many records. A bound in a statement's text lets DuckDB
 * skip rows, which a bound value does not, and statements with the same text share a plan.
 */
export const sharedLsn = (lsn: number) => lsn - (lsn % SHARED_LSNS);

export function createStatements(connection: DuckDBConnection, plansMax = 64): Statements {
  const plans = new Map<string, DuckDBPreparedStatement>(); // the one that was used last at the end

  async function planOf(sql: string, values: Values): Promise<DuckDBPreparedStatement> {
    const plan = plans.get(sql) ?? (await connection.prepare(sql));
    plans.delete(sql);
    plans.set(sql, plan);
    if (plans.size > plansMax) forget(plans.keys().next().value!);
    for (const [at, value] of values.entries()) plan.bindBigInt(at + 1, value);
    return plan;
  }

  function forget(sql: string): void {
    plans.get(sql)!.destroySync();
    plans.delete(sql);
  }

  return {
    async run(sql, values = []) {
      await (await planOf(sql, values)).run();
    },
    async rowsOf<Row>(sql: string, values: Values = []) {
      const reader = await (await planOf(sql, values)).runAndReadAll();
      return reader.getRowObjects() as Row[];
    },
    close() {
      for (const sql of plans.keys()) forget(sql);
    },
  };
}
