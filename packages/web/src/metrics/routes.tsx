import { CHANNELS } from "@svc/contract/constants";
import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { projectRoute } from "../shell/parents.ts";
import { isDay, PERIOD_NAMES } from "../periods.ts";
import { oneOf, optional, textOf } from "../search-params.ts";
import { readChosen } from "./lines.ts";

const SOURCES = ["production", "simulation"] as const;

const dayIn = (value: unknown): string | undefined => {
  const text = textOf(value);
  return isDay(text) ? text : undefined;
};

const chosenIn = (value: unknown): string | undefined => {
  const text = textOf(value);
  return readChosen(text) === undefined ? undefined : text;
};

const metricsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/metrics",
  validateSearch: (search: Record<string, unknown>) =>
    optional({
      period: oneOf(PERIOD_NAMES, search["period"]),
      from: dayIn(search["from"]),
      to: dayIn(search["to"]),
      source: oneOf(SOURCES, search["source"]),
      agent: textOf(search["agent"]),
      version: textOf(search["version"]),
      channel: oneOf(CHANNELS, search["channel"]),
      lines: oneOf(["versions"], search["lines"]),
      chosen: chosenIn(search["chosen"]),
      compare: oneOf(["before"], search["compare"]),
      answers: oneOf(["spoken", "heard", "typed"], search["answers"]),
      find: textOf(search["find"]),
      rows: oneOf(["all"], search["rows"]),
      order: oneOf(["median", "p95"], search["order"]),
    }),
  component: lazyRouteComponent(() => import("./metrics.tsx"), "Metrics"),
});

const versionsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/metrics/versions",
  validateSearch: (search: Record<string, unknown>) =>
    optional({
      agent: textOf(search["agent"]),
      version: textOf(search["version"]),
      with: textOf(search["with"]),
      period: oneOf(PERIOD_NAMES, search["period"]),
    }),
  component: lazyRouteComponent(() => import("./versions.tsx"), "CompareVersions"),
});

export const metricsRoutes = [metricsRoute, versionsRoute] as const;
