import type { Answer, Operations } from "@svc/contract";
import { isId } from "./look-up.ts";
import { Refusal } from "./refusal.ts";
import type { Session } from "./session/session.ts";

type Member = Answer<Operations["members"]["list"]>["members"][number];

export const membersOf = ({ client, pages }: Session): AsyncIterable<Member> =>
  pages(client.members.list, { pageSize: 200 });

export async function memberOf(session: Session, idOrEmail: string): Promise<Member> {
  const isWanted = isId("usr", idOrEmail)
    ? ({ userId }: Member) => userId === idOrEmail
    : ({ email }: Member) => email === idOrEmail.trim().toLowerCase();
  for await (const member of membersOf(session)) if (isWanted(member)) return member;
  throw new Refusal("not_found", `There is no member "${idOrEmail}". See \`svc members list\`.`);
}
