import { randomBytes } from "node:crypto";
import { Webhook } from "standardwebhooks";

/** Secrets for the signatures of a webhook. The former secret also signs until `untilMs`. */
export type WebhookSecrets = { current: string; former?: { secret: string; untilMs: number } };

const FORMER_MS = 24 * 3_600_000;

/** Returns a new secret with 256 random bits, in the form of Standard Webhooks. */
const newWebhookSecret = (): string => `whsec_${randomBytes(32).toString("base64")}`;

/** Returns secrets with a new current one. The previous current secret also signs for 24 hours. */
export function withNewSecret(before: WebhookSecrets | undefined, nowMs: number): WebhookSecrets {
  const current = newWebhookSecret();
  return before === undefined
    ? { current }
    : { current, former: { secret: before.current, untilMs: nowMs + FORMER_MS } };
}

/** Returns the headers of Standard Webhooks for a body that is sent now. One valid signature is enough for a receiver. */
export function signatureHeaders(secrets: WebhookSecrets, eventId: string, body: string, now: Date) {
  const { current, former } = secrets;
  const signing = former !== undefined && former.untilMs > now.getTime() ? [current, former.secret] : [current];
  return {
    "webhook-id": eventId,
    "webhook-timestamp": String(Math.floor(now.getTime() / 1000)),
    "webhook-signature": signing.map((secret) => new Webhook(secret).sign(eventId, now, body)).join(" "),
  };
}
