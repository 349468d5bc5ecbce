import { AppError } from "../../base/errors.ts";

/** The service stores no span of a body that is not an ExportTraceServiceRequest. */
export class MalformedBody extends AppError {
  constructor(reason: string) {
    super("invalid_request", `The body is not an OTLP trace export in the encoding of its content type: ${reason}.`);
    this.name = "MalformedBody";
  }
}
