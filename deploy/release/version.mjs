/** The places that contain the version: the file, the text before the version, and the number of occurrences. */
const PLACES = /** @type {const} */ ([
  ['package.json', '"version": "', '"', 1],
  ['package-lock.json', '"version": "', '"', 2],
  ['shared/version.ts', "VERSION = '", "'", 1],
  ['deploy/guide/ci.md', 'fixpoint-', '.tgz', 1],
  ['deploy/guide/command-line.md', 'fixpoint-', '.tgz', 1],
]);

export const VERSIONED_FILES = PLACES.map(([file]) => file);

const SEMVER = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-([0-9a-z]+(?:\.[0-9a-z]+)*))?$/;

/** @param {string} text */
export const isVersion = (text) => SEMVER.test(text);

/** Whether the first is a later version; a version with a suffix comes before the one without. @param {string} a @param {string} b */
export function isLater(a, b) {
  const [x, y] = [a, b].map((text) => SEMVER.exec(text)?.slice(1) ?? []);
  for (let index = 0; index < 3; index += 1) {
    if (Number(x[index]) !== Number(y[index])) return Number(x[index]) > Number(y[index]);
  }
  const [own, other] = [x[3], y[3]];
  if (own === other) return false;
  if (own === undefined || other === undefined) return own === undefined;
  return own.localeCompare(other, 'en', { numeric: true }) > 0;
}

/** Returns the text of a file with another version. Throws if the old version is not where it should be. */
/** @param {string} file @param {string} text @param {{ from: string, to: string }} versions */
export function withVersion(file, text, { from, to }) {
  const place = PLACES.find(([name]) => name === file);
  if (place === undefined) throw new Error(`${file} has no version`);
  const [, before, after, count] = place;
  const parts = text.split(`${before}${from}${after}`);
  if (parts.length <= count) throw new Error(`${file} does not have the version ${from} ${count} times`);
  const changed = parts.slice(0, count + 1).join(`${before}${to}${after}`);
  return [changed, ...parts.slice(count + 1)].join(`${before}${from}${after}`);
}
