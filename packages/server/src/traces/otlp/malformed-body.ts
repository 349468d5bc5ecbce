import { AppError } from "../../base/errors.ts";

/** Error for a body that is not an ExportTraceServiceRequest. The service stores none of its spans. */
export class MalformedBody extends AppError {
  constructor(reason: string) {
    super("invalid_request", `The body is not an OTLP trace export in the encoding of its content type: ${reason}.`);
    this.name = "MalformedBody";
  }
}
