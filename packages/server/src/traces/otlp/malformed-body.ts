import { AppError } from "../../errors.ts";

/** The body is not an ExportTraceServiceRequest; nothing of it was taken. */
export class MalformedBody extends AppError {
  constructor(reason: string) {
    super(
      "invalid_request",
      `The body is not an OTLP trace export in the encoding that its content type names: ${reason}.`,
    );
    this.name = "MalformedBody";
  }
}
