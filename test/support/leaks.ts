/**
 * Looks for secrets where none may be: in logs, in everything that Redis holds, and in what was posted. Every configured
 * secret is looked for as it is, in base64 at any offset, in hex, percent-encoded and reversed.
 */
import type { Redis } from 'ioredis';

export type NamedText = { readonly where: string; readonly text: string };

/** Shorter ones would be found in ordinary words. */
const MIN_SECRET = 8;

const base64Shapes = (secret: string): readonly string[] =>
  [0, 1, 2].map((offset) => {
    const encoded = Buffer.from('.'.repeat(offset) + secret, 'utf8').toString('base64');
    // Digits that also depend on the neighbours are cut off on both sides.
    return encoded.replace(/=+$/, '').slice(offset === 0 ? 0 : offset + 1, -1);
  });

const percentEncoded = (secret: string): string =>
  [...Buffer.from(secret, 'utf8')].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');

/** Hex digits in any case; letters of the other shapes count as they are. */
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

/** Never quotes the secret: `secret 2 of 5 in hex in the log`. */
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

/** Every key with its whole value, the queue library's included. */
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
      // It expired meanwhile.
      return '';
    default:
      throw new Error(`a key of the type ${type} is not looked into`);
  }
};
