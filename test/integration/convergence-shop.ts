/** The repository of the convergence script: five files with four defects each, each in its own hunk. */
import type { Severity } from '../../shared/vocabulary/finding.ts';

/** `old`: the target branch's version. `partly`: changed, but still a defect. */
type Wording = 'old' | 'bad' | 'partly' | 'good';

export type Seed = {
  readonly name: string;
  readonly path: string;
  readonly severity: Severity;
  readonly words: Readonly<Record<Exclude<Wording, 'partly'>, readonly string[]>> & {
    readonly partly?: readonly string[];
  };
};

/** Split, so that secret scanners do not report this file. */
const SECRET = ['ghp', 'R7tq2Lx9Vb4Nz8Wc1Yd6Kf3Hj5Mp0Sg7Qa2Z'].join('_');

/** For a single line, with a fix that replaces it. */
const line = (old: string, bad: string, good: string, partly?: string): Seed['words'] => ({
  old: [old],
  bad: [bad],
  good: [good],
  ...(partly === undefined ? {} : { partly: [partly] }),
});

const of = (path: string, name: string, severity: Severity, words: Seed['words']): Seed => ({
  path,
  name,
  severity,
  words,
});

const PAY = (...body: readonly string[]): readonly string[] => ['export const pay = (order) => {', ...body, '};'];

export const SEEDS: readonly Seed[] = [
  of(
    'cart.js',
    'sum',
    'P1',
    line(
      'export const sum = (one, two) => one + two;',
      'export const sum = (one, two) => eval(one) + two;',
      'export const sum = (one, two) => Number(one) + two;',
    ),
  ),
  of(
    'cart.js',
    'tls',
    'P1',
    line(
      'export const options = { keepAlive: true };',
      'export const options = { rejectUnauthorized: false };',
      'export const options = { rejectUnauthorized: true };',
    ),
  ),
  of('cart.js', 'pause', 'P3', line('export const pause = () => {};', 'debugger;', 'export const pause = null;')),
  of(
    'cart.js',
    'save',
    'P2',
    line(
      'export const save = null;',
      'export const save = (cart) => write(cart); // DEFECT(P2: overwrites what another tab has saved)',
      'export const save = (cart) => writeIfUnchanged(cart);',
    ),
  ),
  of('pay.js', 'pay', 'P1', {
    old: PAY('  log(order);'),
    bad: PAY('  charge(order);'),
    good: PAY('  requireLogin();', '  charge(order);'),
  }),
  of(
    'pay.js',
    'note',
    'P0',
    line(
      'export const note = null;',
      'export const note = (card) => log(card.number); // DEFECT(P0: writes card numbers into the log)',
      'export const note = (card) => log(card.kind);',
    ),
  ),
  of(
    'pay.js',
    'find',
    'P1',
    line(
      'export const find = null;',
      "export const find = (db, id) => db.query('SELECT * FROM orders WHERE id = ' + id);",
      "export const find = (db, id) => db.query('SELECT * FROM orders WHERE id = ?', [id]);",
    ),
  ),
  of(
    'pay.js',
    'token',
    'P1',
    line(
      'export const receiptToken = null;',
      'export const receiptToken = Math.random().toString(36);',
      'export const receiptToken = randomUUID();',
    ),
  ),
  of(
    'stock.py',
    'load',
    'P1',
    line('load = None', 'load = lambda raw: pickle.loads(raw)', 'load = lambda raw: json.loads(raw)'),
  ),
  of('stock.py', 'put', 'P2', {
    old: ['def put(item):', '    return item'],
    bad: ['def put(item, shelf=[]):', '    return shelf.append(item)'],
    good: ['def put(item, shelf=None):', '    return (shelf or []) + [item]'],
  }),
  of('stock.py', 'read', 'P1', {
    old: ['def read(text):', '    return text'],
    bad: ['def read(text):', '    return yaml.load(text)'],
    good: ['def read(text):', '    return yaml.safe_load(text)'],
  }),
  of(
    'stock.py',
    'count',
    'P3',
    line(
      'count = 0',
      'count = len(shelves)  # DEFECT(P3: counts shelves under the name of items)',
      'shelf_count = len(shelves)',
    ),
  ),
  of(
    'ship.sh',
    'fetch',
    'P1',
    line('echo fetch', 'curl --insecure https://shop.example/list', 'curl https://shop.example/list'),
  ),
  of('ship.sh', 'run', 'P1', line('echo run', 'eval "$1"', '"$HOOKS/after-shipping"', 'eval "$2"')),
  of('ship.sh', 'mode', 'P2', line('echo mode', 'chmod 777 /srv/shop', 'chmod 750 /srv/shop')),
  of(
    'ship.sh',
    'clean',
    'P1',
    line(
      'echo clean',
      'rm old.log # DEFECT(P1: deletes the log before it is copied)',
      'cp old.log backup && rm old.log',
      'rm -f old.log # DEFECT(P1: deletes the log before it is copied)',
    ),
  ),
  of(
    'keys.js',
    'key',
    'P0',
    line('export const key = null;', `export const key = '${SECRET}';`, 'export const key = process.env.SHOP_KEY;'),
  ),
  of(
    'keys.js',
    'ping',
    'P2',
    line(
      'export const ping = null;',
      'export const ping = () => { try { call(); } catch {} };',
      'export const ping = () => call();',
    ),
  ),
  of(
    'keys.js',
    'leave',
    'P1',
    line(
      'export const leave = null;',
      'export const leave = () => show(); // DEFECT(P1: keeps the session after leaving)',
      'export const leave = () => endSession();',
    ),
  ),
  of(
    'keys.js',
    'hint',
    'P3',
    line(
      "export const hint = '';",
      "export const hint = 'teh key'; // DEFECT(P3: misspells the hint)",
      "export const hint = 'the key';",
    ),
  ),
];

export const PATHS: readonly string[] = [...new Set(SEEDS.map(({ path }) => path))];

/** A function that needs no guard, below the others in its file. */
const LIST = ['export const list = () => {', '  show();', '};'];
const GUARDED_LIST = ['export const list = () => {', '  requireLogin();', '  show();', '};'];

/** The version of each seed in the change. Absent: `bad`. */
export type Shop = {
  readonly words: Readonly<Record<string, Wording>>;
  /** True when the guard is in the function that needs none. */
  readonly guardsList: boolean;
};

export const SEEDED: Shop = { words: {}, guardsList: false };
const BEFORE: Shop = { words: Object.fromEntries(SEEDS.map(({ name }) => [name, 'old'])), guardsList: false };

export const wordingOf = ({ words }: Shop, { name }: Pick<Seed, 'name'>): Wording => words[name] ?? 'bad';

export const isBad = (shop: Shop, seed: Pick<Seed, 'name'>): boolean =>
  ['bad', 'partly'].includes(wordingOf(shop, seed));

export const withWords = (shop: Shop, wording: Wording, names: readonly string[]): Shop => ({
  ...shop,
  words: { ...shop.words, ...Object.fromEntries(names.map((name) => [name, wording])) },
});

const FILLER_LINES = 9;

const fillerOf = (path: string, at: number): readonly string[] =>
  Array.from({ length: FILLER_LINES }, (_, index) => {
    const number = at * FILLER_LINES + index + 1;
    if (path.endsWith('.sh')) return `echo step ${number}`;
    return path.endsWith('.py') ? `item_${number} = ${number}` : `export const item${number} = ${number};`;
  });

const textOf = (shop: Shop, seed: Seed): readonly string[] => {
  const { words } = seed;
  const wording = wordingOf(shop, seed);
  return wording === 'partly' ? (words.partly ?? words.bad) : words[wording];
};

const fileOf = (shop: Shop, path: string): string => {
  const parts = SEEDS.filter((seed) => seed.path === path).map((seed, at) => [
    ...fillerOf(path, at),
    ...textOf(shop, seed),
  ]);
  const list = path === 'pay.js' ? [...fillerOf(path, parts.length), ...(shop.guardsList ? GUARDED_LIST : LIST)] : [];
  return `${[...parts.flat(), ...list, ...fillerOf(path, 9)].join('\n')}\n`;
};

export const filesOf = (shop: Shop): Readonly<Record<string, string>> =>
  Object.fromEntries(PATHS.map((path) => [path, fileOf(shop, path)]));

export const BASE = { ...filesOf(BEFORE), 'news.md': '# News\n' };

export const seedAt = (shop: Shop, place: { readonly path: string; readonly line: number }): Seed | null => {
  let last = 0;
  for (const [at, seed] of SEEDS.filter(({ path }) => path === place.path).entries()) {
    last += fillerOf(place.path, at).length;
    const first = last + 1;
    last += textOf(shop, seed).length;
    if (place.line >= first && place.line <= last) return seed;
  }
  return null;
};
