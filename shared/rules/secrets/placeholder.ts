const PLACEHOLDER =
  /example|sample|dummy|placeholder|change[-_ ]?me|ch[4a]n[g6][e3]m[e3]|your[-_]|redacted|replace|insert|fake|mock|todo|fixme|foobar|xxxx|\*\*\*|\.\.\.|<[^<>]*>|\$\{|\$\(|\{\$|\{\{|%\(|%s|#\{|^\$[a-z_{(]|process\.env|os\.environ|getenv|p[a4@][s5$]{2}w[o0]rd|secret|hunter2|letmein|qwerty|0123456|1234567|abcdef|JBSWY3DPEHPK3PXP|eyJzdWIiOiIxMjM0NTY3ODkwI/i;
/** Matches names, keys and paths, such as `forgot_password`, `auth.token`, `X-Api-Key` or `settings/smtp2`. */
const WORDS = /^[/@.$#%]?[a-z]+\d{0,2}(?:[-_./:][a-z]+\d{0,2})*$/i;
const CAMEL_WORDS = /^[a-z]+(?:[A-Z][a-z]+)+$/;
const VALIDATION = /[|()[\]^]|^\w+:\w+$/;
const ADDRESS = /^(?:https?|file|data|urn|arn|op|vault|ssm|secretsmanager):/i;
const LOCAL_HOST =
  /^(?:localhost|127\.0\.0\.1|\[?::1\]?|0\.0\.0\.0|[a-z][a-z0-9_-]*|.*\.(?:local|test|localhost|invalid|example|example\.(?:com|org|net)))$/i;

/** How often something may be done, such as `5/m` and `10/hour`. */
const RATE = /^\d{1,9}\/(?:\d{0,4}(?:s|m|h|d|sec|min|hour|day|minute|second|month)s?\b)/i;

/** A hash of a password is not a credential, and neither are a key with which pages send their statistics and that of a local storage emulator; a value with spaces or non-ASCII characters is a label. */
const NO_CREDENTIAL =
  /^\$(?:2[abxy]?|argon2\w{0,2}|5|6|apr1|1)\$|^\{(?:SSHA|SHA|CRYPT)|^phc_|^pub[\da-f]{30,40}$|^Eby8vdM02xNOcqFl|[^\x21-\x7e]/;

/** What every installation begins with, such as `admin123`. */
const DEFAULT_PASSWORD = /^(?:admin|root|user|guest|demo|test|welcome|default|login|master)[\W_]?\d{0,5}[\W_]?$/i;

/** The path of a file, such as that of a key. */
const FILE_PATH = /^(?:~|\.{0,2})(?:\/[\w.@-]{1,60}){2,12}$/;

/** Parts of a value that people can read: `some`, `Thing` and `Complicated` of `someThingComplicated1234`. */
const PART = /[A-Z]?[a-z]{2,}|[A-Z]{2,}(?![a-z])/g;
const READABLE_PART = /^(?=.{3})(?=.*[aeiouy])(?!.*[^aeiouy]{5})/i;
const MIN_READABLE_SHARE = 0.6;
const MIN_MEAN_LENGTH = 4.5;

/** Whether a person made the value from words, as people do for defaults and samples. A generated value has no words. */
const isReadable = (value: string): boolean => {
  const words = (value.match(PART) ?? []).filter((part) => READABLE_PART.test(part));
  const letters = words.reduce((count, { length }) => count + length, 0);
  return letters >= 8 && letters >= value.length * MIN_READABLE_SHARE && letters >= words.length * MIN_MEAN_LENGTH;
};

const WORD_IN_VALUE = /[A-Z]?[a-z]{3,}/g;
const MIN_WORD_LETTERS = 5;
const MIN_WORD_SHARE = 0.25;

/** Both vowels and consonants, and no more than three of these or two of those in a row. */
const isPronounced = (word: string): boolean => /[aeiouy]/.test(word) && !/[^aeiouy]{4}|[aeiouy]{3}/.test(word);

/** Whether a person may have made the value: a word is a quarter of it or more. Few generated values have one. */
export const hasWord = (value: string): boolean =>
  (value.match(WORD_IN_VALUE) ?? []).some(
    (word) =>
      word.length >= Math.max(MIN_WORD_LETTERS, value.length * MIN_WORD_SHARE) && isPronounced(word.toLowerCase()),
  );

const MIN_ENTROPY_BITS = 2.9;
const MIN_KINDS_OF_CHARACTER = 2;

/** Returns the Shannon entropy in bits per character. */
const entropy = (value: string): number => {
  const counts = new Map<string, number>();
  for (const character of value) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / value.length) * Math.log2(count / value.length);
  return bits;
};

const kindsOfCharacter = (value: string): number =>
  [/[a-z]/, /[A-Z]/, /\d/, /[^a-zA-Z\d]/].filter((kind) => kind.test(value)).length;

const ENCODED = /^[A-Za-z\d+/]{16,600}={0,2}$/;
const ENCODED_FOR_URL = /^[A-Za-z\d_-]{8,600}={0,2}$/;
/** The name of a value instead of the value, such as `"API Key"` or `user:pass`. */
const NAME_OF_VALUE =
  /^["'\s]{0,3}(?:(?:my|your|the|some|a)[ _-]?)?(?:(?:api|access|auth|app|client|account|user|login|smtp|db|database|admin)[ _-]?)?(?:key|token|pass(?:word|wd|phrase)?|pwd|secret|user(?:name)?|login|id|host|hostname|name|value|foo|bar|test(?:ing)?|admin|demo|guest|default)s?\d{0,4}["'\s]{0,3}(?::["'\s]{0,3}(?:pass(?:word|wd)?|pwd|secret|token|key|test|admin|demo|guest|bar|\w{0,12}pass)\d{0,4}["'\s]{0,3})?$/i;

const isPrintable = (text: string): boolean => /^[\x20-\x7e\s]+$/.test(text);

/** Whether text that was decoded is a placeholder, a name, one sign, or the address of this machine. */
const isSampleText = (text: string): boolean =>
  /^\0*$/.test(text) ||
  (isPrintable(text) &&
    (PLACEHOLDER.test(text) ||
      NAME_OF_VALUE.test(text) ||
      new Set(text).size < 4 ||
      /\blocalhost\b|\b127\.0\.0\.1\b/.test(text)));

/** The value as it was before it was written for an address. */
const withoutPercents = (value: string): string | null => {
  if (!/%[\da-f]{2}/i.test(value)) return null;
  try {
    return decodeURIComponent(value);
  } catch {
    return null;
  }
};

/**
 * Whether the value is an encoded placeholder, such as base64 of `0123456789` or of zeros, also with a signature behind it
 * (`text:time:signature`), in hexadecimal digits, or written for an address.
 */
const isEncodedPlaceholder = (value: string): boolean => {
  const plain = withoutPercents(value);
  if (plain !== null && isSampleText(plain)) return true;
  if (/^(?:[\da-f]{2}){8,300}$/i.test(value) && isSampleText(Buffer.from(value, 'hex').toString('latin1'))) return true;
  const [first = ''] = value.split(':');
  if (first !== value && ENCODED_FOR_URL.test(first))
    return isSampleText(Buffer.from(first, 'base64url').toString('latin1'));
  return ENCODED.test(value) && isSampleText(Buffer.from(value, 'base64').toString('latin1'));
};

/** A value in the middle of a string that code builds, such as that of `'?key=' . $key . '&a=b'`. */
const IN_CODE = /^["']?\s{0,3}(?:\.\s{0,3}\$|\+\s{0,3}[a-z_]\w{0,60}(?:\.|\s{0,3}\+|\()|\.\$)/i;
/** The same few signs again and again. */
const REPEATED = /^(.{1,8}?)\1{2,}.{0,7}$/s;

/** Whether a value is only a placeholder for a secret, so it needs no report. */
export const isPlaceholder = (value: string): boolean =>
  PLACEHOLDER.test(value) ||
  new Set(value).size < 4 ||
  IN_CODE.test(value) ||
  (REPEATED.test(value) && value.length >= 12) ||
  isEncodedPlaceholder(value);

/** Whether a value that is named like a credential looks like a real one and not like a name, path, pattern or sample. */
export const looksRandom = (value: string): boolean =>
  !isPlaceholder(value) &&
  !isReadable(value) &&
  ![WORDS, CAMEL_WORDS, VALIDATION, ADDRESS, NO_CREDENTIAL, RATE, FILE_PATH, DEFAULT_PASSWORD].some((harmless) =>
    harmless.test(value),
  ) &&
  kindsOfCharacter(value) >= MIN_KINDS_OF_CHARACTER &&
  entropy(value) >= MIN_ENTROPY_BITS;

/** What documents and samples write where a password belongs, and names of variables. */
const SAMPLE_PASSWORD = /^(?:pass(?:wd)?|pwd?|user(?:name)?|token|key|foo|bar|baz|abc|123|test|x+|\.+|[$%:{<].*|\*+)$/i;

/** Whether the password is that of a sample, such as `sallypass` for `sally`. */
const isMadeOfUser = (user: string, password: string): boolean =>
  password === user ||
  (user.length >= 3 &&
    /^[-_.]?(?:pass(?:wd|word)?|pwd|pw|secret)$/i.test(password.replace(user, '')) &&
    password.startsWith(user));

/** Whether an address with a password is only a local address or a sample. */
export const isHarmlessAddress = (text: string): boolean => {
  const parts = /^(?:[a-z][\w+.-]*:\/\/)?([^:@/]*):([^@]*)@([^/:?#\s"'`]*)/i.exec(text);
  if (parts === null) return false;
  const [, user = '', password = '', host = ''] = parts;
  return (
    isPlaceholder(password) || SAMPLE_PASSWORD.test(password) || isMadeOfUser(user, password) || LOCAL_HOST.test(host)
  );
};
