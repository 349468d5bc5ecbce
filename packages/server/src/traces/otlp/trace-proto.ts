import protobuf from "protobufjs/light.js";

const one = (id: number, type: string) => ({ id, type });
const many = (id: number, type: string) => ({ id, type, rule: "repeated" as const });
const message = (
  fields: Record<string, { id: number; type: string }>,
  oneofs?: Record<string, { oneof: string[] }>,
) => ({
  fields,
  ...(oneofs && { oneofs }),
});

const common = {
  AnyValue: message(
    {
      stringValue: one(1, "string"),
      boolValue: one(2, "bool"),
      intValue: one(3, "int64"),
      doubleValue: one(4, "double"),
      arrayValue: one(5, "ArrayValue"),
      kvlistValue: one(6, "KeyValueList"),
      bytesValue: one(7, "bytes"),
    },
    {
      value: {
        oneof: ["stringValue", "boolValue", "intValue", "doubleValue", "arrayValue", "kvlistValue", "bytesValue"],
      },
    },
  ),
  ArrayValue: message({ values: many(1, "AnyValue") }),
  KeyValueList: message({ values: many(1, "KeyValue") }),
  KeyValue: message({ key: one(1, "string"), value: one(2, "AnyValue") }),
  InstrumentationScope: message({
    name: one(1, "string"),
    version: one(2, "string"),
    attributes: many(3, "KeyValue"),
    droppedAttributesCount: one(4, "uint32"),
  }),
  Resource: message({ attributes: many(1, "KeyValue"), droppedAttributesCount: one(2, "uint32") }),
};

const trace = {
  ResourceSpans: message({
    resource: one(1, "Resource"),
    scopeSpans: many(2, "ScopeSpans"),
    schemaUrl: one(3, "string"),
  }),
  ScopeSpans: message({
    scope: one(1, "InstrumentationScope"),
    spans: many(2, "Span"),
    schemaUrl: one(3, "string"),
  }),
  Span: message({
    traceId: one(1, "bytes"),
    spanId: one(2, "bytes"),
    traceState: one(3, "string"),
    parentSpanId: one(4, "bytes"),
    name: one(5, "string"),
    kind: one(6, "int32"),
    startTimeUnixNano: one(7, "fixed64"),
    endTimeUnixNano: one(8, "fixed64"),
    attributes: many(9, "KeyValue"),
    droppedAttributesCount: one(10, "uint32"),
    events: many(11, "SpanEvent"),
    droppedEventsCount: one(12, "uint32"),
    links: many(13, "SpanLink"),
    droppedLinksCount: one(14, "uint32"),
    status: one(15, "Status"),
    flags: one(16, "fixed32"),
  }),
  SpanEvent: message({
    timeUnixNano: one(1, "fixed64"),
    name: one(2, "string"),
    attributes: many(3, "KeyValue"),
    droppedAttributesCount: one(4, "uint32"),
  }),
  SpanLink: message({
    traceId: one(1, "bytes"),
    spanId: one(2, "bytes"),
    traceState: one(3, "string"),
    attributes: many(4, "KeyValue"),
    droppedAttributesCount: one(5, "uint32"),
    flags: one(6, "fixed32"),
  }),
  Status: message({ message: one(2, "string"), code: one(3, "int32") }),
};

const collector = {
  ExportTraceServiceRequest: message({ resourceSpans: many(1, "ResourceSpans") }),
  ExportTracePartialSuccess: message({ rejectedSpans: one(1, "int64"), errorMessage: one(2, "string") }),
  ExportTraceServiceResponse: message({ partialSuccess: one(1, "ExportTracePartialSuccess") }),
};

const rpc = {
  RpcStatus: message({ code: one(1, "int32"), message: one(2, "string") }),
};

const root = protobuf.Root.fromJSON({ nested: { ...common, ...trace, ...collector, ...rpc } });

export const ExportTraceServiceRequest = root.lookupType("ExportTraceServiceRequest");
export const ExportTraceServiceResponse = root.lookupType("ExportTraceServiceResponse");
export const RpcStatus = root.lookupType("RpcStatus");
