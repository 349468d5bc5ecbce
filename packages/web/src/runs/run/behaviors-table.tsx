import { useQuery } from "@tanstack/react-query";
import type { Answer, Operations } from "@svc/sdk";
import { Link } from "@tanstack/react-router";
import { usePlace } from "../../frame/place.ts";
import { Section } from "../../ui/card.tsx";
import { Failure } from "../../ui/failure.tsx";
import { Table, tables } from "../../ui/table.tsx";
import { UserText } from "../../ui/user-text.tsx";
import { behaviorsQuery } from "./queries.ts";

type Behavior = Answer<Operations["runs"]["behaviors"]>["behaviors"][number];

const DECIDED_BY: Record<Behavior["decidedBy"], string> = {
  check: "code",
  judge: "judge",
  built_in: "grader",
  veto: "person",
  none: "nothing yet",
};

/** The behaviors that did not pass everywhere, with an example of each, and failures of graders that do not count. */
export function BehaviorsTable({ runId, graded }: { runId: string; graded: number }) {
  const place = usePlace();
  const { data, error, refetch } = useQuery(behaviorsQuery(place, runId, graded));
  if (error) return <Failure error={error} again={refetch} />;
  const open = (data?.behaviors ?? []).filter(
    ({ counts, failed, example }) => example !== null && (counts || failed > 0),
  );
  if (open.length === 0) return null;
  return (
    <Section title="What did not pass" note="by behavior, most failures first">
      <Table
        label="Behaviors that did not pass"
        columns={[
          { head: "Behavior" },
          { head: "Test", wideOnly: true },
          { head: "Decided by", wideOnly: true },
          { head: "Failed", numeric: true },
          { head: "For example", width: "32%", wideOnly: true },
        ]}
      >
        {open.map((behavior) => (
          <Row
            key={`${behavior.testVersionId} ${behavior.graderId} ${behavior.criterion}`}
            behavior={behavior}
            runId={runId}
          />
        ))}
      </Table>
    </Section>
  );
}

function Row({ behavior, runId }: { behavior: Behavior; runId: string }) {
  const { params } = usePlace();
  const { criterion, testName, decidedBy, counts, failed, example } = behavior;
  const all = behavior.passed + failed + behavior.inconclusive + behavior.notGraded + behavior.errored;
  return (
    <tr>
      <td className={tables["name"]}>
        <Link
          to="/o/$organizationId/p/$project/runs/$runId/simulations/$simulationId"
          params={{ ...params, runId, simulationId: example!.simulationId }}
        >
          <UserText inline text={criterion} />
        </Link>
        {!counts && <span className={tables["faint"]}> does not count</span>}
      </td>
      <td className={tables["wideOnly"]}>
        <UserText inline text={testName} />
      </td>
      <td className={tables["wideOnly"]}>{DECIDED_BY[decidedBy]}</td>
      <td className={tables["num"]}>
        {failed > 0 ? failed : <span className={tables["faint"]}>{openWords(behavior)}</span>}
        <span className={tables["faint"]}>/{all}</span>
      </td>
      <td className={`${tables["clip"]} ${tables["wideOnly"]}`}>
        <UserText inline text={example!.evidence?.quote ?? example!.reason} />
      </td>
    </tr>
  );
}

/** Returns why a behavior without failures is not decided. */
function openWords({ inconclusive, notGraded, errored }: Behavior): string {
  if (inconclusive > 0) return `inconclusive ${inconclusive}`;
  return notGraded > 0 ? `not graded ${notGraded}` : `errored ${errored}`;
}
