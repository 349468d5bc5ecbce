/** The largest number of tests in the table of a comparison. */
const ROWS_MAX = 50;

/** Returns the report of a pull request in Markdown: the comparisons with the base branch, then the tables of the runs. */
export function reportOf({ summary, comparisons, baseBranch }) {
  if (comparisons.length === 0) return `${summary.trim()}\n\nThere is no run of the base branch to compare with.\n`;
  return `${comparisons.map((one) => comparisonOf(one, baseBranch)).join("\n")}\n${summary.trim()}\n`;
}

function comparisonOf({ words, first, second, tests }, baseBranch) {
  const base = baseBranch ? `\`${baseBranch.replaceAll("`", "")}\`` : "the base branch";
  const changed = tests.filter(({ change, flaky }) => change !== "none" || flaky);
  const rows = changed
    .slice(0, ROWS_MAX)
    .map((test) => `| ${[changeOf(test), cell(test.testName), share(test.first), share(test.second)].join(" | ")} |`);
  return [
    `### Compared with ${base}`,
    "",
    ...words.map((sentence) => `- ${cell(sentence)}`),
    "",
    `Passed: ${share(first)} before, ${share(second)} now.`,
    "",
    ...(rows.length === 0 ? [] : ["| test is | test | before | now |", "| --- | --- | --- | --- |", ...rows, ""]),
    ...(changed.length > ROWS_MAX ? [`And ${changed.length - ROWS_MAX} more.`, ""] : []),
  ].join("\n");
}

const changeOf = ({ change, flaky }) =>
  [...(change === "none" ? [] : [change]), ...(flaky ? ["flaky"] : [])].join(", ");
const share = ({ passed, played }) => `${passed} of ${played}`;

/** Escapes a text for one line of Markdown. */
const cell = (text) =>
  text
    .replaceAll(/\s+/g, " ")
    .replaceAll(/[\\|`*_[\]#~!]/g, (mark) => `\\${mark}`)
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;");
