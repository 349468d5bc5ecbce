import { excerpt } from "../bounds.ts";
import { type Decision, failed, inconclusive, passed } from "../decision.ts";
import { type Evidence, readText, mayContainMore } from "../evidence.ts";
import { asks, hasAny, isEnglish, sentencesOf, spaced } from "../sentences.ts";
import { unlessDoubted } from "./missing-evidence.ts";
import type { Check } from "./check.ts";
import { turnsOf } from "./says.ts";

/** The things that agents ask for most: their names in behaviors, and the words of questions for them. */
const COMMON_THINGS: readonly { names: string[]; phrases: string[] }[] = [
  ["name,full name,name of caller", "name,who am i speaking,who do i have,who is calling,whos calling"],
  ["date of birth,birth date,birthday,dob", "date of birth,birth date,birthdate,birthday,dob,were you born"],
  [
    "phone number,telephone number,callback number,contact number,phone",
    "phone,telephone,mobile,cell,contact number,callback number,call back number,best number,number to reach,number can i reach,number can we reach",
  ],
  ["email,email address,e-mail,e-mail address", "email,e mail"],
  ["address,home address,street address,delivery address", "address,where do you live,street,deliver to,send it to"],
  [
    "date,day,travel date,arrival date,check-in date,preferred date",
    "date,dates,day,days,when would,when do you,when are you,when will you,check in,arrive,arriving",
  ],
  ["time,preferred time", "time,times,when would,when do you,how early,how late"],
  [
    "number of guests,number of people,party size",
    "how many,number of guests,number of people,party size,for how many",
  ],
  ["number of nights,length of stay", "how many nights,how long,number of nights,until when,checking out,check out"],
  [
    "confirmation number,confirmation code,booking reference,booking number,reference number",
    "confirmation number,confirmation code,reference,booking number,reservation number",
  ],
  ["order number", "order number,order id,number of your order"],
  ["account number", "account number,account id,number of your account"],
  ["payment,card,card number,credit card,payment method,payment details", "card,payment,pay"],
  ["reason,reason for call,reason for visit", "reason,why,what brings,what can i help,how can i help,what is it about"],
  ["zip code,postal code,postcode,zip", "zip,zip code,postal code,postcode"],
].map(([names, phrases]) => ({ names: wordsOfList(names!), phrases: wordsOfList(phrases!) }));

function wordsOfList(list: string): string[] {
  return list.split(",").map((name) => spaced(name).trim());
}

const SMALL_WORDS = new Set("the a an your their his her caller callers customer customers of for s".split(" "));

/**
 * Decides whether the agent asked for a thing. Common things have known words; for any other thing a question with its
 * words passes, and other questions leave the check inconclusive.
 */
export function asksFor({ thing }: Check & { form: "asks_for" }, evidence: Evidence): Decision {
  const wanted = contentOf(thing);
  const common = COMMON_THINGS.find(({ names }) => names.some((name) => contentOf(name) === wanted));
  const isMeant = (words: string) =>
    common
      ? hasAny(words, common.phrases)
      : wanted.split(" ").every((word) => ` ${contentOf(words)} `.includes(` ${word} `));

  const spoken = turnsOf(evidence, "agent");
  const texts = spoken.map((turn) => readText(turn) ?? "");
  let questions = 0;
  for (const [i, text] of texts.entries()) {
    for (const sentence of sentencesOf(text).filter(asks)) {
      questions++;
      if (isMeant(sentence.words))
        return passed(`The agent asked in turn ${spoken[i]!.index}.`, [
          { turn: spoken[i]!.index, quote: excerpt(sentence.text) },
        ]);
    }
  }
  if (questions > 0 && (!common || !isEnglish(texts)))
    return inconclusive("The agent asked for something, but its words may mean another thing.");
  const doubt = spoken.some(mayContainMore) ? "Some of the agent's words are not known." : null;
  return unlessDoubted(failed(`The agent never asked for ${thing}.`), doubt, evidence.partial);
}

/** Returns the words of a thing in the singular, without articles and the like. */
const contentOf = (text: string): string =>
  spaced(text)
    .trim()
    .split(" ")
    .filter((word) => !SMALL_WORDS.has(word))
    .map((word) => (word.length > 3 ? word.replace(/(?<!s)s$/, "") : word))
    .join(" ");
