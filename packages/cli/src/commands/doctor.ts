import { checkSetup } from "../check-setup.ts";
import { command } from "../command.ts";
import { counted, paint } from "../output.ts";
import { EXIT } from "../refusal.ts";

const MARKS = {
  ok: () => paint.green("ok     "),
  wrong: () => paint.red("wrong  "),
  skipped: () => paint.dim("skipped"),
};

export default command({
  summary: "Check the setup and say what to fix",
  description: "The exit code is 1 when something is wrong.",
  examples: ["<%= config.bin %> doctor", "<%= config.bin %> doctor --url https://voice.example.com --json"],
  async run({ flags }) {
    const checks = await checkSetup(flags);
    return { ok: checks.every(({ state }) => state !== "wrong"), checks };
  },
  show: ({ checks }) => {
    const lines = checks.map(
      ({ name, state, finding, mend }) => `${MARKS[state]()}  ${name}: ${finding}${mend ? `\n         ${mend}` : ""}`,
    );
    const wrong = checks.filter(({ state }) => state === "wrong").length;
    return [...lines, "", wrong === 0 ? "All is well." : `${counted(wrong, "problem")} to fix.`].join("\n");
  },
  exitCode: ({ ok }) => (ok ? EXIT.done : EXIT.refused),
});
