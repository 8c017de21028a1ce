/** What the organiser does: people and their links, deals, agreement, decisions, further pools, releases. */
import { request } from "./requests.js";
import { saySettled } from "./status.js";
import { copyButton } from "../clipboard.js";
import { make, named } from "../dom.js";
import { count, whole } from "../format.js";
import { button, drawGrid, heading } from "../grid.js";

/** @import { Child } from "../types.d.ts" */
/** @import { Status } from "./status.js" */

/** A document in a list of agreement or of decisions.
 * @typedef {{topic: string, document: string, assessors: string[], characters: number, grades: number,
 *   relevant?: number, state?: string, adjudicator?: string | null, weight?: number}} ListedRow */
/** Agreement of all by topic. @typedef {{topic: string, level: string, documents: number,
 *   jaccard: number | null, alpha: number | null}} TopicRow */
/** What the desk shows.
 * @typedef {object} Desk
 * @property {{name: string, link: string}[]} links of people who were invited since the page was opened
 * @property {{topics: TopicRow[], documents: ListedRow[], pairs: number} | null} agreement
 * @property {{documents: ListedRow[], counts: Record<string, number>, warnings: string[]} | null} decisions
 * @property {Record<string, string>} said what came of each section's last action
 * @property {Record<string, string>} drafts what was typed
 * @property {Record<string, File | undefined>} files that were chosen
 * @property {boolean} anonymous */

/** @type {Desk} */
export const desk = {
  links: [],
  agreement: null,
  decisions: null,
  said: {},
  drafts: {},
  files: {},
  anonymous: false,
};

/** Rows of a long list that are shown. */
const DESK_ROWS = 50;

/** @typedef {{redraw: () => void, refresh: () => Promise<void>}} Around */

/** Do what a button asks for, and say what came of it in its section. @param {string} section
 * @param {Around} around @param {() => Promise<string | void>} work */
async function perform(section, { redraw, refresh }, work) {
  try {
    desk.said[section] = (await work()) ?? "";
    await refresh();
  } catch (error) {
    desk.said[section] = error instanceof Error ? error.message : String(error);
  }
  redraw();
}

/** @param {string} section */
const said = (section) => make("p.note.said", { role: "status" }, desk.said[section] ?? "");

/** A field whose text stays when the page is drawn again. @param {string} key @param {string} label
 * @param {Record<string, unknown>} [attributes] */
function field(key, label, attributes) {
  /** @type {HTMLInputElement} */
  const input = make("input", {
    type: "text",
    "data-key": key,
    "aria-label": label,
    placeholder: label,
    autocomplete: "off",
    on: {
      input: () => {
        desk.drafts[key] = input.value;
      },
    },
    .../** @type {Record<string, string>} */ (attributes),
  });
  input.value = desk.drafts[key] ?? "";
  return input;
}

/** @param {string} key @param {string} label @param {[value: string, word: string][]} options */
function picking(key, label, options) {
  /** @type {HTMLSelectElement} */
  const select = make(
    "select",
    {
      "data-key": key,
      "aria-label": label,
      on: {
        change: () => {
          desk.drafts[key] = select.value;
        },
      },
    },
    options.map(([value, word]) => make("option", { value, selected: desk.drafts[key] === value }, word)),
  );
  return select;
}

/** People: invite, a new link, remove. @param {Status} status @param {Around} around */
export function drawPeople({ people = [] }, around) {
  /** @param {string} name @param {string} role */
  const add = (name, role) =>
    perform("people", around, async () => {
      const { link } = await request("api/people", { action: "add", name, role });
      desk.links = [{ name, link }, ...desk.links.filter((one) => one.name !== name)];
      desk.drafts["new-name"] = "";
      return `${name} has a link; send it to this person only. It is shown until the page is closed.`;
    });
  /** @param {string} name */
  const remove = (name) =>
    perform("people", around, async () => {
      await request("api/people", { action: "remove", name });
      desk.links = desk.links.filter((one) => one.name !== name);
      return `The link of ${name} has ended. What was judged is kept.`;
    });
  /** @param {Event} event */
  const submit = (event) => {
    event.preventDefault();
    add(desk.drafts["new-name"] ?? "", desk.drafts["new-role"] ?? "assessor");
  };
  const rows = people.map(({ name, role, active }) => {
    const known = desk.links.find((one) => one.name === name);
    return make(
      "tr",
      make("th", { scope: "row" }, named(name, 24)),
      make("td", active ? role : "removed"),
      make(
        "td.link",
        known && [
          make("input", { readonly: true, value: known.link, "aria-label": `Link of ${name}` }),
          copyButton(
            ["Copy", "Copied", "Could not copy"],
            () => known.link,
            (words) => {
              desk.said.people = words;
            },
            { class: "quiet", "data-key": `copy ${name}` },
          ),
        ],
      ),
      make(
        "td",
        button(active ? "New link" : "Invite again", () => add(name, role), {
          class: "quiet",
          "data-key": `link ${name}`,
          "aria-label": `New link for ${name}`,
        }),
        active && button("Remove", () => remove(name), {
          class: "quiet",
          "data-key": `remove ${name}`,
          "aria-label": `Remove ${name}`,
        }),
      ),
    );
  });
  return make(
    "section.people",
    heading("People", "each signs in by a link"),
    rows.length > 0 &&
      make(
        "div.scroll",
        { tabindex: 0, role: "region", "aria-label": "People" },
        drawGrid("folk", ["Name", "Role", "Link", make("span.hidden", "Actions")], rows),
      ),
    make(
      "form.tools.desk-form",
      { on: { submit } },
      field("new-name", "Name", { maxlength: 100, required: true }),
      picking("new-role", "Role", [["assessor", "assessor"], ["adjudicator", "adjudicator"]]),
      make("button.primary", { type: "submit", "data-key": "invite" }, "Invite"),
    ),
    said("people"),
  );
}

/** Deals of topics and documents. @param {Around} around */
export function drawDealing(around) {
  /** @param {Record<string, unknown>} body */
  const deal = (body) =>
    perform("deal", around, async () => {
      const { assessors } = await request("api/deal", body);
      return Object.entries(assessors).map(([name, many]) => `${name} ${whole(Number(many))}`).join(", ");
    });
  const double = () => Number(desk.drafts.double || (desk.drafts.rule === "each" ? 1 : 0));
  /** @param {Event} event */
  const submit = (event) => {
    event.preventDefault();
    if (desk.drafts.rule === "each") deal({ each: Number(desk.drafts.each || 2), double: double() });
    else deal({ by: "topic", double: double() });
  };
  /** @param {Event} event */
  const read = async ({ target }) => {
    const file = /** @type {HTMLInputElement} */ (target).files?.[0];
    if (file) await deal({ table: await file.text() });
  };
  return make(
    "section.dealing",
    heading("Assign by rule", "replaces the present assignment"),
    make(
      "form.tools.desk-form",
      { on: { submit } },
      picking("rule", "Rule", [["topic", "whole topics"], ["each", "documents to N each"]]),
      field("each", "N (2)", { inputmode: "numeric" }),
      field("double", "Share to two, or to N", { inputmode: "decimal" }),
      make("button", { type: "submit", "data-key": "deal" }, "Assign"),
      make(
        "label.file",
        "or a table: ",
        make("input", { type: "file", accept: ".tsv,.txt", "data-key": "table", on: { change: read } }),
      ),
    ),
    said("deal"),
  );
}

/** A field for a file, whose name stays when the page is drawn again. @param {string} key
 * @param {string} label @param {() => void} redraw */
function fileField(key, label, redraw) {
  /** @param {Event} event */
  const change = ({ target }) => {
    desk.files[key] = /** @type {HTMLInputElement} */ (target).files?.[0];
    redraw();
  };
  return make(
    "label.file",
    `${label} `,
    make("input", { type: "file", "data-key": key, on: { change } }),
    desk.files[key] && make("b", named(desk.files[key].name, 24)),
  );
}

/** Further pools. @param {Around} around */
export function drawExtend(around) {
  const extend = () =>
    perform("extend", around, async () => {
      const pool = await desk.files.pool?.text(), texts = await desk.files["pool-topics"]?.text();
      if (!pool) throw new Error("Choose the file of a pool, as “excerpt pool” writes it.");
      const { pairs, topics, documents, known, warnings } = await request("api/extend", {
        pool,
        topics: texts ?? null,
      });
      desk.files = {};
      const added = [
        `${whole(pairs)} to judge`,
        count(topics, "new topic"),
        count(documents, "new document"),
      ];
      return [`Added ${added.join(", ")}; ${whole(known)} known.`, ...warnings].join(" ");
    });
  return make(
    "section.extending",
    heading("More to judge", ""),
    make(
      "div.tools.desk-form",
      fileField("pool", "Pool", around.redraw),
      fileField("pool-topics", "Topics, if new", around.redraw),
      button("Extend", extend, { "data-key": "extend" }),
    ),
    said("extend"),
  );
}

/** The archive of a release. @param {Status} status @param {Around} around */
export function drawRelease({ export: { done } }, { redraw }) {
  const toggle = () => {
    desk.anonymous = !desk.anonymous;
    redraw();
  };
  return make(
    "section.releasing",
    heading("Release", "judgments, topics, pool and origin in one archive"),
    make(
      "label.check",
      make("input", {
        type: "checkbox",
        "data-key": "anonymous",
        checked: desk.anonymous,
        on: { change: toggle },
      }),
      "letters instead of names",
    ),
    make("p.note", "Documents of several people as they were decided if all of them are, else by union."),
    done > 0
      ? make("a.button", {
        href: `api/release${desk.anonymous ? "?anonymous=1" : ""}`,
        download: "release.zip",
        "data-key": "release",
      }, "Write release.zip")
      : make("p.note", "Nothing is finished yet."),
  );
}

/** The door to the texts of a document. @param {ListedRow} row */
export const doorTo = ({ topic, document }) =>
  `#topic=${encodeURIComponent(topic)}&doc=${encodeURIComponent(document)}`;

/** @param {number | null} value */
const figure = (value) => (value === null || value === undefined ? "–" : value.toFixed(2));

/** @param {ListedRow} row */
const documentHead = (row) =>
  make(
    "th",
    { scope: "row" },
    make(
      "a",
      { href: doorTo(row), "data-key": `door ${row.topic} ${row.document}` },
      named(row.document, 28),
    ),
    " ",
    make("code", named(row.topic, 16)),
  );

/** Agreement by topic and by document, with doors to the texts. @param {Around} around */
export function drawAgreement(around) {
  const show = () =>
    perform("agreement", around, async () => {
      desk.agreement = await request("api/agreement");
    });
  const { agreement } = desk,
    topics = agreement?.topics.filter(({ level }) => level === "document") ?? [],
    documents = agreement?.documents ?? [];
  /** @param {string} topic */
  const characters = (topic) =>
    agreement?.topics.find((row) => row.topic === topic && row.level === "character") ?? null;
  return make(
    "section.agreeing",
    heading("Agreement", agreement ? `${count(agreement.pairs, "document")} of several people` : ""),
    agreement && !agreement.pairs && make("p.note", "No document was finished by two people yet."),
    topics.length > 0 &&
      make(
        "div.scroll",
        { tabindex: 0, role: "region", "aria-label": "Agreement by topic" },
        drawGrid(
          "by-topic",
          ["Topic", "Documents", "Alpha", "Alpha of characters", "Jaccard of characters"],
          topics.map(({ topic, documents: many, alpha }) =>
            make(
              "tr",
              make("th", { scope: "row" }, make("code", named(topic, 24))),
              make("td.number", whole(many)),
              make("td.number", figure(alpha)),
              make("td.number", figure(characters(topic)?.alpha ?? null)),
              make("td.number", figure(characters(topic)?.jaccard ?? null)),
            )
          ),
        ),
      ),
    documents.length > 0 &&
      make(
        "div.scroll",
        { tabindex: 0, role: "region", "aria-label": "Agreement by document, worst first" },
        drawGrid(
          "by-document",
          ["Document, worst first", "By", "Relevant for", "Characters apart", "Grades apart"],
          documents.slice(0, DESK_ROWS).map((row) =>
            make(
              "tr",
              documentHead(row),
              make("td", named(row.assessors.join(", "), 30)),
              make("td.number", `${row.relevant} of ${row.assessors.length}`),
              make("td.number", whole(row.characters)),
              make("td.number", whole(row.grades)),
            )
          ),
        ),
      ),
    documents.length > DESK_ROWS && make("p.note", `and ${whole(documents.length - DESK_ROWS)} more`),
    button(agreement ? "Measure again" : "Show agreement", show, { "data-key": "agreement" }),
    said("agreement"),
  );
}

/** What is to be decided, and by whom. @param {Status} status @param {Around} around */
export function drawDecisions({ people = [] }, around) {
  const { decisions } = desk,
    deciding = people.filter(({ role, active }) => role === "adjudicator" && active),
    show = () =>
      perform("decisions", around, async () => {
        desk.decisions = await request("api/adjudication");
      });
  return make(
    "section.deciding-list",
    heading("Decisions", decisions ? saySettled(decisions.counts) : ""),
    make(
      "p.note",
      deciding.length
        ? ["Adjudicators: ", named(deciding.map(({ name }) => name).join(", "), 60)]
        : "Invite an adjudicator, who decides what the assessors differ on.",
    ),
    decisions?.warnings.map((text) => make("p.note.stale", text)),
    decisions && decisions.documents.length > 0 &&
      make(
        "div.scroll",
        { tabindex: 0, role: "region", "aria-label": "Documents to decide" },
        drawGrid(
          "to-decide",
          ["Document", "State", "By", "Characters apart", "Adjudicator"],
          decisions.documents.slice(0, DESK_ROWS).map((row) =>
            make(
              "tr",
              documentHead(row),
              make("td", row.state),
              make("td", named(row.assessors.join(", "), 30)),
              make("td.number", whole(row.weight ?? 0)),
              make("td", row.adjudicator ? named(row.adjudicator, 24) : "–"),
            )
          ),
        ),
      ),
    button(decisions ? "List again" : "List what is to be decided", show, { "data-key": "decisions" }),
    said("decisions"),
  );
}
