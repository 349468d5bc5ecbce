import type { Recording } from "@svc/contract";
import { Notice } from "../../ui/notice.tsx";

/** The reason why a conversation that was recorded cannot be played. */
export const MissingRecording = ({ recording }: { recording: Recording }) => (
  <Notice kind="warning">No recording. {recording.message}</Notice>
);
