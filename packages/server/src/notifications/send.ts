import type { ProjectEvent } from "@svc/contract";
import type { Log } from "../base/log/log.ts";
import type { Mail } from "../base/net/mail.ts";
import { exchangeStatus, OutboundFailure, type PrivateAddresses } from "../base/net/outbound.ts";
import { retryAfterSecondsOf } from "../base/net/retry-after.ts";
import type { SealedCredentials } from "../stores/sealed-credentials.ts";
import { mailOf, slackMessage } from "./messages.ts";
import type { ReadQuote } from "./quotes.ts";
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
  readQuote: ReadQuote;
  log: Log;
  timeoutMs: number;
};

const ANSWER_BYTES_MAX = 64 * 1024;
/** Time after which the rest of a digest is sent without quotes, so that the attempt ends before the lease on the destination. */
const QUOTES_MS = 10_000;

const UNREADABLE =
  "The secret of the destination cannot be opened with this service's keys. Make a new secret, or set the address again.";

export function createSend({ sealed, mail, privateAddresses, mayMail, readQuote, log, timeoutMs }: Needs): Send {
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

  /** Returns what the message quotes, by the event's id. Reads it now, because the words may have been erased since the event. */
  async function readQuotes(
    { quotes }: DestinationRow,
    events: readonly ProjectEvent[],
    signal: AbortSignal | undefined,
  ): Promise<Map<string, string>> {
    const found = new Map<string, string>();
    if (quotes === 0) return found;
    const endMs = performance.now() + QUOTES_MS;
    for (const event of events) {
      if (signal?.aborted || performance.now() > endMs) break;
      const quote = await readQuote(event);
      if (quote !== null) found.set(event.id, quote);
    }
    return found;
  }

  const sendTo: Record<DestinationRow["kind"], Send> = {
    async webhook({ id, address }, [event], signal) {
      const secrets = await sealed.open(id);
      if (secrets === undefined) return failed(UNREADABLE);
      const body = JSON.stringify(event);
      const headers = signatureHeaders(JSON.parse(secrets) as WebhookSecrets, event.id, body, new Date());
      return post(address!, body, headers, signal);
    },

    async slack(destination, [event], signal) {
      const url = await sealed.open(destination.id);
      if (url === undefined) return failed(UNREADABLE);
      const quotes = await readQuotes(destination, [event], signal);
      return post(url, JSON.stringify(slackMessage(event, quotes.get(event.id))), {}, signal);
    },

    async email(destination, events, signal) {
      const { id, project_id, address } = destination;
      if (mail === undefined) return failed("This service sends no mail any more.");
      if (!(await mayMail(project_id, address!)))
        return failed(`"${address}" is no member of the organization any more.`);
      const quotes = await readQuotes(destination, events, signal);
      try {
        await mail.send({ to: address!, ...mailOf(events, quotes) });
      } catch (error) {
        // A mail server's message may contain private data, so only the log gets the message. The message may repeat words of the mail, so the
        // log gets only its code if the mail quotes a conversation.
        const { code, responseCode } = error as { code?: string; responseCode?: number };
        const why = quotes.size === 0 ? { err: error } : { code, responseCode };
        log.warn({ ...why, destination: id }, "a mail with events was not accepted");
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
