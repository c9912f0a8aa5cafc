/**
 * Searches texts for secrets: logs, everything in Redis, and everything posted. Each configured secret is searched plain,
 * in base64 at any offset, in hex, percent-encoded and reversed.
 */
import type { Redis } from 'ioredis';

export type NamedText = { readonly where: string; readonly text: string };

/** Shorter secrets would match ordinary words. */
const MIN_SECRET = 8;

const base64Shapes = (secret: string): readonly string[] =>
  [0, 1, 2].map((offset) => {
    const encoded = Buffer.from('.'.repeat(offset) + secret, 'utf8').toString('base64');
    // Cut off the digits that also depend on neighbouring bytes.
    return encoded.replace(/=+$/, '').slice(offset === 0 ? 0 : offset + 1, -1);
  });

const percentEncoded = (secret: string): string =>
  [...Buffer.from(secret, 'utf8')].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');

/** Hex is matched in any case, all other shapes case-sensitively. */
const shapesOf = (secret: string): readonly { readonly shape: string; readonly needle: string }[] => [
  { shape: 'as it is', needle: secret },
  { shape: 'as JSON', needle: JSON.stringify(secret).slice(1, -1) },
  { shape: 'reversed', needle: Array.from(secret).toReversed().join('') },
  { shape: 'URL-encoded', needle: encodeURIComponent(secret) },
  { shape: 'URL-encoded throughout', needle: percentEncoded(secret) },
  { shape: 'in hex', needle: Buffer.from(secret, 'utf8').toString('hex') },
  ...base64Shapes(secret).map((needle) => ({ shape: 'in base64', needle })),
  ...base64Shapes(secret).map((needle) => ({
    shape: 'in base64url',
    needle: needle.replaceAll('+', '-').replaceAll('/', '_'),
  })),
];

/** Returns places such as `secret 2 of 5 in hex in the log`; never quotes the secret. */
export const findLeaks = (texts: readonly NamedText[], secrets: readonly string[]): readonly string[] => {
  const wanted = secrets.filter((secret) => secret.length >= MIN_SECRET);
  const needles = wanted.flatMap((secret, index) =>
    shapesOf(secret).map(({ shape, needle }) => ({ name: `secret ${index + 1} of ${wanted.length} ${shape}`, needle })),
  );
  const found = texts.flatMap(({ where, text }) => {
    const lower = text.toLowerCase();
    return needles
      .filter(({ needle }) => text.includes(needle) || lower.includes(needle.toLowerCase()))
      .map(({ name }) => `${name} in ${where}`);
  });
  return [...new Set(found)];
};

const SCAN_COUNT = 500;

/** Every key with its whole value, including the queue library's. */
export const readRedis = async (redis: Redis): Promise<readonly NamedText[]> => {
  const texts: NamedText[] = [];
  let cursor = '0';
  do {
    const [next, keys] = await redis.scan(cursor, 'COUNT', SCAN_COUNT);
    cursor = next;
    for (const key of keys) texts.push({ where: `Redis ${key}`, text: `${key}\n${await readKey(redis, key)}` });
  } while (cursor !== '0');
  return texts;
};

const readKey = async (redis: Redis, key: string): Promise<string> => {
  const type = await redis.type(key);
  switch (type) {
    case 'string':
      return (await redis.get(key)) ?? '';
    case 'list':
      return JSON.stringify(await redis.lrange(key, 0, -1));
    case 'set':
      return JSON.stringify(await redis.smembers(key));
    case 'zset':
      return JSON.stringify(await redis.zrange(key, '0', '-1'));
    case 'hash':
      return JSON.stringify(await redis.hgetall(key));
    case 'stream':
      return JSON.stringify(await redis.xrange(key, '-', '+'));
    case 'none':
      return '';
    default:
      throw new Error(`a key of the type ${type} is not looked into`);
  }
};
