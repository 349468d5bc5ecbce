import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { RequestListener } from "node:http";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { exchange, openAnswer } from "../packages/server/src/base/net/outbound.ts";
import { bounds, faultOf, host } from "./support/outbound-host.ts";
import { until } from "./support/until.ts";

describe("a call to another host", () => {
  test("a call sends JSON and reads the answer", async () => {
    const url = await host(async (request, response) => {
      const parts = await request.toArray();
      response.end(`${request.method} ${request.headers["content-type"]} ${Buffer.concat(parts)}`);
    });
    const { status, body } = await exchange({ ...bounds, method: "POST", url, json: { a: 1 } });
    expect([status, body.toString()]).toEqual([200, 'POST application/json {"a":1}']);
  });

  test.each<[string, RequestListener, string]>([
    ["a redirect is not followed", (_, response) => response.writeHead(302, { location: "/x" }).end(), "redirected"],
    ["an answer over the limit is cut off", (_, response) => void response.end(Buffer.alloc(1_001)), "too_large"],
    [
      "an answer over the limit is cut off when it declares no length",
      (_, response) => {
        response.write("a");
        response.end(Buffer.alloc(2_000));
      },
      "too_large",
    ],
    [
      "an answer that is not HTTP is named so",
      (_, response) => void response.socket!.end("220 mail.example ESMTP\r\n"),
      "not_http",
    ],
    ["a connection that breaks off is a failure", (_, response) => void response.socket!.destroy(), "unreachable"],
    [
      "a connection that breaks off in the answer's body is a failure",
      (_, response) => {
        response.writeHead(200, { "content-length": "10" }).write("half");
        setImmediate(() => response.socket!.destroy());
      },
      "unreachable",
    ],
    [
      "an answer in a content encoding is refused",
      (_, response) => response.writeHead(200, { "content-encoding": "gzip" }).end(),
      "encoded",
    ],
  ])("%s", async (_, listener, fault) => {
    expect(await faultOf(exchange({ ...bounds, url: await host(listener) }))).toBe(fault);
  });

  test.each<[string, RequestListener]>([
    ["never answers", () => {}],
    ["trickles", (_, response) => void setInterval(() => response.write("a"), 10).unref()],
  ])("a call ends in time when the host %s", async (_, listener) => {
    expect(await faultOf(exchange({ ...bounds, timeoutMs: 80, url: await host(listener) }))).toBe("timeout");
  });

  test("a call ends when the caller cancels", async () => {
    const cancel = new AbortController();
    const url = await host(() => cancel.abort());
    expect(await faultOf(exchange({ ...bounds, url, signal: cancel.signal }))).toBe("canceled");
  });

  test.each([
    ["169.254.169.254", "0xa9fea9fe", "[fe80::1]", "[::ffff:169.254.169.254]"],
    ["100.100.100.200", "168.63.129.16", "192.0.0.192", "[fd00:ec2::254]", "[fd00:ec2::23]", "[fd20:ce::254]"],
  ])("a call never reaches the metadata services of clouds, such as %s", async (...addresses) => {
    for (const address of addresses) {
      const url = new URL(`http://${address}/`);
      expect(await faultOf(exchange({ ...bounds, timeoutMs: 500, url })), address).toBe("forbidden_address");
    }
  });

  test.each([
    ["mapped", "[::ffff:a9fe:a9fe]", "[::ffff:100.100.100.200]"],
    ["compatible", "[::a9fe:a9fe]", "[::168.63.129.16]"],
    ["translated by NAT64", "[64:ff9b::a9fe:a9fe]", "[64:ff9b::6464:64c8]", "[64:ff9b:1::a9fe:a9fe]"],
    ["translated by 6to4", "[2002:a9fe:a9fe::1]", "[2002:c000:c0::]"],
  ])("a call never reaches a metadata service through an IPv6 address that is %s", async (_, ...addresses) => {
    for (const address of addresses) {
      const url = new URL(`http://${address}/`);
      expect(await faultOf(exchange({ ...bounds, timeoutMs: 500, url })), address).toBe("forbidden_address");
    }
  });

  test.each([
    ["translated by NAT64 with a local prefix", "[64:ff9b:1:a9fe:a9:fe00::]", "[64:ff9b:1:0:a9:fea9:fe00:0]"],
    ["tunnelled by Teredo", "[2001:0:4136:e378:8000:63bf:5601:5601]"],
    ["tunnelled by ISATAP", "[2606:4700::5efe:169.254.169.254]", "[2606:4700::200:5efe:a9fe:a9fe]"],
  ])("a call never reaches a metadata service through an IPv6 address that is %s", async (_, ...addresses) => {
    for (const address of addresses) {
      const url = new URL(`http://${address}/`);
      expect(await faultOf(exchange({ ...bounds, timeoutMs: 500, url })), address).toBe("forbidden_address");
    }
  });

  test("a body is sent from a file, and a host that refuses it early is heard", async () => {
    const folder = mkdtempSync(join(tmpdir(), "svc-outbound-"));
    const path = join(folder, "body");
    const bytes = Buffer.alloc(3_000_000, "b");
    writeFileSync(path, bytes);
    const file = { type: "audio/wav", path, bytes: bytes.length };
    const url = await host(async (request, response) => {
      const parts = await request.toArray();
      response.end(`${request.headers["content-length"]} ${Buffer.concat(parts).equals(bytes)}`);
    });
    const { body } = await exchange({ ...bounds, method: "PUT", url, file });
    expect(body.toString()).toBe("3000000 true");
    const refusing = await host((_, response) => void response.writeHead(403).end("no"));
    expect(await exchange({ ...bounds, method: "PUT", url: refusing, file })).toMatchObject({ status: 403 });
    rmSync(folder, { recursive: true });
    await expect(exchange({ ...bounds, method: "PUT", url, file })).rejects.toMatchObject({ code: "ENOENT" });
  });

  test("a streamed answer may be read slowly, and breaks off with the host, over the limit and at a redirect", async () => {
    const whole = await host((_, response) => void response.end(Buffer.alloc(900)));
    const timeoutMs = 1_000;
    const slow = await openAnswer({ ...bounds, timeoutMs, url: whole });
    await new Promise((resolve) => setTimeout(resolve, timeoutMs + 200));
    expect((await slow.body.toArray()).reduce((sum, { length }) => sum + length, 0)).toBe(900);

    const broken = await host((_, response) => {
      response.writeHead(200, { "content-length": "900" }).write("half");
      setTimeout(() => response.socket!.destroy(), 50);
    });
    await expect((await openAnswer({ ...bounds, url: broken })).body.toArray()).rejects.toThrow("aborted");
    const large = await host((_, response) => void (response.write("a"), response.end(Buffer.alloc(2_000))));
    expect(await faultOf((await openAnswer({ ...bounds, url: large })).body.toArray())).toBe("too_large");
    const moved = await host((_, response) => void response.writeHead(307, { location: "/" }).end());
    expect(await faultOf(openAnswer({ ...bounds, url: moved }))).toBe("redirected");
    const silent = await host(() => {});
    expect(await faultOf(openAnswer({ ...bounds, timeoutMs: 80, url: silent }))).toBe("timeout");
  });

  test("a streamed answer ends its connection when it is destroyed before the first read", async () => {
    let isClosed = false;
    const url = await host((request, response) => {
      request.socket.once("close", () => (isClosed = true));
      response.write("first");
    });
    (await openAnswer({ ...bounds, url })).body.destroy();
    await until("the connection is closed", () => isClosed);
  });

  test("a connection that the host closed while it was idle is replaced, and the call succeeds", async () => {
    const sockets = new Set<Socket>();
    const url = await host((request, response) => {
      // The host closes the connection at its second request, as it does after a stall of the client.
      if (sockets.has(request.socket)) return void request.socket.resetAndDestroy();
      sockets.add(request.socket);
      response.end("answered");
    });
    for (let call = 0; call < 3; call++) {
      const { body } = await exchange({ ...bounds, method: "POST", url, json: { call } });
      expect(body.toString()).toBe("answered");
    }
    expect(sockets.size).toBe(3);
  });

  test("a call that must not reach the host twice never uses an earlier connection", async () => {
    const sockets = new Set<Socket>();
    const url = await host((request, response) => {
      sockets.add(request.socket);
      response.end("answered");
    });
    for (let call = 0; call < 3; call++) await exchange({ ...bounds, method: "POST", url, json: { call }, once: true });
    expect(sockets.size).toBe(3);
  });

  test("a call by https to a host that speaks http is a failure of TLS, and no fault of the service", async () => {
    const url = await host((_, response) => void response.end());
    const https = new URL(`https://${url.host}/`);
    for (const method of ["GET", "POST"] as const)
      expect(await faultOf(exchange({ ...bounds, method, url: https, json: { a: 1 } }))).toBe("tls");
  });

  test("a connection that breaks off in the answer is not called unreachable", async () => {
    const url = await host((_, response) => {
      response.writeHead(200, { "content-length": "10" }).write("half");
      setImmediate(() => response.socket!.destroy());
    });
    await expect(exchange({ ...bounds, url })).rejects.toThrow("closed the connection before the end of its answer");
  });

  test("a call that a new connection breaks off fails without another try", async () => {
    let calls = 0;
    const url = await host((request) => {
      calls++;
      request.socket.resetAndDestroy();
    });
    expect(await faultOf(exchange({ ...bounds, url }))).toBe("unreachable");
    expect(calls).toBe(1);
  });

  test("a call that is canceled during its answer ends the connection", async () => {
    let closed = false;
    const given = new AbortController();
    const url = await host((_, response) => {
      response.on("close", () => (closed = true));
      response.write("first", () => given.abort());
    });
    expect(await faultOf(exchange({ ...bounds, url, signal: given.signal }))).toBe("canceled");
    await until("the connection is closed", () => expect(closed).toBe(true));
  });
});
