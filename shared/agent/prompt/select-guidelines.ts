import { compileGlob } from '../../diff/paths/glob-match.ts';
import type { Guideline } from './review-opening.ts';

const covers = (pattern: string, path: string): boolean => compileGlob(pattern)?.covers(path) ?? false;

/** Selects guidelines without a scope and those whose patterns match a changed file. An invalid pattern matches nothing. */
export const selectGuidelines = (
  guidelines: readonly Guideline[],
  changedPaths: readonly string[],
): readonly Guideline[] =>
  guidelines.filter(
    ({ scope }) => scope.length === 0 || scope.some((pattern) => changedPaths.some((path) => covers(pattern, path))),
  );
