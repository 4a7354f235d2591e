// Server-sent events of what happens, from GET /api/user/stream/.
import { Fault } from "./fault.js";
import type { Schemas } from "./types.js";

/** Something that happened. Keep the id: a later stream begins behind it. */
export type LiveEvent = { id: string } & (
  | { event: "notification"; data: Schemas["Notification"] }
  | { event: "unread"; data: { unread_count: number } }
  | { event: "order"; data: { id: number; status: "open" | "paid" | "closed" } }
  | { event: "reset"; data: Record<string, never> }
);

export interface LiveOptions {
  /** The id of the last event that an earlier stream has brought. */
  lastEventID?: string;
  /** How often the notifications are read while no stream can be opened, in seconds; 30 unless given. */
  pollEvery?: number;
  /** Ends the events. */
  signal?: AbortSignal;
}

/** What live needs of a client. */
export interface Source {
  open(lastEventID: string, signal: AbortSignal | undefined): Promise<ReadableStream<Uint8Array>>;
  poll(signal: AbortSignal | undefined): Promise<{ data: Schemas["Notification"][]; unread_count: number }>;
  sleep(seconds: number, signal: AbortSignal | undefined): Promise<void>;
}

/** A stream that does not open, or brings nothing at all, for so long, in milliseconds, is not passed on by a proxy. */
const patience = 60_000;

/** Yields what happens, over one stream after the other, or from the list while there is none. It throws what no retry mends. */
export async function* live(source: Source, options: LiveOptions): AsyncGenerator<LiveEvent, void, void> {
  const { signal, pollEvery = 30 } = options;
  let last = options.lastEventID ?? "";
  let unread = -1;
  for (;;) {
    let wait = pollEvery;
    const attempt = new AbortController();
    try {
      const either = signal ? AbortSignal.any([signal, attempt.signal]) : attempt.signal;
      for await (const part of messages(await soon(source.open(last, either)))) {
        const fields = new Map(part.split("\n").map((line) => line.split(/: ?(.*)/s, 2) as [string, string]));
        wait = Number(fields.get("retry") ?? wait * 1000) / 1000;
        if (!fields.has("data")) continue;
        last = fields.get("id") ?? last;
        yield { id: last, event: fields.get("event"), data: JSON.parse(fields.get("data")!) } as LiveEvent;
      }
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof Fault && error.status < 500 && error.status !== 429) throw error;
    } finally {
      attempt.abort();
    }
    if (wait === pollEvery) {
      const list = await source.poll(signal).catch(() => undefined);
      if (list) last ||= String(list.data[0]?.id ?? 0); // no position: the first stream begins with reset
      const [newest, ...rest] = last.split("-");
      for (const one of [...(list?.data ?? [])].reverse()) {
        if (one.id > Number(newest)) yield { id: (last = [one.id, ...rest].join("-")), event: "notification", data: one };
      }
      if (list && list.unread_count !== unread) yield { id: last, event: "unread", data: { unread_count: (unread = list.unread_count) } };
    }
    await source.sleep(wait, signal);
  }
}

/** Yields the parts of the stream, which blank lines end. */
async function* messages(stream: ReadableStream<Uint8Array>): AsyncGenerator<string, void, void> {
  const reader = stream.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>).getReader();
  let text = "";
  try {
    for (;;) {
      const { done, value } = await soon(reader.read());
      if (done) return;
      const parts = (text + value).split("\n\n");
      text = parts.pop()!;
      yield* parts;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** Returns what the promise brings, or throws when the patience ends. */
function soon<T>(promise: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => (timer = setTimeout(() => reject(new Error("the stream is silent")), patience)));
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
