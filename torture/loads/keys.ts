import { send } from "../../test/support/request.ts";
import type { Access, Load } from "./load.ts";

type Key = { id: string; secret: string; state: "live" | "revoked" | "open" };
const SAMPLE = 20;

/** Creates and revokes API keys. */
export function keyLoad(): Load {
  const keys: Key[] = [];

  async function step({ admin, draws }: Access): Promise<void> {
    const live = keys.filter(({ state }) => state === "live");
    if (live.length > 3 && draws.next() < 0.5) {
      const key = draws.pick(live);
      key.state = "open";
      await admin.keys.revoke({ apiKeyId: key.id });
      key.state = "revoked";
      return;
    }
    const { id, secret } = await admin.keys.create({ name: "spare" });
    keys.push({ id, secret, state: "live" });
  }

  async function faults({ url, draws }: Access): Promise<string[]> {
    const known = keys.filter(({ state }) => state !== "open");
    const found: string[] = [];
    for (let sample = 0; sample < Math.min(SAMPLE, known.length); sample++) {
      const { id, secret, state } = draws.pick(known);
      const { status } = await send(url, { method: "GET", path: "/v1/projects", key: secret });
      if (status !== (state === "live" ? 200 : 401))
        found.push(`keys: ${id} is ${state}, and the service answers it ${status}`);
    }
    return found;
  }

  return {
    name: "keys",
    step,
    faults,
    acknowledged: () => keys.length,
    plant: () => void keys.splice(0, keys.length, { id: "planted", secret: `svc_sk_${"A".repeat(43)}`, state: "live" }),
  };
}
