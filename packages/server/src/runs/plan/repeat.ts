import { AppError } from "../../base/errors.ts";
import type { RunRow } from "../rules.ts";
import type { RunOptions } from "./freeze.ts";
import type { PlayedPair } from "./played-pairs.ts";

type Repeat = { notPassed?: boolean | undefined; name?: string | undefined };

export function repeatOf(earlier: RunRow, played: readonly PlayedPair[], { notPassed, name }: Repeat): RunOptions {
  const pairs = notPassed === true ? played.filter(({ passed }) => !passed) : played;
  if (pairs.length === 0) {
    const message = `Everything passed in the run ${earlier.id}. Play it again without \`notPassed\`.`;
    throw new AppError("unprocessable", message);
  }
  const { suite_id, suite_name } = earlier;
  return {
    repeated: { suite: suite_id === null ? undefined : { id: suite_id, name: suite_name! }, pairs },
    agentId: earlier.agent_id,
    connectionId: earlier.connection_id,
    name: name ?? earlier.name ?? undefined,
    iterations: earlier.iterations,
    concurrency: earlier.concurrency,
    caller: earlier.caller,
    turnLimit: earlier.turn_limit,
    timeLimitSeconds: earlier.time_limit_seconds,
    maxCost: earlier.max_cost ?? undefined,
    allowUngraded: earlier.allow_ungraded === 1,
  };
}
