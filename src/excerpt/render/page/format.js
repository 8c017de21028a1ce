/** Numbers, names and times as text. No DOM. */

// Numbers and names.
const DASH = "–", MINUS = "\u2212";

/** @param {unknown} x @returns {x is number} */
const isNumber = (x) => Number.isFinite(x);

/** A score with four digits, a dash if it is undefined. @param {number | null} [x] @param {number} digits */
export function score(x, digits = 4) {
  return isNumber(x) ? x.toFixed(digits).replace("-", MINUS) : DASH;
}

/** A score with few digits, for the heat map. @param {number | null} [x] @param {number} digits */
export function heat(x, digits = 2) {
  const least = 10 ** -digits;
  if (x === 0) return "0";
  if (isNumber(x) && x > 0 && x < least) return `<${least.toFixed(digits).slice(1)}`;
  return score(x, digits).replace(/\b0\./, ".").replace(/\.0+$/, "");
}

/** A whole number, with narrow spaces that do not break between thousands. @param {number} n */
export function whole(n) {
  return String(n).replace("-", MINUS).replace(/\B(?=(\d{3})+$)/g, "\u202f");
}

/** A difference with its sign; only 0 itself is written 0.
 * @param {number | null} [x] @param {number} digits */
export function signed(x, digits = 4) {
  return x === 0 ? "0" : (isNumber(x) && x > 0 ? "+" : "") + score(x, digits);
}

/** A proportion as a percentage; a dash if it is undefined. @param {number | null} [x] */
export function percent(x) {
  if (!isNumber(x)) return DASH;
  const rounded = x > 0 && x < 0.005 ? "<1" : x < 1 && x >= 0.995 ? ">99" : Math.round(x * 100);
  return `${rounded}\u00a0%`;
}

/** A number with its noun, in the plural unless it is 1. @param {number} n @param {string} noun */
export function count(n, noun) {
  return `${whole(n)} ${noun}${n === 1 ? "" : "s"}`;
}

/** A name of at most `most` characters, cut in the middle. @param {string} name @param {number} most */
export function middle(name, most) {
  const points = Array.from(name), half = Math.floor((most - 1) / 2);
  return points.length > most
    ? `${points.slice(0, most - 1 - half).join("")}…${points.slice(-half).join("")}`
    : name;
}

// Times; the present time is an argument.
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

/** A duration in words: minutes below an hour, hours and minutes below ten hours, else hours.
 * @param {number} seconds */
export function sayDuration(seconds) {
  const minutes = Math.round(seconds / MINUTE_S), hours = Math.floor(minutes / 60);
  if (minutes < 1) return "under a minute";
  if (!hours) return count(minutes, "minute");
  return hours < HOURS_ONLY && minutes % 60
    ? `${count(hours, "hour")} ${count(minutes % 60, "minute")}`
    : count(Math.round(minutes / 60), "hour");
}

/** Minutes with one digit, a dash if unknown. @param {number | null} [seconds] */
export function minutesOf(seconds) {
  return isNumber(seconds) ? (seconds / MINUTE_S).toFixed(1) : "–";
}

/** The time since a moment, short.
 * @param {string | null | undefined} at a date that browsers can parse @param {number} now in milliseconds */
export function sayAgo(at, now) {
  const seconds = Math.max(0, (now - Date.parse(at ?? "")) / 1000);
  if (!at || !Number.isFinite(seconds)) return "never";
  if (seconds < 2 * MINUTE_S) return "now";
  /** @type {[number, string]} */
  const [unit, word] = seconds < HOUR_S
    ? [MINUTE_S, "min"]
    : seconds < 2 * DAY_S
    ? [HOUR_S, "h"]
    : [DAY_S, "d"];
  return `${Math.floor(seconds / unit)}\u00a0${word}`;
}

/** A date in words, with its year unless it is the present one.
 * @param {string} date begins with YYYY-MM-DD @param {number} year the present one */
export function sayDay(date, year) {
  const [then, month, day] = date.slice(0, 10).split("-").map(Number);
  return `${day} ${MONTHS[month - 1]}${then === year ? "" : ` ${then}`}`;
}
