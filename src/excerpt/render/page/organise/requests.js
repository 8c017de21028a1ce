/** Requests of the organiser's page. */

/** The sentence of an answer that is an error. @param {Response} answer */
async function errorOf(answer) {
  const { error = "" } = await answer.json().catch(() => ({}));
  return answer.status === 401
    ? "This link has expired. Open the one that “excerpt assess serve” printed last."
    : error || `The server answered ${answer.status}.`;
}

/** Ask the server; an error is one sentence.
 * @param {string} path @param {unknown} [body] sent by POST @returns {Promise<any>} */
export async function request(path, body) {
  const sent = body === undefined ? {} : {
    method: "POST",
    body: JSON.stringify(body),
    headers: { "content-type": "application/json" },
  };
  const answer = await fetch(path, { ...sent }).catch(() => null);
  if (!answer) throw new Error("The server does not answer.");
  if (!answer.ok) throw new Error(await errorOf(answer));
  return answer.status === 204 ? null : answer.json();
}
