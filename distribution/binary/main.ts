import { main } from "../../packages/cli/src/main.ts";

await main(process.argv.slice(2));
