const UNRELEASED = '## Unreleased\n';

/** @param {string} text @param {number} from */
function endOfSection(text, from) {
  const next = text.slice(from).search(/^## /m);
  return next < 0 ? text.length : from + next;
}

/**
 * The text below a second-level heading, without the heading. Null if there is no such heading. @param {string} text
 */
export function unreleasedText(text) {
  const at = text.indexOf(UNRELEASED);
  if (at < 0) return null;
  const from = at + UNRELEASED.length;
  return text.slice(from, endOfSection(text, from));
}

/** True if the section contains only headings. @param {string} section */
export function isEmptySection(section) {
  return section.split('\n').every((line) => line.trim() === '' || line.startsWith('#'));
}

/** The date in the heading of a version; null if the heading has none. @param {string} text @param {string} version */
export function releaseDate(text, version) {
  const line = text.split('\n').find((each) => each.startsWith(`## ${version} - `));
  return line?.slice(`## ${version} - `.length) ?? null;
}

/**
 * Moves the unreleased changes below the heading of a version. @param {string} text @param {string} version @param
 * {string} date
 */
export function withRelease(text, version, date) {
  return text.replace(UNRELEASED, () => `${UNRELEASED}\n## ${version} - ${date}\n`);
}
