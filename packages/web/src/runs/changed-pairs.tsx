import type { RunComparison } from "@svc/contract";
import { Link } from "@tanstack/react-router";
import { Check, X } from "lucide-react";
import { usePlace } from "../frame/place.ts";
import { Section } from "../ui/card.tsx";
import { Chip } from "../ui/chip.tsx";
import { classes } from "../ui/classes.ts";
import { Table, tables } from "../ui/table.tsx";
import { UserText } from "../ui/user-text.tsx";
import styles from "./compare.module.css";
import { changedTests, placesOf } from "./headline.ts";

/** The pairs that passed on one side only, by test, with one pair of conversations to read. */
export function ChangedPairs({ comparison }: { comparison: RunComparison }) {
  const { params } = usePlace();
  const changed = changedTests(comparison);
  if (changed.length === 0) return null;
  const { firstRunId, secondRunId } = comparison;
  return (
    <Section title="Changed pairs">
      <Table
        label="Changed pairs"
        columns={[
          { head: "Change", width: "9rem" },
          { head: "Test" },
          { head: "Pairs" },
          { head: "One pair", numeric: true, wideOnly: true },
        ]}
      >
        {changed.map(({ change, testId, testVersionId, testName, pairs }) => (
          <tr key={`${change} ${testVersionId}`}>
            <td>
              <Chip tone={change === "mended" ? "passed" : "failed"} icon={change === "mended" ? Check : X}>
                {change === "mended" ? "Mended" : "Regressed"}
              </Chip>
            </td>
            <td className={tables["name"]}>
              <Link to="/o/$organizationId/p/$project/tests/$testId" params={{ ...params, testId }}>
                <UserText inline text={testName} />
              </Link>
            </td>
            <td className={styles["places"]}>
              {pairs.length} <span className={tables["faint"]}>{placesOf(pairs)}</span>
            </td>
            <td className={classes(tables["num"], tables["wideOnly"])}>
              <Link
                to="/o/$organizationId/p/$project/runs/$runId/simulations/$simulationId"
                params={{ ...params, runId: firstRunId, simulationId: pairs[0]!.firstSimulationId }}
              >
                before
              </Link>
              {" · "}
              <Link
                to="/o/$organizationId/p/$project/runs/$runId/simulations/$simulationId"
                params={{ ...params, runId: secondRunId, simulationId: pairs[0]!.secondSimulationId }}
              >
                now
              </Link>
            </td>
          </tr>
        ))}
      </Table>
    </Section>
  );
}
