import { AppError } from "../../base/errors.ts";

/** The error for a body that is not an ExportTraceServiceRequest. None of its spans are accepted. */
export class MalformedBody extends AppError {
  constructor(reason: string) {
    super("invalid_request", `The body is not an OTLP trace export in the encoding of its content type: ${reason}.`);
    this.name = "MalformedBody";
  }
}
