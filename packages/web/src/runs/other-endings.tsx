import type { Run, SimulationSummary } from "@svc/contract";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { usePlace } from "../frame/place.ts";
import { Section } from "../ui/card.tsx";
import { classes } from "../ui/classes.ts";
import { Table, tables } from "../ui/table.tsx";
import { UserText } from "../ui/user-text.tsx";
import { endingWords, partyWords } from "./ending-words.ts";
import { brokenSimulationsQuery } from "./queries.ts";

/** The simulations that the service could not play to an end, by reason. They are no failures of the agent's tests. */
export function OtherEndings({ run }: { run: Run }) {
  const place = usePlace();
  const { data } = useQuery(brokenSimulationsQuery(place, run.id, run.failedCount));
  if (run.failedCount === 0 || data === undefined) return null;
  const groups = Map.groupBy(data, ({ endingReason }) => endingReason);
  return (
    <Section title="Not played to an end" note="no failures: they have no verdict on the agent">
      <Table
        label="Not played to an end"
        columns={[
          { head: "Ending" },
          { head: "Caused by" },
          { head: "Simulations", numeric: true },
          { head: "For example", wideOnly: true, width: "45%" },
        ]}
      >
        {[...groups].map(([reason, simulations]) => (
          <EndingRow key={reason} simulations={simulations} runId={run.id} />
        ))}
      </Table>
    </Section>
  );
}

function EndingRow({ simulations, runId }: { simulations: readonly SimulationSummary[]; runId: string }) {
  const { params } = usePlace();
  const example = simulations[0]!;
  return (
    <tr>
      <td>{endingWords(example.endingReason)}</td>
      <td>{partyWords(example.endedBy)}</td>
      <td className={tables["num"]}>{simulations.length}</td>
      <td className={classes(tables["wideOnly"], tables["clip"])}>
        <Link
          to="/o/$organizationId/p/$project/runs/$runId/simulations/$simulationId"
          params={{ ...params, runId, simulationId: example.id }}
        >
          <UserText inline text={example.message ?? `${example.testName}, ${example.personaName}`} />
        </Link>
      </td>
    </tr>
  );
}
