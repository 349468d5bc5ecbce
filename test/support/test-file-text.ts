/** Returns a file of a test with this name and behavior. */
export const fileOf = (name: string, behavior = "Is kind.") =>
  `---\nname: ${name}\n---\n\n## Scenario\n\nA caller.\n\n## Expected behaviors\n\n- ${behavior}\n`;
