import { Flags } from "@oclif/core";
import { auditFlags, filtersOf } from "../../audit.ts";
import { command } from "../../command.ts";
import { saveNew } from "../../recordings/sound.ts";

export default command({
  summary: "Write who did what in the organization to a file",
  description:
    "One JSON object a line (NDJSON), oldest first. Only admins can export it, and an API key needs the permission admin. The export itself also causes a line.",
  examples: [
    "<%= config.bin %> audit export --save audit.ndjson",
    "<%= config.bin %> audit export --save week.ndjson --from 7d",
  ],
  flags: {
    save: Flags.string({ required: true, description: "Write the lines to this new file.", helpValue: "<file>" }),
    ...auditFlags,
  },
  async run({ startSession, flags }) {
    const { client } = await startSession();
    await saveNew(await client.audit.export(filtersOf(flags)), flags.save);
    return { file: flags.save };
  },
  show: ({ file }) => `The audit is in ${file}. It has addresses of people: keep it as safe as the service.`,
});
