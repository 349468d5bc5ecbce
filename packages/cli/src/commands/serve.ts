import { Flags } from "@oclif/core";
import { command } from "../command.ts";
import { EXIT, Refusal } from "../refusal.ts";

export default command({
  description: "Serves until Ctrl-C. Settings come from the environment; these options win over it.",
  examples: ["<%= config.bin %> serve", "PORT=8080 <%= config.bin %> serve --data-dir /var/lib/svc"],
  flags: {
    port: Flags.string({ description: "Port to listen on; default PORT, else 3100." }),
    host: Flags.string({ description: "Address to listen on; default SVC_HOST, else 127.0.0.1." }),
    "data-dir": Flags.string({ description: "Folder of the stores; default SVC_DATA_DIR, else ./svc-data." }),
  },
  async run({ flags, progress }) {
    const { main } = await import("@svc/server");
    progress.clear();
    const given = { PORT: flags.port, SVC_HOST: flags.host, SVC_DATA_DIR: flags["data-dir"] };
    const settings = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
    try {
      await main({ ...process.env, ...settings });
    } catch (error) {
      throw new Refusal("not_started", (error as Error).message, EXIT.unreachable);
    }
  },
  show: () => "",
});
