import type { GrepNode } from '../model/rule.ts';

const OF_A_SECRET = '(?i)passw|pwd|token|secret|signature|\\bsign|hmac|credential|session|\\bauth|\\botp|nonce|salt';

const anyOf = (kinds: readonly string[]): GrepNode => ({ any: kinds.map((kind) => ({ kind })) });

/**
 * Matches code in a statement whose text, or in a function whose name, suggests a secret. Cache keys and checksums do
 * not. `statements`, `functions`: the node kinds of the language.
 */
export const protectsSecret = (statements: readonly string[], functions: readonly string[]): GrepNode => ({
  any: [
    { inside: { all: [anyOf(statements)], regex: OF_A_SECRET, stopBy: anyOf(statements) } },
    { inside: { all: [anyOf(functions)], has: { field: 'name', regex: OF_A_SECRET }, stopBy: anyOf(functions) } },
  ],
});
