import type { UnknownPathHint } from "../../http/listener.ts";
import { otlpAnswers } from "./respond.ts";

const SIGNALS: Record<string, { name: string; setting: string }> = {
  "/v1/logs": { name: "logs", setting: "OTEL_LOGS_EXPORTER" },
  "/v1/metrics": { name: "metrics", setting: "OTEL_METRICS_EXPORTER" },
};

/** Explains to an exporter of logs or metrics, in its own encoding, that only traces are taken. */
export const hintOnOtherSignals: UnknownPathHint = ({ method, path, headers }) => {
  const signal = SIGNALS[path];
  if (method !== "POST" || signal === undefined) return undefined;
  const { name, setting } = signal;
  return {
    message: `The service takes only traces, at \`POST /v1/traces\`. Switch the export of ${name} off: set \`${setting}=none\`, or remove the service from the Collector's pipeline of ${name}.`,
    encode: otlpAnswers(headers).error,
  };
};
