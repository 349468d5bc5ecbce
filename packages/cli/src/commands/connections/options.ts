import type { ConnectionOption } from "@svc/contract";
import { platformName } from "@svc/contract/constants";
import { command } from "../../command.ts";
import { type ConnectionVariant, variableOf } from "../../agents/connection-form.ts";
import { hang, hangAfter, paint } from "../../terminal/output.ts";

export default command({
  summary: "Show the connection types and the fields of each",
  examples: ["<%= config.bin %> connections options", "<%= config.bin %> connections options --json"],
  async run({ startSession }) {
    const { client } = await startSession();
    return { items: (await client.connectionOptions.list()).connectionOptions, more: false };
  },
  show: ({ items }) => items.map(optionText).join("\n\n"),
});

function optionText({
  connectionType,
  productLabel,
  modalities,
  topology,
  agentPlatform,
  plays,
  accessVariants,
}: ConnectionOption) {
  const agents = agentPlatform === null ? "any agent" : `agents of ${platformName(agentPlatform)}`;
  const about = `${productLabel}: ${modalities.join(" or ")}, ${topology}, for ${agents}`;
  const title = hangAfter(`${paint.bold(connectionType)}  `, about, 2);
  return [title, `  ${hang(plays.summary, 2)}`, ...accessVariants.map(variantText)].join("\n");
}

function variantText({ accessVariant, config, credential }: ConnectionVariant): string {
  const fields = config.map(({ name, required, description, choices }) => {
    const values = choices ? ` (${choices.join(", ")})` : "";
    return hangAfter(`    --config ${name}=…  `, `${description}${values}${required ? "" : " Optional."}`, 6);
  });
  const secrets = credential.map(({ name, description }) =>
    hangAfter(`    ${variableOf(name)}  `, `${description} A prompt asks for it when the variable is not set.`, 6),
  );
  return [`  --variant ${accessVariant}`, ...fields, ...secrets].join("\n");
}
