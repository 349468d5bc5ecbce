import { asRefusal, isSvcError, Refusal } from "./refusal.ts";
import { noAnswerText } from "./session/no-answer.ts";
import type { Target } from "./session/target.ts";

type RefusedCommand = {
  commandId: string;
  inputs: CommandInputs;
  values: Record<string, unknown>;
  target: Target;
};

/** Rewrites an error of the service when words of the command line make the next step clearer. */
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
      // The SDK's message already distinguishes a proxy from another server.
      if (status >= 502 && status <= 504) return message;
      return `${address} is not this service. Set the service's address with --url or SVC_URL.`;
    case "not_authenticated":
      if (target.apiKey === undefined) return undefined;
      if (message.includes("expired")) return `${message} It comes from ${target.keyFrom}.`;
      return `The service rejects the API key from ${target.keyFrom}. Run \`svc login\` with another key, or set SVC_API_KEY.`;
    case "not_found":
      if (message.startsWith("This path does not exist") && new URL(target.url).pathname !== "/")
        return `The service has no path ${new URL(target.url).pathname}, with which ${address} ends. Set the address without it: ${new URL(target.url).origin}`;
      if (resources.length > 0) {
        const names = resources.map(({ name }) => `"${name}"`).join(" or no ");
        const lists = [...new Set(resources.map(({ list }) => `\`svc ${list}\``))].join(" and ");
        const others = resources.flatMap((one) => otherKindOf(one) ?? []);
        if (others.length > 0) return `${others.join(" ")} See ${lists}.`;
        return `There is no ${names} that your key can read. See ${lists}, or choose another project with --project.`;
      }
      if (target.project === undefined) return undefined;
      return `There is no project "${target.project}" that your key can read. See \`svc projects list\`.`;
    case "name_taken":
      if (commandId.startsWith("mock-tools:")) return `${message} \`svc mock-tools list\` shows it.`;
      return typeof values.name === "string" ? `--name "${values.name}" is taken: ${message}` : undefined;
    case "not_permitted":
      if (commandId !== "traces:send" || target.apiKey === undefined) return undefined;
      return `${message.split(". ")[0]}. Create such a key with \`svc keys create --permissions ingest --project NAME\` and set it as SVC_API_KEY.`;
    case "invalid_request":
      if (asksForProject(details))
        return "Your key does not determine one project. Choose a project from `svc projects list` with --project or SVC_PROJECT.";
      return optionIssues({ commandId, inputs, values }, details);
    default:
      return optionIssues({ commandId, inputs, values }, details);
  }
}

/** Returns a message with the option that caused each issue; undefined when an issue has no option. */
function optionIssues(
  { commandId, inputs, values }: Pick<RefusedCommand, "commandId" | "inputs" | "values">,
  details: Record<string, unknown>,
): string | undefined {
  const issues = issuesOf(details).map(({ path, message }) =>
    ofCallerFlag({ message, option: optionOf(path, inputs) }, values),
  );
  if (issues.length === 0 || issues.some(({ option }) => option === undefined)) return undefined;
  const sentences = issues.map(
    ({ option, message }) => `${option}: ${/[.?]$/.test(message) ? message : `${message}.`}`,
  );
  return `${sentences.join(" ")} See \`svc ${commandId.replace(":", " ")} --help\`.`;
}

type OptionIssue = { message: string; option: string | undefined };

/** Replaces `--scenario` by `--says` or `--fact` when this program wrote the faulty line into the scenario for that flag. */
function ofCallerFlag({ message, option }: OptionIssue, values: RefusedCommand["values"]): OptionIssue {
  if (option !== "--scenario") return { message, option };
  if (values.says !== undefined && message.startsWith("The caller line ")) return { message, option: "--says" };
  if (values.fact !== undefined && message.startsWith("The fact "))
    return {
      message: message.replace(/Write facts such as .*$/, 'Write --fact "name = Ana Silva".'),
      option: "--fact",
    };
  return { message, option };
}

const BY_PREFIX: Record<string, string> = {
  agt: "agent",
  alr: "alert-rule",
  alt: "alert",
  con: "connection",
  dlv: "delivery",
  dst: "destination",
  grp: "group",
  key: "key",
  mck: "mock-tool",
  prs: "persona",
  run: "run",
  sim: "simulation",
  ste: "suite",
  tst: "test",
  trk: "trunk",
};

/** Returns why an argument cannot be what the command expects: it is the id of another kind of resource, or not an id. */
function otherKindOf({ name, list, takesId }: { name: string; list: string; takesId: boolean }): string | undefined {
  const kind = ID.test(name) ? BY_PREFIX[name.split("_", 1)[0]!] : undefined;
  const wanted = Object.values(BY_PREFIX).find((one) => list === `${one}s list`);
  if (wanted === undefined) return undefined;
  if (kind !== undefined && kind !== wanted)
    return `"${name}" is the id of ${oneOf(kind)}, and this command takes ${oneOf(wanted)}.`;
  return takesId && !ID_FORM.test(name)
    ? `"${name}" is no id, and this command takes the id of ${oneOf(wanted)}.`
    : undefined;
}

const oneOf = (kind: string): string => `${/^[aeiou]/.test(kind) ? "an" : "a"} ${kind.replace("-", " ")}`;

/** Matches a text that the user meant as an id, even when a part of the id is missing. */
const ID_FORM = /^[a-z]{3,4}_/;
const ID = /^[a-z]+_[0-9a-z]{26}$/;
const KINDS = [
  "agent",
  "connection",
  "destination",
  "grader",
  "persona",
  "run",
  "suite",
  "test",
  "test-version",
  "trunk",
];

/**
 * Returns each resource that the command's arguments name, with the command that lists such resources. That command comes from the
 * argument's description. When the description has no command and the value is an id, the argument's name determines the command.
 */
function resourcesById(
  { args = {} }: CommandInputs,
  values: RefusedCommand["values"],
): { name: string; list: string; takesId: boolean }[] {
  return Object.entries(values).flatMap(([kind, value]) => {
    const names = [value].flat().filter((one) => typeof one === "string");
    const { description = "" } = args[kind] ?? {};
    const list = /`svc ([^`]+)`/.exec(description)?.[1];
    const takesId = description.startsWith("Id of ");
    if (list !== undefined) return names.map((name) => ({ name, list, takesId }));
    if (!KINDS.includes(kind)) return [];
    return names.filter((name) => ID.test(name)).map((name) => ({ name, list: listOf(kind, values), takesId: true }));
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

type CommandInputs = {
  args?: Record<string, { description?: string | undefined }>;
  flags?: Record<string, unknown>;
};

/** Names of options that differ from the names of the request's members, by the name of the member. */
const OPTIONS: Record<string, string> = {
  agentIds: "agent",
  agents: "agent",
  agentPlatform: "platform",
  backgroundNoise: "noise",
  confirmationStyle: "confirmation",
  deliveryIds: "delivery",
  eventTypes: "event",
  expires_at: "expires",
  expected_behaviors: "behavior",
  interruptionStyle: "interruptions",
  maxMs: "latency-ms",
  personas: "persona",
  platformAgentId: "platform-id",
  productionSampleRate: "sample-rate",
  testVersions: "test-version",
  timeLimitSeconds: "time-limit",
  url: "address",
  voiceId: "voice",
  windowMinutes: "window",
  windowsInRow: "in-row",
};

function optionOf(path: string, { args = {}, flags = {} }: CommandInputs): string | undefined {
  const members = path.split(".");
  if (members[0] === "credential" && Object.hasOwn(flags, "config"))
    return `The credential's ${members[1] ?? "fields"}`;
  for (const [at, member] of [...members.entries()].reverse()) {
    const kebab = member.replaceAll("_", "-").replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    const name = OPTIONS[member] ?? kebab;
    const within = members.slice(at + 1).map((part) => ` ${/^\d+$/.test(part) ? `#${Number(part) + 1}` : part}`);
    if (Object.hasOwn(flags, name)) return `--${name}${within.join("")}`;
    if (Object.hasOwn(args, name)) return name.toUpperCase();
  }
  return undefined;
}
