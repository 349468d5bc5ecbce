import { Flags } from "@oclif/core";
import { command } from "../command.ts";
import { demoText, runDemo } from "../demo/run-demo.ts";
import { startServer } from "../start-server.ts";

export default command({
  description: "Serves until Ctrl-C. Settings come from the environment; these options win over it.",
  examples: [
    "<%= config.bin %> serve",
    "PORT=8080 <%= config.bin %> serve --data-dir /var/lib/svc",
    "<%= config.bin %> serve --demo",
  ],
  flags: {
    port: Flags.string({ description: "Port to listen on; default PORT, else 3100." }),
    host: Flags.string({ description: "Address to listen on; default SVC_HOST, else 127.0.0.1." }),
    "data-dir": Flags.string({ description: "Folder of the stores; default SVC_DATA_DIR, else ./svc-data." }),
    demo: Flags.boolean({ description: "As `svc demo`.", exclusive: ["host", "data-dir"] }),
  },
  async run(call) {
    const { flags, progress } = call;
    if (flags.demo) return runDemo(call, flags.port);
    const given = { PORT: flags.port, SVC_HOST: flags.host, SVC_DATA_DIR: flags["data-dir"] };
    const settings = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
    progress.clear();
    await startServer({ ...process.env, ...settings });
    return undefined;
  },
  show: (demo) => (demo === undefined ? "" : demoText(demo)),
});
