import { command } from "../../command.ts";
import { argument } from "../../flags.ts";
import { idOf } from "../../look-up.ts";
import { paint } from "../../terminal/output.ts";
import { contentText } from "../../authoring/persona-content.ts";
import { ago } from "../../terminal/times.ts";

export default command({
  summary: "Show a persona or one of its versions",
  examples: [
    "<%= config.bin %> personas show angry",
    "<%= config.bin %> personas show prsv_06ft2v8xk3n9q4w7r1y5z0abcd",
  ],
  args: { persona: argument("Id or exact name of the persona, or id of one of its versions (prsv_…).") },
  async run({ args: { persona: idOrName }, startSession }) {
    const session = await startSession();
    const { client, projectId } = session;
    if (idOrName.startsWith("prsv_"))
      return (await client.personas.version({ versionId: idOrName, projectId })).version;
    return (await client.personas.get({ personaId: await idOf(session, "persona", idOrName), projectId })).persona;
  },
  show(persona) {
    const when = (at: string | null) => (at === null ? "ships with the service" : ago(at));
    const title =
      "personaId" in persona
        ? `${paint.bold(persona.personaName)}  version ${persona.version}${persona.current ? ", current" : ", not current"}, ${when(persona.createdAt)}\n${persona.personaId}  ${persona.id}`
        : `${paint.bold(persona.name)}  version ${persona.version}, ${when(persona.updatedAt)}${persona.isDefault ? ", the project's default" : ""}${persona.archived ? ", archived" : ""}\n${persona.id}  ${persona.versionId}`;
    return `${title}\n\n${contentText(persona)}`;
  },
});
