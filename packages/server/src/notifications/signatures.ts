import { randomBytes } from "node:crypto";
import { Webhook } from "standardwebhooks";

/** Until `untilMs`, a request also has a signature with the former secret. */
export type WebhookSecrets = { current: string; former?: { secret: string; untilMs: number } };

const FORMER_MS = 24 * 3_600_000;

/** Returns a new secret with 256 random bits, in the form of Standard Webhooks. */
const newWebhookSecret = (): string => `whsec_${randomBytes(32).toString("base64")}`;

/** Replaces the secret of a webhook. The previous secret stays valid as the former secret for 24 hours. */
export function withNewSecret(before: WebhookSecrets | undefined, nowMs: number): WebhookSecrets {
  const current = newWebhookSecret();
  return before === undefined
    ? { current }
    : { current, former: { secret: before.current, untilMs: nowMs + FORMER_MS } };
}

/** Returns the headers with the signatures of a request. A receiver accepts a request if one signature is valid. */
export function signatureHeaders(secrets: WebhookSecrets, eventId: string, body: string, now: Date) {
  const { current, former } = secrets;
  const signing = former !== undefined && former.untilMs > now.getTime() ? [current, former.secret] : [current];
  return {
    "webhook-id": eventId,
    "webhook-timestamp": String(Math.floor(now.getTime() / 1000)),
    "webhook-signature": signing.map((secret) => new Webhook(secret).sign(eventId, now, body)).join(" "),
  };
}
