import { stat } from "node:fs/promises";
import { connect, type Selection, type Target, targetOf } from "./connection.ts";
import { profileFile } from "./profile.ts";
import { asRefusal } from "./refusal.ts";

export type Check = { name: string; state: "ok" | "wrong" | "skipped"; finding: string; mend?: string };

const OLDEST_NODE = [22, 18] as const;
const LARGEST_SKEW_SECONDS = 10;

const ok = (name: string, finding: string): Check => ({ name, state: "ok", finding });
const wrong = (name: string, finding: string, mend: string): Check => ({ name, state: "wrong", finding, mend });
const skipped = (name: string, finding: string): Check => ({ name, state: "skipped", finding });

/** Looks at the set-up from here to the service, each check with what it found and, where needed, the mend. */
export async function checkSetup(flags: Selection): Promise<Check[]> {
  const checks = [checkNode(), await checkProfileFile()];
  let target: Target;
  try {
    target = await targetOf(flags);
  } catch (error) {
    return [...checks, wrong("settings", "they do not fit", asRefusal(error).message)];
  }
  const { found, date, atMs } = await reach(target);
  checks.push(checkAddress(target), found, checkClock(date, atMs));
  if (found.state !== "ok")
    return [
      ...checks,
      skipped("stores", "no answer"),
      skipped("API key", "no answer"),
      skipped("project", "no answer"),
    ];
  checks.push(await checkStores(target));
  if (target.apiKey === undefined) {
    return [
      ...checks,
      wrong("API key", "none", "Run `svc login`, or set SVC_API_KEY; on a new instance run `svc claim`."),
      skipped("project", "no key"),
    ];
  }
  return [...checks, ...(await checkKeyAndProject(target))];
}

function checkNode(): Check {
  const [major, minor] = process.versions.node.split(".").map(Number) as [number, number];
  const recent = major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1]);
  return recent
    ? ok("Node", process.version)
    : wrong("Node", process.version, `Install Node ${OLDEST_NODE.join(".")} or later.`);
}

async function checkProfileFile(): Promise<Check> {
  const path = profileFile();
  try {
    const { mode } = await stat(path);
    const exposed = process.platform !== "win32" && (mode & 0o077) !== 0;
    return exposed
      ? wrong("profile file", `others may read ${path}`, `Run \`chmod 600 ${path}\`, and think of replacing its keys.`)
      : ok("profile file", path);
  } catch {
    return skipped("profile file", `there is none at ${path}`);
  }
}

function checkAddress({ url, urlFrom }: Target): Check {
  const { protocol, hostname } = new URL(url);
  const local = /^(localhost|127\..*|\[::1\])$/.test(hostname);
  if (protocol === "https:" || local) return ok("address", `${url} (${urlFrom})`);
  return wrong(
    "address",
    `${url} (${urlFrom}) is not encrypted`,
    "Keys travel readable on the way: put the service behind https.",
  );
}

async function reach({ url }: Target): Promise<{ found: Check; date: string | null; atMs: number }> {
  const name = "service";
  try {
    const begunMs = Date.now();
    const response = await fetch(`${url}/health`, { redirect: "error", signal: AbortSignal.timeout(10_000) });
    const endedMs = Date.now();
    const body = (await response.json().catch(() => undefined)) as { relational_store?: unknown } | undefined;
    const found = body?.relational_store
      ? ok(name, `answers in ${endedMs - begunMs} ms`)
      : wrong(
          name,
          `something else answers at ${url} (HTTP ${response.status})`,
          "Name the service's address with --url or SVC_URL.",
        );
    return { found, date: response.headers.get("date"), atMs: (begunMs + endedMs) / 2 };
  } catch {
    const mend = "Start it with `svc serve`, or name its address with --url or SVC_URL.";
    return { found: wrong(name, `nothing answers at ${url}`, mend), date: null, atMs: 0 };
  }
}

function checkClock(date: string | null, atMs: number): Check {
  if (date === null || Number.isNaN(Date.parse(date))) return skipped("clock", "the service's time is not known");
  // The header is cut to whole seconds: half of one is the fair guess.
  const skewSeconds = Math.round((Date.parse(date) + 500 - atMs) / 1000);
  if (Math.abs(skewSeconds) <= LARGEST_SKEW_SECONDS) return ok("clock", "agrees with the service's");
  const finding = `${Math.abs(skewSeconds)} s ${skewSeconds > 0 ? "behind" : "ahead of"} the service's`;
  return wrong(
    "clock",
    finding,
    "Set the time on both machines by NTP; the times of conversations would not fit together.",
  );
}

async function checkStores(target: Target): Promise<Check> {
  const { client } = await connect(target, { key: "none", retries: 0 });
  try {
    const { relational_store, analytics_store } = await client.health.get();
    const finding = `relational ${relational_store}, analytics ${analytics_store}`;
    const well = relational_store === "reachable" && analytics_store === "reachable";
    return well
      ? ok("stores", finding)
      : wrong("stores", finding, "Look at the service's log; its disk may be full or not its own.");
  } catch (error) {
    return wrong("stores", "not known", asRefusal(error).message);
  }
}

async function checkKeyAndProject(target: Target): Promise<Check[]> {
  try {
    const { client } = await connect(target);
    const { projects } = await client.projects.list({ pageSize: 200 });
    return [ok("API key", `taken (${target.keyFrom})`), checkProject(target, projects)];
  } catch (error) {
    const { code, message } = asRefusal(error);
    const mend = code === "not_authenticated" ? "Run `svc login` with another key, or set SVC_API_KEY." : message;
    return [wrong("API key", `not taken (${target.keyFrom})`, mend), skipped("project", "no key")];
  }
}

function checkProject({ project }: Target, projects: { id: string; name: string }[]): Check {
  if (project !== undefined) {
    const found = projects.find(({ id, name }) => id === project || name === project);
    if (found) return ok("project", `"${found.name}"`);
    return wrong(
      "project",
      `"${project}" is none that the key reaches`,
      "Choose one of `svc projects list` with --project or SVC_PROJECT.",
    );
  }
  if (projects.length === 1) return ok("project", `"${projects[0]!.name}", the only one that the key reaches`);
  return wrong(
    "project",
    `none chosen of ${projects.length}`,
    "Choose one of `svc projects list` with --project or SVC_PROJECT.",
  );
}
