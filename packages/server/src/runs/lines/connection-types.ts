import type { ConnectionType } from "@svc/contract";
import { AppError } from "../../base/errors.ts";
import { httpChat } from "./http-chat.ts";
import type { LineType } from "./line-type.ts";
import { phoneNumber } from "./phone-number.ts";
import { platformAChatApi } from "./platform-a-chat-api.ts";
import { platformBConsole } from "./platform-b-console.ts";
import { platformBRoom } from "./platform-b-room.ts";
import { sampleAgent } from "./sample-agent.ts";
import { sip } from "./sip.ts";
import { websocketAudio } from "./websocket-audio.ts";

/** Line type of each connection type; null when simulations do not support the connection type. */
const LINE_TYPES: Record<ConnectionType, LineType | null> = {
  http_chat: httpChat,
  platform_a_chat_api: platformAChatApi,
  platform_b_console: platformBConsole,
  sample_agent: sampleAgent,
  platform_a_web_call: null,
  platform_b_room: platformBRoom,
  phone_number: phoneNumber,
  websocket_audio: websocketAudio,
  sip,
};

export const findLineType = (connectionType: ConnectionType): LineType | null => LINE_TYPES[connectionType];

export function lineTypeOf(connectionType: ConnectionType): LineType {
  const lineType = LINE_TYPES[connectionType];
  if (lineType) return lineType;
  const runnable = Object.entries(LINE_TYPES).flatMap(([name, line]) => (line ? [name] : []));
  throw new AppError(
    "unprocessable",
    `Simulations over ${connectionType} are not built yet; use a connection of type ${runnable.join(", ")}.`,
  );
}
