/** Data of the page, loaded on demand from templates in the page, from files next to it, or from a server. */
import { make } from "./dom.js";
import { astralOf, sliceText } from "./spans.js";
import { ENOUGH, findIn, patternOf, READ_AT_ONCE } from "./text_search.js";

/** @import { Data, Document, PackedTopic, Span, TextHit, Topic } from "./types.d.ts" */

/** Error for a name that does not exist in the data. */
export class Missing extends Error {}

/** The JSON of a part that is compressed, in base64. @param {string} base64 @returns {Promise<any>} */
function unpack(base64) {
  if (!globalThis.DecompressionStream) throw new Error("this browser is too old: it cannot unpack the data.");
  const bytes = Uint8Array.from(atob(base64), (sign) => sign.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
}

/** @param {string} path @returns {Promise<any>} */
async function fromServer(path) {
  const response = await fetch(path).catch(() => {
    throw new Error("The server does not answer. Is it still running?");
  });
  if (response.ok) return response.json();
  const { error } = await response.json().catch(() => ({ error: `the server answered ${response.status}.` }));
  throw response.status === 404 ? new Missing(error) : new Error(error);
}

/** The part loader of a page with a folder of files. The files are scripts, each with one part, since
 * browsers load nothing else from a disk. */
function folderOf() {
  /** @type {Record<string, (packed: string) => void>} */
  const waiting = {};
  const rule = {
    /** @param {string} name */
    createScriptURL: (name) => `data/${name.replace(/[^a-z0-9]/g, "-")}.js`,
  };
  /** @type {any} trusted types, which not every browser has */
  const globals = globalThis;
  const trusted = globals.trustedTypes?.createPolicy("excerpt-parts", rule) ?? rule;
  /** @param {string} name @param {string} packed */
  globals.excerptPart = (name, packed) => waiting[name]?.(packed);
  /** @param {string} name @returns {Promise<string>} */
  const load = (name) =>
    new Promise((done, fail) => {
      const error = () =>
        fail(new Error(`the browser may not read ${script.src}. \`excerpt explore\` serves the same view.`));
      /** @type {HTMLScriptElement} */
      const script = make("script", { on: { error } });
      waiting[name] = done;
      script.src = trusted.createScriptURL(name);
      document.head.append(script);
    });
  return load;
}

/** @param {PackedTopic} topic @returns {Topic} */
function decodeTopic(topic) {
  const { count: counts, start: steps, length, relevant } = topic.spans;
  /** @param {number[]} list */
  const numbers = (list) => Int32Array.from(list);
  const documents = numbers(counts.flatMap((many, doc) => Array(many).fill(doc))), start = numbers(steps);
  for (let i = 1; i < start.length; i++) if (documents[i] === documents[i - 1]) start[i] += start[i - 1];
  const spans = {
    document: documents,
    start,
    end: start.map((at, i) => at + length[i]),
    relevant: numbers(relevant),
  };
  return { ...topic, spans, runs: topic.runs.map(numbers) };
}

/** The relevant passages of each document of a topic.
 * @param {Pick<Topic, "documents" | "relevant">} topic */
export function passagesOf({ documents, relevant }) {
  /** @type {Span[][]} */
  const lists = documents.id.map(() => []);
  relevant.document.forEach((document, n) => lists[document].push([relevant.start[n], relevant.end[n]]));
  return lists;
}

/** A loader that calls another one once for each key; a failed call is forgotten.
 * @template K, V @param {(key: K) => V | Promise<V>} load */
function remember(load) {
  /** @type {Map<K, Promise<V>>} */
  const loaded = new Map();
  /** @param {K} key @returns {Promise<V>} */
  const get = (key) => {
    const before = loaded.get(key), value = before ?? Promise.resolve(key).then(load);
    if (!before) {
      loaded.set(key, value);
      value.catch(() => loaded.delete(key));
    }
    return value;
  };
  return get;
}

/** @typedef {Omit<Data, "topic"> & {topic: (number: number) => Promise<PackedTopic>}} Source */

/** The data in the page or in its folder. @param {HTMLElement} root @returns {Source} */
function partsOf(root) {
  const folder = root.dataset.source === "folder" && remember(folderOf());
  /** @type {(name: string) => Promise<any>} */
  const part = remember(async (name) => {
    /** @type {HTMLTemplateElement | null} */
    const template = root.querySelector(`template[data-part="${name}"]`);
    if (template) return unpack(template.content.textContent);
    if (!folder) throw new Error(`the page has no part ${name}.`);
    // A file has several topics or documents, and is named by the first.
    const [kind, number = "0"] = name.split("/"), at = Number(number);
    /** @type {number[]} */
    const firsts = (await part("bundles"))[kind], first = firsts.findLast((one) => one <= at) ?? 0;
    const file = await folder(name.replace(/\d+$/, `${first}`));
    return unpack(file.split(" ")[at - first]);
  });
  /** @type {(id: string) => Promise<Document>} */
  const named = remember(async (name) => {
    const { ids, names, sizes, why } = await part("documents");
    const at = ids.indexOf(name), number = at < 0 && Object.hasOwn(names, name) ? names[name] : at;
    if (number < 0) throw new Missing(`The document “${name}” is not in this report.`);
    return why
      ? { id: ids[number], title: "", size: sizes[number], text: null, why, blocks: [], names: [] }
      : part(`document/${number}`);
  });
  /** @type {(id: string) => Promise<(span: Span) => string | null>} */
  const slices = remember(async (name) => {
    const { text } = await named(name), astral = astralOf(text ?? "");
    return ([start, end]) => text && sliceText(text, astral, start, end);
  });
  return {
    overview: () => part("overview"),
    topic: (number) => part(`topic/${number}`),
    passages: () => part("passages"),
    documents: () => part("documents"),
    run: (number) => part(`run/${number}`),
    document: named,
    texts: async (name, spans) => spans.map(await slices(name)),
    search: async (query, from) => {
      const { ids, why } = await part("documents"), pattern = why ? null : patternOf(query);
      /** @type {TextHit[]} */
      const hits = [];
      let read = 0, next = from;
      while (pattern && next < ids.length && hits.length < ENOUGH && read < READ_AT_ONCE) {
        const text = (await named(ids[next])).text ?? "", hit = findIn(text, pattern);
        if (hit) hits.push({ document: next, ...hit });
        read += text.length;
        next++;
      }
      return { hits, next: pattern && next < ids.length ? next : null };
    },
  };
}

/** The data of a server. @returns {Source} */
function serverOf() {
  const get = remember(fromServer), text = encodeURIComponent;
  const overview = () => get("api/overview");
  return {
    overview,
    comparison: (measure) => get(`api/comparison?measure=${text(measure)}`),
    progress: () => fromServer("api/progress"),
    passages: () => get("api/passages"),
    documents: () => get("api/documents"),
    run: async (number) => get(`api/run?run=${text((await overview()).runs[number].name)}`),
    document: (name) => get(`api/document?document=${text(name)}`),
    topic: async (number) => get(`api/topic?topic=${text((await overview()).topics[number].id)}`),
    texts: async (name, spans) =>
      spans.length
        ? (await get(`api/texts?document=${text(name)}&spans=${spans.map((span) => span.join("-"))}`)).texts
        : [],
    search: (query, from) => get(`api/search?words=${text(query)}&from=${from}`),
  };
}

/** The data of a page, whose source its root element names.
 * @param {HTMLElement} root @returns {Data} */
export function openData(root) {
  const source = root.dataset.source === "server" ? serverOf() : partsOf(root);
  return {
    ...source,
    topic: remember(async (/** @type {number} */ number) => decodeTopic(await source.topic(number))),
  };
}
