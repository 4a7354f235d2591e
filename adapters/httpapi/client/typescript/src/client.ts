import { Fault, faultOf } from "./fault.js";
import { operations } from "./operations.js";
import { live, type LiveEvent, type LiveOptions } from "./live.js";
import { initOf, urlOf, type AnyInput, type Operation } from "./request.js";
import type { Answer, Arguments, Input, Item, Name, PagedName, Schemas, Selecting } from "./types.js";

export interface Options {
  /** The address of the server, without a path: https://plaza.example. */
  url: string;
  /** A key of an earlier login. */
  token?: string;
  /** How often a request is repeated after 429 and 503; 3 unless given. */
  retries?: number;
  /** The longest that Retry-After is waited for, in seconds; 60 unless given. */
  maxWait?: number;
  /** The time of one attempt, in seconds; 60 unless given. */
  timeout?: number;
  /** Used in place of the global fetch. */
  fetch?: typeof fetch;
}

/** A successful response with its status and headers. */
export interface Reply<N extends Name, F = never> {
  status: number;
  headers: Headers;
  /** Undefined for 304, after If-None-Match. */
  body: Answer<N, F> | undefined;
}

/**
 * Plaza is a client of one server. Every operation of the OpenAPI document is called by its name. An error of the server
 * is thrown as a Fault.
 */
export class Plaza {
  /** The key that requests carry; set by login and signUp, cleared by logout and eraseAccount. */
  token: string | undefined;
  readonly #url: string;
  readonly #options: Options;

  constructor(options: Options) {
    this.#options = options;
    this.#url = options.url.replace(/\/+$/, "");
    this.token = options.token;
  }

  /** Logs in, keeps the key for later requests, and returns it. */
  async login(credentials: Schemas["Login"]): Promise<string> {
    const { data } = await this.call("login", { body: credentials });
    this.token = data.key;
    return data.key;
  }

  /** Opens an account with a code that was sent for sign_up, keeps its key for later requests, and returns both. */
  async signUp(account: Schemas["SignUp"]): Promise<Schemas["SignedUp"]> {
    const { data } = await this.call("signUp", { body: account });
    this.token = data.key;
    return data;
  }

  /** Revokes the key and forgets it. */
  async logout(): Promise<void> {
    await this.call("logout");
    this.token = undefined;
  }

  /** Erases the account with a code that was sent for erase, and forgets the key. */
  async eraseAccount(confirmation: Schemas["Erasure"]): Promise<void> {
    await this.call("eraseAccount", { body: confirmation });
    this.token = undefined;
  }

  /** Sends the request and returns the body of the response. */
  call<N extends Name, F extends string>(name: N, input: Selecting<N, F>): Promise<Answer<N, F>>;
  call<N extends Name>(name: N, ...[input]: Arguments<N>): Promise<Answer<N>>;
  async call(name: Name, input?: AnyInput): Promise<unknown> {
    return (await this.#send(name, input)).body;
  }

  /** Like call, but returns the status and headers too. Use it with If-None-Match. */
  send<N extends Name, F extends string>(name: N, input: Selecting<N, F>): Promise<Reply<N, F>>;
  send<N extends Name>(name: N, ...[input]: Arguments<N>): Promise<Reply<N>>;
  async send(name: Name, input?: AnyInput): Promise<unknown> {
    return this.#send(name, input);
  }

  /**
   * Returns the items of a list, page after page: each once, whatever others write at the same time. With `page` or `ordering`
   * the pages are numbered, and items may repeat or be left out then.
   */
  items<N extends PagedName, F extends string>(name: N, input: Selecting<N, F>): AsyncGenerator<Item<N, Selecting<N, F>>, void, void>;
  items<N extends PagedName, I extends Input<N>>(
    name: N,
    ...[input]: object extends Input<N> ? [input?: I] : [input: I]
  ): AsyncGenerator<Item<N, I>, void, void>;
  async *items<N extends PagedName, I extends Input<N>>(
    name: N,
    ...[input]: object extends Input<N> ? [input?: I] : [input: I]
  ): AsyncGenerator<Item<N, I>, void, void> {
    const { query, ...others } = (input ?? {}) as AnyInput;
    const by = query?.["page"] !== undefined || query?.["ordering"] !== undefined ? "page" : "cursor";
    let next: unknown = query?.[by] ?? (by === "page" ? 1 : "");
    for (let first = true; first || next; first = false) {
      let list;
      try {
        list = (await this.#send(name, { ...others, query: { ...query, [by]: next } })).body as List<Item<N, I>>;
      } catch (error) {
        if (!first && error instanceof Fault && error.code === "RESOURCE_NOT_FOUND") return; // the list has become shorter
        throw error;
      }
      yield* list.data;
      next = (list.cursor ?? list.pagination)?.next;
    }
  }

  /**
   * Yields what happens until the signal is aborted, with notifications as their list has them: from a stream that begins again
   * behind the last event whenever it breaks, or from the list while no stream can be opened.
   */
  live(options: LiveOptions = {}): AsyncGenerator<LiveEvent, void, void> {
    const input = (signal: AbortSignal | undefined) => (signal ? { signal } : {});
    return live(
      {
        open: async (last, signal) => {
          const header = last ? { "Last-Event-ID": last } : {};
          const { body } = await this.send("stream", { header, ...input(signal) });
          return body as unknown as ReadableStream<Uint8Array>;
        },
        poll: (signal) => this.call("listNotifications", { query: { page_size: 100 }, ...input(signal) }),
        sleep,
      },
      options,
    );
  }

  async #send<N extends Name>(name: N, input: AnyInput = {}): Promise<Reply<N>> {
    const operation: Operation = operations[name];
    const url = urlOf(this.#url, operation, input);
    const { headers, body } = initOf(operation, input, this.token);
    const mayRepeat = operation.method !== "POST" || headers.has("Idempotency-Key");
    for (let left = mayRepeat ? (this.#options.retries ?? 3) : 0; ; left--) {
      const lasts = name === "stream";
      const response = await this.#fetch(lasts, url, { method: operation.method, headers, body, credentials: "omit" }, input.signal);
      if (response.ok || response.status === 304) {
        return { status: response.status, headers: response.headers, body: (await read(response)) as Answer<N> | undefined };
      }
      const fault = faultOf(response, await read(response).catch(() => undefined));
      const wait = fault.status === 429 || fault.status === 503 ? fault.retryAfter : undefined;
      if (left === 0 || wait === undefined || wait > (this.#options.maxWait ?? 60)) throw fault;
      await sleep(wait, input.signal);
    }
  }

  #fetch(lasts: boolean, url: string, init: RequestInit, signal: AbortSignal | undefined): Promise<Response> {
    if (lasts) return (this.#options.fetch ?? fetch)(url, { ...init, signal: signal ?? null });
    const timeout = AbortSignal.timeout((this.#options.timeout ?? 60) * 1000);
    const either = signal ? AbortSignal.any([signal, timeout]) : timeout;
    return (this.#options.fetch ?? fetch)(url, { ...init, signal: either });
  }
}

/** A page of a list. One that is not paged has neither pagination nor cursor. */
interface List<T> {
  data: T[];
  pagination?: Schemas["Pagination"];
  cursor?: Schemas["Cursor"];
}

/** Returns the body as JSON, or as a Blob. */
async function read(response: Response): Promise<unknown> {
  if (response.status === 204 || response.status === 304) return undefined;
  if (response.headers.get("Content-Type") === "text/event-stream") return response.body;
  const isJSON = response.headers.get("Content-Type")?.startsWith("application/json");
  return isJSON ? response.json() : response.blob();
}

/** Waits for the seconds, or until the signal is aborted. */
function sleep(seconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const timer = setTimeout(done, seconds * 1000);
    signal?.addEventListener("abort", done);
    function done() {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      if (signal?.aborted) reject(signal.reason);
      else resolve();
    }
  });
}
