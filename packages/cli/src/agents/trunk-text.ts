import { Flags } from "@oclif/core";
import { LIMITS, type Trunk } from "@svc/contract";
import { repeatedFlag } from "../flags.ts";
import { askSecret } from "../terminal/prompt.ts";
import { counted, facts, paint } from "../terminal/output.ts";

const number = (description: string) => Flags.integer({ description, min: 1, helpValue: "<number>" });

export const limitFlags = () => ({
  "max-call-seconds": number("Longest call in seconds, from the answer on. A new trunk has 300."),
  "calls-per-minute": number("Most calls in any 60 seconds. A new trunk has 10."),
  "calls-per-day": number("Most calls in any 24 hours. A new trunk has 100."),
});

export const allowFlag = (description: string) => repeatedFlag(description, "<number>");

export const userFlag = (description: string) => Flags.string({ description, helpValue: "<user>" });

/** The password comes from SVC_TRUNK_PASSWORD, a hidden prompt or the first line of standard input. */
export const askTrunkPassword = async (user: string): Promise<string> =>
  process.env.SVC_TRUNK_PASSWORD || askSecret(`Password of ${user}`, fault);

const fault = (password: string) =>
  password.length < LIMITS.credentialCharactersMin
    ? `The password of a trunk has at least ${LIMITS.credentialCharactersMin} characters.`
    : undefined;

export const allowedText = ({ allowedNumbers }: Trunk): string =>
  allowedNumbers.length === 0 ? "none, so the service calls nobody" : allowedNumbers.join(", ");

export const trunkText = (trunk: Trunk): string =>
  `${paint.bold(trunk.name)}\n${facts([
    ["Id", trunk.id],
    ["Address", trunk.address],
    ["Caller id", trunk.callerId],
    ["Password", trunk.credentialPresent ? `…${trunk.credentialsHint}` : "none"],
    ["Allowed", allowedText(trunk)],
    ["Longest call", `${trunk.maxCallSeconds} s`],
    ["Calls", `at most ${trunk.callsPerMinute} a minute and ${trunk.callsPerDay} a day`],
    ["Last 24 hours", counted(trunk.callsInLastDay, "call")],
    ["Next step", trunk.allowedNumbers.length === 0 ? `svc trunks edit ${trunk.id} --allow NUMBER` : undefined],
  ])}`;
