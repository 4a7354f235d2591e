// The types of requests and responses, by the name of the operation.
import type { operations } from "./operations.js";
import type { components, operations as Described } from "./schema.js";

/** Schemas of the OpenAPI document by their names: `Schemas["Event"]`. */
export type Schemas = components["schemas"];

/** The name of an operation. */
export type Name = keyof typeof operations;

type Fields<T> = { [K in keyof T as [Exclude<T[K], undefined>] extends [never] ? never : K]: T[K] };

type JSONBody<C> = C extends { "application/json": infer B } ? { body: B } : never;
type FormBody<C> = C extends { "multipart/form-data": infer F } ? { form: F } : never;
type Body<N extends Name> = Described[N] extends { requestBody: { content: infer C } } ? JSONBody<C> | FormBody<C> : unknown;

/**
 * What an operation takes: `path`, `query` and `header` with its parameters, and `body` as JSON or, for uploads, `form`
 * with the file as a Blob.
 */
export type Input<N extends Name> = Fields<Omit<Described[N]["parameters"], "cookie">> & Body<N> & { signal?: AbortSignal };

/** The arguments after the name: none are needed where no input is. */
export type Arguments<N extends Name> = object extends Input<N> ? [input?: Input<N>] : [input: Input<N>];

type Content<R> = R extends { content: infer C } ? (C extends { "application/json": infer B } ? B : Blob) : undefined;
type Success<R> = R[keyof R & (200 | 201 | 202 | 204)];

type Head<P> = P extends `${infer H}.${string}` ? H : P;
type Rest<P, K> = P extends `${infer H}.${infer R}` ? (H extends K ? R : never) : never;

/** What the names F, such as "user.username", leave of T. With a name that is no literal, anything may be missing. */
type Selected<T, F> = string extends F
  ? Partial<T>
  : T extends (infer E)[]
    ? Selected<E, F>[]
    : T extends object
      ? { [K in keyof T as K extends Head<F> ? K : never]: K extends F ? T[K] : Selected<T[K], Rest<F, K>> }
      : T;

/** The body of a successful response; a Blob for files, undefined for 204. The items have the `fields` F alone, if there are any. */
export type Answer<N extends Name, F = never> = SelectedData<Content<Success<Described[N]["responses"]>>, F>;

type SelectedData<B, F> = [F] extends [never]
  ? B
  : B extends { data: (infer T)[] }
    ? Omit<B, "data"> & { data: Selected<T, F>[] }
    : B extends { data: infer T }
      ? Omit<B, "data"> & { data: Selected<T, F> }
      : B;

/** An input with `fields`. */
export type Selecting<N extends Name, F> = Input<N> & { query: { fields: F[] } };

type Query<N extends Name> = Exclude<Described[N]["parameters"]["query"], undefined>;

/** The name of an operation that returns a list page by page. */
export type PagedName = { [N in Name]: [Query<N>] extends [never] ? never : [keyof Query<N> & ("page" | "cursor")] extends [never] ? never : N }[Name];

/** A subscription with ids in place of users and categories. */
type ByID<S> = { [K in keyof S]: K extends "user" | "followed_user" | "followed_category" ? Exclude<S[K], object> : S[K] };

/** One item of the list. With `uid_only`, a subscription has uids in place of users. */
export type Item<N extends PagedName, I> = N extends "listSubscriptions"
  ? I extends { query: { uid_only: string } }
    ? ByID<Schemas["ListedSubscription"]>
    : Schemas["Subscription"]
  : Answer<N> extends { data: (infer T)[] }
    ? I extends { query: { fields: (infer F)[] } }
      ? Selected<T, F>
      : T
    : never;
