import { listQueryOf, type ViewedList, type ViewQuery } from "@svc/contract";
import { Flags } from "@oclif/core";
import { idOf } from "../look-up.ts";
import { Refusal, usage } from "../refusal.ts";
import type { Session } from "../session/session.ts";
import { oneLine } from "../terminal/output.ts";

const COMMANDS: Record<ViewedList, string> = { conversations: "traces list", turns: "turns list" };

export const viewFlag = () =>
  Flags.string({
    description: "Filters and order of this saved view, by its id or exact name. Further flags replace single ones.",
  });

/** Returns the filters of a view of the list, as they are now. `note` gets what is wrong with them. */
export async function filtersOfView<List extends ViewedList>(
  session: Session,
  list: List,
  idOrName: string,
  note: (text: string) => void,
) {
  const viewId = await idOf(session, "view", idOrName);
  const { view } = await session.client.views.get({ viewId, projectId: session.projectId });
  const { query } = view;
  if (query.list !== list) {
    const other = `svc ${COMMANDS[query.list]} --view "${oneLine(view.name)}"`;
    throw new Refusal("unprocessable", `This is a view of ${query.list}. Use \`${other}\`.`);
  }
  for (const { message } of view.problems) note(`${view.name}: ${message}`);
  return listQueryOf(query as Extract<ViewQuery, { list: List }>, Date.now());
}

/** Leaves out members without a value. They would replace filters of a view. */
export const given = <T extends object>(members: T): T =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as T;

/** Parses `24h` or `7d`. */
export function hoursOf(text: string): number {
  const [, count, unit] = /^([1-9]\d{0,3})([hd])$/.exec(text) ?? [];
  if (count === undefined) throw usage(`"${text}" is not a range. Write 24h or 7d.`);
  return Number(count) * (unit === "d" ? 24 : 1);
}

/** Example: `status error, sort -slowest, last 24 hours`. */
export function queryText({ list: _, lastHours, ...filters }: ViewQuery): string {
  const words = Object.entries(filters).map(([name, value]) => `${name} ${oneLine(String(value))}`);
  return [...words, ...(lastHours === undefined ? [] : [`last ${lastHours} hours`])].join(", ") || "all";
}
