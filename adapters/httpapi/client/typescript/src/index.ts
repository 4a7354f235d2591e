export { Plaza, type Options, type Reply } from "./client.js";
export { Fault, ValidationFault, type Code } from "./fault.js";
export type { LiveEvent, LiveOptions } from "./live.js";
export type { Answer, Input, Item, Name, PagedName, Schemas } from "./types.js";
