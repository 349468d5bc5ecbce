import type { Channel } from "@svc/contract";
import { useNavigate } from "@tanstack/react-router";
import { createContext, use } from "react";
import { usePlace } from "../shell/place.ts";
import { endOf } from "../periods.ts";
import type { PlotMark } from "../ui/plot-drawing.ts";
import type { Line } from "./lines.ts";
import { listSearchOf } from "./sections.ts";

/** What all plots of the page share. */
export type PlotPage = {
  bucket: "hour" | "day";
  source: "production" | "simulation";
  version: string | undefined;
  channel: Channel | undefined;
  /** Source and period in words, for pictures. */
  detail: string;
  /** Marks of the times at which versions were seen for the first time. */
  marks: readonly PlotMark[];
  /** In milliseconds. */
  times: readonly number[];
};

export const PlotPageContext = createContext<PlotPage | undefined>(undefined);

export const usePlotPage = (): PlotPage => use(PlotPageContext)!;

/** Returns a function that opens the conversations of a line in a bucket. The list keeps the question of the plot. */
export function useOpenConversations(): (plot: string, line: Line | undefined, atMs: number) => void {
  const navigate = useNavigate();
  const { params } = usePlace();
  const { bucket, source, version, channel } = usePlotPage();
  return (plot, line, atMs) =>
    void navigate({
      to: "/o/$organizationId/p/$project/conversations",
      params,
      search: {
        source,
        agent: line?.agentName ?? undefined,
        withoutAgent: line?.agentName === null ? "true" : undefined,
        version: line?.agentVersion ?? version,
        channel,
        from: new Date(atMs).toISOString(),
        to: new Date(endOf(atMs, bucket)).toISOString(),
        ...listSearchOf(plot),
      },
    });
}
