import type { Simulation } from "@svc/contract";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { Fragment, useEffect, useRef } from "react";
import { argumentsText, cut, shownText, valueText } from "../conversations/shown-text.ts";
import { callTime } from "../conversations/timeline/axis.ts";
import said from "../conversations/timeline/said.module.css";
import { usePlace } from "../shell/place.ts";
import { Button } from "../ui/button.tsx";
import { Section } from "../ui/card.tsx";
import { Verdict } from "../ui/chip.tsx";
import { classes } from "../ui/classes.ts";
import { Select } from "../ui/field.tsx";
import { formatMs } from "../ui/format.ts";
import { Failure, Notice } from "../ui/notice.tsx";
import { Skeleton } from "../ui/progress.tsx";
import { UserText } from "../ui/user-text.tsx";
import { simulationQuery } from "./queries.ts";
import { type SideRow, type SideTool, type SideTurn, sideBySide, type SimulationPair } from "./side-by-side.ts";
import styles from "./transcripts.module.css";

const TOOL_CHARACTERS = 300;

/** The transcripts of two simulations of a pair beside each other. The other pairs of the test can be chosen. */
export function Transcripts({ pair, pairs }: { pair: SimulationPair; pairs: readonly SimulationPair[] }) {
  const place = usePlace();
  const first = useQuery(simulationQuery(place, pair.firstId));
  const second = useQuery(simulationQuery(place, pair.secondId));
  const section = useRef<HTMLDivElement>(null);
  const error = first.error ?? second.error;
  const isKnown = first.data !== undefined && second.data !== undefined;
  // Newer browsers return a promise, which React would take for the effect's end.
  useEffect(() => {
    section.current?.scrollIntoView({ block: "start" });
  }, [isKnown]);
  return (
    <div ref={section} className={styles["transcripts"]}>
      <Section title="Side by side" note={<bdi>{pair.testName}</bdi>} action={<Choice pair={pair} pairs={pairs} />}>
        {error !== null && <Failure error={error} />}
        {first.data === undefined || second.data === undefined ? (
          error === null && <Skeleton rows={8} />
        ) : (
          <Rows first={first.data} second={second.data} />
        )}
      </Section>
    </div>
  );
}

function Choice({ pair, pairs }: { pair: SimulationPair; pairs: readonly SimulationPair[] }) {
  const navigate = useNavigate();
  const ofTest = pairs.filter(({ testVersionId }) => testVersionId === pair.testVersionId);
  return (
    <Select
      label="Pair"
      value={pair.firstId}
      options={ofTest.map(({ firstId, personaName, iteration, flipped }) => ({
        value: firstId,
        label: `${shownText(personaName)}, iteration ${iteration}${flipped ? ", other verdict" : ""}`,
      }))}
      onChange={({ target }) =>
        void navigate({
          to: ".",
          search: (before: Record<string, unknown>) => ({ ...before, pair: target.value }) as never,
          replace: true,
          resetScroll: false,
        })
      }
    />
  );
}

function Rows({ first, second }: { first: Simulation; second: Simulation }) {
  const rows = sideBySide(first, second);
  const differs = rows.findIndex(({ isDifferent }) => isDifferent);
  const row = useRef<HTMLDivElement>(null);
  return (
    <>
      <div className={styles["lead"]}>
        {rows.length === 0 ? (
          "Neither conversation has a turn."
        ) : differs < 0 ? (
          "Both said the same, and the tools answered the same."
        ) : (
          <>
            <span>They first differ in row {differs + 1}.</span>
            <Button
              look="quiet"
              small
              onClick={() => {
                row.current?.scrollIntoView({ block: "center" });
                row.current?.focus({ preventScroll: true });
              }}
            >
              Show it
            </Button>
          </>
        )}
      </div>
      <div role="table" aria-label="Transcripts side by side" className={styles["table"]}>
        <div role="row" className={styles["heads"]}>
          <SideHead name="Before" simulation={first} />
          <SideHead name="Now" simulation={second} />
        </div>
        {rows.map((each, index) => (
          <div
            key={index}
            role="row"
            ref={index === differs ? row : undefined}
            tabIndex={index === differs ? -1 : undefined}
            className={classes(styles["row"], each.isDifferent && styles["different"])}
          >
            <Side turn={each.first} other={each} name="before" />
            <Side turn={each.second} other={each} name="now" />
          </div>
        ))}
      </div>
      {[first, second].some(({ turns, endedAt }) => turns.length === 0 && endedAt !== null) && (
        <Notice kind="info">A conversation without turns was erased, or nothing was said in it.</Notice>
      )}
    </>
  );
}

function SideHead({ name, simulation }: { name: string; simulation: Simulation }) {
  const { params } = usePlace();
  const { id, runId, verdict, durationMs } = simulation;
  return (
    <div role="columnheader">
      <span>{name}</span>
      <Verdict verdict={verdict} />
      <span className={styles["time"]}>{formatMs(durationMs)}</span>
      <Link
        to="/o/$organizationId/p/$project/runs/$runId/simulations/$simulationId"
        params={{ ...params, runId, simulationId: id }}
      >
        Open
      </Link>
    </div>
  );
}

function Side({ turn, other, name }: { turn: SideTurn | undefined; other: SideRow; name: string }) {
  if (turn === undefined)
    return (
      <div role="cell" className={styles["none"]}>
        No turn {name}
      </div>
    );
  const { role, words, atMs, durationMs, tools } = turn;
  return (
    <div role="cell">
      <div className={styles["head"]}>
        <span className={classes(said["who"], said[role === "caller" ? "whoUser" : "whoAgent"])}>
          {role === "caller" ? "Caller" : "Agent"}
        </span>
        <span className={styles["time"]} title="When the turn began, and how long it took">
          {callTime(atMs)} · {formatMs(durationMs)}
        </span>
        {other.isDifferent && <span className="visually-hidden">differs</span>}
      </div>
      {words === null ? (
        <p className={styles["none"]}>No words are known.</p>
      ) : (
        <p className={said["words"]} dir="auto">
          {words.map(({ text, isDifferent }, index) =>
            isDifferent ? (
              <mark key={index}>{shownText(text)}</mark>
            ) : (
              <Fragment key={index}>{shownText(text)}</Fragment>
            ),
          )}
        </p>
      )}
      {tools.map((tool, index) => (
        <Tool key={index} tool={tool} />
      ))}
    </div>
  );
}

function Tool({ tool: { call, isDifferent } }: { tool: SideTool }) {
  const { name, arguments: given, result, error, durationMs } = call;
  return (
    <p className={classes(styles["tool"], isDifferent && styles["otherTool"])}>
      <bdi>
        <code>{cut(shownText(name), 80)}</code> {argumentsText(given)}
      </bdi>
      {" → "}
      {error === null ? (
        <UserText inline text={cut(valueText(result), TOOL_CHARACTERS)} />
      ) : (
        <span className={styles["failed"]}>
          failed: <UserText inline text={cut(error, TOOL_CHARACTERS)} />
        </span>
      )}
      <span className={styles["time"]}> {formatMs(durationMs)}</span>
    </p>
  );
}
