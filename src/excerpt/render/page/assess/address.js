/** Address of the assessor's page: topic and document after `#`. No DOM. */

/** @import { Campaign, CampaignTopic, Place } from "./types.d.ts" */

/** @type {(keyof Place)[]} */
const PLACE_KEYS = ["topic", "doc"];

/** The address of a place, without `#`. @param {Place} place */
export function writePlace(place) {
  return PLACE_KEYS.filter((key) => place[key]).map((key) => `${key}=${encodeURIComponent(place[key])}`)
    .join("&");
}

/** The place of an address, with or without `#`; unknown keys and invalid values are ignored.
 * @param {string} address @returns {Place} */
export function readPlace(address) {
  const place = { topic: "", doc: "" };
  for (const pair of address.replace(/^#/, "").split("&")) {
    const [name, ...rest] = pair.split("="), key = PLACE_KEYS.find((other) => other === name);
    try {
      if (key) place[key] = decodeURIComponent(rest.join("="));
    } catch (error) {
      if (!(error instanceof URIError)) throw error;
    }
  }
  return place.topic ? place : { topic: "", doc: "" };
}

/** The next unfinished document, in this topic or a later one, else from the first topic on; or the previous
 * one. @param {Pick<Campaign, "topics">} campaign @param {Place} place @param {number} by 1 or -1
 * @returns {Place | null} */
export function neighbour({ topics }, { topic, doc }, by) {
  const all = topics.flatMap(({ id, documents }) =>
    documents.map((row) => ({ topic: id, doc: row.id, left: row.state !== "done" }))
  );
  const at = all.findIndex((row) => row.topic === topic && row.doc === doc);
  const order = by > 0
    ? [...all.slice(at + 1), ...all.slice(0, Math.max(at, 0))]
    : all.slice(0, Math.max(at, 0)).reverse();
  const next = order.find(({ left }) => left);
  return next ? { topic: next.topic, doc: next.doc } : null;
}

/** The first unfinished document of a topic, else its first. @param {CampaignTopic} topic
 * @returns {Place | null} */
export function firstLeft({ id, documents }) {
  const row = documents.find(({ state }) => state !== "done") ?? documents[0];
  return row ? { topic: id, doc: row.id } : null;
}
