import { watchedValueText } from "../alerts/alert-words.ts";
import { alertIntervalText, alertLimitText } from "../alerts/rule-words.ts";
import type { Alert } from "../alerts/alerts.ts";
import { cutText } from "../core/cut-text.ts";
import type { ProjectEvent } from "./events.ts";

/** Short text about an event: a title of one line, further lines, and links to single conversations. */
export type EventText = { title: string; lines: string[]; links?: { words: string; href: string }[] };

const NAME_CHARACTERS = 80;

/** Matches control characters, line separators, and characters that change the direction of text. */
const UNSEEN = /[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/** Returns the text without line breaks, hidden characters and characters that change the direction of text. */
export const oneLine = (text: string): string => text.replaceAll(UNSEEN, " ");

/** Returns a name that a user wrote, ready for a line of text: without hidden characters, and cut to 80 characters. */
const name = (text: string | null) => cutText(oneLine(text ?? "without a name"), NAME_CHARACTERS);

const STOPPED = {
  canceled_by_user: "was canceled",
  agent_unreachable: "was stopped: three simulations in a row got no answer",
} as const;

const OUTCOME = {
  passed: "Every test met the requirement of the schedule.",
  failed: "At least one test missed the requirement of the schedule.",
  undecided: "Too many verdicts are missing to decide about the requirement of the schedule.",
} as const;

const intervalSentence = (alert: Alert): string => {
  const interval = alertIntervalText(alert);
  return interval === undefined ? "" : ` 95 % interval: ${interval}.`;
};

const CONVERSATIONS_SHOWN = 3;

/** Returns a link for each of the worst conversations of an alert. */
const worstConversations = ({ conversations, unit }: Alert): { words: string; href: string }[] =>
  // Alerts that an earlier version of the service wrote have no conversations.
  (conversations ?? []).slice(0, CONVERSATIONS_SHOWN).map(({ link, turn, value }) => {
    const words = [
      ...(value === null ? [] : [watchedValueText(value, unit)]),
      ...(turn === null ? [] : [`turn ${turn + 1}`]),
    ].join(", ");
    return { words: words === "" ? "Conversation" : words, href: link };
  });

/** Returns the text of an event for people. Names in the text contain no line breaks or hidden characters. */
export function textOfEvent(event: ProjectEvent): EventText {
  switch (event.type) {
    case "run.completed": {
      const { run, scheduled } = event.data;
      const what = `${name(run.name ?? run.suiteName ?? "Run")} against ${name(run.agentName)}`;
      const others = [
        [run.failedVerdicts, "failed"],
        [run.inconclusiveVerdicts + run.notGradedVerdicts, "undecided"],
        [run.erroredVerdicts, "errored"],
        [run.canceledCount, "canceled"],
      ] as const;
      const counts = [
        `${run.passedVerdicts} of ${run.simulationCount} passed`,
        ...others.flatMap(([count, word]) => (count > 0 ? [`${count} ${word}`] : [])),
      ].join(", ");
      const changed = (words: string, tests: readonly { testName: string }[], count: number) =>
        count === 0
          ? []
          : [`${words}: ${tests.map((test) => name(test.testName)).join(", ")}${count > tests.length ? ", …" : ""}.`];
      // Events that an earlier version of the service wrote have no `scheduled`.
      const lines =
        scheduled == null
          ? []
          : [
              ...(scheduled.outcome == null ? [] : [OUTCOME[scheduled.outcome]]),
              ...changed("Broken since the run before", scheduled.brokenTests, scheduled.brokenCount),
              ...changed("Mended since the run before", scheduled.mendedTests, scheduled.mendedCount),
            ];
      return { title: `${what}${run.stopReason ? ` ${STOPPED[run.stopReason]}` : ""}: ${counts}`, lines };
    }
    case "simulation.failed": {
      const { simulation, failed } = event.data;
      const title = `Failed: ${name(simulation.testName)} with ${name(simulation.personaName)}`;
      return { title, lines: failed.map((criterion) => `Not met: ${name(criterion)}`) };
    }
    case "conversation.failed": {
      const { conversation, failed } = event.data;
      return {
        title: `A conversation of ${name(conversation.agentName ?? "an unknown agent")} failed`,
        lines: failed.map((grader) => `Failed: ${name(grader.name)}`),
      };
    }
    case "import.failed":
    case "import.resolved": {
      const { failure } = event.data;
      const isFailed = event.type === "import.failed";
      return {
        title: `The call ${name(failure.callId)} ${isFailed ? "could not be imported" : "is imported now"}`,
        lines: isFailed ? [`Why: ${failure.kind.replaceAll("_", " ")}. The service tries again.`] : [],
      };
    }
    case "alert.raised":
    case "alert.cleared": {
      const { alert } = event.data;
      const isRaised = event.type === "alert.raised";
      const agent = alert.agentName === null ? "" : `${name(alert.agentName)}: `;
      const limit = alertLimitText(alert);
      const was = alert.value === null ? "no data" : watchedValueText(alert.value, alert.unit);
      const now = isRaised
        ? `is ${was}, ${limit}`
        : alert.clearedBecause === "recovered"
          ? `is no longer ${limit}`
          : `is not watched as before, because the rule has changed`;
      return {
        title: `${agent}${name(alert.what)} ${now}`,
        lines: [
          `Rule: ${name(alert.ruleName)} (${alert.severity}). Samples: ${alert.samples}.${isRaised ? intervalSentence(alert) : ""}`,
        ],
        ...(isRaised && { links: worstConversations(alert) }),
      };
    }
    case "alert.reminded": {
      const { alert, latest } = event.data;
      const agent = alert.agentName === null ? "" : `${name(alert.agentName)}: `;
      const limit = alertLimitText(alert);
      const is = latest.value === null ? "no data" : watchedValueText(latest.value, alert.unit);
      return {
        title: `${agent}${name(alert.what)} is still ${is}, ${limit}`,
        lines: [
          `Rule: ${name(alert.ruleName)} (${alert.severity}). Raised at ${alert.raisedAt}. Nobody acknowledged it.`,
        ],
      };
    }
    case "group.opened":
    case "group.regressed": {
      const { group } = event.data;
      const agents = group.agentNames.map(name).join(", ");
      const since = event.type === "group.opened" ? `since ${group.firstSeenAt}` : `again since ${group.regressedAt}`;
      return {
        title: `${event.type === "group.opened" ? "New failure" : "Failing again"}: ${name(group.whatText)}`,
        lines: [`Agents: ${agents}. Failures: ${group.size}, ${since}.`],
      };
    }
    case "schedule.missed": {
      const { schedule, missed, skipped, problem } = event.data;
      const lost = [
        ...(missed > 0 ? [`${missed} missed while the service did not run`] : []),
        ...(skipped > 0 ? [`${skipped} skipped, because the run before was still going`] : []),
      ];
      return {
        title: `${name(schedule.name)} ${problem === null ? "missed times" : "could not start its run"}`,
        lines: [...lost.map((text) => `Times without a run: ${text}.`), ...(problem === null ? [] : [name(problem)])],
      };
    }
    case "key.created": {
      const { key } = event.data;
      const end = key.expiresAt === null ? "It has no end." : `It ends at ${key.expiresAt}.`;
      return {
        title: `A new API key: ${name(key.name)}`,
        lines: [`It may do: ${key.permissions.join(", ")}. ${end}`],
      };
    }
    case "member.changed": {
      const { member, change, role } = event.data;
      const what = { joined: `joined as ${role}`, role: `is ${role} now`, left: "left the organization" }[change];
      return { title: `${name(member.name)} (${name(member.email)}) ${what}`, lines: [] };
    }
    case "destination.test":
      return { title: `A test of the destination ${name(event.data.destination.name)}`, lines: ["It works."] };
  }
}
