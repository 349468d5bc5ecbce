import { FORMS, parseCheck, readingOf } from "./table.ts";

/** Returns the part of docs/behaviors.md that is generated from the table of forms, as Markdown. */
export function formsDocument(): string {
  const rows = FORMS.map(({ title, examples }) => `| ${title} | ${examples.map(code).join(" · ")} |`);
  const notes = FORMS.map(
    ({ title, reads, unsure }) => `- **${title}** reads ${reads}. It is inconclusive when ${unsure}.`,
  );
  const readings = FORMS.map(
    ({ examples }) => `| ${code(examples.at(-1)!)} | ${cell(readingOf(parseCheck(examples.at(-1)!)!))} |`,
  );
  return [
    "| form | examples |",
    "| --- | --- |",
    ...rows,
    "",
    "The service shows each sentence as it reads it:",
    "",
    "| sentence | reading |",
    "| --- | --- |",
    ...readings,
    "",
    ...notes,
  ].join("\n");
}

const cell = (text: string) => text.replaceAll("|", "\\|");

const code = (text: string) => cell(text.includes("`") ? `\`\` ${text} \`\`` : `\`${text}\``);
