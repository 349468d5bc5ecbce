type Changes = {
  first?: string;
  /** Lines that replace the header of the same name; null leaves the header out. */
  set?: Record<string, string | null>;
  /** Lines after the other headers. */
  more?: string[];
  body?: string;
};

const SDP = "v=0\r\no=- 1 1 IN IP4 192.0.2.1\r\ns=-\r\nc=IN IP4 192.0.2.1\r\nt=0 0\r\nm=audio 49170 RTP/AVP 0\r\n";

/** Writes a message like those of RFC 4475. Without changes, it is a plain INVITE. */
function message({ first = "INVITE sip:user@example.com SIP/2.0", set = {}, more = [], body = SDP }: Changes): string {
  const headers: Record<string, string | null> = {
    To: "To: sip:user@example.com",
    From: "From: sip:caller@example.net;tag=242etr",
    "Max-Forwards": "Max-Forwards: 6",
    "Call-ID": "Call-ID: torture.0ha0isnda977644900765@192.0.2.1",
    CSeq: `CSeq: 8 ${first.startsWith("SIP/") ? "INVITE" : first.split(" ")[0]!}`,
    Via: "Via: SIP/2.0/UDP 192.0.2.1;branch=z9hG4bKkdjuw",
    Contact: "Contact: <sip:caller@host5.example.net>",
    "Content-Type": "Content-Type: application/sdp",
    "Content-Length": `Content-Length: ${Buffer.byteLength(body)}`,
    ...set,
  };
  const lines = [first, ...Object.values(headers).filter((line) => line !== null), ...more];
  return `${lines.join("\r\n")}\r\n\r\n${body}`;
}

/**
 * The messages of RFC 4475 under their names there, written anew from its descriptions. `isRead` says whether this user agent reads the
 * message; it ignores the others.
 */
export const TORTURE: readonly { name: string; text: string; isRead: boolean }[] = [
  // Valid messages.
  {
    name: "wsinv",
    isRead: true,
    text: `INVITE sip:vivekg@chair-dnrc.example.com;unknownparam SIP/2.0\r\nTO :\r\n sip:vivekg@chair-dnrc.example.com ;   tag    = 1918181833n\r\nfrom   : "J Rosenberg \\\\\\""       <sip:jdrosen@example.com>\r\n  ;\r\n  tag = 98asjd8\r\nMaX-fOrWaRdS: 0068\r\nCall-ID: wsinv.ndaksdj@192.0.2.1\r\nContent-Length   : ${SDP.length}\r\ncseq: 0009\r\n  INVITE\r\nVia  : SIP  /   2.0\r\n /UDP\r\n    192.0.2.2;branch=390skdjuw\r\ns :\r\nNewFangledHeader:   newfangled value\r\n continued newfangled value\r\nUnknownHeaderWithUnusualValue: ;;,,;;,;\r\nContent-Type: application/sdp\r\nRoute:\r\n <sip:services.example.com;lr;unknownwith=value;unknown-no-value>\r\nv:  SIP  / 2.0  / TCP     spindle.example.com   ;\r\n  branch  =   z9hG4bK9ikj8  ,\r\n SIP  /    2.0   / UDP  192.168.255.111   ; branch=\r\n z9hG4bK30239\r\nm:"Quoted string \\"\\"" <sip:jdrosen@example.com> ; newparam =\r\n      newvalue ;\r\n  secondparam ; q = 0.33\r\n\r\n${SDP}`,
  },
  {
    name: "intmeth",
    isRead: true,
    text: message({
      first:
        "!interesting-Method0123456789_*+`.%indeed'~ sip:1_unusual.URI~(to-be!sure)&isn't+it$/crazy?,/;;*@example.com SIP/2.0",
      body: "",
    }),
  },
  { name: "esc01", isRead: true, text: message({ first: "INVITE sip:sips%3Auser%40example.com@example.net SIP/2.0" }) },
  {
    name: "escnull",
    isRead: true,
    text: message({
      first: "REGISTER sip:example.com SIP/2.0",
      set: { Contact: "Contact: <sip:%00@host5.example.com>" },
      body: "",
    }),
  },
  { name: "esc02", isRead: true, text: message({ first: "RE%47IST%45R sip:registrar.example.com SIP/2.0", body: "" }) },
  {
    name: "lwsdisp",
    isRead: true,
    text: message({
      first: "OPTIONS sip:user@example.com SIP/2.0",
      set: { From: "From: caller<sip:caller@example.com>;tag=323" },
      body: "",
    }),
  },
  {
    name: "longreq",
    isRead: true,
    text: message({
      set: {
        To: `To: "I have a user name of ${"extreme".repeat(100)} proportion" <sip:user@example.com:6000;unknownparam1=very${"long".repeat(200)}value>`,
      },
      more: [
        `Unknown-${"Long".repeat(200)}-Name: value`,
        ...Array.from({ length: 40 }, (_, at) => `Via: SIP/2.0/TCP sip${at}.example.com`),
      ],
    }),
  },
  {
    name: "dblreq",
    isRead: true,
    text: message({ first: "REGISTER sip:example.com SIP/2.0", body: "" }) + message({}),
  },
  {
    name: "semiuri",
    isRead: true,
    text: message({ first: "OPTIONS sip:user;par=u%40example.net@example.com SIP/2.0", body: "" }),
  },
  {
    name: "transports",
    isRead: true,
    text: message({
      first: "OPTIONS sip:user@example.com SIP/2.0",
      more: ["Via: SIP/2.0/SCTP t2.example.com;branch=z9hG4bK2", "Via: SIP/2.0/UNKNOWN t5.example.com;branch=z9hG4bK5"],
      body: "",
    }),
  },
  {
    name: "mpart01",
    isRead: true,
    text: message({
      first: "MESSAGE sip:user@example.com SIP/2.0",
      set: { "Content-Type": "Content-Type: multipart/mixed;boundary=7a9" },
      body: "--7a9\r\nContent-Type: text/plain\r\n\r\nHi\r\n--7a9\r\n\r\n\0\x01\u00ff\r\n--7a9--\r\n",
    }),
  },
  {
    name: "unreason",
    isRead: true,
    text: message({ first: "SIP/2.0 200 = 2**3 * 5**2 но сто девяносто девять - простое" }),
  },
  { name: "noreason", isRead: true, text: message({ first: "SIP/2.0 100 ", body: "" }) },
  // Invalid messages.
  { name: "badinv01", isRead: true, text: message({ set: { Contact: 'Contact: "Joe" <sip:joe@example.org>;;;;' } }) },
  { name: "clerr", isRead: false, text: message({ set: { "Content-Length": "Content-Length: 9999" } }) },
  { name: "ncl", isRead: false, text: message({ set: { "Content-Length": "Content-Length: -999" } }) },
  { name: "scalar02", isRead: false, text: message({ set: { CSeq: "CSeq: 36893488147419103232 INVITE" } }) },
  {
    name: "scalarlg",
    isRead: false,
    text: message({ first: "SIP/2.0 503 Service Unavailable", set: { CSeq: "CSeq: 9292394834772304023312 OPTIONS" } }),
  },
  { name: "quotbal", isRead: true, text: message({ set: { To: 'To: "Mr. J. User <sip:j.user@example.com>' } }) },
  { name: "ltgtruri", isRead: true, text: message({ first: "INVITE <sip:user@example.com> SIP/2.0" }) },
  { name: "lwsruri", isRead: false, text: message({ first: "INVITE sip:user@example.com; lr SIP/2.0" }) },
  { name: "lwsstart", isRead: false, text: message({ first: "INVITE  sip:user@example.com  SIP/2.0" }) },
  {
    name: "trws",
    isRead: false,
    text: message({ first: "OPTIONS sip:remote-target@example.com SIP/2.0  ", body: "" }),
  },
  {
    name: "escruri",
    isRead: true,
    text: message({ first: "INVITE sip:user@example.com?Route=%3Csip:example.com%3E SIP/2.0" }),
  },
  { name: "baddate", isRead: true, text: message({ more: ["Date: Fri, 01 Jan 2010 16:00:00 EST"] }) },
  {
    name: "regbadct",
    isRead: true,
    text: message({
      first: "REGISTER sip:example.com SIP/2.0",
      set: { Contact: "Contact: sip:user@example.com?Route=%3Csip:sip.example.com%3E" },
      body: "",
    }),
  },
  {
    name: "badaspec",
    isRead: true,
    text: message({
      first: "OPTIONS sip:user@example.org SIP/2.0",
      set: { To: 'To: "Watson, Thomas" < sip:t.watson@example.org >' },
      body: "",
    }),
  },
  {
    name: "baddn",
    isRead: true,
    text: message({
      first: "OPTIONS sip:t.watson@example.org SIP/2.0",
      set: { From: "From: Bell, Alexander <sip:a.g.bell@example.com>;tag=43" },
      body: "",
    }),
  },
  { name: "badvers", isRead: false, text: message({ first: "OPTIONS sip:t.watson@example.org SIP/7.0", body: "" }) },
  {
    name: "mismatch01",
    isRead: false,
    text: message({ first: "OPTIONS sip:user@example.com SIP/2.0", set: { CSeq: "CSeq: 8 INVITE" }, body: "" }),
  },
  {
    name: "mismatch02",
    isRead: false,
    text: message({ first: "NEWMETHOD sip:user@example.com SIP/2.0", set: { CSeq: "CSeq: 8 INVITE" }, body: "" }),
  },
  {
    name: "bigcode",
    isRead: false,
    text: message({ first: "SIP/2.0 4294967301 better not break the receiver", body: "" }),
  },
  // Messages that the transaction or the application refuses.
  {
    name: "badbranch",
    isRead: true,
    text: message({
      first: "OPTIONS sip:user@example.com SIP/2.0",
      set: { Via: "Via: SIP/2.0/UDP 192.0.2.1;branch=z9hG4bK" },
      body: "",
    }),
  },
  { name: "insuf", isRead: false, text: message({ set: { "Call-ID": null, From: null, To: null } }) },
  {
    name: "unkscm",
    isRead: true,
    text: message({ first: "OPTIONS nobodyKnowsThisScheme:totallyopaquecontent SIP/2.0", body: "" }),
  },
  { name: "novelsc", isRead: true, text: message({ first: "OPTIONS soap.beep://192.0.2.103:3002 SIP/2.0", body: "" }) },
  {
    name: "unksm2",
    isRead: true,
    text: message({
      first: "REGISTER sip:example.com SIP/2.0",
      set: { To: "To: isbn:2983792873", From: "From: <http://www.example.com>;tag=3234233" },
      body: "",
    }),
  },
  {
    name: "bext01",
    isRead: true,
    text: message({
      first: "OPTIONS sip:user@example.com SIP/2.0",
      more: ["Require: nothingSupportsThis, nothingSupportsThisEither"],
      body: "",
    }),
  },
  {
    name: "invut",
    isRead: true,
    text: message({
      set: { "Content-Type": "Content-Type: application/unknownformat" },
      body: '<audio>\n <pcmu port="443"/>\n</audio>',
    }),
  },
  {
    name: "regaut01",
    isRead: true,
    text: message({
      first: "REGISTER sip:example.com SIP/2.0",
      more: ["Authorization: NoOneKnowsThisScheme opaque-data=here"],
      body: "",
    }),
  },
  {
    name: "multi01",
    isRead: true,
    text: message({
      more: [
        "CSeq: 59 INVITE",
        "Call-ID: multi01.98asdh@192.0.2.2",
        "To: sip:other@example.com",
        "From: sip:other@example.net;tag=3413415",
      ],
    }),
  },
  {
    name: "mcl01",
    isRead: true,
    text: message({
      first: "OPTIONS sip:user@example.com SIP/2.0",
      more: ["Content-Length: 5"],
      body: "There's no way to know how many octets are supposed to be here.",
    }),
  },
  {
    name: "bcast",
    isRead: true,
    text: message({ first: "SIP/2.0 200 OK", more: ["Via: SIP/2.0/UDP 255.255.255.255;branch=z9hG4bK1saber23"] }),
  },
  {
    name: "zeromf",
    isRead: true,
    text: message({
      first: "OPTIONS sip:user@example.com SIP/2.0",
      set: { "Max-Forwards": "Max-Forwards: 0" },
      body: "",
    }),
  },
  {
    name: "cparam01",
    isRead: true,
    text: message({
      first: "REGISTER sip:example.com SIP/2.0",
      set: { Contact: "Contact: sip:+19725552222@gw1.example.net;unknownparam" },
      body: "",
    }),
  },
  {
    name: "regescrt",
    isRead: true,
    text: message({
      first: "REGISTER sip:example.com SIP/2.0",
      set: { Contact: "Contact: <sip:user@example.com?Route=%3Csip:sip.example.com%3E>" },
      body: "",
    }),
  },
  { name: "sdp01", isRead: true, text: message({ more: ["Accept: text/nobodyKnowsThis"] }) },
  {
    name: "inv2543",
    isRead: false,
    text: message({ set: { Via: "Via: SIP/2.0/UDP iftgw.example.com", "Max-Forwards": null } }),
  },
];

/** Returns a message with one seeded fault: bytes that are changed, removed or repeated, lines that are moved, and numbers that overflow. */
export function mutated(text: string, random: () => number): Buffer {
  const upTo = (count: number) => Math.floor(random() * count);
  const bytes = Buffer.from(text);
  const lines = text.split("\r\n");
  switch (upTo(8)) {
    case 0:
      for (let count = 0; count < 8; count++) bytes[upTo(bytes.length)] = upTo(256);
      return bytes;
    case 1:
      return bytes.subarray(0, upTo(bytes.length));
    case 2: {
      const at = upTo(lines.length);
      return Buffer.from([...lines.slice(0, at), ...lines.slice(at + 1)].join("\r\n"));
    }
    case 3:
      return Buffer.from(lines.flatMap((line) => (random() < 0.2 ? [line, line] : [line])).join("\r\n"));
    case 4:
      return Buffer.from(text.replaceAll(/\d+/g, (digits) => (random() < 0.3 ? "9".repeat(1 + upTo(30)) : digits)));
    case 5:
      return Buffer.from(text.replaceAll(/[<>";:,=@]/g, (sign) => (random() < 0.2 ? '<">;,'[upTo(5)]! : sign)));
    case 6: {
      const at = upTo(bytes.length);
      const piece = '";<,= \t\0'[upTo(8)]!.repeat(1 + upTo(20_000));
      return Buffer.concat([bytes.subarray(0, at), Buffer.from(piece), bytes.subarray(at)]);
    }
    default:
      return Buffer.from(Array.from({ length: 1 + upTo(1_400) }, () => upTo(256)));
  }
}
