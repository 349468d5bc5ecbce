import { LIMITS } from "@svc/contract";
import { createMail } from "../base/net/mail.ts";
import type { ServiceContext } from "../context.ts";
import { startRetention } from "../traces/erasure/retention.ts";
import { createWitnessRow } from "../traces/store/clock-witness-row.ts";
import { DAY_MS } from "../traces/store/day.ts";
import { notificationRoutes } from "./routes.ts";
import { conditionsOfFailing } from "./rules.ts";
import { createSend } from "./send.ts";
import { type SenderPace, startSender } from "./sender.ts";
import { createEventTexts, createNotificationStore } from "./store.ts";

/** Opens the events of all projects, the destinations that receive them, and the sender. */
export function openNotifications({ config, db, log, sealed, serviceUrl }: ServiceContext, pace?: Partial<SenderPace>) {
  const store = createNotificationStore(db);
  const placeOf = async (projectId: string) => ({ serviceUrl, ...(await store.placeOf(projectId)) });
  const mail = createMail(config);
  const send = createSend({
    sealed,
    mail,
    privateAddresses: config.outboundPrivate ? "allow" : "refuse",
    mayMail: async (projectId, address) => store.isMember((await store.placeOf(projectId)).organizationId, address),
    log,
  });
  const sender = startSender({ store, send, placeOf, log, pace });
  const closing = new AbortController();
  startRetention({
    what: "events",
    tellsHolds: false,
    witness: createWitnessRow(db, "events"),
    listRetentions: async () => [{ project: null, days: LIMITS.eventDays }],
    eraseBefore: (day) => store.deleteBefore(new Date(day * DAY_MS).toISOString()),
    log,
    signal: closing.signal,
  });

  return {
    texts: createEventTexts(db),
    projectsOf: { destination: store.findProjects },
    /** Returns the conditions of the organization's destinations. */
    conditionsOf: async (organizationId: string) =>
      conditionsOfFailing(await store.listFailing(organizationId), new Date()),
    routes: notificationRoutes({ store, sealed, sendsMail: mail !== undefined, send, placeOf, wake: sender.wake }),
    async close(): Promise<void> {
      closing.abort();
      await sender.close();
    },
  };
}
