import type { CallLine } from "@svc/contract";
import { CallLineView } from "../../ui/call-line.tsx";

/** Returns the inspector's tab with the signalling and packets of a call; none if the conversation has no such data. */
export const callTab = (line: CallLine | null) =>
  line === null ? [] : [{ id: "call", label: "Call", content: <CallLineView line={line} /> }];
