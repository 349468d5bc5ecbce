import { admitsCaller, SIMULATION_HEADER } from "@svc/contract";
import { type SipMessage, uriOf, userOf } from "./message.ts";

/** The calls that a simulation waits for. */
export type WantedCall = {
  simulationId: string;
  /** User of the contact under which the service registered. Only the registrar learns it. */
  contactUser: string;
  /** Numbers and users that may call, as `callersProblem` reads them. */
  callers: string;
  matching: "account" | "header";
};

/** Why a call is not taken, for the people of the project. The caller only gets the status. */
type Refusal = { status: number; why: string };

/**
 * Returns why a call is not for this simulation; undefined when it is. The status is the same for every reason, and is that of an
 * address that does not exist. It is none of 600 or more, with which a proxy would end the call at every other address too.
 */
export function refusalOfCall({ headers, uri }: SipMessage, wanted: WantedCall): Refusal | undefined {
  const refused = (why: string): Refusal => ({ status: 404, why });
  if (userOf(uri) !== wanted.contactUser)
    return refused("it was for another address than the one that the service registered");
  const named = headers.get(SIMULATION_HEADER.toLowerCase()) ?? [];
  if (named.length > 1 || (named.length === 1 && named[0] !== wanted.simulationId))
    return refused(`its header ${SIMULATION_HEADER} named another simulation`);
  if (named.length === 0 && wanted.matching === "header")
    return refused(`it had no header ${SIMULATION_HEADER}, which the connection's \`matching\` asks for`);
  const caller = userOf(uriOf(headers.get("from")![0]!));
  if (admitsCaller(wanted.callers, caller)) return undefined;
  return refused(`it came from ${quoted(caller)}, which the connection's \`callers\` do not have`);
}

const quoted = (caller: string): string =>
  caller === "" ? "a caller without a name" : `"${caller.replaceAll(/[^\w.~+-]/g, "?").slice(0, 64)}"`;

/** Extensions that a caller requires. The service has none. */
export const requiredBy = ({ headers }: SipMessage): readonly string[] => headers.get("require") ?? [];
