type Entry = { level: string; time: string; msg?: string } & Record<string, unknown>;

const CONTROLS = /[^\P{Cc}\t\n]/gu;
/** Members that only programs need. */
const FOR_PROGRAMS = ["request_id", "organization_id"];

/** Returns a JSON line of the log as text for people: the time, the level unless it is `info`, the message and its members. */
export function logLineText(line: string): string {
  const { level, time, msg = "", err, ...members } = JSON.parse(line) as Entry;
  const clock = new Date(time).toLocaleTimeString("en-GB");
  const mark = level === "info" ? "" : `${level.toUpperCase()}  `;
  const parts = [`${clock}  ${mark}${sentenceOf(msg, members)}`];
  const stack = err !== null && typeof err === "object" && "stack" in err ? String(err.stack) : undefined;
  if (stack !== undefined) parts.push(stack.replaceAll(/^/gm, "          "));
  return `${parts.join("\n").replaceAll(CONTROLS, "")}\n`;
}

function sentenceOf(msg: string, members: Record<string, unknown>): string {
  if (msg === "request") {
    const { method, path, status, duration_ms: took, ...others } = members;
    return [`${String(method)} ${String(path)} ${String(status)}  ${String(took)} ms`, ...pairsOf(others)].join("  ");
  }
  return [msg, ...pairsOf(members)].join("  ");
}

const pairsOf = (members: Record<string, unknown>): string[] =>
  Object.entries(members)
    .filter(([name, value]) => value !== undefined && !FOR_PROGRAMS.includes(name))
    .map(([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`);
