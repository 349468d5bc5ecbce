import type { LineOrder, MediaLine, MediaLineEvents } from "../call.ts";
import { createMediaStream } from "./media-stream.ts";
import { createRoomLine } from "./room/room.ts";
import { createSipLine } from "./sip/sip.ts";

export function createLine(order: LineOrder, callId: string, events: MediaLineEvents): MediaLine {
  switch (order.kind) {
    case "media_stream":
      return createMediaStream(order, callId, events);
    case "room":
      return createRoomLine(order, events);
    case "sip":
    case "incoming_call":
      return createSipLine(order, events);
  }
}
