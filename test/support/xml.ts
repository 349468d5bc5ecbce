type Element = { name: string; attributes: Record<string, string>; children: Element[]; text: string };

const WRITABLE = /^[\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]*$/u;
const NAMED: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

/** Reads an XML document of elements, attributes and text; throws when it is not well-formed. */
export function parseXml(document: string): Element {
  if (!document.isWellFormed() || !WRITABLE.test(document)) throw new Error("holds what XML cannot hold");
  const prolog = /^<\?xml version="1\.0" encoding="UTF-8"\?>\s*/.exec(document);
  if (!prolog) throw new Error("has no prolog");
  const top: Element = { name: "", attributes: {}, children: [], text: "" };
  const open = [top];
  const tokens = /<(\/?)([A-Za-z][\w-]*)((?:\s+[A-Za-z][\w-]*="[^"<]*")*)\s*(\/?)>|([^<]+)/y;
  tokens.lastIndex = prolog[0].length;
  while (tokens.lastIndex < document.length) {
    const at = tokens.lastIndex;
    const found = tokens.exec(document);
    if (!found) throw new Error(`is not well-formed at ${at}: ${document.slice(at, at + 40)}`);
    const [, closing, name = "", attributes = "", alone, text] = found;
    const parent = open.at(-1)!;
    if (text !== undefined) parent.text += unescaped(text);
    else if (closing) {
      if (open.pop()!.name !== name) throw new Error(`closes ${name}, which is not open`);
    } else {
      const element: Element = { name, attributes: attributesOf(attributes), children: [], text: "" };
      parent.children.push(element);
      if (!alone) open.push(element);
    }
  }
  if (open.length !== 1 || top.children.length !== 1 || top.text.trim() !== "") throw new Error("is not one element");
  return top.children[0]!;
}

function attributesOf(text: string): Record<string, string> {
  const attributes: Record<string, string> = {};
  for (const [, name, value] of text.matchAll(/([\w-]+)="([^"]*)"/g)) {
    if (Object.hasOwn(attributes, name!)) throw new Error(`has ${name} twice`);
    attributes[name!] = unescaped(value!.replaceAll(/[\t\n\r]/g, " "));
  }
  return attributes;
}

function unescaped(text: string): string {
  return text.replaceAll(/&([^;]*;?)/g, (_, reference: string) => {
    const [, digits, named] = /^(?:#(\d+)|(\w+));$/.exec(reference) ?? [];
    const character = digits === undefined ? NAMED[named!] : String.fromCodePoint(Number(digits));
    if (character === undefined) throw new Error(`has no such reference: &${reference}`);
    return character;
  });
}
