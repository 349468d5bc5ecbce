import { command } from "../command.ts";

export default command({
  description:
    "To change the encryption key: put the new key first in SVC_ENCRYPTION_KEY (or in a line above the old one in the data folder's encryption-key), restart the service, run this, and take the old key out.",
  examples: ["<%= config.bin %> reseal"],
  async run({ connect }) {
    const { client } = await connect();
    return client.organization.reseal();
  },
  show: ({ resealed, current, unreadable }) =>
    [
      `${resealed} credentials were sealed with the newest key; ${current} were already.`,
      ...(unreadable > 0
        ? [`${unreadable} cannot be opened with any key that the service holds: add their key, or enter them again.`]
        : []),
    ].join("\n"),
  exitCode: ({ unreadable }) => (unreadable > 0 ? 1 : 0),
});
