import { Fault, Plaza, ValidationFault, type Name, type Schemas } from "../src/index.js";
import { operations } from "../src/operations.js";
import { check, rejection } from "./check.js";

const password = "plaza-demo";
const picture = new Blob([Uint8Array.from(atob("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"), (c) => c.charCodeAt(0))], {
  type: "image/gif",
});

/** What a person does with a phone: pays the content of a QR code, and reads the code that was sent to a number. */
export interface Phone {
  scan(codeURL: string): Promise<unknown>;
  read(number: string): Promise<string>;
}

/**
 * Calls every operation of a server with the demo data, with a picture or two, and returns how many. It leaves the data
 * changed.
 */
export async function tour(url: string, phone: Phone): Promise<number> {
  const called = new Set<Name>();
  const client = (): Plaza => record(new Plaza({ url }), called);
  const member = client();
  const friend = client();
  const staff = client();
  await member.login({ username: "+86-13800000001", password });
  await friend.login({ username: "+86-13800000002", password });
  await staff.login({ username: "+1-2025550104", password, scope: ["back_office"] });

  await people(member);
  const event = await events(member, friend);
  await talk(member, friend, event);
  await moderation(member, friend, staff, event);
  await office(member, friend, staff);
  await member.call("deleteEvent", { path: { id: event } });
  await images(member);
  await lists(member);
  await follow(member);
  await community(member);
  await pay(member, staff, phone);
  await membership(client, phone);
  await faults(client(), member);
  await sessions(friend, client());

  const missing = (Object.keys(operations) as Name[]).filter((name) => !called.has(name));
  check(missing.length === 0, `every operation was called: ${missing}`);
  return called.size;
}

/** Notes the names of the operations that the client calls with success. */
function record(client: Plaza, called: Set<Name>): Plaza {
  const { call, send, items } = client as unknown as Record<string, (...input: unknown[]) => Promise<unknown> & AsyncIterable<unknown>>;
  const noted = (method: typeof call) => async (name: Name, ...input: unknown[]) => {
    const answer = await method!.call(client, name, ...input);
    called.add(name);
    return answer;
  };
  async function* notedItems(name: Name, ...input: unknown[]) {
    yield* items!.call(client, name, ...input);
    called.add(name);
  }
  return Object.assign(client, { call: noted(call), send: noted(send), items: notedItems });
}

async function people(member: Plaza): Promise<void> {
  const { data: own } = await member.call("profile");
  const { data: known } = await member.call("simpleInfo", { body: { uid: [own.uid] } });
  check(known[0]?.username === own.username, "the profile's name");
  check(new URL(own.avatar).pathname.startsWith("/media/"), "an avatar");
  const portrait = await member.call("portrait", { path: { name: `${own.uid}-md.png` } });
  check(portrait.size > 100 && portrait.type === "image/png", "a portrait");
  const { data: changed } = await member.call("setAvatar", { form: { avatar: picture } });
  check(changed.avatar !== own.avatar, "a new avatar");
  await member.call("removeAvatar");
  const { data: restored } = await member.call("profile");
  check(restored.avatar === own.avatar, "the generated avatar is back");
}

async function events(member: Plaza, friend: Plaza): Promise<number> {
  const request = { body: { title: "Boats" }, header: { "Idempotency-Key": crypto.randomUUID() } };
  const { status, headers, body } = await member.send("createEvent", request);
  check(status === 201 && body !== undefined && headers.get("Location") === `/api/xfile/event/${body.data.id}/`, "the event's path");
  const { data: draft } = await member.call("createEvent", request);
  check(draft.id === body.data.id, "a request that is repeated with its key creates nothing more");
  check(draft.status === 0 && draft.view_permission === 0, "a public draft");
  const hidden = await rejection(friend.call("getEvent", { path: { id: draft.id } }));
  check(hidden instanceof Fault && hidden.code === "RESOURCE_NOT_FOUND" && hidden.requestID !== "", "a draft is hidden");
  const { data: published } = await member.call("updateEvent", { path: { id: draft.id }, body: { publish: true } });
  check(published.status === 100, "it is published");
  const { data: plate } = await member.call("createPlate", { form: { event: draft.id, photo: picture } });
  const address = new URL(plate.photo);
  const signed = { expires: address.searchParams.get("expires")!, signature: address.searchParams.get("signature")! };
  const path = { key: address.pathname.replace("/media/private/", "") };
  const photo = await member.call("privatePicture", { path, query: signed });
  check(photo.type.startsWith("image/"), "a plate's picture");
  const small = await member.call("privatePicture", { path, query: { ...signed, size: "sm" } });
  check(small.type.startsWith("image/") && small.size <= photo.size, "a plate's picture in a small size");
  await member.call("deletePlate", { path: { id: plate.id } });
  const { data: read } = await friend.call("getEvent", { path: { id: draft.id } });
  check(read.title === "Boats" && read.plates.length === 0, "others read it");

  let own = 0;
  for await (const event of member.items("listEvents", { query: { page_size: 2, ordering: ["-create_time"] } })) {
    check(event.user.uid === read.user.uid, "one's own events");
    own++;
  }
  const whole = await member.call("listEvents");
  check(own > 2 && own === whole.pagination?.total_count, "every page was read");
  const light = await member.call("listEvents", { query: { fields: ["title", "user.username", "plates.sizes.sm.width"] } });
  for (const { title, user, plates } of light.data) {
    const widths: (number | undefined)[] = plates.map((plate) => plate.sizes?.sm.width);
    check(title.length + user.username.length + widths.length > 0, "the fields that were asked for");
    // @ts-expect-error: what was not asked for is missing.
    check(user.firstname === undefined, "nothing else");
  }
  for await (const event of member.items("listEvents", { query: { page_size: 2, fields: ["id"] } })) {
    check(Object.keys(event).join() === "id", "the field that was asked for");
    own--;
  }
  check(own === 0, "every part was read");
  for await (const event of friend.items("userEvents", { path: { uid: read.user.uid } })) check(event.status === 100, "no draft");
  return draft.id;
}

async function talk(member: Plaza, friend: Plaza, event: number): Promise<void> {
  const stop = new AbortController();
  const happens = member.live({ signal: stop.signal });
  check((await happens.next()).value?.event === "unread", "the number of unread notifications comes first");
  const { data: comment } = await friend.call("createComment", { body: { event, content: "I can hear the oars." } });
  const told = (await happens.next()).value;
  check(told?.event === "notification" && told.data.comment?.id === comment.id, "the member is told at once");
  stop.abort();
  const { data: edited } = await friend.call("editComment", { path: { id: comment.id }, body: { content: "I could hear the oars." } });
  check(edited.edited_at !== null && edited.reply_to === null, "the comment is edited");
  let comments = 0;
  for await (const other of member.items("listComments", { query: { event } })) comments += other.id === comment.id ? 1 : 0;
  check(comments === 1, "the comment is listed");
  await friend.call("like", { path: { event_id: event } });
  const { data: likes } = await friend.call("getLike", { path: { event_id: event } });
  check(likes.liked && likes.like_count === 1, "the friend likes it");
  const news = await member.call("listNotifications");
  check(news.unread_count >= 2 && news.data[0]?.kind === "like" && news.data[1]?.comment?.id === comment.id, "the member is told");
  await member.call("readNotifications", { body: { up_to: news.data[0].id } });
  for await (const read of member.items("listNotifications", { query: { page_size: 100 } })) check(read.is_read, "all are read");
  check((await member.call("profile")).data.unread_count === 0, "none is unread");
  const { data: hearts } = await friend.call("listLikes", { query: { event: [event, 999999] } });
  check(hearts.length === 1 && hearts[0]?.event === event && hearts[0].is_liked, "the hearts of a page of events");
  const { data: commented } = await member.call("newCommentEvent");
  check(commented[0]?.id === event && commented[0].like_count === 1, "the latest comment first");
  await friend.call("unlike", { path: { event_id: event } });
  await member.call("deleteComment", { path: { id: comment.id } });
}

/** Reports what others write, and has staff hide it, show it again and decide. */
async function moderation(member: Plaza, friend: Plaza, staff: Plaza, event: number): Promise<void> {
  const { data: comment } = await friend.call("createComment", { body: { event, content: "Watches, 90 % off" } });
  const { data: report } = await member.call("report", { body: { comment: comment.id, reason: "spam", text: "It sells watches." } });
  check(report.kind === "comment" && report.object === comment.id, "a report");
  check((await member.call("listOwnReports")).data[0]?.state === "open", "it is not decided");
  const reported = async (kind: "comment" | "user", object: number) =>
    (await staff.call("listReports", { query: { kind } })).data.find((one) => one.object === object);
  const open = await reported("comment", comment.id);
  check(open?.subject_then?.content === comment.content, "what people reported");
  const { data: act } = await staff.call("hide", { body: { comment: comment.id, reason: "It advertises." } });
  check(act.act === "hidden" && act.object_id === String(comment.id), "the audit record");
  for await (const other of member.items("listComments", { query: { event } })) check(other.id !== comment.id, "it is hidden");
  const { data: hidden } = await friend.call("listHidden");
  check(hidden[0]?.id === comment.id && hidden[0].reason === "It advertises.", "its author reads why");
  await staff.call("restore", { body: { comment: comment.id, reason: "A mistake" } });
  check((await friend.call("listHidden")).data.length === 0, "it is shown again");
  check((await member.call("listOwnReports")).data[0]?.state === "taken_down", "its reporter reads what became of it");
  await friend.call("deleteComment", { path: { id: comment.id } });
  const { data: author } = await friend.call("profile");
  await member.call("report", { body: { user: author.uid, reason: "other" } });
  const another = await reported("user", author.uid);
  check(another !== undefined, "another thing that was reported");
  await staff.call("decideReport", { body: { report: another?.id ?? 0, reason: "They are a friend." } });
  const decided = new Set<number | undefined>();
  for await (const one of staff.items("listReports", { query: { state: "decided" } })) if (one.decided_at !== null) decided.add(one.id);
  check(decided.has(open?.id) && decided.has(another?.id), "both reports are decided");
}

/** Does what staff do to accounts, and looks at what waits, what came in, and what staff did. */
async function office(member: Plaza, friend: Plaza, staff: Plaza): Promise<void> {
  const { data: own } = await member.call("profile");
  let found = 0;
  for await (const person of staff.items("findPeople", { query: { uid: own.uid } })) found += person.phone === own.phone ? 1 : 0;
  check(found === 1, "a person is found by uid");
  const { data: before } = await staff.call("showPerson", { path: { uid: own.uid } });
  const path = { uid: own.uid };
  check((await staff.call("disableAccount", { path, body: { reason: "Asked" } })).data.is_disabled, "it is disabled");
  check((await rejection(member.call("profile"))) instanceof Fault, "its keys are refused");
  check(!(await staff.call("enableAccount", { path, body: { reason: "Asked again" } })).data.is_disabled, "it is enabled");
  const rights = { scopes: before.scopes, roles: before.roles, reason: "As before" };
  check((await staff.call("setRights", { path, body: rights })).data.scopes.length === before.scopes.length, "the same rights");
  const { data: joiner } = await friend.call("profile");
  check((await staff.call("endSessionsOf", { path: { uid: joiner.uid }, body: { reason: "Lost" } })).data.sessions === 0, "no session");
  check((await rejection(friend.call("profile"))) instanceof Fault, "the key has ended");
  await friend.login({ username: joiner.phone, password });
  const { data: overview } = await staff.call("overview");
  check(overview.days.length === 14 && (overview.money?.open_orders ?? 0) > 0, "what waits, and two weeks");
  for await (const run of staff.items("importRuns")) {
    if (run.rejected === 0) continue;
    for await (const line of staff.items("importRejects", { path: { id: run.id } })) check(line.line > 0, "a rejected line");
  }
  let acts = 0;
  for await (const act of staff.items("listActs")) acts += act.reason === "Asked" ? 1 : 0;
  check(acts === 1, "the audit has each act with its reason");
}

async function images(member: Plaza): Promise<void> {
  const { data: image } = await member.call("createImage", { form: { img: picture, tags: ["lake", "morning"] } });
  check(image.tags.join() === "lake,morning", "tags in fields of their own");
  const path = { key: new URL(image.img).pathname.replace("/media/public/", "") };
  const file = await member.call("publicPicture", { path });
  check(file.type.startsWith("image/"), "an image's picture");
  const medium = await member.call("publicPicture", { path, query: { size: "md" } });
  check(medium.type.startsWith("image/") && medium.size <= file.size, "an image's picture in a size");
  const changed = await member.call("updateImage", { path: { id: image.id }, body: { tags: ["mist", "sea"] } });
  check(changed.tags.join() === "mist,sea", "other tags");
  let listed = 0;
  const query = { uid: image.user, tags__contains: ["mist", "sea"] };
  for await (const other of member.items("listImages", { query })) listed += other.id === image.id ? 1 : 0;
  check(listed === 1, "found by its tags");
  await member.call("deleteImage", { path: { id: image.id } });
}

async function lists(member: Plaza): Promise<void> {
  const first = await member.send("feedCategories", { query: { type: ["node", "publication"] } });
  const tag = first.headers.get("ETag");
  check(first.body !== undefined && tag !== null, "the tree and its tag");
  const again = await member.send("feedCategories", { query: { type: ["node", "publication"] }, header: { "If-None-Match": tag } });
  check(again.status === 304 && again.body === undefined, "nothing has changed");
  const root = first.body.data[0];
  check(root !== undefined, "a category");
  const { data: opened } = await member.call("openFeedItem", { path: { entity_type: "publication", entity_id: 2 } });
  check(opened.entity_type === "publication" && opened.html_content.startsWith("<p>"), "a publication's text");
  check(opened.entity_type === "publication" && opened.translations.length === 3, "its translations");
  for await (const item of member.items("feedItems", { path: { category_id: String(root.id) } })) {
    switch (item.entity_type) {
      case "node":
        check(item.create_time !== "", "a node");
        break;
      case "publication":
        check(item.node_id >= 0, "a publication");
        break;
      case "demand":
        check(item.description !== "", "a demand");
        break;
      default:
        item satisfies never;
    }
  }
  for await (const item of member.items("publicationFeed", { header: { "x-language-locale": "es" } })) {
    check(item.localized?.title !== "", "a translation, or none");
  }
  const described = await member.call("document");
  check(described.openapi.startsWith("3.1"), "the document");
  const {data: limits} = await member.call("limits");
  check(limits.image.megapixels === 64 && limits.image.formats.includes("image/heic"), "the limits");
}

async function follow(member: Plaza): Promise<void> {
  const { data: own } = await member.call("profile");
  const followed = new Set<number | undefined>();
  for await (const s of member.items("listSubscriptions")) followed.add(s.followed_user?.uid);
  const other = [1, 2, 3, 4, 5, 6, 7, 8, 9].find((uid) => uid !== own.uid && !followed.has(uid));
  check(other !== undefined, "a user who is not followed");
  const { data: subscription } = await member.call("subscribe", { body: { followed_user: other } });
  check(subscription.followed_user?.uid === other, "the user is followed");
  for await (const s of member.items("listSubscriptions", { query: { uid_only: "1", entity_type: 100 } })) {
    const uid: number | null = s.followed_user; // a uid, by its type too
    check(typeof uid === "number", "a uid");
  }
  await member.call("unsubscribe", { path: { id: subscription.id } });
}

/** Reads what others write, and who they are. */
async function community(member: Plaza): Promise<void> {
  const { data: own } = await member.call("profile");
  const first = await member.call("timeline", { query: { page_size: 3 } });
  const seen = new Set<number>();
  for await (const event of member.items("timeline", { query: { page_size: 3 } })) {
    check(event.user.uid !== own.uid && !seen.has(event.id), "events of others, each once");
    seen.add(event.id);
  }
  check(first.cursor.next !== null && seen.size > first.data.length, "every page was read");
  for await (const event of member.items("timeline", { query: { cursor: first.cursor.next } })) {
    check(!first.data.some((other) => other.id === event.id), "the events behind the first page");
  }
  let contacts = 0;
  for await (const follower of member.items("listFollowers")) contacts += follower.is_contact ? 1 : 0;
  check(contacts > 0, "contacts among the followers");
  let found = 0;
  for await (const person of member.items("searchPeople", { query: { name: "顾" } })) found += person.username === "顾清" ? 1 : 0;
  check(found === 1, "a person is found by name");
  let translated = 0;
  for await (const { kind, item } of member.items("search", { query: { q: "barro prisa", kind: ["publication"] } })) {
    check(kind === "publication" && "title" in item, "a publication");
    translated += "title" in item && item.title === "El barro no tiene prisa" ? 1 : 0;
  }
  check(translated === 1, "a publication is found by its words, and so is its original");
  for await (const person of member.items("searchPeople", { query: { name: "nora" } })) {
    const { data: shown } = await member.call("publicProfile", { path: { uid: person.uid } });
    const { data: related } = await member.call("listRelationships", { query: { uid: [person.uid] } });
    check(shown.relation?.is_followed === related[0]?.is_followed, "what stands between two people");
    await member.call("block", { path: { uid: person.uid } });
    for await (const blocked of member.items("listBlocks")) check(blocked.uid === person.uid, "a blocked person");
    await member.call("unblock", { path: { uid: person.uid } });
  }
}

async function pay(member: Plaza, staff: Plaza, phone: Phone): Promise<void> {
  const { data: own } = await member.call("profile");
  const { data: order } = await staff.call("createOrder", {
    body: { user: own.uid, subject: "Tea", amount: 990, currency: "CNY", expires_in: 7200 },
  });
  const paid = await member.call("pay", { body: { pay_method: 200, end_type: 0, order_id: order.id } });
  check("data" in paid && "code_url" in paid.data && paid.data.code_url !== "", "the content of a QR code");
  const { data: read } = await member.call("ownOrder", { path: { id: order.id } });
  check(read.state === "open", "an open order");
  for await (const listed of member.items("ownOrders", { query: { state: "open" } })) check(listed.state === "open", "open orders");
  await phone.scan(paid.data.code_url);
  let state: string = read.state;
  for (let n = 0; state === "open" && n < 300; n++) {
    await new Promise((done) => setTimeout(done, 100));
    state = (await member.call("ownOrder", { path: { id: order.id } })).data.state;
  }
  check(state === "paid", "a paid order");
  for await (const payment of staff.items("payments")) {
    check(payment.amount > 0, "a payment");
    if (payment.order !== order.id) continue;
    const { data: refund } = await staff.call("createRefund", { body: { payment: payment.id, amount: 90, reason: "A cup was cold" } });
    check(refund.amount === 90 && refund.state === "processing", "a refund");
  }
  for await (const listed of staff.items("orders", { query: { state: "paid" } })) check(listed.user > 0, "orders of everybody");
  const { data: money } = await staff.call("searchMoney", { query: { q: String(order.id) } });
  check(money.some((one) => one.kind === "order" && one.id === order.id), "the order by its number");
  for await (const refund of staff.items("refunds")) check(refund.amount > 0, "the refunds");
  for await (const finding of staff.items("findings")) check(finding.resolved_at !== "", "the findings");
  for await (const howTo of staff.items("importedHowTos")) check(howTo.bundle_ids.length >= 0, "a how-to");
}

/** Joins, changes what one may change, sets a forgotten password, and leaves. */
async function membership(client: () => Plaza, phone: Phone): Promise<void> {
  const joiner = client();
  const chosen = "a walk by the west lake";
  const ask = async (plaza: Plaza, purpose: Schemas["CodePurpose"], username: string): Promise<string> => {
    const { data } = await plaza.call("requestCode", { body: purpose === "erase" ? { purpose } : { purpose, username } });
    check(data.expires_in === 600 && data.resend_after > 60, "how long the code is good");
    return phone.read(username);
  };
  const username = "+86-13700000042";
  const wrong = await rejection(joiner.signUp({ username, code: "12345", password: chosen, firstname: "西", lastname: "林" }));
  check(wrong instanceof ValidationFault && Object.keys(wrong.fields).join() === "code", "a code has six digits");
  const code = await ask(joiner, "sign_up", username);
  const { uid } = await joiner.signUp({ username, code, password: chosen, firstname: "西", lastname: "林" });
  const { data: changed } = await joiner.call("changeProfile", { body: { timezone: "Asia/Shanghai", location: "杭州", expertise: null } });
  check(changed.uid === uid && changed.username === "林西" && changed.location === "杭州", "the new account's profile");
  const another = "+86-13700000043";
  await joiner.call("changePhone", { body: { username: another, code: await ask(joiner, "change_phone", another), password: chosen } });
  check((await joiner.call("profile")).data.phone === another, "another number");

  const forgetful = client();
  const ines = "+34-600000003";
  await forgetful.call("resetPassword", { body: { username: ines, code: await ask(forgetful, "reset_password", ines), password: chosen } });
  await forgetful.login({ username: ines, password: chosen });

  const leaver = client();
  const meera = "+91-1000000012";
  await leaver.login({ username: meera, password });
  const zip = await leaver.call("exportData");
  check(zip.type === "application/zip" && zip.size > 1000, "all that is stored");
  await leaver.eraseAccount({ password, code: await ask(leaver, "erase", meera) });
  check(leaver.token === undefined, "the key is forgotten");
  check((await rejection(leaver.login({ username: meera, password }))) instanceof ValidationFault, "the account is gone");
}

async function faults(stranger: Plaza, member: Plaza): Promise<void> {
  const none = await rejection(stranger.call("profile"));
  check(none instanceof Fault && none.code === "NOT_AUTHENTICATED" && none.status === 401, "a token is needed");
  const wrong = await rejection(member.call("createEvent", { body: { title: "x".repeat(201) } }));
  check(wrong instanceof ValidationFault && wrong.fields["title"]?.length === 1, "a field is wrong");
  // @ts-expect-error a body needs what the document requires
  await rejection(member.call("createComment", { body: { content: "x" } }));
  // @ts-expect-error and input is not left out
  await rejection(member.call("getEvent"));
}

async function sessions(friend: Plaza, another: Plaza): Promise<void> {
  const username = "+86-13800000002";
  await another.login({ username, password });
  let current = 0;
  for await (const session of another.items("sessions")) current += session.current ? 1 : 0;
  check(current === 1, "one session is this one");
  for await (const session of another.items("sessions")) {
    if (!session.current) await another.call("endSession", { path: { id: session.id } });
  }
  const ended = await rejection(friend.call("profile"));
  check(ended instanceof Fault && ended.code === "AUTHENTICATION_FAILED", "the other session has ended");
  await another.call("changePassword", { body: { old_password: password, new_password: "a walk by the west lake" } });
  await another.logout();
  check(another.token === undefined, "the key is forgotten");
}
