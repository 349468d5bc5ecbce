import { statfs } from "node:fs/promises";
import { type ServiceCheck, SET_LANGUAGE_MODEL } from "@svc/contract";
import type { LanguageModels } from "../../grading/language-model/open.ts";

const MODEL_TIMEOUT_MS = 20_000;
/** Request that checks the language model. It is as cheap as possible. */
const GREETING = { messages: [{ role: "user", content: "Answer with OK." }], temperature: 0, maxTokens: 16 } as const;
const FREE_BYTES_MIN = 512 * 1024 * 1024;

export type Dependencies = {
  modelOf: LanguageModels["ofOrganization"];
  listProviders: (organizationId: string) => Promise<string[]>;
  /**
   * Returns the number of the provider's voices, or the reason of a failure; undefined when the provider has no list.
   */
  askProvider: (organizationId: string, provider: string) => Promise<number | string | undefined>;
  dataDir: string | undefined;
  databases: readonly { name: string; reachable: () => boolean | Promise<boolean> }[];
};

type Check = Omit<ServiceCheck, "mend">;

const NO_PROVIDER: Check = {
  name: "speech providers",
  state: "note",
  finding: "none has a key: callers speak with the built-in voices",
  remedy: "To add one, run `svc provider-keys set PROVIDER`.",
};

export async function checkDependencies(from: Dependencies, organizationId: string): Promise<ServiceCheck[]> {
  const providers = await from.listProviders(organizationId);
  const checks = await Promise.all([
    checkModel(from, organizationId),
    ...(providers.length === 0
      ? [Promise.resolve(NO_PROVIDER)]
      : providers.map((provider) => checkProvider(from, organizationId, provider))),
    ...from.databases.map(checkDatabase),
    ...(from.dataDir === undefined ? [] : [checkDisk(from.dataDir)]),
  ]);
  return checks.map((check) => ({ ...check, mend: check.remedy }));
}

async function checkModel({ modelOf }: Dependencies, organizationId: string): Promise<Check> {
  const name = "language model";
  const model = await modelOf(organizationId);
  if (model === undefined) {
    const finding =
      "none: behaviors outside of the forms of docs/behaviors.md are not graded, and callers are scripted";
    return { name, state: "note", finding, remedy: `${SET_LANGUAGE_MODEL}.` };
  }
  const startedMs = performance.now();
  try {
    await model.complete({ ...GREETING, timeoutMs: MODEL_TIMEOUT_MS });
  } catch (error) {
    const remedy =
      "Check its address, its key and its name: `svc language-model show`, or the settings of the service.";
    return { name, state: "wrong", finding: `"${model.model}": ${(error as Error).message}`, remedy };
  }
  const tookMs = Math.round(performance.now() - startedMs);
  return { name, state: "ok", finding: `"${model.model}" answers in ${tookMs} ms`, remedy: null };
}

async function checkProvider(from: Dependencies, organizationId: string, provider: string): Promise<Check> {
  const name = `speech provider ${provider}`;
  const found = await from.askProvider(organizationId, provider);
  if (typeof found === "string") {
    const remedy = `Set its key again with \`svc provider-keys set ${provider}\`.`;
    return { name, state: "wrong", finding: `its voices cannot be listed: ${found}`, remedy };
  }
  if (found === undefined)
    return { name, state: "ok", finding: "has a key; it has no list of voices to check", remedy: null };
  return { name, state: "ok", finding: `accepts the key, ${found} voices`, remedy: null };
}

async function checkDatabase({ name, reachable }: Dependencies["databases"][number]): Promise<Check> {
  if (await reachable()) return { name, state: "ok", finding: "answers", remedy: null };
  const remedy = `Start ${name} again. Until then the service refuses requests with 503, and clients repeat them.`;
  return { name, state: "wrong", finding: "does not answer", remedy };
}

async function checkDisk(dataDir: string): Promise<Check> {
  const { bavail, bsize, blocks } = await statfs(dataDir);
  const free = bavail * bsize;
  const share = blocks === 0 ? 0 : Math.round((bavail / blocks) * 100);
  const finding = `${(free / 1024 ** 3).toFixed(1)} GB of the service's disk are free (${share} %)`;
  if (free >= FREE_BYTES_MIN) return { name: "disk", state: "ok", finding, remedy: null };
  const remedy =
    "Free space on the disk of the data folder, or set SVC_RETENTION_DAYS: the service refuses data on a full disk.";
  return { name: "disk", state: "wrong", finding, remedy };
}
