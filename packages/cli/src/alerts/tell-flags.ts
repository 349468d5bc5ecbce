import { Flags, type Interfaces } from "@oclif/core";
import type { AlertRule } from "@svc/contract";
import { repeatedFlag } from "../flags.ts";
import { idOf } from "../look-up.ts";
import { askSlackUrl } from "../notifications/destination-text.ts";
import { isSvcError, usage } from "../refusal.ts";
import type { Session } from "../session/session.ts";

const REMINDERS = { never: null, "1h": 60, "4h": 240, "1d": 1_440 } as const;

export const tellFlags = () => ({
  tell: repeatedFlag(
    "Name or id of a destination that gets its alerts, or all for those that choose alerts. Default: all.",
    "<destination>",
  ),
  "tell-slack": Flags.boolean({
    description:
      "Make a destination in Slack for its alerts. The address comes from a hidden prompt, SVC_SLACK_URL or standard input.",
  }),
  "remind-after": Flags.option({
    options: Object.keys(REMINDERS) as (keyof typeof REMINDERS)[],
    description: "Tell again after this time, while it is bad and nobody has acknowledged it. Default: never.",
  })(),
});

type TellFlags = Interfaces.InferredFlags<ReturnType<typeof tellFlags>>;

/** An omitted flag adds no member. */
export async function toldBy(
  session: Session,
  { tell, "remind-after": remind }: TellFlags,
): Promise<Partial<Pick<AlertRule, "destinationIds" | "remindAfterMinutes">>> {
  if (tell?.includes("all") && tell.length > 1) throw usage("Set --tell all alone, or name destinations.");
  const named = tell?.filter((name) => name !== "all");
  return {
    ...(named !== undefined && {
      destinationIds: await Promise.all(named.map((name) => idOf(session, "destination", name))),
    }),
    ...(remind !== undefined && { remindAfterMinutes: REMINDERS[remind] }),
  };
}

/** Deletes the destination when `write` fails. */
export async function withSlack<T>(
  { client, projectId }: Session,
  name: string,
  write: (destinationId: string) => Promise<T>,
): Promise<T> {
  const eventTypes = ["alert.raised" as const, "alert.cleared" as const];
  const slack = { name, kind: "slack" as const, url: await askSlackUrl(), eventTypes, agents: [], projectId };
  const { destination } = await client.destinations.create(slack).catch((error: unknown) => {
    if (isSvcError(error) && error.code === "name_taken")
      throw usage(`The project has a destination of this name. To tell it: --tell ${JSON.stringify(name)}`);
    throw error;
  });
  return write(destination.id).catch(async (error: unknown) => {
    await client.destinations.delete({ destinationId: destination.id, projectId });
    throw error;
  });
}
