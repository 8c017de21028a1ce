/** Signs in by the token in the address, which leaves it at once, or by the one in the field. */

/** The place in the view that was asked for; the address has it where it has no token. */
let place = "";

function tokenOf(text) {
  const found = /token=([^&\s]+)/.exec(text);
  return found ? found[1] : text.trim();
}

function say(sentence) {
  document.getElementById("problem").textContent = sentence;
}

async function enter(token) {
  say("");
  const body = JSON.stringify({ token });
  const answer = await fetch("/login", {
    method: "POST",
    body,
    headers: { "content-type": "application/json" },
  }).catch(() => null);
  if (answer?.ok) return location.pathname === "/" ? location.reload() : location.replace(`/${place}`);
  say(answer ? (await answer.json()).error : "The server does not answer. Is it still running?");
}

function enterByAddress() {
  if (!location.hash.includes("token=")) {
    place = location.hash;
    return;
  }
  const token = tokenOf(location.hash);
  history.replaceState(null, "", "/login");
  enter(token);
}

document.getElementById("form").addEventListener("submit", (event) => {
  event.preventDefault();
  enter(tokenOf(document.getElementById("token").value));
});
addEventListener("hashchange", enterByAddress);
enterByAddress();
