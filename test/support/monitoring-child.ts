import { startMonitoring } from "../../packages/server/src/monitoring/monitoring.ts";
import { openSealing } from "../../packages/server/src/sealing.ts";
import { keptSecret } from "../../packages/server/src/secrets.ts";
import { openRelational } from "../../packages/server/src/stores/relational.ts";
import { openSealedCredentials } from "../../packages/server/src/stores/sealed-credentials.ts";
import { openIntake } from "../../packages/server/src/traces/intake.ts";
import { openAnalytics } from "../../packages/server/src/traces/store/analytics.ts";
import { silent } from "./ingest.ts";
import { FAST } from "./monitoring-pace.ts";

// Runs only the import of a server; a spec starts this process and kills it.
const [dataDir, baseUrl] = process.argv.slice(2) as [string, string];
const analytics = await openAnalytics({ dataDir, log: silent });
const intake = await openIntake({ dataDir, analytics, log: silent });
const { db } = openRelational(dataDir);
const sealed = openSealedCredentials(db, openSealing(keptSecret(dataDir, "encryption-key", undefined)));
const pace = { ...FAST, pageCalls: 25, leaseMs: 60 };
startMonitoring({ db, sealed, intake, lastSentMs: analytics.lastSent, log: silent as never, baseUrl, pace });
process.send!("ready");
