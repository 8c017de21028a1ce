/** The state as the part of an address after `#`, and back. No DOM. */
import { NAMED_VIEWS, settle, START } from "./state.js";

const WRITERS = {
  view: (view) => NAMED_VIEWS.includes(view) && view,
  runs: (runs) => runs.map(encodeURIComponent).join(","),
  at: (at) => at?.join("-"),
};

const READERS = {
  runs: (text) => [...new Set(text.split(",").map(decodeURIComponent))].filter(Boolean),
  at(text) {
    const at = /^\d{1,9}-\d{1,9}$/.test(text) && text.split("-").map(Number);
    return at && at[0] <= at[1] ? at : null;
  },
};

/** The address of a state, without `#`; what is as at the start is left out.
 * @param {State} state @returns {string} */
export function writeAddress(state) {
  const texts = Object.keys(START).map((key) => [key, (WRITERS[key] ?? encodeURIComponent)(state[key])]);
  return texts.filter(([, text]) => text).map((pair) => pair.join("=")).join("&");
}

/** The state of an address, with or without `#`; keys and values that mean nothing are passed over.
 * @param {string} address @returns {State} */
export function readAddress(address) {
  const state = { ...START };
  for (const pair of address.replace(/^#/, "").split("&")) {
    const [, key, text] = /^([a-z]+)=(.+)$/s.exec(pair) ?? [];
    try {
      if (Object.hasOwn(START, key)) state[key] = (READERS[key] ?? decodeURIComponent)(text);
    } catch (error) {
      if (!(error instanceof URIError)) throw error;
    }
  }
  return settle(state);
}
