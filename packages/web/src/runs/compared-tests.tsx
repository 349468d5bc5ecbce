import type { RunComparison } from "@svc/contract";
import { Link } from "@tanstack/react-router";
import { Check, X } from "lucide-react";
import { usePlace } from "../shell/place.ts";
import { Section } from "../ui/card.tsx";
import { Chip } from "../ui/chip.tsx";
import { classes } from "../ui/classes.ts";
import { Table, tables } from "../ui/table.tsx";
import { UserText } from "../ui/user-text.tsx";
import type { SimulationPair } from "./side-by-side.ts";
import { changedTests, placesOf, pText } from "./run-words.ts";
import widths from "../ui/widths.module.css";
import styles from "./compare.module.css";

type ComparedTest = RunComparison["tests"][number];

type ComparedTestsProps = { comparison: RunComparison; pairs: readonly SimulationPair[] };

export function ComparedTests({ comparison, pairs }: ComparedTestsProps) {
  const { params } = usePlace();
  return (
    <Section title="Tests" note="that both runs played">
      <Table
        label="Tests that both runs played"
        columns={[
          { head: "Test" },
          { head: "Before", numeric: true },
          { head: "Now", numeric: true },
          { head: "Change" },
          { head: "", numeric: true, wideOnly: true },
          { head: "Transcripts", wideOnly: true },
        ]}
      >
        {comparison.tests.map((test) => {
          const link = <SideBySide pairs={pairs.filter(({ testVersionId }) => testVersionId === test.testVersionId)} />;
          return (
            <tr key={test.testVersionId}>
              <td className={tables["name"]}>
                <Link to="/o/$organizationId/p/$project/tests/$testId" params={{ ...params, testId: test.testId }}>
                  <UserText inline text={test.testName} />
                </Link>
                <div className={widths["narrowOnly"]}>{link}</div>
              </td>
              <Passes side={test.first} />
              <Passes side={test.second} />
              <td>
                <Change test={test} />
              </td>
              <td className={classes(tables["num"], tables["wideOnly"], tables["faint"])}>
                {test.canDiffer && `(${pText(test.p)})`}
              </td>
              <td className={tables["wideOnly"]}>{link}</td>
            </tr>
          );
        })}
      </Table>
    </Section>
  );
}

/** Link to the transcripts of a test's first pair with different verdicts, or of its first pair. */
function SideBySide({ pairs }: { pairs: readonly SimulationPair[] }) {
  const pair = pairs.find(({ flipped }) => flipped) ?? pairs[0];
  return pair === undefined ? null : <PairLink firstId={pair.firstId} />;
}

const PairLink = ({ firstId }: { firstId: string }) => (
  <Link
    to="."
    search={(before: Record<string, unknown>) => ({ ...before, pair: firstId }) as never}
    resetScroll={false}
  >
    side by side
  </Link>
);

const Passes = ({ side: { passed, played, undecided, errored } }: { side: ComparedTest["first"] }) => (
  <td className={tables["num"]}>
    {passed}
    <span className={tables["faint"]}>/{played}</span>
    {undecided > 0 && <span className={tables["faint"]}> {undecided} undecided</span>}
    {errored > 0 && <span className={tables["faint"]}> {errored} errored</span>}
  </td>
);

function Change({ test: { change, flaky, recentRuns, canDiffer } }: { test: ComparedTest }) {
  if (change === "broken")
    return (
      <Chip tone="failed" icon={X}>
        broken
      </Chip>
    );
  if (change === "mended")
    return (
      <Chip tone="passed" icon={Check}>
        mended
      </Chip>
    );
  if (flaky) return <Chip tone="plain">flaky over {recentRuns} runs</Chip>;
  return <span className={tables["faint"]}>{canDiffer ? "not distinguishable" : "no change can be named"}</span>;
}

/** Table of the pairs of simulations that passed in one run only, by test. */
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
              {" · "}
              <PairLink firstId={pairs[0]!.firstSimulationId} />
            </td>
          </tr>
        ))}
      </Table>
    </Section>
  );
}
