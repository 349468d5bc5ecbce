/** Texts that break careless layouts: one long word, right-to-left letters, and a control character that changes the direction. */
export const LONG_WORD = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft".repeat(3);
export const RIGHT_TO_LEFT = "שלום, אני רוצה להזמין חדר לשני לילות ביום שישי";
export const TURNED = "agent \u202Etxt.exe";
