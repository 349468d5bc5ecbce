import { LIMITS } from "@svc/contract";
import { readProject } from "../access/projects.ts";
import { createMail } from "../base/net/mail.ts";
import type { ServiceContext } from "../context.ts";
import { readProjectAddress } from "../stores/project-address.ts";
import type { Traces } from "../traces/open.ts";
import { startRetention } from "../traces/erasure/retention.ts";
import { createWitnessRow } from "../traces/store/clock-witness-row.ts";
import { DAY_MS } from "../traces/store/day.ts";
import { createReadQuote, type QuoteSources } from "./quotes.ts";
import { notificationRoutes } from "./routes.ts";
import { conditionsOfFailing } from "./rules.ts";
import { createSend } from "./send.ts";
import { PACE, type SenderPace, startSender } from "./sender.ts";
import { createDeliveryStore } from "./store/deliveries.ts";
import { createDestinationStore } from "./store/destinations.ts";
import { createEventStore, createEventTexts } from "./store/events.ts";

export function openNotifications(
  { config, db, log, sealed, serviceUrl }: ServiceContext,
  { deleted, reader }: Pick<Traces, "deleted" | "reader">,
  quoteSources: QuoteSources,
  pace?: Partial<SenderPace>,
) {
  const destinations = createDestinationStore(db);
  const deliveries = createDeliveryStore(db);
  const events = createEventStore(db);
  const placeOf = (projectId: string) => readProjectAddress(db, serviceUrl, projectId);
  const mail = createMail(config);
  const send = createSend({
    sealed,
    mail,
    privateAddresses: config.outboundPrivate ? "allow" : "refuse",
    mayMail: async (projectId, address) => destinations.isMember((await placeOf(projectId)).organizationId, address),
    readQuote: createReadQuote({
      sources: quoteSources,
      reader,
      readProject: (projectId) => readProject(db, projectId),
      isDeleted: deleted.isDeleted,
      log,
    }),
    log,
    timeoutMs: pace?.timeoutMs ?? PACE.timeoutMs,
  });
  const sender = startSender({ deliveries, send, placeOf, log, pace });
  const closing = new AbortController();
  startRetention({
    what: "events",
    tellsHolds: false,
    witness: createWitnessRow(db, "events"),
    listRetentions: async () => [{ project: null, days: LIMITS.eventDays }],
    eraseBefore: (day) => events.deleteBefore(new Date(day * DAY_MS).toISOString()),
    log,
    signal: closing.signal,
  });

  return {
    texts: createEventTexts(db),
    projectsOf: { destination: destinations.findProjects },
    progress: { counts: sender.counts, countWaiting: deliveries.countWaiting },
    conditionsOf: async (organizationId: string) =>
      conditionsOfFailing(await destinations.listFailing(organizationId), new Date()),
    routes: notificationRoutes({
      destinations,
      deliveries,
      events,
      sealed,
      sendsMail: mail !== undefined,
      send,
      placeOf,
      wake: sender.wake,
    }),
    async close(): Promise<void> {
      closing.abort();
      await sender.close();
    },
  };
}
