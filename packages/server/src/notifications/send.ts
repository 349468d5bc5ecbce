import type { ProjectEvent } from "@svc/contract";
import type { Log } from "../base/log/log.ts";
import type { Mail } from "../base/net/mail.ts";
import { exchangeStatus, OutboundFailure, type PrivateAddresses } from "../base/net/outbound.ts";
import { retryAfterSecondsOf } from "../base/net/retry-after.ts";
import type { SealedCredentials } from "../stores/sealed-credentials.ts";
import { mailOf, slackMessage } from "./messages.ts";
import type { DestinationRow } from "../stores/schema.ts";
import { signatureHeaders, type WebhookSecrets } from "./signatures.ts";
import type { FailedAttempt } from "./store/deliveries.ts";

export type Attempt = { delivered: true; status: number | null } | ({ delivered: false } & FailedAttempt);

/**
 * Sends events to a destination: several events only in a mail, else one. Returns a failure of the receiver, and throws only errors of the
 * service itself.
 */
export type Send = (
  destination: DestinationRow,
  events: readonly [ProjectEvent, ...ProjectEvent[]],
  signal?: AbortSignal,
) => Promise<Attempt>;

type Needs = {
  sealed: SealedCredentials;
  mail: Mail | undefined;
  privateAddresses: PrivateAddresses;
  mayMail: (projectId: string, address: string) => Promise<boolean>;
  log: Log;
  timeoutMs: number;
};

const ANSWER_BYTES_MAX = 64 * 1024;

const UNREADABLE =
  "The secret of the destination cannot be opened with this service's keys. Make a new secret, or set the address again.";

export function createSend({ sealed, mail, privateAddresses, mayMail, log, timeoutMs }: Needs): Send {
  async function post(url: string, body: string, headers: Record<string, string>, signal: AbortSignal | undefined) {
    const { status, headers: answered } = await exchangeStatus({
      method: "POST",
      url: new URL(url),
      headers: { "user-agent": "svc-webhooks", ...headers },
      body: { type: "application/json", bytes: Buffer.from(body) },
      timeoutMs,
      maxBytes: ANSWER_BYTES_MAX,
      privateAddresses,
      ...(signal && { signal }),
    });
    if (status >= 200 && status < 300) return { delivered: true as const, status };
    const seconds = retryAfterSecondsOf(answered);
    return {
      delivered: false as const,
      status,
      problem: `The receiver answered with the status ${status}.`,
      retryAfterMs: seconds === undefined ? undefined : seconds * 1000,
      isGone: status === 410,
    };
  }

  const sendTo: Record<DestinationRow["kind"], Send> = {
    async webhook({ id, address }, [event], signal) {
      const secrets = await sealed.open(id);
      if (secrets === undefined) return failed(UNREADABLE);
      const body = JSON.stringify(event);
      const headers = signatureHeaders(JSON.parse(secrets) as WebhookSecrets, event.id, body, new Date());
      return post(address!, body, headers, signal);
    },

    async slack({ id }, [event], signal) {
      const url = await sealed.open(id);
      if (url === undefined) return failed(UNREADABLE);
      return post(url, JSON.stringify(slackMessage(event)), {}, signal);
    },

    async email({ id, project_id, address }, events) {
      if (mail === undefined) return failed("This service sends no mail any more.");
      if (!(await mayMail(project_id, address!)))
        return failed(`"${address}" is no member of the organization any more.`);
      try {
        await mail.send({ to: address!, ...mailOf(events) });
      } catch (error) {
        // A mail server's message may contain private data, so only the log gets the message.
        log.warn({ err: error, destination: id }, "a mail with events was not accepted");
        return failed("The mail server did not accept the message. The service's log says why.");
      }
      return { delivered: true, status: null };
    },
  };

  return async (destination, events, signal) => {
    try {
      return await sendTo[destination.kind](destination, events, signal);
    } catch (error) {
      if (error instanceof OutboundFailure) return failed(`${error.message}.`);
      throw error;
    }
  };
}

const failed = (problem: string): Attempt => ({ delivered: false, status: null, problem });
