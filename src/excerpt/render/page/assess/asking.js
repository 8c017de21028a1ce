/** Questions to the server that the page came from, as JSON. */

const PATIENCE = 20000;

/** An answer of the server with its status; an error if there is none in time. */
async function answerTo(path, how = {}) {
  const control = new AbortController(), timer = setTimeout(() => control.abort(), PATIENCE);
  try {
    const answer = await fetch(path, { ...how, signal: control.signal });
    return { status: answer.status, body: answer.status === 204 ? null : await answer.json() };
  } catch (error) {
    throw new Error(
      error instanceof SyntaxError ? "The server's answer cannot be read." : "The server does not answer.",
    );
  } finally {
    clearTimeout(timer);
  }
}

/** An answer, or an error with the sentence and the status of a refusal. @param {string} path @returns {Promise<Object>} */
export async function askFor(path) {
  const { status, body } = await answerTo(path);
  if (status === 200) return body;
  throw Object.assign(new Error(body?.error ?? `The server answered ${status}.`), { status });
}

/** What the server says to something new. @param {string} path @param {*} body @returns {Promise<{status: number, body: *}>} */
export function tell(path, body) {
  return answerTo(path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}
