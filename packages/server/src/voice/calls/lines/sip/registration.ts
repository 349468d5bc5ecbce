import { randomBytes } from "node:crypto";
import type { CallFailure } from "../../call.ts";
import { failureOfRegistration, noAnswerFrom } from "./endings.ts";
import { type Header, hostOf } from "./message.ts";
import type { createClientTransactions } from "./client-transactions.ts";
import type { Hop } from "./signalling-socket.ts";

/** The requested lifetime is far longer than any call; the service removes the registration at the end of the call. */
const EXPIRES_SECONDS = 3_600;

export type Registrar = {
  account: string;
  hop: Hop;
};

type Registration = {
  /** Calls `done` with the failure (undefined on success) and the status of the response (null without a response). */
  begin: (done: (failure: CallFailure | undefined, status: number | null) => void) => void;
  end: () => void;
};

/** Creates the registration of one call according to RFC 3261, section 10. */
export function createRegistration(
  { account, hop }: Registrar,
  transactions: ReturnType<typeof createClientTransactions>,
  {
    contact,
    localTag,
    route,
    transport,
  }: { contact: string; localTag: string; route: readonly Header[]; transport: string },
): Registration {
  const callId = randomBytes(8).toString("hex");
  const { host, port } = hostOf(account)!;
  let isRegistered = false;

  const register = (expires: number, receive: (status: number | null) => void) =>
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

  return {
    begin(done) {
      register(EXPIRES_SECONDS, (status) => {
        if (status === null) return done(noAnswerFrom(`${transport} at ${hop.address}:${hop.port}`), status);
        if (status >= 300) return done(failureOfRegistration(status), status);
        isRegistered = true;
        done(undefined, status);
      });
    },
    end() {
      if (!isRegistered) return;
      isRegistered = false;
      register(0, () => {});
    },
  };
}
