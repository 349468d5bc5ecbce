import type { Target } from "./connection.ts";
import { asRefusal, isSvcError, Refusal } from "./refusal.ts";

export type Asked = { topic: string; id: string | undefined; target: Target };

/** Where a topic's ids are shown, if not by its `list`. */
const LISTS: Record<string, string> = { monitoring: "status" };

/** The service's refusal in the command line's words, where those say better what to do next. */
export function explained(error: unknown, { topic, id, target }: Asked): unknown {
  if (!isSvcError(error)) return error;
  const { code, details, message } = error;
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
    if (code === "not_found" && id !== undefined) {
      return `There is no "${id}" that your key sees: look at \`svc ${topic} ${LISTS[topic] ?? "list"}\`, or name its project with --project.`;
    }
    if (code === "not_found" && target.project !== undefined) {
      return `There is no project "${target.project}" that your key sees: look at \`svc projects list\`.`;
    }
    if (code === "invalid_request" && asksForProject(details)) {
      return "Your key reaches none or several projects: choose one of `svc projects list` with --project or SVC_PROJECT.";
    }
    if (code === "not_permitted" && topic === "traces" && target.apiKey !== undefined && id === undefined) {
      return `${message} \`svc keys create --project NAME\` makes such a key; set it as SVC_API_KEY.`;
    }
    return undefined;
  }
}

const asksForProject = ({ issues }: Record<string, unknown>): boolean =>
  Array.isArray(issues) &&
  issues.some((issue: { path?: unknown }) => issue.path === "project" || issue.path === "projectId");
