import type { CallerLine, CallerScript } from "@svc/contract";
import { askingSentences, factsAskedFor } from "./asked.ts";
import { hangUp, type Move, say, type SimulatedCaller, type SpokenTurn } from "./caller.ts";

const SAME_WORDS_MAX = 3;
const QUOTED_CHARACTERS_MAX = 200;

type Matches = (line: CallerLine, text: string) => boolean;

/**
 * Returns a caller that says only the lines and facts of its script. For each move it looks for a reply to the agent's words (an `asked` or
 * `heard` line, or a fact), then for the next line that it has to say in order, then for an `otherwise` line. When it finds none, it ends
 * the call without words.
 */
export function scriptedCaller(
  { lines, facts }: Pick<CallerScript, "lines" | "facts">,
  matches: Matches,
): SimulatedCaller {
  const inOrder = lines.filter(({ when }) => when === "next");
  const replies = lines.filter(({ when }) => when === "asked" || when === "heard");
  const otherwise = lines.filter(({ when }) => when === "otherwise");
  const timesGiven = new Map<string, number>();
  const said = new Set<CallerLine>();
  let next = 0;
  /**
   * Number of turns when the caller said the last line that it has to say in order. The next of these lines waits until the agent has
   * spoken again.
   */
  let turnsBefore = 0;
  let othersInARow = 0;

  function replyTo(heard: readonly string[]): Move | undefined {
    const fitting: CallerLine[] = replies.filter(
      (line) => line.when === "heard" && heard.some((text) => matches(line, text)),
    );
    const values: string[] = [];
    for (const sentence of heard.flatMap(askingSentences)) {
      const answers = replies.filter((line) => line.when === "asked" && matches(line, sentence));
      fitting.push(...answers);
      if (answers.length === 0) values.push(...factsAskedFor(sentence, facts).map(({ value }) => value));
    }
    const ordered = replies.filter((line) => fitting.includes(line));
    for (const line of ordered) said.add(line);
    const texts = [...ordered.flatMap(({ text }) => text ?? []), ...new Set(values)];
    if (texts.length === 0) return ordered.length === 0 ? undefined : hangUp("heard_enough");
    const reply = texts.map(asSentence).join(" ");
    const times = (timesGiven.get(reply) ?? 0) + 1;
    timesGiven.set(reply, times);
    if (times > SAME_WORDS_MAX)
      return hangUp("gave_up", `The agent asked for the same answer more than ${SAME_WORDS_MAX} times.`);
    return say(reply, Math.max(0, ...ordered.map(({ afterMs }) => afterMs)));
  }

  const isHeard = (line: CallerLine) => (text: string | null) => text !== null && matches(line, text);

  return {
    async next(conversation) {
      const last = lastTurnsOf(conversation);
      const heard = last.filter((text) => text !== null);
      const reply = replyTo(heard);
      if (reply) return reply;
      // When the agent's words are unknown, the caller says the lines in the order of the script.
      const isUnheard = last.length > 0 && heard.length === 0;
      const line = isUnheard ? lines.find((one) => one.when !== "otherwise" && !said.has(one)) : inOrder[next];
      if (line && (isUnheard || line.words === null || agentTurns(conversation, turnsBefore).some(isHeard(line)))) {
        said.add(line);
        next = inOrder.findLastIndex((one) => said.has(one)) + 1;
        othersInARow = 0;
        turnsBefore = conversation.length;
        return line.text === null ? hangUp("heard_enough") : say(line.text, line.afterMs);
      }
      const questions = heard.flatMap(askingSentences);
      const other = line || questions.length > 0 ? otherwise[othersInARow % otherwise.length] : undefined;
      if (other && othersInARow < SAME_WORDS_MAX) {
        othersInARow++;
        return other.text === null ? hangUp("gave_up") : say(other.text, other.afterMs);
      }
      if (line) return hangUp("gave_up", `The caller waited for /${line.words}/, and the agent ${quoted(heard)}.`);
      return hangUp(
        "heard_enough",
        questions.length > 0
          ? `The caller has no line for the agent's question: the agent ${quoted(questions)}.`
          : null,
      );
    },
  };
}

const agentTurns = (conversation: readonly SpokenTurn[], from: number): (string | null)[] =>
  conversation.slice(from).flatMap(({ role, text }) => (role === "agent" ? [text] : []));

const lastTurnsOf = (conversation: readonly SpokenTurn[]): (string | null)[] =>
  agentTurns(conversation, conversation.findLastIndex(({ role }) => role === "caller") + 1);

const asSentence = (text: string): string => (/[\p{L}\p{N}]$/u.test(text) ? `${text}.` : text);

function quoted(heard: readonly string[]): string {
  const text = heard.join(" ").trim();
  if (text === "") return "said nothing";
  return `said "${text.length > QUOTED_CHARACTERS_MAX ? `${text.slice(0, QUOTED_CHARACTERS_MAX)}…` : text}"`;
}
