import { randomBytes } from "node:crypto";
import type { CallFailure } from "../../call.ts";
import type { createClientTransactions } from "./client-transactions.ts";
import { failureOfRegistration, noAnswerFrom } from "./endings.ts";
import { type Header, hostOf, type SipMessage, uriOf } from "./message.ts";
import type { Hop } from "./signalling-socket.ts";

/** Lifetime of the registration of a call that the service places. It is far longer than any call, and needs no renewal. */
export const ONE_CALL_SECONDS = 3_600;
/**
 * Lifetime of the registration of a service that waits. It is short, so that a registrar soon forgets a process that was killed. Many
 * registrars take no shorter one.
 */
export const WAIT_SECONDS = 60;
const RENEWED_MS_MIN = 5_000;
const SECONDS_MAX = 3_600;

export type Registrar = {
  account: string;
  hop: Hop;
};

type Registered = {
  contact: string;
  localTag: string;
  route: readonly Header[];
  transport: string;
  seconds: number;
  /** Receives the failure of a renewal. Absent when the registration is not renewed. */
  lost?: (failure: CallFailure, status: number | null) => void;
};

type Registration = {
  /** Calls `done` with the failure (undefined on success) and the status of the response (null without a response). */
  begin: (done: (failure: CallFailure | undefined, status: number | null) => void) => void;
  end: () => void;
};

/** Creates a registration according to RFC 3261, section 10. */
export function createRegistration(
  { account, hop }: Registrar,
  transactions: ReturnType<typeof createClientTransactions>,
  { contact, localTag, route, transport, seconds, lost }: Registered,
): Registration {
  const callId = randomBytes(8).toString("hex");
  const { host, port } = hostOf(account)!;
  let isRegistered = false;
  let isOver = false;
  let asked = seconds;
  let renewal: NodeJS.Timeout | undefined;

  const register = (expires: number, receive: (status: number | null, response?: SipMessage) => void) =>
    transactions.request({
      method: "REGISTER",
      callId,
      target: `sip:${host}:${port}`,
      hop,
      headers: (sequence) => [
        ...route,
        ["Max-Forwards", "70"],
        ["From", `<${account}>;tag=${localTag}`],
        ["To", `<${account}>`],
        ["Call-ID", callId],
        ["CSeq", `${sequence} REGISTER`],
        ["Contact", contact],
        ["Expires", String(expires)],
        ["User-Agent", "svc"],
      ],
      receive,
    });

  function renewAfter(granted: number): void {
    if (!lost) return;
    renewal = setTimeout(
      () =>
        attempt((failure, status) => {
          if (failure && !isOver) lost(failure, status);
        }),
      Math.max(RENEWED_MS_MIN, granted * 500),
    ).unref();
  }

  function attempt(done: (failure: CallFailure | undefined, status: number | null) => void, mayAskLonger = true): void {
    register(asked, (status, response) => {
      if (status === null) return done(noAnswerFrom(`${transport} at ${hop.address}:${hop.port}`), status);
      const least = status === 423 ? secondsOf(response?.headers.get("min-expires")?.[0]) : undefined;
      if (mayAskLonger && least !== undefined) {
        asked = Math.min(least, SECONDS_MAX);
        return attempt(done, false);
      }
      if (status >= 300) return done(failureOfRegistration(status), status);
      isRegistered = true;
      if (isOver) leave();
      else renewAfter(grantedBy(response!, contact) ?? asked);
      done(undefined, status);
    });
  }

  function leave(): void {
    if (!isRegistered) return;
    isRegistered = false;
    register(0, () => {});
  }

  return {
    begin: (done) => attempt(done),
    end() {
      isOver = true;
      clearTimeout(renewal);
      leave();
    },
  };
}

const secondsOf = (text: string | undefined): number | undefined =>
  /^\d{1,9}$/.test(text ?? "") ? Number(text) : undefined;

/** Returns the seconds that a registrar grants to a contact; undefined when its response does not say them. */
function grantedBy({ headers }: SipMessage, contact: string): number | undefined {
  const own = headers.get("contact")?.find((one) => uriOf(one) === uriOf(contact));
  const granted = /;\s*expires\s*=\s*"?(\d{1,9})/i.exec(own ?? "")?.[1] ?? headers.get("expires")?.[0];
  return secondsOf(granted);
}
