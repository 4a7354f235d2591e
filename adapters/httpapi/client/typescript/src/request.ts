// How input becomes a request.

/** An operation of the table. */
export interface Operation {
  readonly method: string;
  readonly path: string;
  /** Query parameters that are one list with commas. */
  readonly lists?: readonly string[];
  /** Whether it takes an Idempotency-Key. */
  readonly takesKey?: true;
}

/** Input without its types. */
export interface AnyInput {
  path?: Record<string, unknown>;
  query?: Record<string, unknown>;
  header?: Record<string, unknown>;
  body?: unknown;
  form?: Record<string, unknown>;
  signal?: AbortSignal;
}

/** Returns the URL of the operation with its parameters. Absent ones are left out. */
export function urlOf(base: string, operation: Operation, input: AnyInput): string {
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(input.path?.[name])));
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(input.query ?? {})) {
    if (value === undefined || value === null) continue;
    if (!Array.isArray(value)) query.append(name, String(value));
    else if (operation.lists?.includes(name)) query.append(name, value.join(","));
    else for (const element of value) query.append(name, String(element));
  }
  return base + path + (query.size > 0 ? `?${query}` : "");
}

/** Returns the headers and the body of a request. One Idempotency-Key serves all attempts. */
export function initOf(operation: Operation, input: AnyInput, token: string | undefined): { headers: Headers; body: BodyInit | null } {
  const headers = new Headers();
  for (const [name, value] of Object.entries(input.header ?? {})) {
    if (value !== undefined) headers.set(name, String(value));
  }
  if (token) headers.set("Authorization", `Token ${token}`);
  if (operation.takesKey && !headers.has("Idempotency-Key")) headers.set("Idempotency-Key", newKey());
  if (input.form) return { headers, body: formOf(input.form) };
  if (input.body === undefined) return { headers, body: null };
  headers.set("Content-Type", "application/json");
  return { headers, body: JSON.stringify(input.body) };
}

/** Returns a form with the fields; each element of a list is a field of its own. */
function formOf(fields: Record<string, unknown>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    for (const element of Array.isArray(value) ? value : [value]) {
      if (element === undefined) continue;
      if (element instanceof Blob) form.append(name, element, element instanceof File ? element.name : name);
      else form.append(name, String(element));
    }
  }
  return form;
}

/** Returns 128 random bits. Pages without TLS have no crypto.randomUUID. */
function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
