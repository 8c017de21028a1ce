// What panel_desk.py runs in an empty document: a stand-in for the page around the side panel.
(async ([origin, given]) => {
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
  const main = make("main", { id: "main" }),
    acts = [],
    said = [],
    store = new Map(Object.entries(given.stored));
  const context = {
    ...given.context,
    keep: {},
    cursor: null,
    storage: { getItem: (key) => store.get(key) ?? null, setItem: (key, value) => store.set(key, value) },
    link: ({ topic, doc }) => `#topic=${encodeURIComponent(topic)}&doc=${encodeURIComponent(doc)}`,
    announce: (text) => said.push(text),
  };
  Object.assign(window, { context, acts, said, store, modules: { grades, labels, terms, notes, second } });
  document.body.replaceChildren(main);
  if (!context.doc) return main.append(topics.drawTopics(context).node);
  const part = (name) => (context[name] = make(`div.${name}`)), panel = make("aside.inspector");
  main.append(make("div.document", make("div"), make("div.desk", part("paper")), panel));
  context.paper = new TextView(context.paper, {
    onPoint() {},
    onCursor: (position) => {
      context.cursor = position;
      context.redraw();
    },
  });
  context.paper.show(context.doc, { folded: true });
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
    const { state } = context, key = document.activeElement.dataset.key;
    for (const name in draw) {
      if (
        !(document.activeElement.matches("input,textarea") && hosts[name].contains(document.activeElement))
      ) hosts[name].replaceChildren(...draw[name](context));
    }
    if (key) document.querySelector(`[data-key="${CSS.escape(key)}"]`)?.focus({ preventScroll: true });
    context.paper.paint([
      { name: "judged", spans: state.highlights, map: "left" },
      ...terms.termLayers(context),
      ...second.secondLayers(context),
    ], []);
  };
  context.show = async (name) => {
    acts.push({ kind: `show ${name}` });
    context.doc.suggestions = given.suggestions;
  };
  const apply = {
    grade: (state, { path, grade, rest }) => {
      const inside = rest
        ? modules.grades.owedPaths(context).filter((other) => `${other}/`.startsWith(`${path}/`))
        : [path];
      const grades = {
        ...state.grades,
        ...Object.fromEntries(inside.map((one) => [one, rest ? "?" : grade])),
      };
      return {
        grades: Object.fromEntries(Object.entries(grades).filter(([, value]) => value !== null)),
        owed: state.owed.filter((other) => !inside.includes(other)),
      };
    },
    label: (state, { start, end, label, note = "" }) => ({
      labels: [...state.labels.filter(([from]) => from !== start), [start, end, label, note]].sort((a, b) =>
        a[0] - b[0]
      ),
    }),
    note: (state, { note }) => ({ note }),
    reject: (state, { suggestion }) => ({ rejected: [...state.rejected, suggestion] }),
    highlight: (state, { start, end, suggestion }) => ({
      highlights: joinSpans([...state.highlights, [start, end]]),
      done: false,
      ...suggestion !== undefined && { confirmed: joinSpans([...state.confirmed, [start, end]]) },
    }),
  };
  context.write = (kind, fields) => {
    acts.push({ kind, ...fields });
    context.state = { ...context.state, withdrawn: [], ...apply[kind](context.state, fields) };
  };
  context.act = (kind, fields) => {
    context.write(kind, fields);
    context.redraw();
  };
  addEventListener("keydown", (event) => {
    if (event.target.matches("input,textarea") || event.ctrlKey || event.defaultPrevented) return;
    if (event.key === "/") {
      event.preventDefault();
      terms.askTerm(context);
    } else if (!grades.gradeKey(context, event.key)) labels.labelKey(context, event.key);
  });
  context.redraw();
});
