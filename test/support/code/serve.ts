import { main } from "../../../packages/server/src/main/main.ts";

await main();
