import { audioAddress } from "@svc/sdk";
import { useMutation } from "@tanstack/react-query";
import { Play, Square } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { usePlace } from "../shell/place.ts";
import { Button } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { Failure } from "../ui/notice.tsx";
import type { Persona } from "./persona-content.ts";
import styles from "./side-parts.module.css";

type VoiceSampleCardProps = {
  persona: Persona;
  /** Whether the form has unsaved changes. The sample does not contain them. */
  isChanged: boolean;
};

export function VoiceSampleCard({ persona, isChanged }: VoiceSampleCardProps) {
  const { client, organizationId, projectId } = usePlace();
  const input = { personaId: persona.id, organizationId, projectId };
  const audio = useRef<HTMLAudioElement>(null);
  const [state, setState] = useState<"silent" | "loading" | "playing">("silent");
  // A media element does not report why it failed. The same request by the client does.
  const reason = useMutation({
    mutationFn: async () => (await client.personas.voiceSample(input)).cancel(),
  });

  useEffect(() => {
    const element = audio.current!;
    const listeners = {
      playing: () => setState("playing"),
      pause: () => setState("silent"),
      error: () => {
        setState("silent");
        reason.mutate();
      },
    };
    for (const [name, listener] of Object.entries(listeners)) element.addEventListener(name, listener);
    return () => {
      for (const [name, listener] of Object.entries(listeners)) element.removeEventListener(name, listener);
    };
  }, [persona.versionId]);

  function toggle(): void {
    const element = audio.current!;
    if (!element.paused) {
      element.pause();
      return;
    }
    reason.reset();
    setState("loading");
    if (element.error !== null) element.load();
    element.currentTime = 0;
    // If playback cannot start, the element also emits `error`.
    element.play().catch(() => undefined);
  }

  return (
    <Card title="How it sounds">
      <audio
        key={persona.versionId}
        ref={audio}
        src={audioAddress(location.origin, "personas.voiceSample", input)}
        preload="none"
      />
      <Button busy={state === "loading"} onClick={toggle}>
        {state === "playing" ? <Square size={16} aria-hidden /> : <Play size={16} aria-hidden />}
        {state === "playing" ? "Stop" : "Play a sentence"}
      </Button>
      {reason.error && <Failure error={reason.error} again={toggle} />}
      <p className={styles["note"]}>
        {isChanged
          ? "It plays the saved version, without your changes."
          : "One sentence, with the voice, the speed and the background noise of a call."}
      </p>
    </Card>
  );
}
