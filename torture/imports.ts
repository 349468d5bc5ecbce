import { rmSync } from "node:fs";
import { join } from "node:path";
import { FAST } from "../test/support/monitoring-pace.ts";
import { openFakePlatformA } from "../test/support/platform-a/fake.ts";
import type { Fault } from "../test/support/platform-a/faults.ts";
import { importLoad } from "./loads/imports.ts";
import type { Scenario } from "./scenario.ts";
import { claimed, clientOf } from "./service.ts";
import { keysIn } from "../test/support/secret.ts";

const CALLS_EACH = 100;
const PROBABILITY = 0.15;

const FAULTS: Fault[] = [
  { kind: "status", status: 500 },
  { kind: "status", status: 503, retryAfter: "0" },
  { kind: "status", status: 404 },
  { kind: "status", status: 401 },
  { kind: "status", status: 429 },
  { kind: "status", status: 429, retryAfter: "-1" },
  { kind: "reset" },
  { kind: "reset_in_body" },
  { kind: "garbage" },
  { kind: "gzip" },
  { kind: "redirect", to: "http://127.0.0.1:1/" },
];

export const imports: Scenario = {
  name: "imports",
  shows: "every call of a platform that answers with faults becomes one conversation, exactly once",
  weight: 1,
  trials: "calls",
  goal: 10_000,
  async run(arena) {
    for (let number = 0; arena.goesOn(); number++) {
      const draws = arena.draws.named(`case ${number}`);
      const dataDir = join(arena.folder, `data-${number}`);
      const platform = await openFakePlatformA();
      const settings = claimed(draws, { SVC_PLATFORM_A_BASE_URL: platform.url });
      const service = arena.launch({ dataDir, settings, options: { pace: FAST } });
      const url = await service.serving;
      const projectKey = keysIn(settings).projectKey;
      const client = clientOf(url, projectKey);
      const access = { url, projectKey, dataDir, client, admin: clientOf(url, keysIn(settings).adminKey), draws };
      const load = importLoad(platform, { pauseMs: 0, aheadMax: CALLS_EACH });
      await load.prepare!(access);
      platform.faults.drawFrom(FAULTS, {
        seed: draws.whole(1, 1e6),
        probability: PROBABILITY,
        path: /list-calls|get-call/,
      });
      while (load.acknowledged() < CALLS_EACH) await load.step(access);
      if (arena.isPlanted) load.plant();
      for (const fault of await load.faults(access)) arena.violation(fault, {}, dataDir);
      arena.trial(load.acknowledged());
      arena.count("faults of the platform", platform.faults.injected());
      await service.stop();
      await platform.close();
      rmSync(dataDir, { recursive: true, force: true });
    }
  },
};
