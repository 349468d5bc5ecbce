import { LIMITS, type ProjectEvent } from "@svc/contract";
import type { Caller } from "../access/caller.ts";
import { AppError } from "../base/errors.ts";
import { newId } from "../base/ids.ts";
import type { Routes } from "../http/operation.ts";
import { pageRequest } from "../stores/page.ts";
import type { ProjectAddress } from "../stores/project-address.ts";
import type { Db } from "../stores/relational.ts";
import type { DestinationRow } from "../stores/schema.ts";
import type { SealedCredentials } from "../stores/sealed-credentials.ts";
import {
  decideCreate,
  decideEdit,
  presentDelivery,
  presentDestination,
  presentEvent,
  requireMailTo,
  requireOneChoice,
} from "./rules.ts";
import type { Send } from "./send.ts";
import { type WebhookSecrets, withNewSecret } from "./signatures.ts";
import type { DeliveryStore } from "./store/deliveries.ts";
import type { DestinationStore } from "./store/destinations.ts";
import type { EventStore } from "./store/events.ts";

type Needs = {
  destinations: DestinationStore;
  deliveries: DeliveryStore;
  events: EventStore;
  sealed: SealedCredentials;
  sendsMail: boolean;
  send: Send;
  placeOf: (projectId: string) => Promise<ProjectAddress>;
  wake: () => void;
};

export function notificationRoutes(needs: Needs): Routes<"events" | "destinations"> {
  const { destinations: store, deliveries, events, sealed, sendsMail, send, placeOf, wake } = needs;

  async function presentAll(rows: readonly DestinationRow[]) {
    const ids = rows.map(({ id }) => id);
    const [counts, hints] = [await deliveries.count(ids), await sealed.hints(ids)];
    return rows.map((row) => presentDestination(row, { hint: hints.get(row.id) ?? null, ...counts.get(row.id)! }));
  }
  const present = async (row: DestinationRow) => (await presentAll([row]))[0]!;

  async function checkMail({ organizationId }: Caller, email: string | undefined): Promise<void> {
    if (email === undefined) return;
    requireMailTo(email, { sendsMail, isMember: await store.isMember(organizationId, email) });
  }

  const putSecrets = (tx: Db, owner: { id: string; organizationId: string }, secrets: WebhookSecrets) =>
    sealed.put(tx, owner, JSON.stringify(secrets), secrets.current);

  return {
    events: {
      list: async ({ project, query }) => {
        const place = await placeOf(project.id);
        const page = await events.list(project.id, query.type, pageRequest("evt", query.pageSize, query.pageToken));
        return { events: page.items.map((row) => presentEvent(row, place)), nextPageToken: page.next };
      },
    },

    destinations: {
      list: async ({ project, query }) => {
        const page = await store.list(project.id, pageRequest("dst", query.pageSize, query.pageToken));
        return { destinations: await presentAll(page.items), nextPageToken: page.next };
      },

      create: async ({ caller, project, body }) => {
        const { content, slackUrl } = decideCreate(body);
        await checkMail(caller, body.email);
        const secrets = content.kind === "webhook" ? withNewSecret(undefined, Date.now()) : undefined;
        const row = await store.create(project.id, content, LIMITS.destinations, async (tx, id) => {
          const owner = { id, organizationId: caller.organizationId };
          if (secrets !== undefined) await putSecrets(tx, owner, secrets);
          if (slackUrl !== undefined) await sealed.put(tx, owner, slackUrl, slackUrl);
        });
        return { destination: await present(row), secret: secrets?.current ?? null };
      },

      get: async ({ project, params }) => ({
        destination: await present(await store.get(project.id, params.destinationId)),
      }),

      edit: async ({ caller, project, params, body }) => {
        await checkMail(caller, body.email);
        const row = await store.edit(project.id, params.destinationId, async (current, tx) => {
          const { slackUrl, ...decided } = decideEdit(current, body);
          const owner = { id: current.id, organizationId: caller.organizationId };
          if (slackUrl !== undefined) await sealed.put(tx, owner, slackUrl, slackUrl);
          return decided;
        });
        wake();
        return { destination: await present(row) };
      },

      delete: async ({ project, params }) =>
        store.delete(project.id, params.destinationId, (tx) => sealed.remove(tx, params.destinationId)),

      test: async ({ project, params }) => {
        const row = await store.get(project.id, params.destinationId);
        const event = presentEvent(
          {
            id: newId("evt"),
            type: "destination.test",
            created_at: new Date().toISOString(),
            project_id: project.id,
            about: row.id,
            data: JSON.stringify({ destination: { id: row.id, name: row.name } }),
          },
          await placeOf(project.id),
        ) as ProjectEvent;
        const startedMs = performance.now();
        const outcome = await send(row, [event]);
        return {
          delivered: outcome.delivered,
          status: outcome.status,
          problem: outcome.delivered ? null : outcome.problem,
          durationMs: Math.round(performance.now() - startedMs),
        };
      },

      rotateSecret: async ({ caller, project, params }) => {
        const { id, kind } = await store.get(project.id, params.destinationId);
        if (kind !== "webhook")
          throw new AppError("unprocessable", "Only webhooks have a secret. Edit the address of Slack instead.");
        let secret = "";
        const row = await store.edit(project.id, id, async (current, tx) => {
          const before = await sealed.open(id, tx);
          const secrets = withNewSecret(
            before === undefined ? undefined : (JSON.parse(before) as WebhookSecrets),
            Date.now(),
          );
          await putSecrets(tx, { id, organizationId: caller.organizationId }, secrets);
          secret = secrets.current;
          return decideEdit(current, {});
        });
        return { destination: await present(row), secret };
      },

      deliveries: async ({ project, params, query }) => {
        const { id } = await store.get(project.id, params.destinationId);
        const page = await deliveries.list(id, query.state, pageRequest("dlv", query.pageSize, query.pageToken));
        return { deliveries: page.items.map(presentDelivery), nextPageToken: page.next };
      },

      sendAgain: async ({ project, params, body }) => {
        requireOneChoice(body);
        const { id } = await store.get(project.id, params.destinationId);
        const waiting = await deliveries.sendAgain(id, body);
        wake();
        return { waiting };
      },
    },
  };
}
