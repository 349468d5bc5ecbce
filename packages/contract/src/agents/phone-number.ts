/** Matches a telephone number in E.164. */
const E164 = /^\+[1-9]\d{6,14}$/;
/** Matches an entry of an allow-list that ends with `*`. */
const PREFIX = /^\+[1-9]\d{0,13}\*$/;
const SHORT = /^\+?\d{2,6}$/;

const IN_E164 = "Write the number in E.164: + and 7 to 15 digits, without spaces.";

/** Numbers that the service never calls: a pattern, the reason for people, and the public document where the rule can be read. */
const SOURCES = {
  itu: "ITU-T, List of Recommendation ITU-T E.164 assigned country codes (annex to the Operational Bulletin)",
  nanpa: "NANPA, N11 codes, 988 and 900 numbers (nanpa.com, number resources)",
  germany: "Bundesnetzagentur, table of the types of numbers (bundesnetzagentur.de, Nummerierung)",
  unitedKingdom: "Ofcom, The National Telephone Numbering Plan, part A",
  australia: "ACMA, Telecommunications Numbering Plan 2015",
  france: "Arcep, decision 2018-0881, plan national de numérotation",
  spain: "Plan Nacional de Numeración, guía práctica de usuario, section 4.3 (Dirección General de Telecomunicaciones)",
  italy: "AGCOM, delibera 26/08/CIR, annex A, articles 19 to 23",
  netherlands:
    "ACM, 0900, 0906 and 0909 information numbers; Nummerplan telefoon- en ISDN-diensten (wetten.overheid.nl)",
  switzerland: "BAKOM, SR 784.101.113/2.8, annex 2.8, sections 4.13 to 4.15",
  austria: "RTR, Mehrwertdienste (0)900, (0)901, (0)930, (0)931 and (0)939; KEM-V 2009, sections 86 to 91",
  belgium: "BIPT, national numbering plan, premium services 090x and 070",
} as const;

type NeverCalled = { numbers: RegExp; are: string; source: string };

/**
 * Numbers that the service never calls, even when an allow-list has them. The table is not complete: each country has further
 * numbers, and changes them.
 */
export const NEVER_CALLED: readonly NeverCalled[] = [
  { numbers: /^\+1(?:[2-9]11|988)/, are: "emergency and service numbers of North America", source: SOURCES.nanpa },
  { numbers: /^\+49(?:11[025])/, are: "emergency and public authority numbers of Germany", source: SOURCES.germany },
  { numbers: /^\+44(?:999|112|18000)/, are: "emergency numbers of the United Kingdom", source: SOURCES.unitedKingdom },
  { numbers: /^\+61(?:000|112|106)/, are: "emergency numbers of Australia", source: SOURCES.australia },
  {
    numbers: /^\+(?:3[0-46-9]|4\d|3[578]\d|42\d)116\d{3}$/,
    are: "helplines of European countries",
    source: "Commission Decision 2007/116/EC",
  },
  { numbers: /^\+1(?:900|\d{3}976)/, are: "premium numbers of North America", source: SOURCES.nanpa },
  {
    numbers: /^\+44(?:9|8[47]|70)/,
    are: "premium, service and personal numbers of the United Kingdom",
    source: SOURCES.unitedKingdom,
  },
  {
    numbers: /^\+49(?:900|137|118|180|700)/,
    are: "premium, service and personal numbers of Germany",
    source: SOURCES.germany,
  },
  { numbers: /^\+33(?:8[129])/, are: "premium numbers of France", source: SOURCES.france },
  { numbers: /^\+34(?:80[367]|90[57])/, are: "premium numbers of Spain", source: SOURCES.spain },
  { numbers: /^\+39(?:89|144|166)/, are: "premium numbers of Italy", source: SOURCES.italy },
  { numbers: /^\+31(?:90[069])/, are: "premium numbers of the Netherlands", source: SOURCES.netherlands },
  { numbers: /^\+41(?:90[016])/, are: "premium numbers of Switzerland", source: SOURCES.switzerland },
  { numbers: /^\+43(?:9[03])/, are: "premium numbers of Austria", source: SOURCES.austria },
  { numbers: /^\+32(?:90|70)/, are: "premium numbers of Belgium", source: SOURCES.belgium },
  { numbers: /^\+61(?:19)/, are: "premium numbers of Australia", source: SOURCES.australia },
  {
    numbers: /^\+(?:808|87[08]|88[123]|979)/,
    are: "international premium numbers and satellite networks",
    source: SOURCES.itu,
  },
  {
    // A network could read such a number without its country code: as a number of another country, or as a short number.
    numbers: /^\+(?:1[01]|(?:31|32|33|34|41|43|44|49|61)0)/,
    are: "numbers that their country does not have: leave out the 0 after the country code",
    source: SOURCES.itu,
  },
];

/** Returns why the service never calls a number; undefined when an allow-list may allow it. */
export function phoneNumberProblem(text: string): string | undefined {
  if (SHORT.test(text)) return `Emergency numbers and other short numbers are never called. ${IN_E164}`;
  if (!E164.test(text)) return IN_E164;
  const never = NEVER_CALLED.find(({ numbers }) => numbers.test(text));
  return never && `The service never calls ${never.are}.`;
}

/** Returns why an allow-list cannot have an entry; undefined for a number, and for the beginning of numbers with `*` after it. */
export function allowedNumberProblem(entry: string): string | undefined {
  if (!PREFIX.test(entry)) {
    if (E164.test(entry) || SHORT.test(entry)) return phoneNumberProblem(entry);
    return "Write a number in E.164, such as +493012345678, or the beginning of numbers and *, such as +4930*.";
  }
  const never = NEVER_CALLED.find(({ numbers }) => numbers.test(entry.slice(0, -1)));
  return never && `The service never calls ${never.are}.`;
}

/** Returns whether an allow-list has a number: the number itself, or its beginning with `*`. An empty list has no number. */
export const allowsNumber = (allowed: readonly string[], phoneNumber: string): boolean =>
  allowed.some((entry) => (entry.endsWith("*") ? phoneNumber.startsWith(entry.slice(0, -1)) : entry === phoneNumber));
