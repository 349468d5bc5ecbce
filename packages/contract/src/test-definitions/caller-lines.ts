import { keysOf, keysText } from "./keys.ts";
import { patternProblem } from "./pattern-problem.ts";

/**
 * Line of the scripted caller. The caller says `next` lines in their order, each after the agent said `words`. The caller says an
 * `asked` line each time the agent asks for `words`, and a `heard` line each time the agent says `words`. The caller says an
 * `otherwise` line when no other line fits.
 */
export type CallerLine = {
  when: "next" | "asked" | "heard" | "otherwise";
  /** Source of a regular expression for the agent's words, matched without regard to case. Null: the line waits for no words. */
  words: string | null;
  /** Pause before the line, in milliseconds. */
  afterMs: number;
  /** Words of the caller, and keys that it presses, such as `[presses 42#]`. Null: the caller hangs up. */
  text: string | null;
};

/** Fact that the scripted caller tells when the agent asks for it. */
export type CallerFact = { name: string; value: string };

/** Scenario, split into the lines and facts of the scripted caller and the remaining text. */
export type CallerScript = {
  lines: CallerLine[];
  facts: CallerFact[];
  /** Problems of lines and facts, each a sentence with the fix. */
  problems: string[];
  /** The scenario without lines and facts. */
  situation: string;
};

type Condition = { form: string; example: string; reads: RegExp; sets: (words: string) => Partial<CallerLine> };

const WORDS = String.raw`(?:\/(?<pattern>(?:\\[^]|[^\\])+?)\/[a-z]*(?=\s*(?:[,;)]|and\b))|"(?<quoted>[^"]+)")`;
const condition = (source: string): RegExp => new RegExp(String.raw`^(?:${source})\s*(?<end>,|;|and\b|\))\s*`, "i");
const PAUSE_SECONDS_MAX = 60;

/** Conditions that a line of the scripted caller may have in parentheses. */
export const CALLER_CONDITIONS: readonly Condition[] = [
  {
    form: "after /words/",
    example: "Says (after /booked/): Thank you, goodbye.",
    reads: condition(String.raw`(?:after|wait for:?)\s+${WORDS}`),
    sets: (words) => ({ when: "next", words }),
  },
  {
    form: "when the agent asks /words/",
    example: "Says (when the agent asks /date|which day/): June 9, please.",
    reads: condition(String.raw`(?:when|if) (?:the agent asks|asked)(?: for| about)?\s+${WORDS}`),
    sets: (words) => ({ when: "asked", words }),
  },
  {
    form: "when the agent says /words/",
    example: "Says (when the agent says /hold|moment/): I will wait.",
    reads: condition(String.raw`(?:when|if) the agent says\s+${WORDS}`),
    sets: (words) => ({ when: "heard", words }),
  },
  {
    form: "after 3 s",
    example: "Says (after 3 s): Hello, are you there?",
    reads: condition(String.raw`(?:after|silence)\s+(?<seconds>\d{1,4}(?:\.\d{1,3})?)\s*s(?:econds?)?`),
    sets: (seconds) => ({ afterMs: Number(seconds) * 1000 }),
  },
  {
    form: "otherwise",
    example: "Says (otherwise): Sorry, I do not know.",
    reads: condition("otherwise"),
    sets: () => ({ when: "otherwise" }),
  },
  {
    form: "hang up",
    example: "Hangs up (after /goodbye/).",
    reads: condition(String.raw`hangs?\s?up`),
    sets: () => ({ text: null }),
  },
];

const FORMS = CALLER_CONDITIONS.map(({ form }) => `(${form})`).join(", ");
/** Matches a line of the form `Says …: words`, `Presses …: keys`, `Presses keys` or `Hangs up …`. */
const DIRECTIVE =
  /^\s*(?:[-*•]\s+)?(?:(?:(?:the )?caller )?(?<says>says)\s*(?=[(:])|(?:(?:the )?caller )?(?<presses>presses)\s*(?=[(:]|[\d*#][\d*#\s,]*\.?\s*$)|(?<hangs>hangs up)(?=\s*(?:\(|\.?\s*$)))(?<rest>.*)$/i;
const FACTS = /^\s*(?:[-*•]\s+)?facts:\s*(?<rest>\S.*)$/i;
/** Matches the heading above a list of the caller's lines or facts. */
const HEADING = /^\s*(?:#+\s*)?\**(?:(?:the )?(?<says>caller says:?|(?:caller )?says:)|(?<facts>facts:))\**\s*$/i;
const FACTS_HEADING = /^\s*#+\s*\**facts\**\s*$/i;
const ITEM = /^\s*(?:\d{1,3}[.)]|[-*•])\s+(?<rest>.*)$/;
/** Matches parentheses at the start of a list item whose first word shows that they are a condition, and not words to say. */
const MEANT_AS_CONDITION = /^\(\s*(?:after|wait|when|if|silence|otherwise|hangs?\s?up)\b/i;

type Entry = { kind: "line" | "item" | "keys" | "hang" | "facts" | "fact"; text: string; source: string };

/** Parses the lines and facts of a scenario. Never throws: an invalid line or fact is left out and added to `problems`. */
export function readCallerScript(scenario: string): CallerScript {
  const { entries, situation, problems } = split(scenario);
  const script: CallerScript = { lines: [], facts: [], problems, situation };
  for (const entry of entries) {
    if (entry.kind === "fact" || entry.kind === "facts") readFacts(entry, script);
    else readLine(entry, script);
  }
  const names = script.facts.map(({ name }) => name.toLowerCase());
  const twice = script.facts.find(({ name }, index) => names.indexOf(name.toLowerCase()) !== index);
  if (twice) problems.push(`The fact \`${shown(twice.name)}\` is given twice. Keep one of the two.`);
  return script;
}

/**
 * Lines in the form `(after /booked/) Thank you.`, which the command-line flag `--says` takes, and facts in the form `name = Ana Silva`.
 */
export type CallerWords = { says?: readonly string[] | undefined; facts?: readonly string[] | undefined };

/** Returns the scenario with its lines or facts replaced. A given list replaces all lines, or all facts. A missing list changes nothing. */
export function withCallerWords(scenario: string, { says, facts }: CallerWords): string {
  const { entries, situation } = split(scenario);
  const isFact = ({ kind }: Entry) => kind === "fact" || kind === "facts";
  const keptLines = entries.filter((entry) => !isFact(entry)).map(lineSource);
  const keptFacts = entries
    .filter(isFact)
    .map(({ kind, text }) => (kind === "fact" ? factSource([text]) : `Facts: ${text}`));
  const lines = says?.map((text) => lineSource({ kind: "item", text: oneLine(text), source: "" })) ?? keptLines;
  const factLines = facts === undefined ? keptFacts : facts.length === 0 ? [] : [factSource(facts.map(oneLine))];
  return [situation, [...lines, ...factLines].join("\n")].filter((part) => part !== "").join("\n\n");
}

function split(scenario: string): { entries: Entry[]; situation: string; problems: string[] } {
  const entries: Entry[] = [];
  const problems: string[] = [];
  const situation: string[] = [];
  let list: { kind: "item" | "fact"; heading: string; items: number } | undefined;
  let last: Entry | undefined;
  const endList = () => {
    if (list?.items === 0) {
      situation.push(list.heading);
      problems.push(
        list.kind === "item"
          ? `\`${list.heading.trim()}\` has no list below it. Write the caller's words as \`- …\` below it, or as \`Says: …\`.`
          : `\`${list.heading.trim()}\` has no list below it. Write facts such as \`Facts: name = Ana Silva; phone = 555-0134\`.`,
      );
    }
    list = undefined;
  };
  const add = (entry: Entry) => entries.push((last = entry));
  for (const line of scenario.split(/\r?\n/)) {
    const heading = line.trim() === "" ? undefined : HEADING.exec(line)?.groups;
    const isFacts = heading?.facts !== undefined || FACTS_HEADING.test(line);
    const directive = DIRECTIVE.exec(line)?.groups;
    const facts = FACTS.exec(line)?.groups;
    const item = list && ITEM.exec(line)?.groups;
    if (isFacts || heading?.says !== undefined) {
      endList();
      list = { kind: isFacts ? "fact" : "item", heading: line, items: 0 };
      last = undefined;
    } else if (directive) {
      endList();
      const kind = directive.hangs ? "hang" : directive.presses ? "keys" : "line";
      add({ kind, text: directive.rest!.trim(), source: line.trim() });
    } else if (facts) {
      endList();
      add({ kind: "facts", text: facts.rest!.trim(), source: line.trim() });
    } else if (list && item) {
      list.items++;
      add({ kind: list.kind, text: item.rest!.trim(), source: item.rest!.trim() });
    } else if (last && /^\s+\S/.test(line)) {
      last.text += ` ${line.trim()}`;
      last.source += ` ${line.trim()}`;
    } else if (line.trim() !== "" || !list) {
      if (line.trim() !== "") {
        endList();
        last = undefined;
      }
      situation.push(line);
    }
  }
  endList();
  return {
    entries,
    situation: situation
      .join("\n")
      .replace(/\n{3,}/g, "\n\n")
      .trim(),
    problems,
  };
}

type Conditions = { set: Partial<CallerLine>; forms: string[]; source: string; rest: string; unread: string | null };

/**
 * Parses the conditions in parentheses at the start of the text. `unread` is the text from the first invalid condition on; null
 * when all conditions are valid.
 */
function readConditions(text: string): Conditions {
  const set: Partial<CallerLine> = {};
  const forms: string[] = [];
  let rest = text;
  while (rest.startsWith("(")) {
    let inside = rest.slice(1).trimStart();
    for (let isOpen = true; isOpen;) {
      const found = CALLER_CONDITIONS.map((one) => ({ one, match: one.reads.exec(inside) })).find(({ match }) => match);
      if (!found) return { set, forms, source: text.slice(0, text.length - rest.length), rest, unread: rest };
      const { pattern, quoted, seconds, end } = found.match!.groups!;
      const words = pattern ?? (quoted === undefined ? undefined : literally(quoted)) ?? seconds ?? "";
      Object.assign(set, found.one.sets(words));
      if (found.one.form !== "after 3 s" && found.one.form !== "hang up") forms.push(found.one.form);
      inside = inside.slice(found.match![0].length);
      isOpen = end !== ")";
    }
    rest = inside;
  }
  return { set, forms, source: text.slice(0, text.length - rest.length).trim(), rest: rest.trim(), unread: null };
}

function readLine({ kind, text, source }: Entry, { lines, problems }: CallerScript): void {
  const shownLine = `The caller line \`${shown(source)}\``;
  const { set, forms, rest, unread } = readConditions(text);
  if (unread !== null && (kind !== "item" || MEANT_AS_CONDITION.test(unread))) {
    problems.push(`${shownLine} has a condition that cannot be read. Write one of ${FORMS}, and close each / and (.`);
    return;
  }
  if (kind === "line" && !rest.startsWith(":")) {
    problems.push(`${shownLine} has no colon before its words. Write it like \`Says (after /booked/): Thank you.\``);
    return;
  }
  if (forms.length > 1) {
    problems.push(`${shownLine} has more than one of ${forms.map((form) => `(${form})`).join(" and ")}. Keep one.`);
    return;
  }
  const said = kind === "line" ? rest.slice(1).trim() : kind === "hang" ? "" : rest;
  const keys = kind === "keys" ? keysOf(rest.replace(/^:/, "").replace(/\.$/, "")) : undefined;
  if (kind === "keys" && keys === undefined) {
    problems.push(`${shownLine} has no keys. Write keys of a telephone, like \`Presses (after /press 1/): 1 2 #\`.`);
    return;
  }
  const words = keys === undefined ? said : keysText(keys);
  const hangsUp = kind === "hang" || "text" in set;
  if (words === "" && !hangsUp) {
    problems.push(`${shownLine} has no words. Write them at its end, or write \`Hangs up\`.`);
    return;
  }
  const line: CallerLine = { when: "next", words: null, afterMs: 0, ...set, text: hangsUp ? null : unquoted(words) };
  if (line.afterMs > PAUSE_SECONDS_MAX * 1000) {
    problems.push(`${shownLine} pauses too long. A caller pauses at most ${PAUSE_SECONDS_MAX} s.`);
    line.afterMs = PAUSE_SECONDS_MAX * 1000;
  }
  const problem = line.words === null ? undefined : patternProblem(line.words);
  if (problem === undefined) lines.push(line);
  else problems.push(`${shownLine} waits for /${shown(line.words!)}/. ${problem}`);
}

/** Matches facts in one line that a comma separates. */
const COMMA_BETWEEN = /=[^=]*,\s*[\p{L}\p{N}_ -]{1,40}=/u;

function readFacts({ kind, text }: Entry, { facts, problems }: CallerScript): void {
  // The fact stays: tests from before this rule play as they did.
  if (kind === "facts" && text.split(";").some((part) => COMMA_BETWEEN.test(part)))
    problems.push(
      `The facts in \`${shown(text.trim())}\` are separated by a comma. Separate them by a semicolon: \`Facts: name = Ana Silva; phone = 555-0134\`. A value with a comma and \`=\` needs an item of its own below \`Facts:\`.`,
    );
  for (const part of kind === "fact" ? [text] : text.split(";")) {
    if (part.trim() === "") continue;
    const { name, value } = /^(?<name>[^=]{1,100})=(?<value>[^]*)$/.exec(part)?.groups ?? {};
    if (name?.trim() && value?.trim()) facts.push({ name: name.trim(), value: unquoted(value.trim()) });
    else {
      problems.push(
        `The fact \`${shown(part.trim())}\` has no name and value. Write facts such as \`Facts: name = Ana Silva; phone = 555-0134\`.`,
      );
    }
  }
}

/** Returns the source of a line in the form that it has outside a list: `Says …` or `Hangs up …`. */
function lineSource({ kind, text, source }: Entry): string {
  if (kind !== "item" || DIRECTIVE.test(text)) return source || text;
  const { source: conditions, rest, unread, set } = readConditions(text);
  if (unread !== null) return MEANT_AS_CONDITION.test(unread) ? `Says ${text}` : `Says: ${text}`;
  if ("text" in set) return `Says ${conditions}:`;
  return conditions === "" ? `Says: ${rest}` : `Says ${conditions}: ${rest}`;
}

const factSource = (facts: readonly string[]): string =>
  facts.some((fact) => fact.includes(";"))
    ? ["Facts:", ...facts.map((fact) => `- ${fact}`)].join("\n")
    : `Facts: ${facts.join("; ")}`;

const literally = (words: string): string => words.replace(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`);
const unquoted = (text: string): string => text.replace(/^"(.*)"$/s, "$1");
const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim();
const shown = (text: string): string => (text.length > 80 ? `${text.slice(0, 79)}…` : text);
