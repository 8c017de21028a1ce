/** Which key asks for what: the table is also the help. No DOM. */

/** Keys, what they ask for, and in words. */
export const SHORTCUTS = [
  [["j", "k"], ["next", "previous"], "next and previous missed passage, or row of a list"],
  [["[", "]"], ["previousTopic", "nextTopic"], "previous and next topic"],
  [["n", "p"], ["nextDocument", "previousDocument"], "next and previous document"],
  [["1", "9"], [], "the best nine runs, 1 to 9, on and off"],
  [["g"], ["relevant"], "relevant text on and off"],
  [["/"], ["filter"], "passages: questions and filters"],
  [["?"], ["help"], "this help"],
  [["Escape"], ["escape"], "close, or free the cursor"],
];

/** What a key asks for, and the digit if it is one; nothing in fields and with Ctrl, Alt (which AltGr, `graph`, is not) or Meta.
 * @param {KeyboardEvent} event @param {boolean} field @param {boolean} graph @returns {?[string, number]} */
export function actionOf({ key, ctrlKey, altKey, metaKey }, field, graph) {
  if (field || metaKey || ((ctrlKey || altKey) && !graph)) return null;
  if (/^[1-9]$/.test(key)) return ["run", Number(key)];
  const [keys, actions] = SHORTCUTS.find((row) => row[0].includes(key)) ?? [];
  return keys ? [actions[keys.indexOf(key)], 0] : null;
}
