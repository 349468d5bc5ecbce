import { useEveryOperation } from "../test/support/every-operation.ts";
import { sendGeneratedRequests } from "../test/support/generated-requests.ts";
import { openWorld } from "../test/support/world.ts";
import type { Scenario } from "./scenario.ts";
import { startsChild } from "./world.ts";

const REQUESTS_EACH_ROUND = 500;

export const requests: Scenario = {
  name: "requests",
  shows: "every request that is drawn from the OpenAPI document gets an answer that the document declares, and no 5xx",
  weight: 2,
  trials: "generated requests",
  goal: 100_000,
  async run(arena) {
    const w = await openWorld(startsChild(arena));
    await useEveryOperation(w);
    const project = w.project.id;
    const callers = [
      { key: w.projectKey, project },
      { key: w.adminKey, project },
      { key: w.adminKey },
      { key: w.viewer.key },
    ];
    const reached = new Set<string>();
    while (arena.goesOn()) {
      const seed = arena.draws.whole(0, 2 ** 30);
      const round = await sendGeneratedRequests({ url: w.url, callers, count: REQUESTS_EACH_ROUND, seed });
      for (const [status, count] of Object.entries(round.statuses)) {
        arena.count(`answers ${status}`, count);
        arena.trial(count);
      }
      for (const operation of round.reached) reached.add(operation);
      for (const finding of round.findings)
        arena.violation(`${finding.operation}: ${finding.fault}`, { seed, ...finding });
      if (arena.isPlanted) arena.violation("planted: an answer has an undeclared status", { seed });
    }
    arena.figure("operations that answered with success", String(reached.size));
    await w.stop();
  },
};
