import { randomBytes } from "node:crypto";
import { Webhook } from "standardwebhooks";

/** The secrets of a webhook's signatures. The former one signs too, until a time. */
export type WebhookSecrets = { current: string; former?: { secret: string; untilMs: number } };

const FORMER_MS = 24 * 3_600_000;

/** Returns a new secret with 256 random bits, in the form of Standard Webhooks. */
const newWebhookSecret = (): string => `whsec_${randomBytes(32).toString("base64")}`;

/** Returns secrets with a new current one. The one before signs for 24 hours more. */
export function withNewSecret(before: WebhookSecrets | undefined, nowMs: number): WebhookSecrets {
  const current = newWebhookSecret();
  return before === undefined
    ? { current }
    : { current, former: { secret: before.current, untilMs: nowMs + FORMER_MS } };
}

/** Returns the headers of Standard Webhooks for a body that is sent now. A receiver accepts any one of the signatures. */
export function signatureHeaders(secrets: WebhookSecrets, eventId: string, body: string, now: Date) {
  const { current, former } = secrets;
  const signing = former !== undefined && former.untilMs > now.getTime() ? [current, former.secret] : [current];
  return {
    "webhook-id": eventId,
    "webhook-timestamp": String(Math.floor(now.getTime() / 1000)),
    "webhook-signature": signing.map((secret) => new Webhook(secret).sign(eventId, now, body)).join(" "),
  };
}
