import type { Target } from "./connection.ts";
import { asRefusal, isSvcError, Refusal } from "./refusal.ts";

/** What was asked: the command by its id, what it takes, and the arguments that it was given. */
export type Asked = {
  command: string;
  spec: { args?: Record<string, { description?: string | undefined }>; flags?: Record<string, unknown> };
  given: Record<string, unknown>;
  target: Target;
};

/** The service's refusal in the command line's words, where those say better what to do next. */
export function explained(error: unknown, { command, spec, given, target }: Asked): unknown {
  if (!isSvcError(error)) return error;
  const { code, details, message } = error;
  const [topic] = command.split(":");
  const named = namedIn(spec, given);
  const told = mend();
  return told === undefined ? error : new Refusal(code, told, asRefusal(error).exitCode, details);

  function mend(): string | undefined {
    const address = `${target.url} (${target.urlFrom})`;
    const another = "name its address with --url or SVC_URL";
    if (code === "unreachable") return `Nothing answers at ${address}: start it with \`svc serve\`, or ${another}.`;
    if (code === "unexpected_answer") return `${address} is not this service: ${another}.`;
    if (code === "not_authenticated" && target.apiKey !== undefined) {
      return `The service does not take the API key from ${target.keyFrom}: run \`svc login\` with another, or set SVC_API_KEY.`;
    }
    if (code === "not_found" && named.length > 0) {
      const what = named.map(({ name }) => `"${name}"`).join(" or no ");
      const lists = [...new Set(named.map(({ list }) => `\`svc ${list}\``))].join(" and ");
      return `There is no ${what} that your key sees: look at ${lists}, or name its project with --project.`;
    }
    if (code === "not_found" && target.project !== undefined) {
      return `There is no project "${target.project}" that your key sees: look at \`svc projects list\`.`;
    }
    if (code === "invalid_request" && asksForProject(details)) {
      return "Your key reaches none or several projects: choose one of `svc projects list` with --project or SVC_PROJECT.";
    }
    if (code === "not_permitted" && topic === "traces" && target.apiKey !== undefined && named.length === 0) {
      return `${message} \`svc keys create --project NAME\` makes such a key; set it as SVC_API_KEY.`;
    }
    const options = issuesOf(details).map((issue) => ({ ...issue, option: optionOf(issue.path, spec) }));
    if (options.length > 0 && options.every(({ option }) => option !== undefined)) {
      const told = options.map(({ option, message }) => `${option}: ${message}`).join(" ");
      return `${told} See \`svc ${command.replace(":", " ")} --help\`.`;
    }
    return undefined;
  }
}

const ID = /^[a-z]+_[0-9a-z]{26}$/;
const NAMED = ["agent", "connection", "grader", "persona", "suite", "test"];

/**
 * What the arguments name by id, each with the command that lists such things: the one that its description names, or its
 * kind's. What they name by name was found before.
 */
function namedIn({ args = {} }: Asked["spec"], given: Asked["given"]): { name: string; list: string }[] {
  return Object.entries(args).flatMap(([kind, { description = "" }]) => {
    const of = kind === "connection" ? ` ${String(given.agent)}` : "";
    const name = given[kind];
    if (typeof name !== "string") return [];
    const list = /`svc ([^`]+)`/.exec(description)?.[1];
    if (list !== undefined) return [{ name, list }];
    return NAMED.includes(kind) && ID.test(name) ? [{ name, list: `${kind}s list${of}` }] : [];
  });
}

type Issue = { path: string; message: string };

const issuesOf = ({ issues }: Record<string, unknown>): Issue[] => (Array.isArray(issues) ? (issues as Issue[]) : []);

const asksForProject = (details: Record<string, unknown>): boolean =>
  issuesOf(details).some(({ path }) => path === "project" || path === "projectId");

/** Options whose names are others than the service's. */
const OPTIONS: Record<string, string> = {
  agentIds: "agent",
  agentPlatform: "platform",
  backgroundNoise: "noise",
  confirmationStyle: "confirmation",
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

/** The option or argument of the command that a member of the request comes from. */
function optionOf(path: string, { args = {}, flags = {} }: Asked["spec"]): string | undefined {
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
