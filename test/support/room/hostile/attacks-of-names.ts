import { HIDDEN_METADATA, inUrl, METADATA, OTHER_PUBLIC, PUBLIC } from "./addresses.ts";
import type { Plan } from "./dns.ts";
import { ADDED_HEADER, type Answer } from "./media-server.ts";
import { type Attack, followed, HERE, METADATA_SHOWN, refusedUpgrade, type Stage } from "./stage.ts";
import { joins } from "./courses.ts";

function plansOf({ isLong }: Stage): Plan[] {
  const turned = [METADATA_SHOWN, ["127.0.0.1"], ["fd00:ec2::254"], ["10.0.0.5"], ["100.100.100.200"], ["::1"]];
  const after = isLong ? [1, 2, 3, 4, 5, 6] : [1, 2, 3, 4];
  const once: Plan[] = turned
    .slice(0, isLong ? turned.length : 3)
    .flatMap((to) => after.map((lookUps) => [...Array.from({ length: lookUps }, () => HERE), to]));
  const alternating = (to: string[]): Plan => Array.from({ length: 20 }, (_, at) => (at % 2 === 0 ? [PUBLIC] : to));
  return [
    ...once,
    alternating(METADATA_SHOWN),
    alternating(["127.0.0.1"]),
    [[PUBLIC, "169.254.169.254"]],
    [["169.254.169.254", PUBLIC]],
    [[PUBLIC, "127.0.0.1"]],
    [[PUBLIC, "::1", "fd00:ec2::254"]],
    [METADATA_SHOWN],
    [["127.0.0.1"]],
    [["64:ff9b::a9fe:a9fe"]],
  ];
}

const shown = (plan: Plan) =>
  plan
    .slice(0, 6)
    .map((addresses) => addresses.join("+"))
    .join(" then ");

export const names: Attack[] = [
  {
    title: "a name that changes its addresses leads to no address that the service does not call",
    proof: ["CreateRoom", "upgrade"],
    tries: (stage) =>
      plansOf(stage).map((plan) => ({
        about: shown(plan),
        host: stage.nameOf(plan),
        script: { answers: { upgrade: refusedUpgrade(stage.word), validate: { status: 503, body: stage.word } } },
      })),
  },
  {
    title: "a name that changes its addresses behind a token endpoint leads to none either",
    proof: ["token", "validate"],
    tries: (stage) =>
      stage.draw(plansOf(stage), 6).map((plan) => ({
        about: shown(plan),
        byEndpoint: true,
        host: stage.nameOf(plan),
        script: {
          answers: {
            upgrade: refusedUpgrade(stage.word),
            validate: (request) => (request === 0 ? { json: {} } : { status: 503, body: stage.word }),
          },
        },
      })),
  },
  {
    title: "no form of a forbidden address is reached as a media server's own",
    proof: [],
    tries: (stage) => {
      const forms = [
        ...[...METADATA, ...HIDDEN_METADATA].map(inUrl),
        "0xa9fea9fe",
        "2852039166",
        "0251.0376.0251.0376",
        "169.254.43518",
        "169.254.169.254.",
        "①⑥⑨.②⑤④.①⑥⑨.②⑤④",
        "[::169.254.169.254]",
        "[fe80::1]",
        "127.1",
        "0",
        "[::]",
        "localhost",
        stage.addresses.service,
        stage.nameOf([METADATA_SHOWN]),
        stage.nameOf([["fd00:ec2::254"], [PUBLIC]]),
      ];
      return stage
        .draw(forms, 8)
        .map((host, at) => ({ about: host, host, byEndpoint: at % 3 === 2, script: { signalling: joins({}) } }));
    },
  },
  {
    title: "a token with line breaks adds nothing to a request",
    reachesOnlyMediaServer: true,
    proof: ["token"],
    tries: (stage) =>
      [
        `a\r\n${ADDED_HEADER}: 1`,
        `a HTTP/1.1\r\n${ADDED_HEADER}: 1\r\n\r\n`,
        `a\n${ADDED_HEADER}: 1`,
        `a&access_token=b#${stage.word}`,
        `${stage.word} with a space`,
        `é${stage.word}`,
        `${"a".repeat(30_000)}${stage.word}`,
        `../../${followed(stage.port)}`,
      ].map((token) => ({
        about: JSON.stringify(token).slice(0, 40),
        byEndpoint: true,
        script: { answers: { token: { json: { token } } }, signalling: joins({}) },
      })),
  },
  {
    title: "the regions of a cloud's name lead nowhere",
    reachesOnlyMediaServer: true,
    proof: ["CreateRoom", "upgrade"],
    tries: (stage) => {
      const regions = [
        `ws://169.254.169.254:${stage.port}/`,
        `ws://127.0.0.1:${stage.port}/`,
        `ws://${OTHER_PUBLIC}:${stage.port}/`,
      ];
      const other: Answer = {
        json: {
          regions: regions.map((url, at) => ({
            region: `r${at}`,
            url: `${url}${followed(stage.port)}`,
            distance: String(at),
          })),
        },
      };
      return ["hostile.livekit.cloud", "hostile.livekit.run"].map((host, at) => {
        stage.names.set(host, [[PUBLIC]]);
        const validate = at === 0 ? { status: 200 } : { status: 503, body: stage.word };
        return {
          about: host,
          host,
          script: { answers: { upgrade: { status: 500, body: stage.word }, validate, other } },
        };
      });
    },
  },
];
