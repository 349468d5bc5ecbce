import type { LabeledGrade } from "@svc/contract";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { usePlace } from "../shell/place.ts";
import { Section } from "../ui/card.tsx";
import { Chip, Verdict } from "../ui/chip.tsx";
import { classes } from "../ui/classes.ts";
import { Failure } from "../ui/notice.tsx";
import { Segmented } from "../ui/segmented.tsx";
import { Skeleton } from "../ui/progress.tsx";
import { Table, tables } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { UserText } from "../ui/user-text.tsx";
import { labelsQuery } from "./queries.ts";

const route = getRouteApi("/o/$organizationId/p/$project/graders/$graderId");

export function LabelsCard({ graderId }: { graderId: string }) {
  const { labels: shown } = route.useSearch();
  const navigate = route.useNavigate();
  const { data, error, refetch } = useQuery(labelsQuery(usePlace(), graderId, shown === "other"));
  return (
    <Section
      title="Labels"
      note="newest first"
      action={
        <Segmented
          label="Shown labels"
          options={[
            { value: "all", label: "All" },
            { value: "other", label: "Disagree" },
          ]}
          value={shown ?? "all"}
          onChange={(value) =>
            void navigate({
              search: (before) => ({ ...before, labels: value === "other" ? ("other" as const) : undefined }),
              replace: true,
              resetScroll: false,
            })
          }
        />
      }
    >
      {error && <Failure error={error} again={refetch} />}
      {data === undefined ? (
        !error && <Skeleton rows={3} />
      ) : data.length === 0 ? (
        <p className={tables["faint"]}>
          {shown === "other"
            ? "Every label agrees with its grade."
            : "No label yet. “Right” and “Should have passed” beside a verdict store one, and the review queue chooses what to label."}
        </p>
      ) : (
        <Table
          label="Labels"
          columns={[
            { head: "Criterion", width: "34%" },
            { head: "Grade" },
            { head: "Label" },
            { head: "By", wideOnly: true },
            { head: "When", numeric: true, wideOnly: true },
          ]}
        >
          {data.map((label) => (
            <LabelRow key={`${label.gradeId} ${label.userId}`} label={label} />
          ))}
        </Table>
      )}
    </Section>
  );
}

function LabelRow({ label }: { label: LabeledGrade }) {
  const { params } = usePlace();
  const { criterion, version, graded, verdict, note, userName, labeledAt, runId, simulationId, conversation } = label;
  const text = <UserText inline text={criterion} />;
  return (
    <tr>
      <td className={tables["clip"]} title={note ?? criterion}>
        {runId !== null && simulationId !== null ? (
          <Link
            to="/o/$organizationId/p/$project/runs/$runId/simulations/$simulationId"
            params={{ ...params, runId, simulationId }}
          >
            {text}
          </Link>
        ) : conversation !== null ? (
          <Link to="/o/$organizationId/p/$project/conversations/$traceId" params={{ ...params, traceId: conversation }}>
            {text}
          </Link>
        ) : (
          text
        )}{" "}
        <span className={tables["faint"]}>v{version}</span>
      </td>
      <td>
        <Verdict verdict={graded} />
      </td>
      <td>{verdict === "unsure" ? <Chip>Unsure</Chip> : <Verdict verdict={verdict} />}</td>
      <td className={classes(tables["wideOnly"], tables["faint"])}>
        <UserText inline text={userName} />
      </td>
      <td className={classes(tables["num"], tables["wideOnly"], tables["faint"])}>
        <Time at={labeledAt} />
      </td>
    </tr>
  );
}
