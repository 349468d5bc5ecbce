import { CallFailure } from "../../call.ts";

type Ending = readonly [reason: CallFailure["reason"], note: string];

const ENCODINGS = "PCMU, PCMA or G.722";

const NO_CREDENTIAL = "asks for a user and a password that the connection does not have, or refuses them";
const NO_ENCODING = `agrees on no encoding of the sound: let it take ${ENCODINGS} over RTP/AVP`;
const NO_ADDRESS = "knows no such address: check the connection's number, or the user of its URI";

/** None of these reasons is a failure of the agent: a proxy, a platform or the line may have sent the response. */
const ENDINGS: Record<number, Ending> = {
  401: ["credential_rejected", NO_CREDENTIAL],
  403: ["call_rejected", "refused the call: let it admit calls of this service"],
  404: ["unknown_address", NO_ADDRESS],
  407: ["credential_rejected", NO_CREDENTIAL],
  408: ["connection_refused", "reports that the agent's side did not react"],
  410: ["unknown_address", "knows the address no longer: check the user of the connection's URI"],
  415: ["connection_refused", "does not read the description of the sound"],
  416: ["unknown_address", "does not know this kind of address: check the connection's URI"],
  429: ["rate_limited", "gets too many calls: lower the run's concurrency"],
  480: ["connection_refused", "reports that nobody is there to answer: check that the agent is registered"],
  484: ["unknown_address", "takes the address for incomplete: check the user of the connection's URI"],
  485: ["unknown_address", "takes the address for ambiguous: check the user of the connection's URI"],
  486: ["busy", "is busy: lower the run's concurrency"],
  488: ["connection_refused", NO_ENCODING],
  503: ["connection_refused", "is not available now"],
  600: ["busy", "is busy everywhere: lower the run's concurrency"],
  603: ["call_rejected", "rejected the call"],
  604: ["unknown_address", NO_ADDRESS],
  606: ["connection_refused", NO_ENCODING],
};

/** When the call has rung, these responses mean that nobody answered. */
const NOBODY_TOOK_IT = new Set([408, 480]);

/** `isChallenged`: the endpoint asked for the user and the password of the connection, and got them. */
export type Before = { hasRung: boolean; isChallenged: boolean };

export function failureOfStatus(status: number, before: Before): CallFailure {
  const [reason, words] = endingOf(status, before);
  return new CallFailure(reason, `The SIP endpoint ${words} (status ${status}).`);
}

function endingOf(status: number, { hasRung, isChallenged }: Before): Ending {
  if (hasRung && NOBODY_TOOK_IT.has(status)) return ["no_answer", "reports that the call rang and nobody answered"];
  // Many endpoints refuse a wrong password with this status in place of a second challenge.
  if (isChallenged && status === 403)
    return [
      "call_rejected",
      "refused the call after it got the user and password: check both, and let it admit calls of this service",
    ];
  return ENDINGS[status] ?? endingOfClass(status);
}

function endingOfClass(status: number): Ending {
  if (status < 400)
    return ["connection_refused", "redirects the call, which is not followed: give the connection the final address"];
  if (status >= 600) return ["call_rejected", "refused the call"];
  return ["connection_refused", status < 500 ? "did not accept the call" : "failed"];
}

export function failureOfRegistration(status: number): CallFailure {
  const isCredential = status === 401 || status === 403 || status === 407;
  return new CallFailure(
    isCredential ? "credential_rejected" : "connection_refused",
    isCredential
      ? `The SIP registrar refused the connection's user and password (status ${status}): replace them, or check the account.`
      : `The SIP registrar did not register the service (status ${status}): check the connection's account.`,
  );
}

/** `where` names the transport and the address. `unreadable` counts the messages of the other side that are not valid SIP. */
export const noAnswerFrom = (where: string, unreadable = 0): CallFailure =>
  new CallFailure(
    "connection_refused",
    unreadable > 0
      ? `No valid SIP came over ${where}: ${unreadableText(unreadable)}.`
      : `Nothing answered SIP over ${where}: check the address, the port and that the endpoint runs.`,
  );

export function nobodyAnswered(seconds: number, hasRung: boolean, unreadable: number): CallFailure {
  // An answer may be among these messages, so they are no evidence that nobody answered.
  if (unreadable > 0)
    return new CallFailure(
      "connection_refused",
      `The SIP endpoint gave no valid answer within ${seconds} s: ${unreadableText(unreadable)}.`,
    );
  return hasRung
    ? new CallFailure("no_answer", `The call rang at the SIP endpoint, and nobody answered within ${seconds} s.`)
    : new CallFailure(
        "connection_refused",
        `The SIP endpoint took the call and let nothing ring within ${seconds} s: check that the agent is registered.`,
      );
}

const unreadableText = (count: number): string =>
  `${count === 1 ? "a message of the other side is" : `${count} messages of the other side are`} malformed`;

export const longestCall = (seconds: number): Ending => [
  "time_limit",
  `The service ended the call after ${seconds} s, the longest call of its trunk.`,
];

export const soundLost = (seconds: number): Ending => [
  "media_unreachable",
  `No sound packet of the agent arrived for ${seconds} s: check that its RTP over UDP reaches this machine.`,
];

export const noTrustedTls = (host: string): CallFailure =>
  new CallFailure(
    "connection_refused",
    `The SIP endpoint did not agree on a trusted TLS connection: check that its certificate is valid for ${host}, or set NODE_EXTRA_CA_CERTS at the service to the PEM file of the certificate's authority.`,
  );

/** Returns the failure of an answered call whose answer names an address to which the service sends nothing, for example one behind NAT. */
const unusableAddress = (reason: CallFailure["reason"], where: string): CallFailure =>
  new CallFailure(
    reason,
    `The SIP endpoint answered the call with an address in ${where} that the service does not call: let it name an address that this service reaches.`,
  );

export const unusableRoute = (): CallFailure => unusableAddress("connection_refused", "Contact or Record-Route");
export const unusableSound = (): CallFailure => unusableAddress("media_unreachable", "the description of its sound");

export const noEncoding = (): CallFailure =>
  new CallFailure(
    "agent_error",
    `The SIP endpoint answered the call with no encoding of the sound that the service offered: let it take ${ENCODINGS} over RTP/AVP.`,
  );

/** What happened to the calls that came while the service waited. */
type Untaken = { refused: number; canceled: number; lastRefusal: string | undefined };

export function noCall(seconds: number, { refused, canceled, lastRefusal }: Untaken): CallFailure {
  const told = [
    `No call came within ${seconds} s that the service could take.`,
    ...(canceled > 0 ? [`${canceled === 1 ? "A caller" : `${canceled} callers`} gave up before the answer.`] : []),
    ...(refused > 0
      ? [`${refused === 1 ? "A call was" : `${refused} calls were`} refused, the last one because ${lastRefusal}.`]
      : []),
    ...(refused + canceled === 0
      ? ["Let the agent call while the simulation waits, and check that the number leads to the connection's account."]
      : []),
  ];
  return new CallFailure("no_call", told.join(" "));
}

export const noAcknowledgement = (): CallFailure =>
  new CallFailure(
    "connection_refused",
    "The agent called, and never acknowledged the answer (no ACK for 32 s): check that its side reaches the address in Contact.",
  );
