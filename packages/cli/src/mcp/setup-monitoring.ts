import { join } from "node:path";
import { WORKER_FRAMEWORKS, type WorkerFramework, workerVariables } from "@svc/contract/constants";
import { z } from "zod";
import { readText } from "../test-files/folder.ts";
import { READS, tool, type ToolContext } from "./tool.ts";

const FRAMEWORKS = Object.keys(WORKER_FRAMEWORKS) as [WorkerFramework, ...WorkerFramework[]];
const MANIFESTS = ["package.json", "pyproject.toml", "requirements.txt", "Pipfile", "setup.py"];
const SECRET = "svc_sk_…";

const Lines = z.strictObject({
  framework: z.enum(FRAMEWORKS),
  label: z.string(),
  foundIn: z.string().nullable().describe("The file that names the framework; null when none does."),
  install: z.string().nullable().describe("Commands, from a folder of svc's repository where they name one."),
  code: z.string().nullable().describe("Lines of the worker, before the session starts."),
  environment: z.string().describe("Variables of the worker's environment. A person puts the key in."),
  key: z.string().describe("The command with which a person creates the key of the worker. It prints the secret once."),
  lastReceivedAt: z.string().nullable().describe("When a worker last sent a conversation; null when none has."),
  check: z.string(),
});

const DESCRIPTION =
  "Returns the lines with which a voice worker sends its production conversations to svc: what to install, the lines of code, the variables, and the command that makes a key that can only send. For calls of Retell a person runs `svc monitoring connect` instead.";

async function linesOf(
  framework: WorkerFramework,
  foundIn: string | null,
  { session: { client, projectId, url } }: ToolContext,
) {
  const { label, install, code, variables } = WORKER_FRAMEWORKS[framework];
  const { traces } = await client.traces.list({ projectId, source: "production", pageSize: 1 });
  const project = projectId ?? (await client.identity.get()).identity.project?.id;
  const value = {
    framework,
    label,
    foundIn,
    install,
    code,
    environment: workerVariables(variables, url, SECRET),
    key: `svc keys create --name worker --permissions ingest${project === undefined ? "" : ` --project ${project}`}`,
    lastReceivedAt: traces[0]?.lastReceivedAt ?? null,
    check: "Hold one conversation with the worker, then find_conversations shows it.",
  };
  return { value, text: foundIn === null ? `Lines for ${label}.` : `${foundIn} names ${label}.` };
}

export const setupMonitoringHere = tool({
  name: "setup_monitoring",
  title: "Set up monitoring",
  description: `${DESCRIPTION} Looks in a folder for the framework.`,
  needs: "read",
  hints: READS,
  input: z.strictObject({
    path: z.string().min(1).default(".").describe("The folder of the worker, on this machine."),
    framework: z.enum(FRAMEWORKS).optional().describe("In place of the one that the folder names."),
  }),
  output: Lines,
  async run({ path, framework }, context) {
    if (framework !== undefined) return linesOf(framework, null, context);
    const found = await frameworkIn(path);
    return linesOf(found?.framework ?? "otlp", found?.file ?? null, context);
  },
});

export const setupMonitoringOf = tool({
  name: "setup_monitoring",
  title: "Set up monitoring",
  description: DESCRIPTION,
  needs: "read",
  hints: READS,
  input: z.strictObject({ framework: z.enum(FRAMEWORKS) }),
  output: Lines,
  run: ({ framework }, context) => linesOf(framework, null, context),
});

/** Returns the most specific framework whose package a manifest in the folder names. */
async function frameworkIn(folder: string): Promise<{ framework: WorkerFramework; file: string } | undefined> {
  const texts: { file: string; text: string }[] = [];
  for (const file of MANIFESTS) texts.push({ file, text: await readText(join(folder, file)).catch(() => "") });
  for (const framework of FRAMEWORKS)
    for (const { file, text } of texts)
      if (WORKER_FRAMEWORKS[framework].packages.some((name) => names(text, name))) return { framework, file };
  return undefined;
}

/** Returns whether the text contains the name. A longer name that contains it does not count. */
function names(text: string, name: string): boolean {
  const part = /[\w@/.-]/;
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    const [before, after] = [text[at - 1] ?? "", text[at + name.length] ?? ""];
    if (!part.test(before) && !part.test(after)) return true;
  }
  return false;
}
