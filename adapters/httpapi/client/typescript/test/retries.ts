import { Fault, Plaza } from "../src/index.js";
import { check, rejection } from "./check.js";

/** A server that gives the answers in turn and keeps the requests. */
function server(...answers: [status: number, headers?: Record<string, string>][]) {
  const keys: (string | null)[] = [];
  const answer: typeof fetch = async (_, init) => {
    keys.push(new Headers(init?.headers).get("Idempotency-Key"));
    const [status, headers] = answers.shift() ?? [500];
    const body = status === 200 || status === 201 ? { data: {} } : { error: true, code: "THROTTLED", data: { detail: "Too many." } };
    return new Response(JSON.stringify(body), { status, headers: { "Content-Type": "application/json", ...headers } });
  };
  return { keys, plaza: new Plaza({ url: "http://plaza.example", fetch: answer }) };
}

const soon = { "Retry-After": "0" };

/** Shows which requests are repeated. */
export async function retries(): Promise<void> {
  const read = server([429, soon], [503, soon], [200]);
  await read.plaza.call("profile");
  check(read.keys.length === 3, "a GET is repeated after 429 and 503");

  const order = server([503, soon], [429, soon], [201]);
  await order.plaza.call("createOrder", { body: { user: 1, subject: "Tea", amount: 1, currency: "CNY", expires_in: 60 } });
  check(order.keys.length === 3 && order.keys[0] !== null && new Set(order.keys).size === 1, "a POST is repeated with one key");

  const upload = server([503, soon], [201]);
  await upload.plaza.call("createImage", { form: { img: new Blob(["x"]) } });
  await upload.plaza.call("createComment", { body: { event: 1, content: "x" } }).catch(() => undefined);
  check(upload.keys.length === 3 && upload.keys[0] === upload.keys[1], "an upload is repeated with one key");
  check(upload.keys[2] !== null && upload.keys[2] !== upload.keys[0], "each request has a key of its own");

  const login = server([503, soon], [200]);
  check((await rejection(login.plaza.login({ username: "+86-13800000001", password: "x" }))) instanceof Fault, "a fault");
  check(login.keys.length === 1 && login.keys[0] === null, "a POST without a key is not repeated");

  const busy = server([429, soon], [429, soon], [429, soon], [429, soon], [200]);
  const fault = await rejection(busy.plaza.call("profile"));
  check(fault instanceof Fault && fault.code === "THROTTLED" && busy.keys.length === 4, "three repetitions are enough");

  for (const headers of [undefined, { "Retry-After": "3600" }]) {
    const away = server(headers ? [503, headers] : [503], [200]);
    const given = await rejection(away.plaza.call("profile"));
    check(given instanceof Fault && given.retryAfter === (headers && 3600) && away.keys.length === 1, "too long to wait, or unknown");
  }

  const waiting = server([429, { "Retry-After": "30" }], [200]);
  const stop = new AbortController();
  const call = rejection(waiting.plaza.call("profile", { signal: stop.signal }));
  stop.abort(new Error("enough"));
  check((await call) instanceof Error && waiting.keys.length <= 1, "waiting ends with the signal");

  const page = new Plaza({ url: "http://plaza.example", fetch: async () => new Response("<html>", { status: 502 }) });
  const proxy = await rejection(page.call("profile"));
  check(proxy instanceof Fault && proxy.code === "UNKNOWN" && proxy.status === 502, "an answer of a proxy");
}

/** Shows that live reads the list while a proxy opens no stream. */
export async function polling(): Promise<void> {
  const lists = [[], [1], [3, 2, 1]];
  const opened: (AbortSignal | null | undefined)[] = [];
  const stop = new AbortController();
  const proxy: typeof fetch = async (url, init) => {
    if (String(url).endsWith("/stream/")) {
      if (lists.length === 0) stop.abort(new Error("more came than that"));
      return new Promise(() => opened.push(init?.signal));
    }
    const data = lists.shift()!.map((id) => ({ id }));
    return Response.json({ data, unread_count: data.length });
  };
  const { setTimeout } = globalThis;
  globalThis.setTimeout = ((done: () => void) => setTimeout(done)) as typeof setTimeout; // patience ends at once
  const came: (number | string)[] = [];
  for await (const { event, data } of new Plaza({ url: "http://plaza.example", fetch: proxy }).live({ signal: stop.signal })) {
    came.push(event === "notification" ? data.id : event);
    if (came.length === 6) break;
  }
  globalThis.setTimeout = setTimeout;
  check(came.join() === "unread,1,unread,2,3,unread", "each notification comes once, the oldest first");
  check(opened.length === 3 && opened.every((signal) => signal?.aborted), "what is given up ends");
}
