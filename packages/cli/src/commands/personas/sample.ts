import { Flags } from "@oclif/core";
import { command } from "../../command.ts";
import { argument } from "../../flags.ts";
import { idOf } from "../../look-up.ts";
import { useSound } from "../../recordings/sound.ts";
import { usage } from "../../refusal.ts";

export default command({
  summary: "Play or save a sample of a persona's voice",
  description:
    "The persona says one sentence, with its speed, volume and background noise. A persona without a speech synthesis model speaks with a built-in voice.",
  examples: [
    "<%= config.bin %> personas sample angry --play",
    "<%= config.bin %> personas sample angry --save angry.wav",
  ],
  args: { persona: argument("Id or exact name of the persona.") },
  flags: {
    play: Flags.boolean({ description: "Play the sample." }),
    save: Flags.string({ description: "Write the sample to this new WAV file.", helpValue: "<file>" }),
  },
  async run({ args, flags, startSession, note }) {
    if (!flags.play && flags.save === undefined)
      throw usage("Say what to do with the sample: --play or --save <file>.");
    const session = await startSession();
    const { client, projectId } = session;
    const personaId = await idOf(session, "persona", args.persona);
    const { persona } = await client.personas.get({ personaId, projectId });
    const open = () => client.personas.voiceSample({ personaId, projectId });
    await useSound(
      { play: Boolean(flags.play), save: flags.save },
      async () => ({ name: `the sample of "${persona.name}"`, open }),
      note,
    );
    return { personaId, file: flags.save ?? null };
  },
  show: () => "",
});
