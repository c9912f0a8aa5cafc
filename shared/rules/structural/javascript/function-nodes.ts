/** The nodes of functions in the grammars of JavaScript and TypeScript. */
import type { GrepNode } from '../../model/rule.ts';

export const FUNCTION_KINDS = ['function_declaration', 'function_expression', 'arrow_function', 'method_definition'];

export const kinds = (names: readonly string[]): GrepNode => ({ any: names.map((kind) => ({ kind })) });

export const FUNCTIONS = kinds(FUNCTION_KINDS);

/** A node in a function that matches. */
export const inFunction = (node: GrepNode): GrepNode => ({ inside: { stopBy: 'end', ...FUNCTIONS, ...node } });
