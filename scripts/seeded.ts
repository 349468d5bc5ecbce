// `npm run seeded` serves a project with data and its pages, for people who work on the pages. The data folder is temporary.
import { Command } from "commander";
import { ADMIN, startSeeded } from "../test/web/support/seed.ts";

const { port } = new Command("seeded")
  .description("Serves the pages with recorded conversations, runs and imports.")
  .option("--port <port>", "port of the service", "3200")
  .parse()
  .opts<{ port: string }>();
const seeded = await startSeeded({ PORT: port });
console.log(`${seeded.url}${seeded.home}\n  sign in as ${ADMIN.email} with the password "${ADMIN.password}"`);
process.on("SIGINT", () => void seeded.stop().then(() => process.exit(0)));
