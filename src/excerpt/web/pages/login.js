/** Sign-in by the token in the address, which is removed at once, or by the token in the field. */

/** The view that the address asked for, if it had no token. */
let view = "";

/** @param {string} text a link or a token */
function tokenOf(text) {
  return /token=([^&\s]+)/.exec(text)?.[1] ?? text.trim();
}

/** @param {string} id @returns {HTMLElement} */
function byId(id) {
  return /** @type {HTMLElement} */ (document.getElementById(id));
}

/** @param {string} sentence */
function say(sentence) {
  byId("problem").textContent = sentence;
}

/** @param {string} token */
async function enter(token) {
  say("");
  const body = JSON.stringify({ token });
  const response = await fetch("login", {
    method: "POST",
    body,
    headers: { "content-type": "application/json" },
  }).catch(() => null);
  if (response?.ok) {
    return location.pathname.endsWith("/") ? location.reload() : location.replace(`./${view}`);
  }
  say(response ? (await response.json()).error : "The server does not answer. Is it still running?");
}

function enterByAddress() {
  if (!location.hash.includes("token=")) {
    view = location.hash;
    return;
  }
  const token = tokenOf(location.hash);
  history.replaceState(null, "", "login");
  enter(token);
}

byId("form").addEventListener("submit", (event) => {
  event.preventDefault();
  enter(tokenOf(/** @type {HTMLInputElement} */ (byId("token")).value));
});
addEventListener("hashchange", enterByAddress);
enterByAddress();
