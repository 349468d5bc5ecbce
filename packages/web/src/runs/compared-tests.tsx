import type { RunComparison } from "@svc/contract";
import { Link } from "@tanstack/react-router";
import { Check, X } from "lucide-react";
import { usePlace } from "../frame/place.ts";
import { Section } from "../ui/card.tsx";
import { Chip } from "../ui/chip.tsx";
import { classes } from "../ui/classes.ts";
import { Table, tables } from "../ui/table.tsx";
import { UserText } from "../ui/user-text.tsx";
import { pText } from "./headline.ts";

type ComparedTest = RunComparison["tests"][number];

/** Every test that both runs played, with its passes on both sides. */
export function ComparedTests({ comparison }: { comparison: RunComparison }) {
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
        ]}
      >
        {comparison.tests.map((test) => (
          <tr key={test.testVersionId}>
            <td className={tables["name"]}>
              <Link to="/o/$organizationId/p/$project/tests/$testId" params={{ ...params, testId: test.testId }}>
                <UserText inline text={test.testName} />
              </Link>
            </td>
            <Passes side={test.first} />
            <Passes side={test.second} />
            <td>
              <Change test={test} />
            </td>
            <td className={classes(tables["num"], tables["wideOnly"], tables["faint"])}>
              {test.canDiffer && `(${pText(test.p)})`}
            </td>
          </tr>
        ))}
      </Table>
    </Section>
  );
}

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
