/** Parts of a review's opening that would otherwise cost a turn: the code that a change touches elsewhere, and its history. */
import { fence } from '../fence.ts';

/** Untrusted, except `failedChecks`, whose names are untrusted too. Empty lists are left out. */
export type Surroundings = {
  /** Places outside the diff that use changed code, as `path:line name`. */
  readonly uses: readonly string[];
  /** Definitions of names that changed lines use, as `path:line name`. */
  readonly definitions: readonly string[];
  /** Paths of tests that mention changed code or files. */
  readonly tests: readonly string[];
  /** Messages of the change's commits, newest first. */
  readonly commits: readonly string[];
};

export const NO_SURROUNDINGS: Surroundings = { uses: [], definitions: [], tests: [], commits: [] };

const SECTIONS: readonly (readonly [key: keyof Surroundings, label: string, intro: string])[] = [
  ['commits', 'commits', "The change's commit messages, newest first:"],
  ['uses', 'uses', 'Places outside the diff that use changed code:'],
  ['definitions', 'definitions', 'Definitions of names that changed lines use:'],
  ['tests', 'tests', 'Tests that mention changed code or files:'],
];

export const surroundingSections = (around: Surroundings, boundary: string): readonly string[] =>
  SECTIONS.flatMap(([key, label, intro]) =>
    around[key].length === 0 ? [] : [`${intro}\n${fence(label, around[key].join('\n'), boundary)}`],
  );
