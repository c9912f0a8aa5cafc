import type { GrepNode } from '../../model/rule.ts';

export const PHP = ['Php'] as const;

/** Data that a visitor sends. */
export const REQUEST = '\\$_(GET|POST|REQUEST|COOKIE)\\b';

export const called = (name: string): GrepNode => ({
  kind: 'function_call_expression',
  has: { field: 'function', regex: name },
});
export const anArgument = (node: GrepNode): GrepNode => ({
  has: { field: 'arguments', has: { kind: 'argument', has: { pattern: '$ARGUMENT', all: [node] } } },
});
