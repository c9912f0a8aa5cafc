/** The path of a result, which tools write in many ways, as a path inside the tree. */
import type { ReportPlace } from './report.ts';

const MAX_PATH = 4096;

/**
 * Returns null for a path outside of the tree: above it, below another root, of another machine, or of Windows. A `file:`
 * address is decoded; other paths are taken as they are.
 */
export const treePath = (given: string, place: ReportPlace): string | null => {
  if (given === '' || given.length > MAX_PATH) return null;
  const path = /^file:/i.test(given) ? pathOfAddress(given) : given;
  if (path === null || /\p{Cc}/u.test(path) || /^(?:[A-Za-z]:|[a-z][a-z0-9+.-]{1,20}:\/\/)/.test(path)) return null;
  const relative = path.startsWith('/') ? belowRoot(path, place) : path;
  return relative === null ? null : normalised(relative);
};

/** `file:///a`, `file:/a` and `file://localhost/a`; also `file:a`, which some tools write. */
const pathOfAddress = (address: string): string | null => {
  const rest = address.slice('file:'.length);
  const named = /^\/\/([^/]{0,255})(\/.*)$/s.exec(rest);
  if (named === null) return rest.startsWith('//') ? null : decoded(rest);
  const [, host = '', path = ''] = named;
  return host === '' || host.toLowerCase() === 'localhost' ? decoded(path) : null;
};

/** Text that is not a valid encoding is taken as it is, because some tools do not encode paths. */
export const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

const belowRoot = (path: string, { roots, project = null }: ReportPlace): string | null => {
  const root = roots.find((each) => path.startsWith(`${each}/`));
  if (root !== undefined) return path.slice(root.length + 1);
  const folder = project === null || project === '' ? '' : `/${project}/`;
  const at = folder === '' ? -1 : path.indexOf(folder);
  return at < 0 ? null : path.slice(at + folder.length);
};

const normalised = (path: string): string | null => {
  const names: string[] = [];
  for (const name of path.split('/')) {
    if (name === '' || name === '.') continue;
    if (name !== '..') names.push(name);
    else if (names.pop() === undefined) return null;
  }
  return names.length === 0 ? null : names.join('/');
};
