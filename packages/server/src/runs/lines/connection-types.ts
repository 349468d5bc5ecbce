import type { ConnectionType } from "@svc/contract";
import { httpChat } from "./http-chat.ts";
import { incomingCall } from "./incoming-call.ts";
import type { LineType } from "./line-type.ts";
import { phoneNumber } from "./phone-number.ts";
import { platformAChatApi } from "./platform-a-chat-api.ts";
import { platformAWebCall } from "./platform-a-web-call.ts";
import { platformBConsole } from "./platform-b-console.ts";
import { platformBRoom } from "./platform-b-room.ts";
import { sampleAgent } from "./sample-agent.ts";
import { sip } from "./sip.ts";
import { websocketAudio } from "./websocket-audio.ts";

const LINE_TYPES: Record<ConnectionType, LineType> = {
  http_chat: httpChat,
  platform_a_chat_api: platformAChatApi,
  platform_b_console: platformBConsole,
  sample_agent: sampleAgent,
  platform_a_web_call: platformAWebCall,
  platform_b_room: platformBRoom,
  phone_number: phoneNumber,
  incoming_call: incomingCall,
  websocket_audio: websocketAudio,
  sip,
};

export const lineTypeOf = (connectionType: ConnectionType): LineType => LINE_TYPES[connectionType];
