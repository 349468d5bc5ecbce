/** An entry of a list of callers: a number, a user, or the beginning of either and `*`. `*` alone stands for everybody. */
const ENTRY = /^(?:\*|\+?[A-Za-z0-9_.~-]{1,64}\*?)$/;
const ENTRIES_MAX = 20;

const entriesOf = (list: string): string[] =>
  list
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");

/** Returns why a text is no list of callers; undefined when it is one. */
export function callersProblem(text: string): string | undefined {
  const entries = entriesOf(text);
  if (entries.length === 0) return "Name at least one caller. `*` admits everybody who reaches the account.";
  if (entries.length > ENTRIES_MAX) return `Name at most ${ENTRIES_MAX} callers.`;
  const wrong = entries.find((entry) => !ENTRY.test(entry));
  if (wrong === undefined) return undefined;
  return "Separate numbers and users with commas, such as +493087654321, +4930* or agent. `*` admits everybody.";
}

/** Returns whether a list of callers has the user part of a caller's URI. The `+` of a number may be missing. */
export function admitsCaller(list: string, user: string): boolean {
  const bare = (text: string) => text.replace(/^\+/, "");
  return entriesOf(list).some((entry) =>
    entry.endsWith("*") ? bare(user).startsWith(bare(entry.slice(0, -1))) : bare(entry) === bare(user),
  );
}

/** Ways to find the simulation that a call is for: `account`, one simulation waits at a time; `header`, the call names it. */
export const CALL_MATCHINGS = ["account", "header"] as const;

/** Seconds for which a simulation waits for its call, as texts of a connection's `config`. */
export const CALL_WAITS_SECONDS = ["30", "60", "120", "300"] as const;
/** Seconds for which a simulation waits when the connection does not say it. */
export const CALL_WAIT_SECONDS = 60;

/** Name of the header by which a call names the simulation that it is for. */
export const SIMULATION_HEADER = "X-Svc-Simulation";

/** Returns the number or URI that someone has to let the agent call; undefined when the service asks the agent's platform, or waits for no call. */
export function awaitedNumberOf(connection: {
  connectionType: string;
  config: Record<string, unknown>;
}): string | undefined {
  const { connectionType, config } = connection;
  if (connectionType !== "incoming_call" || config["dialUrl"] !== undefined) return undefined;
  return String(config["number"] ?? config["account"]);
}
