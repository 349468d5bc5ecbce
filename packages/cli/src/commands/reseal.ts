import { command } from "../command.ts";
import { counted } from "../terminal/output.ts";
import { EXIT } from "../refusal.ts";

export default command({
  summary: "Seal stored credentials with the newest encryption key",
  description:
    "To change the encryption key: write the new key before the old one in SVC_ENCRYPTION_KEY, or on a line above the old one in the file encryption-key of the data folder. Restart the service, run this command, then remove the old key.",
  examples: ["<%= config.bin %> reseal"],
  async run({ startSession }) {
    const { client } = await startSession();
    return client.organization.reseal();
  },
  show: ({ resealed, current, unreadable }) =>
    [
      `Sealed ${counted(resealed, "credential")} with the newest key. ${current} already had it.`,
      ...(unreadable > 0
        ? [
            `${counted(unreadable, "credential")} cannot be opened: no key of the service fits. Add the key with which they were sealed, or enter them again.`,
          ]
        : []),
    ].join("\n"),
  exitCode: ({ unreadable }) => (unreadable > 0 ? EXIT.refused : EXIT.done),
});
