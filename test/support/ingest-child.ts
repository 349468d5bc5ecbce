import { openIntake } from "../../packages/server/src/traces/intake.ts";
import { openTraceStore } from "../../packages/server/src/traces/store/open.ts";
import { silent } from "./ingest.ts";

/** A body for the intake; the child answers with its number once the body is acknowledged. */
export type ChildTask = { number: number; body: Buffer };

// The ingest of a server without HTTP; a spec starts it and kills it.
const dataDir = process.argv[2]!;
const { loader } = await openTraceStore({ dataDir, log: silent });
const intake = await openIntake({ dataDir, loader, log: silent });

process.on("message", async ({ number, body }: ChildTask) => {
  await intake.take({ project: 1, encoding: "protobuf", compression: "identity", chunks: [Buffer.from(body)] });
  process.send!(number);
});
process.send!("ready");
