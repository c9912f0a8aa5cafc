const MAX_LENGTH = 1024;

/** Returns why a path must not be followed; null if it may be. Links on disk are not checked: resolve them when opening the file. */
export const whyNotInWorkspace = (path: string): string | null => {
  if (path === '') return 'is empty';
  if (path.length > MAX_LENGTH) return `is longer than ${MAX_LENGTH} characters`;
  if (/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/u.test(path)) return 'has a hidden character';
  if (path.includes('\\')) return 'has a backslash';
  if (path.startsWith('/') || /^[A-Za-z]:/.test(path)) return 'is absolute';
  if (path.startsWith('~')) return 'begins with "~"';
  const names = path.split('/');
  if (names.includes('..')) return 'leads out';
  if (names.some((name) => name === '' || name === '.')) return 'has an empty name or "."';
  if (names.some((name) => name.toLowerCase() === '.git')) return "is in git's own folder";
  return null;
};
