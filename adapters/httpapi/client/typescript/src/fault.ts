import type { Schemas } from "./types.js";

/** The codes of errors. UNKNOWN is an answer that is not the server's, such as a proxy's page. */
export type Code = Schemas["Failure"]["code"] | Schemas["ValidationFailure"]["code"] | "UNKNOWN";

/** An error that the server answered with. Network errors are thrown as fetch throws them. */
export class Fault extends Error {
  override readonly name: string = "Fault";
  /** Seconds until the next attempt, if the server knows. */
  readonly retryAfter: number | undefined;
  /** The id of the request in the server's log. */
  readonly requestID: string;

  constructor(
    readonly code: Code,
    readonly status: number,
    message: string,
    headers: Headers,
  ) {
    super(message);
    this.retryAfter = secondsOf(headers.get("Retry-After"));
    this.requestID = headers.get("X-Request-ID") ?? "";
  }
}

/** A request that the server could not accept. */
export class ValidationFault extends Fault {
  override readonly name = "ValidationFault";

  /** Fields has the sentences for each wrong field; those about the whole request are under non_field_errors. */
  constructor(
    readonly fields: Record<string, string[]>,
    status: number,
    headers: Headers,
  ) {
    super("VALIDATION_EXCEPTION", status, sentences(fields), headers);
  }
}

/** Returns the fault that the response with the body is. */
export function faultOf(response: Response, body: unknown): Fault {
  if (!isEnvelope(body)) {
    return new Fault("UNKNOWN", response.status, `The answer ${response.status} is not the server's.`, response.headers);
  }
  if (body.code === "VALIDATION_EXCEPTION") {
    return new ValidationFault(body.data, response.status, response.headers);
  }
  return new Fault(body.code, response.status, body.data.detail, response.headers);
}

function isEnvelope(body: unknown): body is Schemas["Failure"] | Schemas["ValidationFailure"] {
  return typeof body === "object" && body !== null && "error" in body && body.error === true && "code" in body && "data" in body;
}

function sentences(fields: Record<string, string[]>): string {
  return Object.entries(fields)
    .map(([field, list]) => (field === "non_field_errors" ? "" : `${field}: `) + list.join(" "))
    .join(" ");
}

function secondsOf(header: string | null): number | undefined {
  const seconds = Number(header ?? NaN);
  return Number.isFinite(seconds) ? seconds : undefined;
}
