import { CallFailure, type LineOrder, type MediaLine, type MediaLineEvents } from "../call.ts";
import { createMediaStream } from "./media-stream.ts";

/** Creates the line of a call. */
export function createLine(order: LineOrder, callId: string, events: MediaLineEvents): MediaLine {
  switch (order.kind) {
    case "media_stream":
      return createMediaStream(order, callId, events);
    case "room":
      throw new CallFailure("simulator_error", "This service does not place calls in rooms yet.");
  }
}
