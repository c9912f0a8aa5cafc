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
  /** A part of what a variable holds that still is what the request says, such as the path of a parsed address. */
  readonly partOf?: (variable: GrepNode) => GrepNode;
};

/** A value that is looked up by what the request says is not what the request says. */
const LOOKED_UP = '\\bawait\\b|\\.(find|load|select|fetch|lookup)\\w*\\(|\\.get[A-NQ-Z]\\w*\\(';

/** Matches an expression with text from the source. The rule has `flowUtils` as its `utils`. */
export const FROM_SOURCE: GrepNode = { matches: 'from-source' };

/**
 * What `FROM_SOURCE` refers to: an expression that contains text which `source` matches, or a variable that was assigned such an
 * expression in the same function, directly or over other variables. Named parts keep rules short, because the engine takes
 * long to read them. Uses the metavariables `$FILE`, `$PART`, `$FIRST` and `$PARSED`. `marked`: what else a function contains in which a
 * variable comes from the source, such as the annotation of a parameter.
 */
export const flowUtils = (
  source: string,
  { functions, identifier, composed, assigned, converted, partOf }: LocalFlow,
  marked = source,
): Readonly<Record<string, GrepNode>> => {
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
  const composedOf = (node: GrepNode): GrepNode => ({
    any: composed.map((kind) => ({ kind })),
    has: { stopBy: { not: { any: composed.map((kind) => ({ kind })) } }, ...node },
  });
  const orPart = (variable: GrepNode): GrepNode =>
    partOf === undefined ? variable : { any: [variable, partOf(variable)] };
  const text: GrepNode = { matches: 'source-text' };
  const part: GrepNode = { matches: 'source-part' };
  const variable: GrepNode = { matches: 'source-variable' };
  /** Text of the source, or what another variable with such text is converted to. */
  const converts = (name: string): GrepNode =>
    converted === undefined
      ? text
      : {
          any: [
            text,
            { regex: converted, has: { stopBy: 'end', matches: name } },
            ...(partOf === undefined ? [] : [partOf({ matches: name })]),
          ],
        };
  return {
    'source-text': { regex: source, not: { regex: LOOKED_UP } },
    'source-parsed': assignedIn('$PARSED', text),
    'source-first': assignedIn('$FIRST', converts('source-parsed')),
    'source-part': assignedIn('$PART', converts('source-first')),
    'source-variable': assignedIn('$FILE', { any: [text, part, composedOf(orPart(part))] }),
    'from-source': { any: [text, variable, composedOf(orPart(variable))] },
  };
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
