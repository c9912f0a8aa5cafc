/** The demo's change request: its defects, their places, and the author's fixes in two steps. */
import type { FileMap } from '../forgejo/git.ts';

export type Seed = {
  readonly kind: 'added' | 'context' | 'renamed file' | 'last line without newline' | 'non-ASCII path' | 'CRLF file';
  readonly path: string;
  readonly line: number;
  readonly rule: string;
};

const lines = (...all: readonly string[]): string => `${all.join('\n')}\n`;
const crlf = (...all: readonly string[]): string => `${all.join('\r\n')}\r\n`;

const CART_BASE = lines(
  'export const total = (items) => {',
  '  let sum = 0;',
  '  for (const item of items) sum += item.price;',
  '  return sum;',
  '};',
);

const PRICES_BASE = lines(
  "import { readFile } from 'node:fs/promises';",
  '',
  'export const loadPrices = async (file) => {',
  '  try {',
  "    return JSON.parse(await readFile(file, 'utf8'));",
  '  } catch (error) {',
  "    throw new Error('The price list cannot be read', { cause: error });",
  '  }',
  '};',
);

const REPORT_BASE = lines(
  'import json',
  '',
  '',
  'def monthly(orders):',
  '    rows = [order["total"] for order in orders]',
  '    return json.dumps({"orders": len(rows), "sum": sum(rows)})',
  '',
  '',
  'def yearly(months):',
  '    return json.dumps({"months": len(months), "sum": sum(months)})',
);

const MENU_BASE = lines('export const dishes = [', "  'soup',", "  'bread',", '];');

const LEGACY_BASE = crlf('function greet(name) {', "  return 'Hello ' + name;", '}', '', 'module.exports = { greet };');

const SHIP_BASE = lines('#!/bin/sh', 'set -eu', 'echo shipping');

export const BASE: FileMap = {
  'README.md': lines('# Shop', '', 'A small shop.'),
  'src/cart.js': CART_BASE,
  'src/prices.js': PRICES_BASE,
  'report/orders.py': REPORT_BASE,
  'src/menü.js': MENU_BASE,
  'legacy/greet.js': LEGACY_BASE,
  'ship.sh': SHIP_BASE,
};

const CART_BROKEN = lines(
  'export const total = (items, discount) => {',
  '  let sum = 0;',
  '  for (const item of items) sum += item.price;',
  '  return sum - eval(discount);',
  '};',
);

/** The handler's body was removed, so the comment is at an unchanged line. */
const PRICES_BROKEN = lines(
  "import { readFile } from 'node:fs/promises';",
  '',
  'export const loadPrices = async (file) => {',
  '  try {',
  "    return JSON.parse(await readFile(file, 'utf8'));",
  '  } catch (error) {',
  '  }',
  '};',
);

const REPORT_BROKEN = REPORT_BASE.replace('import json\n', 'import json\nimport pickle\n').replace(
  '    rows = [order["total"] for order in orders]',
  '    rows = [order["total"] for order in pickle.loads(orders)]',
);

const MENU_BROKEN = lines('export const dishes = [', "  'soup',", "  'bread',", '];', '', 'debugger;');

const LEGACY_BROKEN = crlf(
  'function greet(name) {',
  "  return 'Hello ' + name;",
  '}',
  '',
  'function run(text) {',
  '  return new Function(text)();',
  '}',
  '',
  'module.exports = { greet, run };',
);

const SHIP_BROKEN = `${lines('#!/bin/sh', 'set -eu', 'echo shipping').trimEnd()}\ncurl --insecure https://shop.example/ship`;

export const BROKEN: FileMap = {
  'src/cart.js': CART_BROKEN,
  'src/prices.js': PRICES_BROKEN,
  'report/orders.py': null,
  'report/monthly.py': REPORT_BROKEN,
  'src/menü.js': MENU_BROKEN,
  'legacy/greet.js': LEGACY_BROKEN,
  'ship.sh': SHIP_BROKEN,
};

export const SEEDS: readonly Seed[] = [
  { kind: 'added', path: 'src/cart.js', line: 4, rule: 'js-eval' },
  { kind: 'context', path: 'src/prices.js', line: 6, rule: 'js-empty-catch' },
  { kind: 'renamed file', path: 'report/monthly.py', line: 6, rule: 'py-unsafe-deserialise' },
  { kind: 'non-ASCII path', path: 'src/menü.js', line: 6, rule: 'js-debugger' },
  { kind: 'CRLF file', path: 'legacy/greet.js', line: 6, rule: 'js-new-function' },
  { kind: 'last line without newline', path: 'ship.sh', line: 4, rule: 'sh-tls-not-verified' },
];

/** The first push fixes half of the defects. */
export const FIRST_FIX: FileMap = {
  'src/cart.js': CART_BROKEN.replace('eval(discount)', 'Number(discount)'),
  'src/prices.js': PRICES_BASE,
  'report/monthly.py': REPORT_BASE,
};

export const SECOND_FIX: FileMap = {
  'src/menü.js': MENU_BASE,
  'legacy/greet.js': LEGACY_BASE,
  'ship.sh': `${SHIP_BASE.trimEnd()}\ncurl https://shop.example/ship`,
};
