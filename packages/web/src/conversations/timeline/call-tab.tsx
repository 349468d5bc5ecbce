import type { CallLine } from "@svc/contract";
import { CallLineView } from "../../ui/call-line.tsx";

/** Returns the inspector's part about the signalling and the packets of a call; none for a conversation without them. */
export const callTab = (line: CallLine | null) =>
  line === null ? [] : [{ id: "call", label: "Call", content: <CallLineView line={line} /> }];
