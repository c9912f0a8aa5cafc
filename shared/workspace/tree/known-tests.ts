/** Which files are tests, and of what, by their names. */

export const looksLikeTest = (path: string): boolean =>
  /(?:^|\/)(?:tests?|__tests__|specs?|testdata|e2e)\//i.test(path) ||
  /(?:^|\/)(?:test_[^/]*|[^/]*(?:[._-](?:test|spec)s?|Tests?|Spec)\.[^/.]+|conftest\.py)$/.test(path);

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/**
 * The name of a file without its extensions and without the part that marks a test: `user.test.ts` and `test_user.py`
 * have the stem `user`.
 */
export const stemOf = (path: string): string =>
  nameOf(path)
    .replace(/\..*$/, (ending) => (/^[._-](?:test|spec)s?\./.test(ending) ? '' : ending.replace(/\.[^.]*$/, '')))
    .replace(/[._-](?:test|spec)s?$/i, '')
    .replace(/^test_/, '')
    .replace(/Tests?$/, '')
    .toLowerCase();
