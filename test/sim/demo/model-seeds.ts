/** What only a model finds in the demo: two defects without a rule, and a claim that is wrong. */
import type { FileMap } from '../forgejo/git.ts';

const lines = (...all: readonly string[]): string => `${all.join('\n')}\n`;

const STOCK = lines(
  '/** Names of the items that are sold out. */',
  'export const soldOut = (items) => {',
  '  const names = [];',
  '  for (let at = 0; at <= items.length; at += 1) {',
  '    if (items[at].left === 0) names.push(items[at].name);',
  '  }',
  '  return names;',
  '};',
);

const DISCOUNT = lines(
  '/** `percent` is what the customer typed into the form. */',
  'export const withDiscount = (sum, percent) => {',
  '  return sum - (sum * percent) / 100;',
  '};',
);

const ORDERS = lines('/** The order that was placed last. */', 'export const newest = (orders) => orders.at(-1).id;');

/** Proves that the claim about `newest` is wrong. */
const CHECKOUT = lines(
  "import { newest } from './orders.js';",
  '',
  'export const checkOut = (orders, order) => {',
  '  const all = [...orders, order];',
  '  return { all, id: newest(all) };',
  '};',
);

export const MODEL_BROKEN: FileMap = {
  'src/stock.js': STOCK,
  'src/discount.js': DISCOUNT,
  'src/orders.js': ORDERS,
  'src/checkout.js': CHECKOUT,
};

export type RecordedFinding = {
  readonly title: string;
  readonly path: string;
  /** The line itself: it is also the evidence. */
  readonly code: string;
  readonly severity: 'P1' | 'P2';
  readonly body: string;
  readonly suggestion?: string;
};

export const OFF_BY_ONE: RecordedFinding = {
  title: 'The loop reads one item past the end',
  path: 'src/stock.js',
  code: '  for (let at = 0; at <= items.length; at += 1) {',
  severity: 'P1',
  body: 'In the last turn `items[at]` is undefined, so every call throws a TypeError. The condition has to be `<`.',
  suggestion: '  for (let at = 0; at < items.length; at += 1) {',
};

export const NEGATIVE_SUM: RecordedFinding = {
  title: 'With more than 100 percent the shop pays the customer',
  path: 'src/discount.js',
  code: '  return sum - (sum * percent) / 100;',
  severity: 'P1',
  body: 'Nothing limits `percent`: `withDiscount(10, 200)` is -10. Limit it to 0 to 100 before it is used.',
};

export const EMPTY_LIST: RecordedFinding = {
  title: 'Fails when there is no order yet',
  path: 'src/orders.js',
  code: 'export const newest = (orders) => orders.at(-1).id;',
  severity: 'P1',
  body: 'For an empty list `orders.at(-1)` is undefined, and reading `id` of it throws.',
};

export const RECORDED: readonly RecordedFinding[] = [OFF_BY_ONE, NEGATIVE_SUM, EMPTY_LIST];

export const OBJECTIONS = {
  right: 'It cannot be empty: `checkOut` in `src/checkout.js` adds the new order before it calls `newest`.',
  wrong: 'Nobody types more than 100 into that form.',
  again: 'I still think that the form should check it, not this function.',
  decision: 'The form can be bypassed. Please limit it here.',
} as const;

/** The suggested line, taken over as it is. */
export const WITH_SUGGESTION: FileMap = { 'src/stock.js': STOCK.replace(OFF_BY_ONE.code, OFF_BY_ONE.suggestion ?? '') };

/** The line that the recorded model quotes as the fix. */
export const LIMITED = '  const share = Math.min(100, Math.max(0, percent));';

export const WITH_LIMIT: FileMap = {
  'src/discount.js': DISCOUNT.replace(NEGATIVE_SUM.code, `${LIMITED}\n  return sum - (sum * share) / 100;`),
};
