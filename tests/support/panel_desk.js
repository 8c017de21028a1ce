/** A page around the side panel for tests; panel_desk.py runs it in an empty document. */
(async (/** @type {[origin: string, setup: any]} */ [origin, setup]) => {
  /** @param {string} name */
  const load = (name) => import(`${origin}/${name}.js`);
  const [{ TextView }, topics, grades, labels, terms, second, { make }, { joinSpans }] = await Promise
    .all(
      [
        "text_view",
        "assess/topics",
        "assess/grades",
        "assess/labels",
        "assess/terms",
        "assess/suggestions",
        "dom",
        "spans",
      ].map(load),
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
  document.documentElement.dataset.theme = setup.theme;
  /** @type {{kind: string}[]} */
  const acts = [];
  /** @type {string[]} */
  const announced = [];
  /** @type {Map<string, string>} */
  const store = new Map(Object.entries(setup.stored));
  const main = make("main", { id: "main" });
  const storage = {
    /** @param {string} key */
    getItem: (key) => store.get(key) ?? null,
    /** @param {string} key @param {string} value */
    setItem: (key, value) => store.set(key, value),
  };
  const context = {
    ...setup.context,
    memory: {},
    cursor: null,
    storage,
    /** @param {{topic: string, doc: string}} place */
    link: ({ topic, doc }) => `#topic=${encodeURIComponent(topic)}&doc=${encodeURIComponent(doc)}`,
    /** @param {string} text */
    announce: (text) => announced.push(text),
    /** @param {string} text */
    unable: (text) => announced.push(text),
  };
  Object.assign(globalThis, {
    context,
    acts,
    announced,
    store,
    modules: { grades, labels, terms, second },
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
  context.textView = new TextView(host, { onPoint() {}, onCursor });
  /** @param {[number, number]} span */
  context.textView.goTo = (span) => {
    context.textView.cursor(span);
    context.textView.reveal(span);
  };
  context.focusText = () => context.textView.text.focus();
  context.textView.show(context.doc, { folded: true });
  /** @type {Record<string, (context: unknown) => Node[]>} */
  const draw = {
    grades: grades.drawGrades,
    labels: labels.drawLabels,
    terms: terms.drawTerms,
    note: labels.drawNote,
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
    context.textView.paint([
      { name: "judged", spans: state.highlights, map: "left" },
      ...terms.termLayers(context),
      ...second.secondLayers(context),
    ], []);
  };
  /** @param {string} name */
  context.show = (name) => {
    acts.push({ kind: `show ${name}` });
    context.doc.suggestions = setup.suggestions;
    return Promise.resolve();
  };
  /** Fields of the state that an event changes, by its kind.
   * @type {Record<string, (state: any, fields: any) => object>} */
  const apply = {
    grade: (state, { path, grade, rest }) => {
      const inside = rest
        ? grades.missingPaths(context).filter((/** @type {string} */ other) =>
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
