import { API_PORT, HIDDEN_METADATA, inUrl, LOOPBACK, METADATA, OTHER_PUBLIC, PRIVATE } from "./addresses.ts";
import type { Answer } from "./media-server.ts";
import { type Attack, followed, refusedUpgrade, type Stage, type Try } from "./stage.ts";

const REDIRECTS = [301, 302, 303, 307, 308];

const locationsOf = ({ port, addresses, nameOf }: Stage): string[] => [
  `http://169.254.169.254/${followed(port)}/latest/meta-data/iam`,
  `https://169.254.169.254/${followed(port)}`,
  `//169.254.169.254:${port}/${followed(port)}`,
  `/${followed(port)}`,
  ...[...METADATA, ...HIDDEN_METADATA, ...LOOPBACK, ...PRIVATE, OTHER_PUBLIC, addresses.service].map(
    (address) => `http://${inUrl(address)}:${port}/${followed(port)}`,
  ),
  `https://10.0.0.5:${port}/${followed(port)}`,
  `http://${addresses.service}:${API_PORT}/${followed(port)}`,
  `http://127.0.0.1:${API_PORT}/${followed(port)}`,
  `http://${nameOf([["169.254.169.254"]])}:${port}/${followed(port)}`,
  `http://${nameOf([["127.0.0.1"]])}:${port}/${followed(port)}`,
];

/** Returns redirects to all targets. The long form combines each target with every redirect status. */
function redirectsOf(stage: Stage): { status: number; location: string }[] {
  const locations = locationsOf(stage);
  if (!stage.isLong) return locations.map((location, at) => ({ status: REDIRECTS[at % REDIRECTS.length]!, location }));
  return locations.flatMap((location) => REDIRECTS.map((status) => ({ status, location })));
}

const redirect = ({ status, location }: { status: number; location: string }, word: string): Answer => ({
  status,
  headers: { location },
  body: `${word} of the redirect`,
});
export const redirects: Attack[] = [
  {
    title: "no redirect of a validation is followed",
    reachesOnlyMediaServer: true,
    tcpPorts: [80, 443],
    proof: ["CreateRoom", "upgrade"],
    tries: (stage) =>
      redirectsOf(stage).map((one, at) => ({
        about: `${one.status} to ${one.location}`,
        script: {
          isOld: at % 3 === 2,
          answers: { upgrade: refusedUpgrade(stage.word), validate: redirect(one, stage.word) },
        },
      })),
  },
  {
    title: "no redirect is followed behind a token endpoint, of a validation or of the endpoint",
    reachesOnlyMediaServer: true,
    proof: ["token", "validate", "upgrade"],
    tries: (stage) =>
      stage.draw(redirectsOf(stage), 4).flatMap((one): Try[] => {
        const moved = redirect(one, stage.word);
        const later = (request: number) => (request === 0 ? { json: {} } : moved);
        const upgrade = refusedUpgrade(stage.word);
        return [
          {
            about: `a later validation: ${one.location}`,
            byEndpoint: true,
            script: { answers: { upgrade, validate: later } },
          },
          {
            about: `the first validation: ${one.location}`,
            byEndpoint: true,
            script: { answers: { validate: moved } },
          },
          { about: `the endpoint: ${one.location}`, byEndpoint: true, script: { answers: { token: moved } } },
        ];
      }),
  },
  {
    title: "no redirect of an upgrade or of a request for a room is followed",
    reachesOnlyMediaServer: true,
    proof: ["CreateRoom", "upgrade"],
    tries: (stage) =>
      stage.draw(redirectsOf(stage), 5).flatMap((one): Try[] => {
        const moved = redirect(one, stage.word);
        return [
          { about: `the upgrade: ${one.location}`, script: { answers: { upgrade: moved } } },
          { about: `the room: ${one.location}`, script: { answers: { CreateRoom: moved } } },
        ];
      }),
  },
];

const STATUSES = Array.from({ length: 500 }, (_, at) => at + 100);
const TELLING = [
  100, 101, 102, 103, 200, 201, 204, 206, 226, 300, 304, 400, 401, 402, 403, 404, 405, 407, 408, 409, 410, 418, 421,
  422, 425, 426, 429, 431, 451, 500, 501, 502, 503, 504, 505, 511, 520, 599,
];

const wordyAnswer = (status: number, word: string): Answer => ({
  status,
  reason: `${word} as a reason`,
  headers: {
    "x-word": word,
    "www-authenticate": `Bearer realm="${word}"`,
    "retry-after": word,
    "set-cookie": `a=${word}`,
  },
  body: JSON.stringify({ code: word, msg: `${word} as a message`, message: word, error: word, reason: word }),
});

const wordsWithoutForm = (word: string): Answer[] => [
  { body: word },
  { json: word },
  { json: { code: word, msg: word, sid: word, name: word, participant_token: 7, token: { word } } },
  { raw: `HTTP/1.1 999 ${word}\r\n${word}: ${word}\r\n\r\n${word}` },
  { raw: `HTTP/1.1 20 ${word}\r\n\r\n${word}` },
  { raw: `${word} ${word}\r\n\r\n` },
  { raw: `HTTP/1.1 403 Forbidden\r\ncontent-length: 9999\r\n\r\n${word}` },
  { raw: `HTTP/1.1 403 Forbidden\r\ntransfer-encoding: chunked\r\n\r\nzz${word}\r\n` },
  { status: 403, headers: { "content-encoding": word }, body: word },
];

/** Returns answers with every status, or with some of them in the short form, and malformed answers. Each contains the secret word. */
export function statusesOf({ isLong, draw, word }: Stage): { about: string; answer: Answer }[] {
  const statuses = isLong ? STATUSES : [200, ...draw(TELLING, 5), ...draw(STATUSES, 1)];
  return [
    ...statuses.map((status) => ({ about: `status ${status}`, answer: wordyAnswer(status, word) })),
    ...draw(wordsWithoutForm(word), 2).map((answer) => ({
      about: JSON.stringify(answer).replaceAll(word, "…").slice(0, 60),
      answer,
    })),
  ];
}

export const answers: Attack[] = [
  {
    title: "no word of an answer to the request for a room is shown",
    reachesOnlyMediaServer: true,
    proof: ["CreateRoom"],
    tries: (stage) =>
      statusesOf(stage).map(({ about, answer }) => ({ about, script: { answers: { CreateRoom: answer } } })),
  },
  {
    title: "no word of an answer to an upgrade is shown",
    reachesOnlyMediaServer: true,
    proof: ["upgrade"],
    tries: (stage) =>
      statusesOf(stage).map(({ about, answer }, at) => ({
        about,
        script: { isOld: at % 4 === 3, answers: { upgrade: answer } },
      })),
  },
  {
    title: "no word of an answer to a validation is shown",
    reachesOnlyMediaServer: true,
    proof: ["upgrade"],
    tries: (stage) =>
      statusesOf(stage).map(({ about, answer }, at) => ({
        about,
        script: { isOld: at % 4 === 3, answers: { upgrade: refusedUpgrade(stage.word), validate: answer } },
      })),
  },
  {
    title: "no word of a token endpoint's answer, or of a validation behind it, is shown",
    reachesOnlyMediaServer: true,
    proof: ["token", "validate"],
    tries: (stage) =>
      statusesOf(stage).flatMap(({ about, answer }): Try[] => [
        { about: `endpoint, ${about}`, byEndpoint: true, script: { answers: { token: answer } } },
        { about: `validation, ${about}`, byEndpoint: true, script: { answers: { validate: answer } } },
      ]),
  },
];
