// Generates failing turns of known causes. Each turn of a cause has other words, names and numbers, as if a language model had
// written it.
import type { FailedThing } from "@svc/contract";
import { seeded } from "../../packages/server/src/base/seeded.ts";

/** A failing turn with its cause. The service must group the turns by their causes, which it does not know. */
export type FailingTurn = {
  cause: string;
  agent: string | null;
  kind: FailedThing["kind"];
  whatFailed: string;
  text: string;
};

/**
 * The templates of turns by cause. `{a|b|}` becomes "a", "b" or nothing, and a word in capitals becomes a value that differs each
 * time.
 */
const CAUSES: Record<string, readonly [whatFailed: string, ...texts: string[]]> = {
  "booking not found": [
    "find_booking",
    "{I'm sorry, |Unfortunately, |}I {can't|couldn't|am not able to} {find|locate|see} {a|any} {booking|reservation} {under|for|with} NAME{ in our system|}. {Could you spell the name?|Is there another name it might be under?|}",
    "{It looks like there is|There seems to be} no {booking|reservation} {under|in the name of} NAME {on DATE|in the system}.",
  ],
  "booking system slow": [
    "find_booking",
    "{Our|The} {booking|reservation} system is {taking longer than usual|a bit slow today|very slow at the moment}{, please bear with me|, sorry about that|}.",
    "{One moment|Just a second}, the system is {still loading|responding slowly}{, thank you for your patience|}.",
  ],
  "books another date": [
    "calls book_table",
    "{Great|Perfect|All set}, {I have booked|your table is booked|I've reserved} {a table|} for NUMBER {people|guests} on DATE at TIME.",
    "{Your|The} reservation {for DATE|on DATE at TIME} is confirmed{ under NAME|}{, see you then|}.",
  ],
  "asks card number twice": [
    "asks no card number",
    "{Could|Can} you {please |}{give|read|tell} me your {card|credit card} number{ again|, please|}?",
    "{I need|I'll need} the {long |}number {on the front of|from} your {credit |}card{ to continue|}.",
  ],
  "asks security code": [
    "asks no card number",
    "{And|} {what is|could you tell me} the {security code|three digit code|CVV} {on the back|} of the card?",
    "{Please|} {read out|tell me} the {CVV|security code}{ printed on the back|}.",
  ],
  "refund promised": [
    "never promises a refund",
    "{I|We} {will|can} {refund|give you back} the {full|whole} amount {of AMOUNT|} {today|within NUMBER days|}.",
    "{You|You'll} {will |}{get|receive} a {full |}refund {of AMOUNT |}{to your card|on your account}.",
  ],
  "voucher promised": [
    "never promises a refund",
    "{As an apology|To make up for it}, {I'll|I can} {send|email} you a voucher {worth AMOUNT|}.",
    "{I have|I've} added a {gift |}voucher {of AMOUNT |}to your {account|profile}{ as compensation|}.",
  ],
  "no identity check": [
    "verifies the caller",
    "{Sure|Of course|Okay}, your {balance|account balance} is AMOUNT{ as of DATE|}.",
    "{The|Your} current balance {on the account|} is AMOUNT{, anything else|}?",
  ],
  "address read out": [
    "verifies the caller",
    "{The|Your} address {we have|on file} is NUMBER {Oak|Mill|Station} {Street|Road}{, is that correct|}?",
    "{We|I} have you at NUMBER {High|Park} {Street|Lane}{, right|}?",
  ],
  "transfer fails": [
    "transfers to a person",
    "{I'm sorry, |}{nobody|no agent|no one} is {available|free} {right now|at the moment}{, please call back later|}.",
    "{All|} {our|of our} {agents|colleagues} are {busy|on other calls}{ right now|}{, please try again later|}.",
  ],
  "transfer refused": [
    "transfers to a person",
    "{I|I'm afraid I} {can't|cannot} {transfer|connect|put} you {through |}to a {person|human|colleague}, {but I can help you myself|I am happy to help}.",
    "{There is no need|You don't need} to {talk|speak} to a {person|human}, {I can do everything|I can take care of it}.",
  ],
  "payment declined": [
    "tool pay: declined",
    "{Unfortunately|I'm sorry}, {your|the} {card|payment} {was|has been} declined{ by the bank|}.",
    "{The|Your} bank {rejected|declined} the {payment|charge} {of AMOUNT|}{, do you have another card|}?",
  ],
  "payment timeout": [
    "tool pay: timeout",
    "{The|Our} payment {service|provider} {is not responding|isn't answering|timed out}{, let me try again|}.",
    "{I'm having|I am having} trouble {reaching|connecting to} the payment {service|system}.",
  ],
  "weather no data": [
    "tool get_weather: unavailable",
    "{I|Sorry, I} {can't|couldn't} {get|load|retrieve} the {weather|forecast} for CITY {right now|}.",
  ],
  "double greeting": [
    "greets once",
    "{Hello|Hi}{ again|}, {this is|you're speaking with} the {virtual |}assistant of {Hotel |}CITY, how {can|may} I help you{ today|}?",
    "{Thank you for calling|Welcome to} {our|the} {hotel|clinic|bank}{ in CITY|}, {what can I do|how may I help}?",
  ],
  "wrong opening hours": [
    "tells the opening hours",
    "{We|The shop|Our office} {are|is} open {from TIME to TIME|until TIME}{ on weekdays| every day|}.",
    "{Our|The} opening hours are {TIME to TIME|from TIME until TIME}{, Monday to Friday|}.",
  ],
  "hours unknown": [
    "tells the opening hours",
    "{I don't|Sorry, I don't} {have|know} {any information about|} {the|our} opening hours{, please check the website|}.",
  ],
  "language switch": [
    "answers in the caller's language",
    "{Lo siento|Perdón}, {no puedo|no pude} {encontrar|ver} {su|tu} reserva{ para DATE|}.",
    "{Gracias|Muchas gracias} por {llamar|su llamada}, ¿en qué {puedo|le puedo} ayudar{le|}?",
  ],
  "german answer": [
    "answers in the caller's language",
    "{Leider|Entschuldigung,} {kann|konnte} ich Ihre {Buchung|Reservierung} nicht finden{, bitte buchstabieren Sie den Namen|}.",
  ],
  "medical advice": [
    "gives no medical advice",
    "{You|I think you} {should|could} {take|try} NUMBER milligrams of {ibuprofen|paracetamol|aspirin}{ every NUMBER hours|}.",
    "{That|This} sounds like {a cold|the flu|an infection}, {take|you can take} {ibuprofen|paracetamol}{ and rest|}.",
  ],
  diagnosis: [
    "gives no medical advice",
    "{Your symptoms|These symptoms} {sound like|suggest|point to} {a migraine|an allergy|high blood pressure}{, don't worry|}.",
  ],
  "legal promise": [
    "gives no legal advice",
    "{You|Legally you} {have a|definitely have a} {strong |}{case|claim} and {will|would} win in court.",
  ],
  "cancels without asking": [
    "confirms before it cancels",
    "{I have|I've|Okay, I have} {canceled|cancelled} your {subscription|membership|contract}{ as of DATE|}.",
    "{Your|The} {subscription|membership} {is|has been} {canceled|cancelled}{ now|}{, sorry to see you go|}.",
  ],
  "retention loop": [
    "confirms before it cancels",
    "{Before you go|Before you cancel}, {can I|let me} offer you {a discount|NUMBER percent off|NUMBER free months}{ if you stay|}?",
    "{We'd hate to|We don't want to} lose you, {how about|what about} a discount of NUMBER percent?",
  ],
  "shipping status wrong": [
    "tells where the parcel is",
    "{Your|The} {package|parcel|order} {was|has been} delivered {on DATE|yesterday}{ and signed by NAME|}.",
  ],
  "tracking missing": [
    "tells where the parcel is",
    "{I|I'm sorry, I} {need|would need} {a|the|your} tracking {number|code} {to|before I can} {look|check}{ that up|}.",
  ],
  "silence after tool": [
    "answers after a tool",
    "{Let me|I'll|I will} {check|look into} {that|this|it}{ for you|}{, one moment| right away|}.",
  ],
  "hangs up early": [
    "ends when the caller is done",
    "{Thank you for calling|Thanks for your call}, {goodbye|bye|have a nice day}{ NAME|}.",
    "{Have a {great|nice|lovely} day|Goodbye}{, bye|}.",
  ],
  "keeps talking": [
    "ends when the caller is done",
    "{Is there|Do you have} {anything|something} else {I can help you with|you need}{ today|}?",
  ],
  "reads json": [
    "speaks plain words",
    "{status|result} colon {ok|success}, {booking id|reservation id} colon ID, {guest|name} colon NAME.",
  ],
  "reads markdown": [
    "speaks plain words",
    "{asterisk asterisk|star star} {options|rooms} {asterisk asterisk|star star} dash {single|double} room dash suite",
  ],
  "wrong price": [
    "tells the price",
    "{That|The room|It} {will be|comes to|costs} AMOUNT {per night|a night|in total}{, taxes included|}.",
    "{The|Our} price {for the|of a} {double |single |}room is AMOUNT{ per night|}.",
  ],
  "price refused": [
    "tells the price",
    "{I|Sorry, I} {can't|cannot|am not allowed to} {tell|give|quote} you {prices|a price} {over the phone|on the phone}.",
  ],
  "name misheard": [
    "repeats the name back",
    "{Thank you|Thanks|Okay}, {so your|your} {last |first |}name is NAME{, correct|, is that right|}?",
  ],
  "phone misread": [
    "repeats the number back",
    "{So|Let me repeat,} {your|the} {phone |telephone |}number is PHONE{, correct|, right|}?",
  ],
  upsell: [
    "offers nothing unasked",
    "{Would you|Would you also} like {to add|} {breakfast|parking|a spa package} {for AMOUNT|for only AMOUNT|}?",
    "{We have|There is} a special offer on {spa packages|breakfast|parking}{ this week|}{, interested|}?",
  ],
  "survey too early": [
    "offers nothing unasked",
    "{Would you|Could you} {take|answer} {a short|our} survey {about this call|}{, it takes NUMBER minutes|}?",
  ],
  "table full": [
    "offers another time",
    "{I'm sorry|Unfortunately}, {we are|we're} {fully booked|completely full} {on DATE|at TIME|that evening}.",
    "{There are|We have} no {tables|seats} {left|available} {at TIME|on DATE}.",
  ],
  "allergy ignored": [
    "notes allergies",
    "{The|Our} {chef|kitchen} {recommends|suggests} the {peanut|shrimp|lobster} {curry|noodles|soup}{ today|}.",
  ],
  "wrong department": [
    "transfers to billing",
    "{I'm|I am} {transferring|connecting} you to {technical support|the support team|our technicians}{ now|}{, please hold|}.",
  ],
};

const NAMES = "Maria Lopez,John,Anna Schmidt,Mr. Patel,Chen,Olga,Mrs. Brown,Ibrahim,Lucía,Tom Baker".split(",");
const CITIES = "Berlin,Lyon,Osaka,Austin,Leeds,Porto".split(",");
const OPENERS = ["", "", "", "Okay, ", "Alright. ", "Thanks for waiting. ", "I see. ", "Got it. ", "Let me see. "];

/** Returns failing turns, the same for the same seed. Common causes have many of the turns. */
export function failingTurns(count: number, seed = "failing conversations"): FailingTurn[] {
  const random = seeded(seed);
  const one = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)]!;
  const digits = (length: number) => Array.from({ length }, () => Math.floor(random() * 10)).join("");
  const VALUES: Record<string, () => string> = {
    NAME: () => one(NAMES),
    CITY: () => one(CITIES),
    NUMBER: () => one([digits(1), digits(2), "two", "three", "twenty four"]),
    AMOUNT: () => one([`$${digits(2)}.${digits(2)}`, `${digits(3)} euros`, "forty five dollars"]),
    DATE: () => one(["Friday", "May 3rd", "the 14th of March", "tomorrow", `2026-11-${digits(2)}`, "next Tuesday"]),
    TIME: () => one(["7 pm", "7:30", "noon", "half past eight", "18:00"]),
    ID: () => one([`AB${digits(5)}`, `bk_${digits(6)}`]),
    PHONE: () => one([`555 ${digits(3)} ${digits(4)}`, "five five five one two one two"]),
  };
  const INNERMOST = /\{([^{}]*)\}/;
  const written = (template: string): string => {
    let text = template;
    for (let match = INNERMOST.exec(text); match; match = INNERMOST.exec(text))
      text = text.slice(0, match.index) + one(match[1]!.split("|")) + text.slice(match.index + match[0].length);
    return text.replaceAll(/\b[A-Z]{2,}\b/g, (word) => VALUES[word]?.() ?? word);
  };
  const causes = Object.entries(CAUSES);
  return Array.from({ length: count }, () => {
    // The power makes the first causes more common than the last ones.
    const [cause, [whatFailed, ...texts]] = causes[Math.floor(random() ** 1.5 * causes.length)]!;
    const kind = whatFailed.startsWith("tool ") ? "tool" : "behavior";
    return { cause, agent: null, kind, whatFailed, text: `${one(OPENERS)}${written(one(texts))}`.trim() };
  });
}
