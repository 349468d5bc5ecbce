import { argument, command } from "../../command.ts";
import { personaIdOf } from "../../names.ts";
import { paint } from "../../output.ts";
import { contentText } from "../../persona-content.ts";
import { ago } from "../../times.ts";

export default command({
  examples: [
    "<%= config.bin %> personas show angry",
    "<%= config.bin %> personas show prsv_06ft2v8xk3n9q4w7r1y5z0abcd",
  ],
  args: { persona: argument("Name or id of a persona (prs_…), or id of one of its versions (prsv_…).") },
  async run({ args: { persona: named }, connect }) {
    const connection = await connect();
    const { client, project: projectId } = connection;
    if (named.startsWith("prsv_")) return (await client.personas.version({ versionId: named, projectId })).version;
    return (await client.personas.get({ personaId: await personaIdOf(connection, named), projectId })).persona;
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
