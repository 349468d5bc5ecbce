import { z } from "zod";
import {
  ProviderSettings,
  Settings,
  SETTING_GROUPS,
  type SettingText,
} from "../../packages/server/src/base/config/settings.ts";

const HEAD = `# Configuration

All settings are variables of the environment, and all are optional. A malformed setting stops the start with a message that says
how to correct it. \`svc serve\` takes \`--port\`, \`--host\` and \`--data-dir\` in place of three of them.`;

/** Returns docs/configuration.md: the settings of the service by group, with defaults from their schemas. */
export function configurationPage(): string {
  const settings = Object.entries({ ...Settings.shape, ...ProviderSettings.shape }).map(([name, schema]) => {
    const { group, meaning, unset } = schema.meta() as unknown as SettingText;
    const fallback = defaultOf(schema);
    return {
      group,
      text: `- \`${name}\`: ${meaning}\n  Default: ${fallback === undefined ? unset : `\`${fallback}\``}.`,
    };
  });
  const sections = SETTING_GROUPS.map((group) => {
    const texts = settings.filter((setting) => setting.group === group).map(({ text }) => text);
    return `## ${group}\n\n${texts.join("\n")}`;
  });
  return [HEAD, ...sections].join("\n\n");
}

const defaultOf = (schema: z.ZodType): string | number | undefined => {
  const inner = schema instanceof z.ZodPipe ? (schema.in as z.ZodType) : schema;
  return inner instanceof z.ZodDefault ? (inner.def.defaultValue as string | number) : undefined;
};
