/** Matches words of negation in languages that testers and callers often use. */
const WORDS =
  "not|no(?!\\.)|non(?!-)|never|nothing|none|nobody|nowhere|neither|nor|cannot|without|unable|hardly|" +
  "nicht|nie|niemals|kein(?:e[nmrs]?)?|nichts|ohne|weder|" +
  "ne|pas|jamais|aucune?|rien|sans|" +
  "nunca|jam[aá]s|sin|ning[uú]n[oa]?|nada|tampoco|sem|n[aã]o|mai|senza|nessun[oa]?|niente|nooit|geen|niet|zonder|" +
  "(?:do|does|did|is|are|was|were|has|have|had|ca|wo|would|could|should|must|need|ai)n['’]?t";

const NEGATION = new RegExp(`(?<![\\p{L}\\p{N}])(?:(?:${WORDS})(?![\\p{L}\\p{N}])|n['’](?=\\p{L}))`, "iu");

export const negates = (text: string): boolean => NEGATION.test(text);
