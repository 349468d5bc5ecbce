import type { FailureGroup, GroupMember } from "@svc/contract";
import { counted, facts, paint } from "../terminal/output.ts";
import { ago, moment } from "../terminal/times.ts";
import { sparkline } from "../traces/metric-rows.ts";

export const trendText = ({ trend }: Pick<FailureGroup, "trend">): string =>
  sparkline(trend.map(({ failures }) => (failures === 0 ? null : failures))).replaceAll(" ", "·");

export const agentNamesText = ({ agentNames }: Pick<FailureGroup, "agentNames">): string =>
  agentNames.map((name) => name ?? "without a name").join(", ");

export const groupStateText = ({ state, regressedAt }: FailureGroup): string =>
  state === "open" && regressedAt !== null ? "open, came back" : state;

export const memberPlace = ({ traceId, simulationId, turn }: GroupMember): string =>
  `${traceId ?? simulationId ?? ""}${turn === null ? "" : ` turn ${turn}`}`;

const byMeaningText = ({ joinedByMeaning, size }: FailureGroup): string =>
  `${joinedByMeaning} of ${size}: their words differ, but an embedding model found the same meaning`;

const exceptText = ({ resolvedExceptVersions }: FailureGroup): string =>
  resolvedExceptVersions.length === 0 ? "" : `, except in ${resolvedExceptVersions.join(", ")}`;

export const groupText = (group: FailureGroup, members: readonly GroupMember[]): string =>
  `${paint.bold(group.title ?? group.whatText)}\n${facts([
    ["Id", group.id],
    ["What failed", group.whatText],
    ["Words", group.words.length === 0 ? undefined : group.words.join(" ")],
    ["By meaning", group.joinedByMeaning === 0 ? undefined : byMeaningText(group)],
    ["State", groupStateText(group)],
    ["Failures", `${group.size}  ${trendText(group)}`],
    ["Agents", agentNamesText(group)],
    ["Versions", group.agentVersions.length === 0 ? undefined : group.agentVersions.join(", ")],
    ["First seen", moment(group.firstSeenAt)],
    ["Last seen", ago(group.lastSeenAt)],
    [
      "Resolved",
      group.resolvedAt === null
        ? undefined
        : `${ago(group.resolvedAt)} by ${group.resolvedBy ?? "somebody who has left"}${exceptText(group)}`,
    ],
    ["Came back", group.regressedAt === null ? undefined : moment(group.regressedAt)],
    ...members.map((member, index): [string, string] => [
      index === 0 ? "Conversations" : "",
      `${ago(member.startedAt)}  ${memberPlace(member)}`,
    ]),
    [
      "Next step",
      group.state === "open" ? `svc tests from-traces --group ${group.id}` : `svc groups reopen ${group.id}`,
    ],
  ])}`;

/** `verb` is the change, such as `Resolved`. */
export const editedText = (verb: string, { id, title, whatText, size }: FailureGroup): string =>
  `${verb} ${id}: ${title ?? whatText} (${counted(size, "failure")})`;
