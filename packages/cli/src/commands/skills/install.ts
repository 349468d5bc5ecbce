import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Args, Flags } from "@oclif/core";
import { command } from "../../command.ts";
import { Refusal } from "../../refusal.ts";
import { SKILLS } from "../../skills/skills.ts";

export default command({
  summary: "Write instructions for coding assistants into a folder",
  description:
    "Writes three skills, each a folder with a SKILL.md: test a voice agent, find out why it fails, and monitor it. They tell the assistant to use this command line. Existing files do not change, unless you give --force.",
  examples: ["<%= config.bin %> skills install", "<%= config.bin %> skills install .agents/skills"],
  args: {
    folder: Args.string({
      description: "Folder that the assistant reads.",
      default: ".claude/skills",
      ignoreStdin: true,
    }),
  },
  flags: { force: Flags.boolean({ description: "Replace existing files." }) },
  async run({ args: { folder = "" }, flags }) {
    const [written, kept]: [string[], string[]] = [[], []];
    for (const [name, text] of Object.entries(SKILLS)) {
      const path = join(folder, name, "SKILL.md");
      try {
        await mkdir(join(folder, name), { recursive: true });
        await writeFile(path, text, { flag: flags.force ? "w" : "wx" });
        written.push(path);
      } catch (error) {
        const { code, message } = error as NodeJS.ErrnoException;
        if (code !== "EEXIST")
          throw new Refusal("not_written", `${path} cannot be written: ${message}. Choose another folder.`);
        kept.push(path);
      }
    }
    return { written, kept };
  },
  show: ({ written, kept }) =>
    [
      ...written.map((path) => `Wrote ${path}`),
      ...kept.map((path) => `Left as it is: ${path}. Set --force to replace it.`),
    ].join("\n"),
});
