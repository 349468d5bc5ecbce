import type { FailureGroup, GroupMember } from "@svc/contract";
import { GROUP_STATES, type GroupState } from "@svc/contract/constants";
import { useInfiniteQuery, useMutation, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { Check, CheckCheck, EyeOff, FlaskConical, type LucideIcon, RotateCcw } from "lucide-react";
import { queries, refresh } from "../queries.ts";
import { Page } from "../shell/page.tsx";
import { TESTS_MAX, testsOf } from "../search-params.ts";
import { usePlace } from "../shell/place.ts";
import { Button, buttonClass, WideWords } from "../ui/button.tsx";
import { Card, Section } from "../ui/card.tsx";
import { Chip } from "../ui/chip.tsx";
import { classes } from "../ui/classes.ts";
import { RecordFailure } from "../ui/empty.tsx";
import { formatCount } from "../ui/format.ts";
import { KeyValues } from "../ui/key-values.tsx";
import { Failure } from "../ui/notice.tsx";
import { Skeleton } from "../ui/progress.tsx";
import { LoadMore, Table, tables } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { UserText } from "../ui/user-text.tsx";
import { GroupsLink, StateChip, Trend } from "./group-parts.tsx";
import { agentsWords, byMeaningWords, titleOf, trendWords } from "./group-words.ts";
import styles from "./groups.module.css";
import { groupQuery, memberPages } from "./queries.ts";

const route = getRouteApi("/o/$organizationId/p/$project/groups/$groupId");

export function GroupPage() {
  const { groupId } = route.useParams();
  const place = usePlace();
  const { data: group, error, refetch } = useQuery(groupQuery(place, groupId));
  if (group === undefined)
    return (
      <Page title="Failure group" above={<GroupsLink />}>
        {error ? (
          <RecordFailure error={error} again={refetch} noun="failure group" action={<GroupsLink button />}>
            It never existed, it belongs to another project, or its last conversation was erased or passes now.
          </RecordFailure>
        ) : (
          <Skeleton rows={8} />
        )}
      </Page>
    );
  return (
    <Page title={group.whatText} above={<GroupsLink />} actions={place.canWrite && <StateButtons group={group} />}>
      {error && <Failure error={error} again={refetch} />}
      <div className={styles["parts"]}>
        <Card title="What fails" action={<StateChip group={group} />}>
          <p className={styles["title"]}>
            <UserText inline text={titleOf(group)} />
          </p>
          <Facts group={group} />
        </Card>
        <Members group={group} />
      </div>
    </Page>
  );
}

function Facts({ group }: { group: FailureGroup }) {
  return (
    <KeyValues
      items={[
        ["What failed", <UserText key="what" inline text={group.whatText} />],
        [
          "Words that join them",
          group.words.length === 0 ? (
            "None: what failed tells the cause, or the failing turns are not known."
          ) : (
            <span key="words" className={styles["words"]}>
              {group.words.map((word) => (
                <Chip key={word} tone="plain">
                  <bdi>{word}</bdi>
                </Chip>
              ))}
            </span>
          ),
        ],
        ...(group.joinedByMeaning === 0 ? [] : [["Joined by meaning", byMeaningWords(group)] as const]),
        ["Failures", formatCount(group.size)],
        [
          "Last 14 days",
          <span key="trend" title={trendWords(group)}>
            <Trend group={group} width={320} />
          </span>,
        ],
        ["Agents", <UserText key="agents" inline text={agentsWords(group)} />],
        ...(group.agentVersions.length === 0
          ? []
          : [["Versions", <UserText key="versions" inline text={group.agentVersions.join(", ")} />] as const]),
        ["First seen", <Time key="first" at={group.firstSeenAt} absolute />],
        ["Last seen", <Time key="last" at={group.lastSeenAt} absolute />],
        [
          "State",
          <span key="state" className={styles["state"]}>
            {GROUP_STATES[group.state]}
            {group.resolvedAt !== null && (
              <span>
                Resolved <Time at={group.resolvedAt} absolute /> by{" "}
                <bdi>{group.resolvedBy ?? "somebody who has left"}</bdi>
                {group.resolvedExceptVersions.length > 0 && (
                  <>
                    , except in <UserText inline text={group.resolvedExceptVersions.join(", ")} />
                  </>
                )}
                {group.regressedAt !== null && (
                  <>
                    , came back <Time at={group.regressedAt} absolute />
                  </>
                )}
                .
              </span>
            )}
          </span>,
        ],
      ]}
    />
  );
}

type Decision = { word: string; state: GroupState; exceptVersions?: string[] };

function decisionsOf({ state, agentVersions }: FailureGroup): (Decision & { icon: LucideIcon })[] {
  if (state !== "open") return [{ state: "open", word: "Reopen", icon: RotateCcw }];
  const next = { state: "resolved", word: "Resolve in the next version", icon: CheckCheck } as const;
  return [
    { state: "ignored", word: "Ignore", icon: EyeOff },
    ...(agentVersions.length === 0 ? [] : [{ ...next, exceptVersions: agentVersions }]),
    { state: "resolved", word: "Resolve", icon: Check },
  ];
}

function StateButtons({ group }: { group: FailureGroup }) {
  const place = usePlace();
  const edit = useMutation({
    mutationFn: ({ state, exceptVersions }: Decision) =>
      place.client.groups.edit({ groupId: group.id, state, exceptVersions, projectId: place.projectId }),
    onSuccess: async (answer) => {
      queries.setQueryData(groupQuery(place, group.id).queryKey, answer.group);
      await refresh(place, "groups.list");
    },
  });
  return (
    <>
      {edit.error && <Failure error={edit.error} />}
      {decisionsOf(group).map(({ word, icon: Icon, ...decision }) => (
        <Button
          key={word}
          look={word === "Resolve" ? "primary" : "plain"}
          title={decision.exceptVersions && `Failures of ${decision.exceptVersions.join(", ")} do not open it again.`}
          busy={edit.isPending && edit.variables.word === word}
          onClick={() => edit.mutate({ word, ...decision })}
        >
          <Icon size={16} aria-hidden />
          {word}
        </Button>
      ))}
    </>
  );
}

function Members({ group }: { group: FailureGroup }) {
  const place = usePlace();
  const list = useInfiniteQuery(memberPages(place, group.id));
  const members = list.data?.pages.flatMap((page) => page.members);
  const traceIds = (members ?? []).flatMap(({ traceId }) => traceId ?? []).slice(0, TESTS_MAX);
  return (
    <Section
      title="Conversations"
      note="newest first"
      action={
        place.canWrite && (
          <span className={styles["state"]}>
            {traceIds.length > 1 && <MakeTests traceIds={traceIds} words={`Make tests of ${traceIds.length}`} />}
            {traceIds.length > 0 && <MakeTests traceIds={traceIds.slice(0, 1)} words="Make a test of the newest" />}
          </span>
        )
      }
    >
      {list.error && <Failure error={list.error} again={list.refetch} />}
      {members === undefined && !list.error && <Skeleton rows={4} />}
      {members !== undefined && (
        <>
          <Table
            label="Conversations"
            stacked
            columns={[
              { head: "Failing turn", width: "60%" },
              { head: "Agent" },
              { head: "Source" },
              { head: "Started", numeric: true },
            ]}
          >
            {members.map((member) => (
              <tr key={`${member.simulationId ?? member.traceId}`}>
                <td className={tables["name"]}>
                  <div className={styles["cell"]}>
                    <MemberLink member={member} />
                  </div>
                </td>
                <td>
                  <UserText inline text={member.agentName ?? "without a name"} />
                  {member.agentVersion !== null && (
                    <span className={tables["faint"]}>
                      {" "}
                      <bdi>{member.agentVersion}</bdi>
                    </span>
                  )}
                </td>
                <td>{member.source === "production" ? "Production" : "Simulation"}</td>
                <td className={classes(tables["num"], tables["faint"])}>
                  <Time at={member.startedAt} />
                </td>
              </tr>
            ))}
          </Table>
          <LoadMore
            hasMore={list.hasNextPage}
            busy={list.isFetchingNextPage}
            onClick={() => void list.fetchNextPage()}
          />
        </>
      )}
    </Section>
  );
}

/** The tests are made one after the other. */
function MakeTests({ traceIds, words }: { traceIds: readonly string[]; words: string }) {
  const { params } = usePlace();
  return (
    <Link
      to="/o/$organizationId/p/$project/tests/new"
      params={params}
      search={testsOf(traceIds)}
      className={buttonClass()}
      title={words}
    >
      <FlaskConical size={16} aria-hidden />
      <WideWords>{words}</WideWords>
    </Link>
  );
}

function MemberLink({ member: { traceId, runId, simulationId, turn, quote } }: { member: GroupMember }) {
  const { params } = usePlace();
  const words = <UserText inline text={quote ?? "Show the conversation"} />;
  const search = { turn: turn ?? undefined };
  if (runId !== null && simulationId !== null)
    return (
      <Link
        to="/o/$organizationId/p/$project/runs/$runId/simulations/$simulationId"
        params={{ ...params, runId, simulationId }}
        search={search}
      >
        {words}
      </Link>
    );
  if (traceId === null) return words;
  return (
    <Link to="/o/$organizationId/p/$project/conversations/$traceId" params={{ ...params, traceId }} search={search}>
      {words}
    </Link>
  );
}
