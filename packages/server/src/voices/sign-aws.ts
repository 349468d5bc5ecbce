import { createHmac } from "node:crypto";
import { sha256 } from "../secrets.ts";

type AwsKey = { accessKeyId: string; secretAccessKey: string; region: string; service: string };

const ALGORITHM = "AWS4-HMAC-SHA256";
const SIGNED = "host;x-amz-date";

/** Returns the headers that sign a GET request without a body, by AWS Signature Version 4. */
export function signedHeaders(url: URL, key: AwsKey, nowMs: number): Record<string, string> {
  const time = new Date(nowMs).toISOString().replaceAll(/[-:]|\.\d{3}/g, "");
  const day = time.slice(0, 8);
  const scope = `${day}/${key.region}/${key.service}/aws4_request`;
  const request = [
    "GET",
    url.pathname,
    canonicalQuery(url),
    `host:${url.host}`,
    `x-amz-date:${time}`,
    "",
    SIGNED,
    sha256(""),
  ].join("\n");
  const signingKey = [day, key.region, key.service, "aws4_request"].reduce<string | Buffer>(
    (secret, part) => hmac(secret, part).digest(),
    `AWS4${key.secretAccessKey}`,
  );
  const signature = hmac(signingKey, [ALGORITHM, time, scope, sha256(request)].join("\n")).digest("hex");
  return {
    "x-amz-date": time,
    authorization: `${ALGORITHM} Credential=${key.accessKeyId}/${scope}, SignedHeaders=${SIGNED}, Signature=${signature}`,
  };
}

const hmac = (secret: string | Buffer, text: string) => createHmac("sha256", secret).update(text);

const canonicalQuery = (url: URL) =>
  [...url.searchParams]
    .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
    .sort()
    .join("&");

const encoded = (text: string) =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
