import type { Answer, Operations } from "@svc/contract";
import { command } from "../../command.ts";
import { variableOf } from "../../connection-form.ts";
import { hang, paint } from "../../output.ts";

type Option = Answer<Operations["connectionOptions"]["list"]>["connectionOptions"][number];
type Variant = Option["accessVariants"][number];

export default command({
  examples: ["<%= config.bin %> connections options", "<%= config.bin %> connections options --json"],
  async run({ connect }) {
    const { client } = await connect();
    return { items: (await client.connectionOptions.list()).connectionOptions, more: false };
  },
  show: ({ items }) => items.map(optionText).join("\n\n"),
});

function optionText({ connectionType, productLabel, modalities, topology, agentPlatform, accessVariants }: Option) {
  const agents = agentPlatform === null ? "any agent" : `agents of ${agentPlatform}`;
  const title = `${paint.bold(connectionType)}  ${productLabel}: ${modalities.join(" or ")}, ${topology}, for ${agents}`;
  return [title, ...accessVariants.map(variantText)].join("\n");
}

function variantText({ accessVariant, config, credential }: Variant): string {
  const fields = config.map(({ name, required, description, choices }) => {
    const values = choices ? ` (${choices.join(", ")})` : "";
    return `    --config ${name}=…  ${hang(`${description}${values}${required ? "" : " Optional."}`, 6)}`;
  });
  const secrets = credential.map(
    ({ name, description }) => `    ${variableOf(name)}  ${hang(`${description} Or at a prompt.`, 6)}`,
  );
  return [`  --variant ${accessVariant}`, ...fields, ...secrets].join("\n");
}
