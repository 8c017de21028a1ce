/** Numbers, names and times as text. No DOM. */

// Numbers and names as they are written on the page.
const DASH = "–", MINUS = "\u2212";

/** A score with four digits. @param {?number} x @param {number} digits @returns {string} */
export function score(x, digits = 4) {
  return Number.isFinite(x) ? x.toFixed(digits).replace("-", MINUS) : DASH;
}

/** A score in two digits for the heat map. @param {?number} x @returns {string} */
export function heat(x) {
  if (x === 0) return "0";
  if (x > 0 && x < 0.01) return "<.01";
  return score(x, 2).replace(/\b0\./, ".").replace(".00", "");
}

/** A whole number, thin spaces that do not break between thousands. @param {number} n @returns {string} */
export function whole(n) {
  return String(n).replace("-", MINUS).replace(/\B(?=(\d{3})+$)/g, "\u202f");
}

/** A difference with its sign; nothing but 0 is written 0. @param {?number} x @param {number} digits @returns {string} */
export function signed(x, digits = 4) {
  return x === 0 ? "0" : (x > 0 ? "+" : "") + score(x, digits);
}

/** A share of 1 as a percentage. @param {?number} x @returns {string} */
export function percent(x) {
  if (!Number.isFinite(x)) return DASH;
  const rounded = x > 0 && x < 0.005 ? "<1" : x < 1 && x >= 0.995 ? ">99" : Math.round(x * 100);
  return `${rounded}\u00a0%`;
}

/** A number of things. @param {number} n @param {string} noun @returns {string} */
export function count(n, noun) {
  return `${whole(n)} ${noun}${n === 1 ? "" : "s"}`;
}

/** A name of at most so many characters, cut in the middle. @param {string} name @param {number} most @returns {string} */
export function middle(name, most) {
  const points = Array.from(name), half = Math.floor((most - 1) / 2);
  return points.length > most
    ? `${points.slice(0, most - 1 - half).join("")}…${points.slice(-half).join("")}`
    : name;
}

// Times in words. No DOM; "now" is passed in.
const MINUTE_S = 60, HOUR_S = 3600, DAY_S = 86_400, HOURS_ONLY = 10;
const MONTHS = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];

/** How long something takes: minutes under an hour, hours and minutes under ten, else hours. @param {number} seconds @returns {string} */
export function sayDuration(seconds) {
  const minutes = Math.round(seconds / MINUTE_S), hours = Math.floor(minutes / 60);
  if (minutes < 1) return "under a minute";
  if (!hours) return count(minutes, "minute");
  return hours < HOURS_ONLY && minutes % 60
    ? `${count(hours, "hour")} ${count(minutes % 60, "minute")}`
    : count(Math.round(minutes / 60), "hour");
}

/** Minutes with one digit, a dash for none. @param {?number} seconds @returns {string} */
export function minutesOf(seconds) {
  return Number.isFinite(seconds) ? (seconds / MINUTE_S).toFixed(1) : "–";
}

/** How long ago something was, short. @param {?string} at a time that a browser can read @param {number} now in milliseconds @returns {string} */
export function sayAgo(at, now) {
  const seconds = Math.max(0, (now - Date.parse(at)) / 1000);
  if (!at || !Number.isFinite(seconds)) return "never";
  if (seconds < 2 * MINUTE_S) return "now";
  const [unit, word] = seconds < HOUR_S
    ? [MINUTE_S, "min"]
    : seconds < 2 * DAY_S
    ? [HOUR_S, "h"]
    : [DAY_S, "d"];
  return `${Math.floor(seconds / unit)}\u00a0${word}`;
}

/** A day as it is said, with its year unless that is this one. @param {string} date begins with YYYY-MM-DD @param {number} year @returns {string} */
export function sayDay(date, year) {
  const [then, month, day] = date.slice(0, 10).split("-").map(Number);
  return `${day} ${MONTHS[month - 1]}${then === year ? "" : ` ${then}`}`;
}
