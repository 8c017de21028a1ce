/** Address of the assessor's page: topic and document after `#`. No DOM. */

/** @typedef {{topic: string, doc: string}} Place  without a document: the list of topics */
const PLACE_KEYS = ["topic", "doc"];

/** The address of a place, without `#`. @param {Place} place @returns {string} */
export function writePlace(place) {
  return PLACE_KEYS.filter((key) => place[key]).map((key) => `${key}=${encodeURIComponent(place[key])}`).join(
    "&",
  );
}

/** The place of an address, with or without `#`; keys and values that mean nothing are passed over. @param {string} address @returns {Place} */
export function readPlace(address) {
  const place = { topic: "", doc: "" };
  for (const pair of address.replace(/^#/, "").split("&")) {
    const [key, ...rest] = pair.split("=");
    try {
      if (PLACE_KEYS.includes(key)) place[key] = decodeURIComponent(rest.join("="));
    } catch (error) {
      if (!(error instanceof URIError)) throw error;
    }
  }
  return place.topic ? place : { topic: "", doc: "" };
}

/** The document that comes next to be assessed, in this topic or a later one, else from the first on; or the one before this.
 * @param {Object} campaign @param {Place} place @param {number} by 1 or -1 @returns {?Place} */
export function neighbour({ topics }, { topic, doc }, by) {
  const all = topics.flatMap(({ id, documents }) =>
    documents.map((row) => ({ topic: id, doc: row.id, left: row.state !== "done" }))
  );
  const at = all.findIndex((row) => row.topic === topic && row.doc === doc);
  const order = by > 0
    ? [...all.slice(at + 1), ...all.slice(0, Math.max(at, 0))]
    : all.slice(0, Math.max(at, 0)).reverse();
  const found = order.find(({ left }) => left);
  return found ? { topic: found.topic, doc: found.doc } : null;
}

/** The first document of a topic that is to be assessed, else its first. @param {Object} topic @returns {?Place} */
export function firstLeft({ id, documents }) {
  const row = documents.find(({ state }) => state !== "done") ?? documents[0];
  return row ? { topic: id, doc: row.id } : null;
}
