/** The data of the page, unpacked when asked for: from templates in the page, from files beside it, or from a server. */
import { make } from "./dom.js";
import { astralOf, sliceText } from "./spans.js";

/** Says that a name is in no list. */
export class Missing extends Error {}

async function unpack(base64) {
  if (!globalThis.DecompressionStream) throw new Error("this browser is too old and cannot unpack the data.");
  const bytes = Uint8Array.from(atob(base64), (sign) => sign.charCodeAt());
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
}

async function fromServer(path) {
  const answer = await fetch(path).catch(() => {
    throw new Error("The server does not answer. Is it still running?");
  });
  if (answer.ok) return answer.json();
  const { error } = await answer.json().catch(() => ({ error: `the server answered ${answer.status}.` }));
  throw answer.status === 404 ? new Missing(error) : new Error(error);
}

/** Files beside a page are scripts that hand over one part each: a browser reads no others from a disk. */
function folderOf() {
  const waiting = {}, rule = { createScriptURL: (name) => `data/${name.replace(/[^a-z0-9]/g, "-")}.js` };
  const trusted = window.trustedTypes?.createPolicy("excerpt-parts", rule) ?? rule;
  window.excerptPart = (name, packed) => waiting[name]?.(packed);
  return (name) =>
    new Promise((done, fail) => {
      const script = make("script", {
        on: {
          error: () =>
            fail(
              new Error(`the browser may not read ${script.src}. The command explore serves the same view.`),
            ),
        },
      });
      waiting[name] = done;
      script.src = trusted.createScriptURL(name);
      document.head.append(script);
    });
}

function decodeTopic(topic) {
  const { count: counts, start: steps, length, relevant } = topic.spans,
    numbers = (list) => Int32Array.from(list);
  const place = numbers(counts.flatMap((many, doc) => Array(many).fill(doc))), start = numbers(steps);
  for (let i = 1; i < start.length; i++) if (place[i] === place[i - 1]) start[i] += start[i - 1];
  const spans = {
    document: place,
    start,
    end: start.map((at, i) => at + length[i]),
    relevant: numbers(relevant),
  };
  return { ...topic, spans, runs: topic.runs.map(numbers) };
}

/** The relevant passages of a topic, document by document. @param {Object} topic @returns {number[][][]} */
export function passagesOf({ documents, relevant }) {
  const lists = documents.id.map(() => []);
  relevant.document.forEach((document, n) => lists[document].push([relevant.start[n], relevant.end[n]]));
  return lists;
}

function remember(load) {
  const kept = new Map();
  return (key) => {
    if (!kept.has(key)) {
      kept.set(key, Promise.resolve(key).then(load));
      kept.get(key).catch(() => kept.delete(key));
    }
    return kept.get(key);
  };
}

/** Where the parts come from: each source gives overview, topic (by number), passages, document and texts (by name). */
function partsOf(root) {
  const folder = root.dataset.source === "folder" && folderOf();
  const part = remember((name) => {
    const template = root.querySelector(`template[data-part="${name}"]`);
    if (template) return unpack(template.content.textContent);
    if (folder) return folder(name).then(unpack);
    throw new Error(`the page has no part ${name}.`);
  });
  const named = remember(async (name) => {
    const { ids, names, sizes, why } = await part("documents");
    const at = ids.indexOf(name), number = at < 0 && Object.hasOwn(names, name) ? names[name] : at;
    if (number < 0) throw new Missing(`The document “${name}” is not in this report.`);
    return why
      ? { id: ids[number], title: "", size: sizes[number], text: null, why, blocks: [], names: [] }
      : part(`document/${number}`);
  });
  const slices = remember(async (name) => {
    const { text } = await named(name);
    const astral = text && astralOf(text);
    return ([start, end]) => text && sliceText(text, astral, start, end);
  });
  return {
    overview: () => part("overview"),
    topic: (number) => part(`topic/${number}`),
    passages: () => part("passages"),
    document: named,
    texts: async (name, spans) => spans.map(await slices(name)),
  };
}

function serverOf() {
  const get = remember(fromServer), text = encodeURIComponent;
  const overview = () => get("api/overview");
  return {
    overview,
    passages: () => get("api/passages"),
    document: (name) => get(`api/document?document=${text(name)}`),
    topic: async (number) => get(`api/topic?topic=${text((await overview()).topics[number].id)}`),
    texts: async (name, spans) =>
      spans.length
        ? (await get(`api/texts?document=${text(name)}&spans=${spans.map((span) => span.join("-"))}`)).texts
        : [],
  };
}

/** @typedef {{overview: function(): Promise<Object>, topic: function(number): Promise<Object>, passages: function(): Promise<Object>,
 *   document: function(string): Promise<Object>, texts: function(string, number[][]): Promise<?string[]>}} Data */

/** Opens the data of a page, which its root element describes.
 * @param {HTMLElement} root @returns {Data} */
export function openData(root) {
  const source = root.dataset.source === "server" ? serverOf() : partsOf(root);
  return { ...source, topic: remember(async (number) => decodeTopic(await source.topic(number))) };
}
