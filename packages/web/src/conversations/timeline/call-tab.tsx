import type { CallLine } from "@svc/contract";
import { CallLineView } from "../../ui/call-line.tsx";

export const callTab = (line: CallLine | null) =>
  line === null ? [] : [{ id: "call", label: "Call", content: <CallLineView line={line} /> }];
