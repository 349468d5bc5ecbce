import type { RunGrid, Simulation } from "@svc/contract";
import { diffWordsWithSpace } from "diff";

/** Two simulations of the same test version, persona and iteration. */
export type SimulationPair = {
  testVersionId: string;
  testName: string;
  personaName: string;
  iteration: number;
  firstId: string;
  secondId: string;
  /** Whether the verdicts differ. */
  flipped: boolean;
};

export function pairsOf(first: RunGrid, second: RunGrid): SimulationPair[] {
  const keyOf = (testVersionId: string, { personaId, iteration }: RunGrid["tests"][number]["simulations"][number]) =>
    `${testVersionId} ${personaId} ${iteration}`;
  const partners = new Map(
    second.tests.flatMap(({ testVersionId, simulations }) =>
      simulations.map((simulation) => [keyOf(testVersionId, simulation), simulation] as const),
    ),
  );
  const names = new Map(first.personas.map(({ personaId, personaName }) => [personaId, personaName]));
  return first.tests.flatMap(({ testVersionId, testName, simulations }) =>
    simulations.flatMap((simulation) => {
      const partner = partners.get(keyOf(testVersionId, simulation));
      if (partner === undefined) return [];
      const { id, personaId, iteration, verdict } = simulation;
      const personaName = names.get(personaId) ?? personaId;
      const flipped = verdict !== partner.verdict;
      return [{ testVersionId, testName, personaName, iteration, firstId: id, secondId: partner.id, flipped }];
    }),
  );
}

type Turn = Simulation["turns"][number];
type ToolCall = Simulation["toolCalls"][number];

export type SideTool = { call: ToolCall; isDifferent: boolean };

export type SideTurn = {
  role: Turn["role"];
  /** Null while the words are unknown. */
  words: { text: string; isDifferent: boolean }[] | null;
  /** Time between the beginning of the conversation and that of the turn. */
  atMs: number;
  durationMs: number;
  tools: SideTool[];
};

export type SideRow = { first: SideTurn | undefined; second: SideTurn | undefined; isDifferent: boolean };

type Played = Pick<Simulation, "turns" | "toolCalls">;

/** Puts the turns of two conversations beside each other. A turn that the other side has no answer to stands alone. */
export function sideBySide(first: Played, second: Played): SideRow[] {
  const rows: SideRow[] = [];
  let [left, right] = [0, 0];
  while (left < first.turns.length || right < second.turns.length) {
    const [one, other] = [first.turns[left], second.turns[right]];
    const isAlone = one !== undefined && other !== undefined && one.role !== other.role;
    const isLeft = one !== undefined && (!isAlone || standsAlone(one, other, rows.at(-1)));
    const isRight = other !== undefined && (!isAlone || !isLeft);
    rows.push(rowOf(isLeft ? [first, one] : undefined, isRight ? [second, other] : undefined));
    left += Number(isLeft);
    right += Number(isRight);
  }
  return rows;
}

/**
 * After an interruption, one side speaks twice: its second turn stands alone, so that the others stay beside each other. So does the
 * greeting of an agent if the other side begins with the caller.
 */
function standsAlone(one: Turn, other: Turn, before: SideRow | undefined): boolean {
  if (one.role === before?.first?.role) return true;
  return other.role !== before?.second?.role && one.role === "agent";
}

function rowOf(first: [Played, Turn] | undefined, second: [Played, Turn] | undefined): SideRow {
  const [left, right] = [first && callsOf(...first), second && callsOf(...second)];
  const sameTools =
    left?.length === right?.length && left?.every((call, index) => contentOf(call) === contentOf(right?.[index]));
  const [one, other] = [textOf(first), textOf(second)];
  return {
    first: first && sideOf(...first, other, right ?? []),
    second: second && sideOf(...second, one, left ?? []),
    isDifferent: one !== other || sameTools !== true,
  };
}

const textOf = (side: [Played, Turn] | undefined) => side?.[1].text?.replaceAll(/\s+/g, " ").trim();

const callsOf = ({ toolCalls }: Played, { index }: Turn) => toolCalls.filter(({ turnIndex }) => turnIndex === index);

/** What the agent asked the tool, and what the tool answered. */
const contentOf = (call: ToolCall | undefined) =>
  call && JSON.stringify([call.name, call.arguments, call.result, call.error]);

function sideOf(played: Played, turn: Turn, otherText: string | undefined, otherCalls: readonly ToolCall[]): SideTurn {
  const text = textOf([played, turn]);
  const began = played.turns[0]!.startedAt;
  return {
    role: turn.role,
    words: text === undefined ? null : wordsOf(text, otherText),
    atMs: Date.parse(turn.startedAt) - Date.parse(began),
    durationMs: Date.parse(turn.endedAt) - Date.parse(turn.startedAt),
    tools: callsOf(played, turn).map((call, index) => ({
      call,
      isDifferent: contentOf(call) !== contentOf(otherCalls[index]),
    })),
  };
}

function wordsOf(text: string, other: string | undefined) {
  if (other === undefined || other === text) return [{ text, isDifferent: false }];
  return diffWordsWithSpace(other, text)
    .filter(({ removed }) => !removed)
    .map(({ value, added }) => ({ text: value, isDifferent: added }));
}
