import type { Target } from "./connection.ts";
import { optionOf, type Takes } from "./option-of.ts";
import { asRefusal, isSvcError, Refusal } from "./refusal.ts";

/** What was asked: the command by its id, what it takes, and what it was given. */
export type Asked = {
  command: string;
  spec: Takes;
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
      const told = options.map(({ option, message }) => `${option}: ${message.replace(/\.?$/, ".")}`).join(" ");
      return `${told} See \`svc ${command.replace(":", " ")} --help\`.`;
    }
    return undefined;
  }
}

const ID = /^[a-z]+_[0-9a-z]{26}$/;
const NAMED = ["agent", "connection", "grader", "persona", "run", "suite", "test", "test-version"];

/**
 * What the arguments and options name by id, each with the command that lists such things: the one that an argument's
 * description names, or its kind's. What they name by name was found before.
 */
function namedIn({ args = {} }: Takes, given: Asked["given"]): { name: string; list: string }[] {
  return Object.entries(given).flatMap(([kind, value]) => {
    const names = [value].flat().filter((one) => typeof one === "string");
    const list = /`svc ([^`]+)`/.exec(args[kind]?.description ?? "")?.[1];
    if (list !== undefined) return names.map((name) => ({ name, list }));
    if (!NAMED.includes(kind)) return [];
    return names.filter((name) => ID.test(name)).map((name) => ({ name, list: listOf(kind, given) }));
  });
}

function listOf(kind: string, { agent }: Asked["given"]): string {
  if (kind === "connection") {
    const named = typeof agent === "string" ? agent : "AGENT";
    return `connections list ${/\s/.test(named) ? `"${named}"` : named}`;
  }
  return kind === "test-version" ? "tests versions TEST" : `${kind}s list`;
}

type Issue = { path: string; message: string };

const issuesOf = ({ issues }: Record<string, unknown>): Issue[] => (Array.isArray(issues) ? (issues as Issue[]) : []);

const asksForProject = (details: Record<string, unknown>): boolean =>
  issuesOf(details).some(({ path }) => path === "project" || path === "projectId");
