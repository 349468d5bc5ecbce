import { asRefusal, isSvcError, Refusal } from "./refusal.ts";
import { noAnswerText } from "./session/no-answer.ts";
import type { Target } from "./session/target.ts";

/** A command that the service refused: its id, its declared inputs, and the values that it received. */
type RefusedCommand = {
  commandId: string;
  inputs: CommandInputs;
  values: Record<string, unknown>;
  target: Target;
};

/**
 * Rewrites a refusal of the service for the command line where that shows better what to do; returns any other error
 * unchanged.
 */
export function explainRefusal(error: unknown, refused: RefusedCommand): unknown {
  if (!isSvcError(error)) return error;
  const text = explanationOf(error, refused);
  return text === undefined ? error : new Refusal(error.code, text, asRefusal(error).exitCode, error.details);
}

type ServiceError = {
  code: string;
  message: string;
  details: Record<string, unknown>;
  status: number;
  cause?: unknown;
};

function explanationOf(
  { code, message, details, status, cause }: ServiceError,
  { commandId, inputs, values, target }: RefusedCommand,
): string | undefined {
  const resources = resourcesById(inputs, values);
  const address = `${target.url} (${target.urlFrom})`;
  switch (code) {
    case "unreachable":
      return noAnswerText(address, cause);
    case "unexpected_answer":
      // The SDK tells the answer of a proxy apart from that of another server.
      if (status >= 502 && status <= 504) return message;
      return `${address} is not this service. Set the service's address with --url or SVC_URL.`;
    case "not_authenticated":
      if (target.apiKey === undefined) return undefined;
      if (message.includes("expired")) return `${message} It comes from ${target.keyFrom}.`;
      return `The service rejects the API key from ${target.keyFrom}. Run \`svc login\` with another key, or set SVC_API_KEY.`;
    case "not_found":
      if (resources.length > 0) {
        const names = resources.map(({ name }) => `"${name}"`).join(" or no ");
        const lists = [...new Set(resources.map(({ list }) => `\`svc ${list}\``))].join(" and ");
        return `There is no ${names} that your key can read. See ${lists}, or choose another project with --project.`;
      }
      if (target.project === undefined) return undefined;
      return `There is no project "${target.project}" that your key can read. See \`svc projects list\`.`;
    case "not_permitted":
      if (commandId !== "traces:send" || target.apiKey === undefined) return undefined;
      return `${message.split(". ")[0]}. Create such a key with \`svc keys create --permissions ingest --project NAME\` and set it as SVC_API_KEY.`;
    case "invalid_request":
      if (asksForProject(details))
        return "Your key does not determine one project. Choose a project from `svc projects list` with --project or SVC_PROJECT.";
      return optionIssues(commandId, inputs, details);
    default:
      return optionIssues(commandId, inputs, details);
  }
}

/** Returns a message that names the option behind each issue; undefined when an issue is about no option. */
function optionIssues(commandId: string, inputs: CommandInputs, details: Record<string, unknown>): string | undefined {
  const issues = issuesOf(details).map(({ path, message }) => ({ message, option: optionOf(path, inputs) }));
  if (issues.length === 0 || issues.some(({ option }) => option === undefined)) return undefined;
  const sentences = issues.map(({ option, message }) => `${option}: ${message.replace(/\.?$/, ".")}`);
  return `${sentences.join(" ")} See \`svc ${commandId.replace(":", " ")} --help\`.`;
}

const ID = /^[a-z]+_[0-9a-z]{26}$/;
const KINDS = ["agent", "connection", "grader", "persona", "run", "suite", "test", "test-version"];

/**
 * Returns each resource that the command's arguments name, with the command that lists such resources. The argument's
 * description names that command; for an id, the kind of the resource determines it.
 */
function resourcesById(
  { args = {} }: CommandInputs,
  values: RefusedCommand["values"],
): { name: string; list: string }[] {
  return Object.entries(values).flatMap(([kind, value]) => {
    const names = [value].flat().filter((one) => typeof one === "string");
    const list = /`svc ([^`]+)`/.exec(args[kind]?.description ?? "")?.[1];
    if (list !== undefined) return names.map((name) => ({ name, list }));
    if (!KINDS.includes(kind)) return [];
    return names.filter((name) => ID.test(name)).map((name) => ({ name, list: listOf(kind, values) }));
  });
}

function listOf(kind: string, { agent }: RefusedCommand["values"]): string {
  if (kind === "connection") {
    const name = typeof agent === "string" ? agent : "AGENT";
    return `connections list ${/\s/.test(name) ? `"${name}"` : name}`;
  }
  return kind === "test-version" ? "tests versions TEST" : `${kind}s list`;
}

type Issue = { path: string; message: string };

const issuesOf = ({ issues }: Record<string, unknown>): Issue[] => (Array.isArray(issues) ? (issues as Issue[]) : []);

const asksForProject = (details: Record<string, unknown>): boolean =>
  issuesOf(details).some(({ path }) => path === "project" || path === "projectId");

/** The arguments and flags that a command declares, by name. */
type CommandInputs = {
  args?: Record<string, { description?: string | undefined }>;
  flags?: Record<string, unknown>;
};

/** Options whose names differ from the service's. */
const OPTIONS: Record<string, string> = {
  agentIds: "agent",
  agentPlatform: "platform",
  backgroundNoise: "noise",
  confirmationStyle: "confirmation",
  expires_at: "expires",
  expected_behaviors: "behavior",
  interruptionStyle: "interruptions",
  maxMs: "latency-ms",
  personas: "persona",
  platformAgentId: "platform-id",
  productionSampleRate: "sample-rate",
  testVersions: "test-version",
  timeLimitSeconds: "time-limit",
  voiceId: "voice",
};

/** Returns the option or argument from which a member of the request comes; undefined when no input fits. */
function optionOf(path: string, { args = {}, flags = {} }: CommandInputs): string | undefined {
  const members = path.split(".");
  for (const [at, member] of [...members.entries()].reverse()) {
    const kebab = member.replaceAll("_", "-").replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    const name = OPTIONS[member] ?? kebab;
    const within = members.slice(at + 1).map((part) => ` ${/^\d+$/.test(part) ? `#${Number(part) + 1}` : part}`);
    if (Object.hasOwn(flags, name)) return `--${name}${within.join("")}`;
    if (Object.hasOwn(args, name)) return name.toUpperCase();
  }
  return undefined;
}
