import type { GrepNode } from '../model/rule.ts';

export type LocalFlow = {
  /** The kinds of node within which a name means the same variable. */
  readonly functions: readonly string[];
  readonly identifier: string;
  /** Kinds of expression that are composed of their parts, such as a sum or the arguments of a call. */
  readonly composed: readonly string[];
  /** A declaration or assignment of what `name` matches to what `value` matches. */
  readonly assigned: (name: GrepNode, value: GrepNode) => GrepNode;
  /** How text of a variable becomes that of another one, such as by parsing; a third variable is followed only over this. */
  readonly converted?: string;
};

/** A value that is looked up by what the request says is not what the request says. */
const LOOKED_UP = '\\bawait\\b|\\.(find|load|select|fetch|lookup)\\w*\\(|\\.get[A-NQ-Z]\\w*\\(';

/**
 * Matches an expression that contains text which `source` matches, or a variable that was assigned such an expression in the same
 * function, directly or over one other variable. Uses the metavariables `$FILE`, `$PART` and `$FIRST`. `marked`: what else a function contains
 * in which a variable comes from the source, such as the annotation of a parameter.
 */
export const comesFrom = (
  source: string,
  { functions, identifier, composed, assigned, converted }: LocalFlow,
  marked = source,
): GrepNode => {
  const fromSource: GrepNode = { regex: source, not: { regex: LOOKED_UP } };
  const inFunctionWith = (node: GrepNode): GrepNode => ({
    stopBy: 'end',
    all: [
      { any: functions.map((kind) => ({ kind })) },
      { regex: `${source}|${marked}` },
      { has: { stopBy: 'end', ...node } },
    ],
  });
  const assignedIn = (name: string, value: GrepNode): GrepNode => ({
    kind: identifier,
    pattern: name,
    inside: inFunctionWith(assigned({ kind: identifier, pattern: name }, value)),
  });
  const first = assignedIn('$FIRST', fromSource);
  const part = assignedIn(
    '$PART',
    converted === undefined
      ? fromSource
      : { any: [fromSource, { regex: converted, has: { stopBy: 'end', ...first } }] },
  );
  const composedOf = (node: GrepNode): GrepNode => ({
    any: composed.map((kind) => ({ kind })),
    has: { stopBy: { not: { any: composed.map((kind) => ({ kind })) } }, ...node },
  });
  const variable = assignedIn('$FILE', { any: [fromSource, part, composedOf(part)] });
  return { any: [fromSource, variable, composedOf(variable)] };
};

/** Matches a node in a function that mentions the source, if the text of no function around it matches `guard`. */
export const reachedWithoutGuard = (source: string, guard: string, { functions }: LocalFlow): GrepNode => {
  const kinds: GrepNode = { any: functions.map((kind) => ({ kind })) };
  return {
    all: [
      { inside: { stopBy: 'end', ...kinds, regex: source } },
      { not: { inside: { stopBy: 'end', ...kinds, regex: guard } } },
    ],
  };
};
