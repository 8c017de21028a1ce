/** SHA-256, for quotes too long to send. Browsers have it only behind TLS and on this machine itself. No DOM. */

const primes = (count) => {
  const found = [];
  for (let n = 2; found.length < count; n++) if (found.every((prime) => n % prime)) found.push(n);
  return found;
};
const fraction = (root) => ((root - Math.floor(root)) * 2 ** 32) | 0;
const ROUNDS = primes(64).map((prime) => fraction(Math.cbrt(prime))),
  INITIAL = primes(8).map((prime) => fraction(Math.sqrt(prime)));
const rotate = (word, by) => (word >>> by) | (word << (32 - by));

function mix(hash, words) {
  for (let i = 16; i < 64; i++) {
    const one = words[i - 15], two = words[i - 2];
    words[i] = words[i - 16] + (rotate(one, 7) ^ rotate(one, 18) ^ (one >>> 3)) + words[i - 7] +
      (rotate(two, 17) ^ rotate(two, 19) ^ (two >>> 10));
  }
  let [a, b, c, d, e, f, g, h] = hash;
  for (let i = 0; i < 64; i++) {
    const first =
      (h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + ((e & f) ^ (~e & g)) + ROUNDS[i] + words[i]) | 0;
    const second = ((rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0];
  }
  [a, b, c, d, e, f, g, h].forEach((word, i) => {
    hash[i] += word;
  });
}

/** The SHA-256 of a text in UTF-8, in hex. @param {string} text @returns {string} */
export function sha256(text) {
  const bytes = new TextEncoder().encode(text),
    size = (((bytes.length + 8) >> 6) + 1) << 6,
    padded = new Uint8Array(size),
    view = new DataView(padded.buffer);
  padded.set(bytes);
  padded[bytes.length] = 128;
  view.setUint32(size - 8, Math.floor(bytes.length / 2 ** 29));
  view.setUint32(size - 4, bytes.length << 3);
  const hash = Int32Array.from(INITIAL), words = new Int32Array(64);
  for (let at = 0; at < size; at += 64) {
    for (let i = 0; i < 16; i++) words[i] = view.getInt32(at + 4 * i);
    mix(hash, words);
  }
  return Array.from(hash, (word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
}
