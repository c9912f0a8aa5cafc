/** Makes a path safe for a log line or a comment: bytes that are not printable are escaped as `\xNN`. */
export const printablePath = (path: Uint8Array | string): string => {
  const bytes = typeof path === 'string' ? Buffer.from(path, 'utf8') : Buffer.from(path);
  const text = bytes.toString('utf8');
  const isUtf8 = Buffer.from(text, 'utf8').equals(bytes);
  const escape = (part: string): string =>
    [...Buffer.from(part, 'utf8')].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('');
  if (isUtf8) return text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, escape).slice(0, 1000);
  return [...bytes.subarray(0, 1000)]
    .map((byte) =>
      byte < 0x20 || byte > 0x7e ? `\\x${byte.toString(16).padStart(2, '0')}` : String.fromCharCode(byte),
    )
    .join('')
    .slice(0, 1000);
};

const MAX_NAME_BYTES = 255;
const MAX_PATH_BYTES = 3000;
const MAX_DEPTH = 100;

/** Returns true for names that some file system treats as `.git`: case, 8.3 name, NTFS dots and streams, ignorable characters. */
const isGitName = (name: string): boolean => {
  const seen = name
    .replaceAll(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, '')
    .normalize('NFKC')
    .toLowerCase();
  return /^(?:\.git|git~\d+)(?:[ .]*|:.*)$/.test(seen);
};

const whyNameIsRefused = (name: string): string | null => {
  if (name === '') return 'an empty name';
  if (name === '.' || name === '..') return 'a relative name';
  if (/[\p{Cc}\p{Cf}\u2028\u2029]/u.test(name)) return 'a control character';
  if (name.split(/[\\/]/).some(isGitName)) return 'a name of git';
  return Buffer.byteLength(name) > MAX_NAME_BYTES ? 'a name that is too long' : null;
};

/** Returns why a path must not be created below a root, or null. A null path means that it was invalid UTF-8. */
export const whyPathIsRefused = (path: string | null): string | null => {
  if (path === null) return 'a path that is not UTF-8';
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) return 'a path that is too long';
  const names = path.split('/');
  if (names.length > MAX_DEPTH) return 'a path that is too deep';
  for (const name of names) {
    const reason = whyNameIsRefused(name);
    if (reason !== null) return reason;
  }
  return null;
};
