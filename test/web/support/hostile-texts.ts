/** Markup that would run a script in a page that treats the text as HTML. */
const MARKUP =
  '</title></textarea></script><img src=x onerror="globalThis.hostile=1"><script>globalThis.hostile=1</script><svg onload="globalThis.hostile=1"><b>bold</b>';
const RIGHT_TO_LEFT = "שלום, אני רוצה להזמין חדר \u202Etxt.exe\u2066";
const CONTROL = "bell\u0007 escape\u001B[31m next\u0085 line\u2028 end";
const EMOJI = "👩‍👩‍👧‍👦🏳️‍🌈" + "Z\u0351\u036B\u0343\u036A\u0302\u036B".repeat(6);
const ZERO_WIDTH = "zero\u200Bwidth\u200D\uFEFF\u00AD\u2060";
const LONG_WORD = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft";

/** One text of each kind that breaks careless pages. */
export const HOSTILE = [MARKUP, RIGHT_TO_LEFT, CONTROL, EMOJI, ZERO_WIDTH, LONG_WORD.repeat(20)];

/** Returns a hostile name of at most 200 characters, such as other people can give. It differs for each mark. */
export const hostileName = (mark: string): string =>
  [...`${mark}<img src=x onerror="globalThis.hostile=1">${RIGHT_TO_LEFT}${EMOJI.slice(0, 30)}${ZERO_WIDTH}${LONG_WORD}`]
    .slice(0, 150)
    .join("");

/** Removes invisible characters from a text, which the service does not accept in names. */
export const visibleName = (text: string): string => text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "").slice(0, 200);

/** A text of 100,000 characters with all kinds of hostile text. */
export const LONG_TEXT = HOSTILE.join(" ").repeat(100).slice(0, 99_999) + ".";
