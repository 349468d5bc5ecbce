import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const css = readFileSync(new URL("../../packages/web/src/tokens.css", import.meta.url), "utf8");
/** For each theme, the colour of each design token by the token's name. */
const THEMES = ["light", "dark"].map((theme, at) => ({
  theme,
  colours: new Map(
    [...css.matchAll(/--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)/g)].map((match) => [
      match[1]!,
      match[2 + at]!,
    ]),
  ),
}));

const GROUNDS = ["bg", "surface", "surface-2"];
const VERDICTS = ["passed", "failed", "inconclusive", "errored", "not-graded"];
const PARTIES = ["caller", "agent", "tool"];
type Pair = [front: string, ground: string];
const across = (fronts: string[], grounds: string[]): Pair[] =>
  fronts.flatMap((front) => grounds.map((ground): Pair => [front, ground]));

const TEXTS: Pair[] = [
  ...across(["text", "text-2", "text-3"], GROUNDS),
  ...across(["text", "text-2"], ["surface-3", "accent-soft"]),
  ...across(["accent", ...VERDICTS, ...PARTIES], ["bg", "surface"]),
  ...["accent", ...VERDICTS, ...PARTIES].map((name): Pair => [name, `${name}-soft`]),
  ...[...VERDICTS, ...PARTIES].map((name): Pair => ["text", `${name}-soft`]),
  ...across(["on-accent"], ["accent", "accent-hover"]),
  ["on-mark", "mark"],
  ...across(["text"], ["diff-add", "diff-del"]),
];
const EDGES: Pair[] = [
  ...across(["border-strong"], GROUNDS),
  ...across(["accent"], GROUNDS),
  ...across(["phase-model", "phase-speech", "phase-tool"], ["surface"]),
  ...across(
    Array.from({ length: 8 }, (_, at) => `series-${at + 1}`),
    ["surface"],
  ),
];

test.each(THEMES)("every text of the tokens is readable on its grounds: $theme", ({ colours }) => {
  expect(tooFaint(colours, TEXTS, 4.5)).toEqual([]);
});

test.each(THEMES)("every edge of a control and line of a plot is seen on its grounds: $theme", ({ colours }) => {
  expect(tooFaint(colours, EDGES, 3)).toEqual([]);
});

function tooFaint(colours: ReadonlyMap<string, string>, pairs: Pair[], least: number): string[] {
  const colour = (name: string) => {
    const value = colours.get(name);
    if (value === undefined) throw new Error(`The tokens have no colour ${name}.`);
    return value;
  };
  return pairs
    .map(([front, ground]) => ({ front, ground, contrast: contrast(colour(front), colour(ground)) }))
    .filter((pair) => pair.contrast < least)
    .map((pair) => `${pair.front} on ${pair.ground}: ${pair.contrast.toFixed(2)}`);
}

/** Returns the contrast ratio of two colours as WCAG 2.2 defines it. */
function contrast(one: string, other: string): number {
  const [lighter, darker] = [luminance(one), luminance(other)].toSorted((a, b) => b - a) as [number, number];
  return (lighter + 0.05) / (darker + 0.05);
}

function luminance(colour: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
