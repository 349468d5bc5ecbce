import { stat } from "node:fs/promises";
import type { EndingReason } from "@svc/contract";
import type { Client } from "@svc/sdk";
import { isNamed } from "../look-up.ts";
import { profileFile } from "../session/profile.ts";
import { noAnswerAt } from "../session/no-answer.ts";
import { asRefusal } from "../refusal.ts";
import { createSession, noKeyText } from "../session/session.ts";
import { counted } from "../terminal/output.ts";
import { isLocal, resolveTarget, type Target, type TargetFlags } from "../session/target.ts";

export type SetupCheck = { name: string; state: "ok" | "note" | "wrong" | "skipped"; finding: string; remedy?: string };

const OLDEST_NODE = [22, 18] as const;
const LARGEST_SKEW_SECONDS = 10;
const SET_ADDRESS = "Set the service's address with --url or SVC_URL.";
const CHOOSE_PROJECT = "Choose a project from `svc projects list` with --project or SVC_PROJECT.";

const READ_CONDITIONS =
  "Read the conditions below, which need an admin's organization-wide key, or the service's log, which has the details.";

const ok = (name: string, finding: string): SetupCheck => ({ name, state: "ok", finding });
const wrong = (name: string, finding: string, remedy: string): SetupCheck => ({
  name,
  state: "wrong",
  finding,
  remedy,
});
const skipped = (name: string, finding: string): SetupCheck => ({ name, state: "skipped", finding });

export async function checkSetup(flags: TargetFlags): Promise<SetupCheck[]> {
  const checks = [checkNode(), await checkProfileFile()];
  let target: Target;
  try {
    target = await resolveTarget(flags);
  } catch (error) {
    return [...checks, wrong("settings", "are invalid", asRefusal(error).message)];
  }
  const { service, date, atMs } = await checkAnswer(target);
  checks.push(checkAddress(target), service, checkClock(date, atMs));
  if (service.state !== "ok") {
    const others = ["stores", "API key", "project"];
    return [...checks, ...others.map((name) => skipped(name, "the service does not answer"))];
  }
  checks.push(...(await checkStores(target)));
  if (target.apiKey === undefined) {
    return [
      ...checks,
      wrong("API key", "is missing", `${noKeyText(target)} On a new instance, run \`svc claim\`.`),
      skipped("project", "there is no API key"),
    ];
  }
  return [...checks, ...(await checkKeyAndProject(target))];
}

function checkNode(): SetupCheck {
  const [major, minor] = process.versions.node.split(".").map(Number) as [number, number];
  const isRecent = major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1]);
  return isRecent
    ? ok("Node", process.version)
    : wrong("Node", `${process.version} is too old`, `Install Node ${OLDEST_NODE.join(".")} or later.`);
}

async function checkProfileFile(): Promise<SetupCheck> {
  const path = profileFile();
  try {
    const { mode } = await stat(path);
    const isExposed = process.platform !== "win32" && (mode & 0o077) !== 0;
    return isExposed
      ? wrong(
          "profile file",
          `other users can read ${path}`,
          `Run \`chmod 600 ${path}\`, and consider replacing its keys.`,
        )
      : ok("profile file", path);
  } catch {
    return skipped("profile file", `${path} does not exist`);
  }
}

function checkAddress({ url, urlFrom }: Target): SetupCheck {
  if (url.startsWith("https:") || isLocal(url)) return ok("address", `${url} (${urlFrom})`);
  const remedy = "Put the service behind https: others on the network can read the keys.";
  return wrong("address", `${url} (${urlFrom}) is not encrypted`, remedy);
}

async function checkAnswer({ url }: Target): Promise<{ service: SetupCheck; date: string | null; atMs: number }> {
  const name = "service";
  try {
    const startedMs = Date.now();
    const response = await fetch(`${url}/health`, { redirect: "error", signal: AbortSignal.timeout(10_000) });
    const endedMs = Date.now();
    const body = (await response.json().catch(() => undefined)) as { relational_store?: unknown } | undefined;
    const service = body?.relational_store
      ? ok(name, `answers in ${endedMs - startedMs} ms`)
      : wrong(name, `something else answers at ${url} (HTTP ${response.status})`, SET_ADDRESS);
    return { service, date: response.headers.get("date"), atMs: (startedMs + endedMs) / 2 };
  } catch (error) {
    const { finding, remedy } = noAnswerAt(url, error);
    return { service: wrong(name, finding, remedy), date: null, atMs: 0 };
  }
}

function checkClock(date: string | null, atMs: number): SetupCheck {
  if (date === null || Number.isNaN(Date.parse(date))) return skipped("clock", "the service did not send its time");
  // The Date header has whole seconds, so half a second is added for the best estimate.
  const skewSeconds = Math.round((Date.parse(date) + 500 - atMs) / 1000);
  if (Math.abs(skewSeconds) <= LARGEST_SKEW_SECONDS) return ok("clock", "agrees with the service's clock");
  const finding = `is ${Math.abs(skewSeconds)} s ${skewSeconds > 0 ? "behind" : "ahead of"} the service's clock`;
  const remedy = "Set the time on both machines by NTP. Otherwise the times of conversations are wrong.";
  return wrong("clock", finding, remedy);
}

async function checkStores(target: Target): Promise<SetupCheck[]> {
  const { client } = await createSession(target, { key: "none", retries: 0 });
  try {
    const { relational_store, analytics_store, degraded } = await client.health.get();
    const finding = `relational store ${relational_store}, trace store ${analytics_store}`;
    const areReachable = relational_store === "reachable" && analytics_store === "reachable";
    const remedy = "Read the service's log. Its disk may be full, or the service may lack access to its data folder.";
    return [
      areReachable ? ok("stores", finding) : wrong("stores", finding, remedy),
      degraded ? wrong("state", "degraded", READ_CONDITIONS) : ok("state", "not degraded"),
    ];
  } catch (error) {
    return [wrong("stores", "have an unknown state", asRefusal(error).message)];
  }
}

async function checkKeyAndProject(target: Target): Promise<SetupCheck[]> {
  try {
    const { client } = await createSession(target);
    const { projects } = await client.projects.list({ pageSize: 200 });
    const key = ok("API key", `accepted (${target.keyFrom})`);
    const chosen = projects.length === 1 ? projects[0] : projects.find((one) => isNamed(one, target.project ?? ""));
    return [
      key,
      checkProject(target, projects),
      ...(chosen === undefined ? [] : await checkLastRun(client, chosen.id)),
      ...(await checkConditions(client)),
      ...(await checkService(client)),
    ];
  } catch (error) {
    const { code, message } = asRefusal(error);
    if (code === "not_permitted")
      return [
        ok("API key", `accepted, and it may not read (${target.keyFrom})`),
        skipped("project", "needs a key with the permission read"),
      ];
    const remedy = code === "not_authenticated" ? "Run `svc login` with another key, or set SVC_API_KEY." : message;
    return [wrong("API key", `rejected (${target.keyFrom})`, remedy), skipped("project", "there is no valid API key")];
  }
}

/** Endings of conversations that worked, regardless of their verdicts. Such a simulation may also have a message about its times. */
const WORKED = new Set<EndingReason>(["agent_ended", "transferred", "persona_concluded", "turn_limit", "time_limit"]);

/** When conversations did not work, the finding contains the message of the first of them. */
async function checkLastRun(client: Client, projectId: string): Promise<SetupCheck[]> {
  const name = "last run";
  try {
    const [run] = (await client.runs.list({ projectId, pageSize: 1 })).runs;
    if (run === undefined) return [];
    const { simulations } = await client.runs.simulations({ projectId, runId: run.id, pageSize: 200 });
    const broken = simulations.filter(({ endingReason }) => endingReason !== null && !WORKED.has(endingReason));
    const messages = broken.flatMap(({ message }) => message ?? []);
    if (messages.length === 0) return [ok(name, "every conversation with the agent worked")];
    const finding = `${messages.length} of ${counted(simulations.length, "conversation")} did not work: ${messages[0]}`;
    return [{ name, state: "note", finding, remedy: `\`svc runs show ${run.id}\` shows them all.` }];
  } catch (error) {
    return [skipped(name, asRefusal(error).message)];
  }
}

async function checkConditions(client: Client): Promise<SetupCheck[]> {
  try {
    const { conditions } = await client.conditions.list();
    if (conditions.length === 0) return [ok("conditions", "none")];
    return conditions.map(({ code, needsAction, message, remedy, count, since }) => {
      const times = count === null || count === 1 ? "" : ` (${count} since ${since})`;
      const state = needsAction ? "wrong" : "note";
      return { name: code.replaceAll("_", " "), state, finding: `${message}${times}`, remedy };
    });
  } catch (error) {
    const { code, message } = asRefusal(error);
    const finding = code === "not_permitted" ? "only an admin's organization-wide key can read them" : message;
    return [skipped("conditions", finding)];
  }
}

async function checkService(client: Client): Promise<SetupCheck[]> {
  try {
    const { checks } = await client.service.check();
    return checks.map(({ remedy, mend: _, ...check }) => ({ ...check, ...(remedy !== null && { remedy }) }));
  } catch (error) {
    const { code, message } = asRefusal(error);
    const finding = code === "not_permitted" ? "only an admin's organization-wide key can check them" : message;
    return [skipped("language model, speech providers and disk", finding)];
  }
}

function checkProject({ project }: Target, projects: { id: string; name: string }[]): SetupCheck {
  if (project !== undefined) {
    const match = projects.find((one) => isNamed(one, project));
    if (match) return ok("project", `"${match.name}"`);
    return wrong("project", `the key cannot read a project "${project}"`, CHOOSE_PROJECT);
  }
  if (projects.length === 1) return ok("project", `"${projects[0]!.name}", the only one that the key can read`);
  return wrong("project", `the key can read ${projects.length} projects and none is chosen`, CHOOSE_PROJECT);
}
