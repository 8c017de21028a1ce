/** Layers painted on a text by CSS highlights: of a layer that changes only what is new is made anew. */

/** What lies over what. */
const OVER = { returned: 0, judged: 1, "term-1": 3, "term-2": 3, "term-3": 3, "term-4": 3, suggested: 4 };

/** Sorted spans that stay, that go and that come. @param {number[][]} before @param {number[][]} after
 * @returns {{kept: number[], gone: number[]}} for each of `after` its number in `before` or -1; numbers in `before` that are in no `after` */
export function matchSpans(before, after) {
  const gone = [];
  let i = 0;
  const kept = after.map(([start, end]) => {
    while (i < before.length && (before[i][0] < start || (before[i][0] === start && before[i][1] < end))) {
      gone.push(i++);
    }
    return i < before.length && before[i][0] === start && before[i][1] === end ? i++ : -1;
  });
  while (i < before.length) gone.push(i++);
  return { kept, gone };
}

export class Painter {
  /** @param {function(number, number): Range} rangeFor */
  constructor(rangeFor) {
    Object.assign(this, { rangeFor, layers: new Map() });
  }

  /** Paint exactly these layers. @param {Layer[]} layers @param {number} size of the text */
  paint(layers, size) {
    const named = layers.filter(({ name }) => name && CSS.highlights);
    for (const name of [...this.layers.keys()]) {
      if (!named.some((layer) => layer.name === name)) this.clear(name);
    }
    for (const { name, spans } of named) this.update(name, spans, size);
  }

  update(name, spans, size) {
    const known = this.layers.get(name) ?? this.start(name);
    if (known.spans === spans) return;
    const fits = spans.filter(([start, end]) => start < end && end <= size),
      { kept, gone } = matchSpans(known.fits, fits);
    for (const at of gone) known.highlight.delete(known.ranges[at]);
    const ranges = fits.map(([start, end], i) => known.ranges[kept[i]] ?? this.rangeFor(start, end));
    ranges.forEach((range, i) => kept[i] < 0 && known.highlight.add(range));
    Object.assign(known, { spans, fits, ranges });
  }

  start(name) {
    const layer = { highlight: new Highlight(), spans: null, fits: [], ranges: [] };
    layer.highlight.priority = OVER[name] ?? 2;
    CSS.highlights.set(name, layer.highlight);
    this.layers.set(name, layer);
    return layer;
  }

  clear(name) {
    CSS.highlights.delete(name);
    this.layers.delete(name);
  }
}
