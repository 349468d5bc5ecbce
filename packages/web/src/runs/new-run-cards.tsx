import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { usePlace } from "../shell/place.ts";
import { Card } from "../ui/card.tsx";
import { RadioGroup } from "../ui/check.tsx";
import { Combobox } from "../ui/combobox.tsx";
import { Select } from "../ui/field.tsx";
import { formatPlural } from "../ui/format.ts";
import styles from "./new-run.module.css";
import { type NewRunSearch, testIdsOf } from "./run-search.ts";
import type { Choices } from "./use-choices.ts";

type PartProps = { search: NewRunSearch; choices: Choices; onChange: (changed: NewRunSearch) => void };

export function TestsCard({ search, choices, onChange, children }: PartProps & { children: ReactNode }) {
  const { params } = usePlace();
  const { suites = [], tests = [], ofRun } = choices;
  const kind = search.run !== undefined ? "run" : search.test !== undefined ? "test" : "suite";
  const withTests = suites.filter(({ testCount }) => testCount > 0);
  return (
    <Card title="Tests">
      <div className={styles["stack"]}>
        <RadioGroup
          legend="What the run plays"
          options={[
            { value: "suite", label: "A suite" },
            { value: "test", label: "Single tests" },
            ...(kind === "run" ? [{ value: "run" as const, label: "The tests of another run" }] : []),
          ]}
          value={kind}
          onChange={(next) => {
            if (next === "suite")
              onChange({ suite: withTests[0]?.id, test: undefined, run: undefined, only: undefined });
            if (next === "test")
              onChange({ suite: undefined, test: tests[0]?.id ?? "", run: undefined, only: undefined });
          }}
        />
        {kind === "suite" && (
          <Select
            label="Suite"
            options={withTests.map(({ id, name, testCount }) => ({
              value: id,
              label: `${name} (${formatPlural(testCount, "test")})`,
            }))}
            value={search.suite ?? ""}
            onChange={({ target }) => onChange({ suite: target.value })}
          />
        )}
        {kind === "test" && (
          <Combobox
            label="Tests"
            multiple
            options={tests.map(({ id, name, version }) => ({ value: id, label: name, detail: `v${version}` }))}
            values={testIdsOf(search)}
            onChange={(ids) => onChange({ test: ids.length === 0 ? "," : ids.join(",") })}
          />
        )}
        {kind === "run" && (
          <div>
            <p>
              Exactly the test versions {search.only === "failed" ? "that failed in" : "of"}{" "}
              <Link to="/o/$organizationId/p/$project/runs/$runId" params={{ ...params, runId: search.run ?? "" }}>
                this run
              </Link>
              :
            </p>
            <ul className={styles["versions"]}>
              {ofRun?.map(({ testVersionId, testName, testVersion }) => (
                <li key={testVersionId}>
                  <bdi>{testName}</bdi> <span>v{testVersion}</span>
                </li>
              ))}
            </ul>
          </div>
        )}
        {children}
      </div>
    </Card>
  );
}

export function AgentCard({ search, choices, error, onChange }: PartProps & { error: string | undefined }) {
  const { params } = usePlace();
  const { agents = [], connections } = choices;
  const isWithout = connections?.length === 0 && search.agent !== undefined;
  return (
    <Card title="Agent">
      <div className={styles["fields"]}>
        <Select
          label="Agent"
          options={[
            ...(search.agent === undefined ? [{ value: "", label: "Choose an agent" }] : []),
            ...agents.map(({ id, name }) => ({ value: id, label: name })),
          ]}
          value={search.agent ?? ""}
          onChange={({ target }) => onChange({ agent: target.value || undefined, connection: undefined })}
        />
        {!isWithout && (
          <Select
            label="Connection"
            error={error}
            disabled={connections === undefined}
            options={[
              ...(search.connection === undefined ? [{ value: "", label: "Choose a connection" }] : []),
              ...(connections ?? []).map(({ id, name, productLabel, environment }) => ({
                value: id,
                label: `${name} (${productLabel}, ${environment})`,
              })),
            ]}
            value={search.connection ?? ""}
            onChange={({ target }) => onChange({ connection: target.value || undefined })}
          />
        )}
      </div>
      {isWithout && (
        <p>
          The agent has no connection.{" "}
          <Link to="/o/$organizationId/p/$project/agents/$agentId" params={{ ...params, agentId: search.agent ?? "" }}>
            Add a connection
          </Link>
        </p>
      )}
    </Card>
  );
}
