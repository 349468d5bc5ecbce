import type { ListedSimulation, Run } from "@svc/contract";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { usePlace } from "../shell/place.ts";
import { Section } from "../ui/card.tsx";
import { formatCount, formatPlural } from "../ui/format.ts";
import { Table, tables } from "../ui/table.tsx";
import { UserText } from "../ui/user-text.tsx";
import { queueQuery } from "./queries.ts";

/** The table shows only the number of the other waiting simulations. */
const SHOWN = 8;

/** No start times are shown, because calls have no known length. */
export function RunQueue({ run }: { run: Run }) {
  const place = usePlace();
  const { data } = useQuery(queueQuery(place, run.id, run.queuedCount));
  const next = data?.filter(({ queuePosition }) => queuePosition !== null) ?? [];
  if (run.queuedCount === 0 || run.status !== "running") return null;
  const more = run.queuedCount - Math.min(next.length, SHOWN);
  return (
    <Section title="Queue" note={`${formatCount(run.runningCount)} under way, ${formatCount(run.queuedCount)} wait`}>
      {next.length > 0 && (
        <Table
          label="Queue"
          columns={[{ head: "Place", numeric: true, width: "4rem" }, { head: "Test" }, { head: "Persona" }]}
        >
          {next
            .toSorted((a, b) => a.queuePosition! - b.queuePosition!)
            .slice(0, SHOWN)
            .map((simulation) => (
              <QueueRow key={simulation.id} simulation={simulation} />
            ))}
        </Table>
      )}
      {next.length > 0 && more > 0 && <p className={tables["faint"]}>And {formatPlural(more, "other simulation")}.</p>}
    </Section>
  );
}

function QueueRow({ simulation }: { simulation: ListedSimulation }) {
  const { params } = usePlace();
  const { id, runId, queuePosition, testName, personaName, iteration } = simulation;
  return (
    <tr>
      <td className={tables["num"]}>{queuePosition}</td>
      <td>
        <Link
          to="/o/$organizationId/p/$project/runs/$runId/simulations/$simulationId"
          params={{ ...params, runId, simulationId: id }}
        >
          <UserText inline text={testName} />
        </Link>
      </td>
      <td>
        <UserText inline text={personaName} />, iteration {iteration}
      </td>
    </tr>
  );
}
