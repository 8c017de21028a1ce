/** Stand-in for the page around the side panel; panel_desk.py runs it in an empty document. */
(async (/** @type {[origin: string, given: any]} */ [origin, given]) => {
  /** @param {string} name */
  const at = (name) => import(`${origin}/${name}.js`);
  const [{ TextView }, topics, grades, labels, terms, notes, second, { make }, { joinSpans }] = await Promise
    .all(
      [
        "text_view",
        "assess/topics",
        "assess/grades",
        "assess/labels",
        "assess/terms",
        "assess/labels",
        "assess/suggestions",
        "dom",
        "spans",
      ].map(at),
    );
  const sheets = ["base", "document", "assess/panels"].map((name) =>
    make("link", { rel: "stylesheet", href: `${origin}/${name}.css` })
  );
  await Promise.all(sheets.map((sheet) =>
    new Promise((done) => {
      sheet.onload = done;
      document.head.append(sheet);
    })
  ));
  document.documentElement.dataset.theme = given.theme;
  /** @type {{kind: string}[]} */
  const acts = [];
  /** @type {string[]} */
  const said = [];
  /** @type {Map<string, string>} */
  const store = new Map(Object.entries(given.stored));
  const main = make("main", { id: "main" });
  const storage = {
    /** @param {string} key */
    getItem: (key) => store.get(key) ?? null,
    /** @param {string} key @param {string} value */
    setItem: (key, value) => store.set(key, value),
  };
  const context = {
    ...given.context,
    keep: {},
    cursor: null,
    storage,
    /** @param {{topic: string, doc: string}} place */
    link: ({ topic, doc }) => `#topic=${encodeURIComponent(topic)}&doc=${encodeURIComponent(doc)}`,
    /** @param {string} text */
    announce: (text) => said.push(text),
  };
  Object.assign(globalThis, {
    context,
    acts,
    said,
    store,
    modules: { grades, labels, terms, notes, second },
  });
  document.body.replaceChildren(main);
  if (!context.doc) return main.append(topics.drawTopics(context).node);
  const host = make("div.paper"), panel = make("aside.inspector");
  main.append(make("div.document", make("div"), make("div.desk", host), panel));
  /** @param {number | null} position */
  const onCursor = (position) => {
    context.cursor = position;
    context.redraw();
  };
  context.paper = new TextView(host, { onPoint() {}, onCursor });
  context.paper.show(context.doc, { folded: true });
  /** @type {Record<string, (context: unknown) => Node[]>} */
  const draw = {
    grades: grades.drawGrades,
    labels: labels.drawLabels,
    terms: terms.drawTerms,
    note: notes.drawNote,
    second: second.drawSecond,
  };
  const hosts = Object.fromEntries(Object.keys(draw).map((name) => [name, make("div")]));
  panel.append(...Object.values(hosts));
  context.redraw = () => {
    const { state } = context,
      active = /** @type {HTMLElement} */ (document.activeElement),
      { key } = active.dataset;
    for (const name in draw) {
      if (!active.matches("input,textarea") || !hosts[name].contains(active)) {
        hosts[name].replaceChildren(...draw[name](context));
      }
    }
    /** @type {HTMLElement | null} */
    const same = key ? document.querySelector(`[data-key="${CSS.escape(key)}"]`) : null;
    same?.focus({ preventScroll: true });
    context.paper.paint([
      { name: "judged", spans: state.highlights, map: "left" },
      ...terms.termLayers(context),
      ...second.secondLayers(context),
    ], []);
  };
  /** @param {string} name */
  context.show = (name) => {
    acts.push({ kind: `show ${name}` });
    context.doc.suggestions = given.suggestions;
    return Promise.resolve();
  };
  /** What the server does with an event: the fields of the state that change.
   * @type {Record<string, (state: any, fields: any) => object>} */
  const apply = {
    grade: (state, { path, grade, rest }) => {
      const inside = rest
        ? grades.owedPaths(context).filter((/** @type {string} */ other) =>
          `${other}/`.startsWith(`${path}/`)
        )
        : [path];
      const graded = {
        ...state.grades,
        ...Object.fromEntries(inside.map((/** @type {string} */ one) => [one, rest ? "?" : grade])),
      };
      return {
        grades: Object.fromEntries(Object.entries(graded).filter(([, value]) => value !== null)),
        owed: state.owed.filter((/** @type {string} */ other) => !inside.includes(other)),
      };
    },
    label: (state, { start, end, label, note = "" }) => {
      /** @type {[start: number, end: number, label: string, note: string][]} */
      const others = state.labels.filter((/** @type {[number]} */ [from]) => from !== start);
      return { labels: [...others, [start, end, label, note]].sort((a, b) => a[0] - b[0]) };
    },
    note: (_, { note }) => ({ note }),
    reject: (state, { suggestion }) => ({ rejected: [...state.rejected, suggestion] }),
    highlight: (state, { start, end, suggestion }) => ({
      highlights: joinSpans([...state.highlights, [start, end]]),
      done: false,
      ...suggestion !== undefined && { confirmed: joinSpans([...state.confirmed, [start, end]]) },
    }),
  };
  /** @param {string} kind @param {object} fields */
  context.write = (kind, fields) => {
    acts.push({ kind, ...fields });
    context.state = { ...context.state, withdrawn: [], ...apply[kind](context.state, fields) };
  };
  /** @param {string} kind @param {object} fields */
  context.act = (kind, fields) => {
    context.write(kind, fields);
    context.redraw();
  };
  addEventListener("keydown", (event) => {
    const inField = event.target instanceof Element && event.target.matches("input,textarea");
    if (inField || event.ctrlKey || event.defaultPrevented) return;
    if (event.key === "/") {
      event.preventDefault();
      terms.askTerm(context);
    } else if (!grades.gradeKey(context, event.key)) labels.labelKey(context, event.key);
  });
  context.redraw();
});
