import { describe, expect, test } from "vitest";
import { AppError } from "../../packages/server/src/base/errors.ts";
import { encodeAnswer, otlpAnswers, partialSuccessOf } from "../../packages/server/src/traces/otlp/respond.ts";
import { ExportTraceServiceResponse, RpcStatus } from "../../packages/server/src/traces/otlp/trace-proto.ts";

const PARTIAL_SUCCESS = { accepted: 5, rejected: 3, reasons: { "bad trace id": 2, "no start time": 1 } } as const;

test("the answer to a body whose spans are all accepted is an empty message in protobuf and {} in JSON", () => {
  const answer = partialSuccessOf({ accepted: 5, rejected: 0, reasons: {} });
  expect(encodeAnswer("protobuf", answer)).toEqual({ contentType: "application/x-protobuf", body: Buffer.alloc(0) });
  expect(encodeAnswer("json", answer)).toEqual({ contentType: "application/json", body: Buffer.from("{}") });
});

test("the answer counts rejected spans and names the reasons, in both encodings", () => {
  const answer = partialSuccessOf(PARTIAL_SUCCESS);
  const partialSuccess = {
    rejectedSpans: "3",
    errorMessage: "Rejected 3 of 8 spans: 2 bad trace id, 1 no start time.",
  };
  expect(JSON.parse(encodeAnswer("json", answer).body.toString())).toEqual({ partialSuccess });
  const decoded = ExportTraceServiceResponse.decode(encodeAnswer("protobuf", answer).body as Buffer);
  expect(ExportTraceServiceResponse.toObject(decoded, { longs: String })).toEqual({ partialSuccess });
});

describe("an error before decoding", () => {
  test("an error before decoding is answered with a google.rpc.Status when the request is protobuf", () => {
    const { error } = otlpAnswers({ "content-type": "Application/X-Protobuf; x=y" });
    const { contentType, body } = error(new AppError("too_many_requests", "Wait."));
    expect(contentType).toBe("application/x-protobuf");
    expect(RpcStatus.toObject(RpcStatus.decode(body as Buffer))).toEqual({ code: 8, message: "Wait." });
  });

  test.each(["application/json", "text/plain", undefined])(
    "an error before decoding is answered with the product's JSON error body when the content type is %s",
    (type) => {
      const { error } = otlpAnswers({ ...(type && { "content-type": type }) });
      const { contentType, body } = error(new AppError("invalid_request", "Correct it.", { issues: [] }));
      expect(contentType).toBe("application/json");
      expect(JSON.parse(body.toString())).toEqual({
        error: "invalid_request",
        message: "Correct it.",
        details: { issues: [] },
      });
    },
  );
});
