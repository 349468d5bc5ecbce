import { CallFailure } from "../../call.ts";

type Ending = readonly [reason: CallFailure["reason"], note: string];

const REFUSED = "connection_refused";

/** What the final answers to an INVITE mean. */
const ENDINGS: Record<number, Ending> = {
  401: ["credential_rejected", "asks for a user and a password that the connection does not have, or refuses them"],
  403: [REFUSED, "refused the call: let it admit calls of this service"],
  404: [REFUSED, "knows no such address: check the user of the connection's URI"],
  407: ["credential_rejected", "asks for a user and a password that the connection does not have, or refuses them"],
  408: ["agent_never_joined", "reports that nobody answered"],
  410: [REFUSED, "knows the address no longer: check the user of the connection's URI"],
  415: ["agent_error", "does not read the description of the sound"],
  429: ["rate_limited", "gets too many calls: lower the run's concurrency"],
  480: ["agent_never_joined", "reports that nobody is there to answer: check that the agent is registered"],
  484: [REFUSED, "takes the address for incomplete: check the user of the connection's URI"],
  486: ["rate_limited", "is busy: lower the run's concurrency"],
  488: ["agent_error", "agrees on no encoding of the sound: let it take PCMU or PCMA over RTP/AVP"],
  503: [REFUSED, "is not available now"],
  600: ["rate_limited", "is busy everywhere: lower the run's concurrency"],
  603: [REFUSED, "rejected the call"],
  604: [REFUSED, "knows no such address: check the user of the connection's URI"],
  606: ["agent_error", "agrees on no encoding of the sound: let it take PCMU or PCMA over RTP/AVP"],
};

/** Returns why a call ended that the other side refused with a status of 300 or more. */
export function failureOfStatus(status: number): CallFailure {
  const [reason, words] = ENDINGS[status] ?? endingOfClass(status);
  return new CallFailure(reason, `The SIP endpoint ${words} (status ${status}).`);
}

function endingOfClass(status: number): Ending {
  if (status < 400)
    return [REFUSED, "redirects the call, which is not followed: give the connection the final address"];
  if (status >= 600) return [REFUSED, "refused the call"];
  return ["agent_error", status < 500 ? "did not accept the call" : "failed"];
}

export const noAnswerFrom = (host: string): CallFailure =>
  new CallFailure(
    REFUSED,
    `Nothing answered SIP over UDP at ${host}: check the address, the port and that the endpoint runs.`,
  );

export const nobodyAnswered = (seconds: number): CallFailure =>
  new CallFailure("agent_never_joined", `The SIP endpoint took the call, and nobody answered within ${seconds} s.`);

export const soundLost = (seconds: number): Ending => [
  "media_unreachable",
  `No sound packet of the agent arrived for ${seconds} s: check that its RTP over UDP reaches this machine.`,
];

export const unusableAnswer = (what: string): CallFailure =>
  new CallFailure("agent_error", `The SIP endpoint answered the call with ${what}.`);
