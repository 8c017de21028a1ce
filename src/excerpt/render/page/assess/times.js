/** Times in words. No DOM; "now" is passed in. */
import { count } from "../format.js";

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
