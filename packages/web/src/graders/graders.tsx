import type { Grader } from "@svc/contract";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { Plus, Scale } from "lucide-react";
import { Page } from "../shell/page.tsx";
import { usePlace } from "../shell/place.ts";
import { buttonClass } from "../ui/button.tsx";
import { Chip } from "../ui/chip.tsx";
import { classes } from "../ui/classes.ts";
import { Empty } from "../ui/empty.tsx";
import { Failure } from "../ui/notice.tsx";
import { formatPercent } from "../ui/format.ts";
import { Segmented } from "../ui/segmented.tsx";
import { Skeleton } from "../ui/progress.tsx";
import { Table, tables } from "../ui/table.tsx";
import { UserText } from "../ui/user-text.tsx";
import { decidedByWords, definitionSentence } from "./definition.ts";
import styles from "./graders.module.css";
import { JudgeSection } from "./judge-section.tsx";
import { gradersQuery } from "./queries.ts";

const route = getRouteApi("/o/$organizationId/p/$project/graders");

export function Graders() {
  const place = usePlace();
  const { archived } = route.useSearch();
  const navigate = route.useNavigate();
  const { data: graders, error, refetch } = useQuery(gradersQuery(place, archived === "true"));
  return (
    <Page
      title="Graders"
      actions={
        place.canWrite && (
          <Link to="/o/$organizationId/p/$project/graders/new" params={place.params} className={buttonClass("primary")}>
            <Plus size={16} aria-hidden />
            New grader
          </Link>
        )
      }
    >
      <div className={styles["filters"]}>
        <p>A grader gives each conversation a verdict. A run keeps the versions with which it started.</p>
        <Segmented
          label="Shown graders"
          options={[
            { value: "live", label: "Live" },
            { value: "archived", label: "Archived" },
          ]}
          value={archived === "true" ? "archived" : "live"}
          onChange={(value) =>
            void navigate({ search: { archived: value === "archived" ? "true" : undefined }, replace: true })
          }
        />
      </div>
      {error && <Failure error={error} again={refetch} />}
      {graders === undefined ? (
        !error && <Skeleton />
      ) : graders.length === 0 ? (
        <Empty icon={Scale} title="No grader is archived" />
      ) : (
        <GradersTable graders={graders} />
      )}
      {archived !== "true" && (
        <div className={styles["judge"]}>
          <JudgeSection />
        </div>
      )}
    </Page>
  );
}

function GradersTable({ graders }: { graders: readonly Grader[] }) {
  const { params } = usePlace();
  return (
    <Table
      label="Graders"
      stacked
      columns={[
        { head: "Grader", width: "22%" },
        { head: "Decides", wideOnly: true, width: "36%" },
        { head: "By", wideOnly: true },
        { head: "Verdict" },
        { head: "Grades" },
        { head: "", numeric: true, wideOnly: true },
      ]}
    >
      {inUseOrder(graders).map((grader) => (
        <tr key={grader.id}>
          <td className={tables["name"]}>
            <Link to="/o/$organizationId/p/$project/graders/$graderId" params={{ ...params, graderId: grader.id }}>
              <UserText inline text={grader.name} />
            </Link>
          </td>
          <td className={classes(tables["wideOnly"], tables["clip"], tables["faint"])}>
            <span title={definitionSentence(grader.definition)}>
              <UserText inline text={definitionSentence(grader.definition)} />
            </span>
          </td>
          <td className={classes(tables["wideOnly"], tables["faint"])}>{decidedByWords(grader.definition)}</td>
          <td>
            {!grader.enabled ? (
              <Chip>off</Chip>
            ) : grader.counts ? (
              <Chip tone="accent">counts</Chip>
            ) : (
              <Chip>shown only</Chip>
            )}
          </td>
          <td>{scopeWords(grader)}</td>
          <td className={classes(tables["num"], tables["wideOnly"], tables["faint"])}>
            {grader.source === "shipped" ? "shipped" : `v${grader.version}`}
          </td>
        </tr>
      ))}
    </Table>
  );
}

const inUseOrder = (graders: readonly Grader[]): Grader[] =>
  graders.toSorted(
    (a, b) => Number(b.source === "own") - Number(a.source === "own") || Number(b.counts) - Number(a.counts),
  );

function scopeWords({ scope, productionSampleRate }: Grader): string {
  if (scope === "simulations") return "simulations";
  const sample = productionSampleRate < 1 ? `${formatPercent(productionSampleRate)} of production` : "production";
  return scope === "both" ? `simulations, ${sample}` : sample;
}
