import type { FixFinding } from '../../rounds/model/fix-brief.ts';
import { fence } from '../fence.ts';
import type { TextBlock } from '../model/model.ts';

export type AuthorPrompt = {
  readonly findings: readonly FixFinding[];
  readonly paths: readonly string[];
  readonly canAdd: boolean;
};

const MAX_PATHS = 500;

const findingText = ({ id, severity, title, text, rule, place }: FixFinding): string =>
  [
    `${id} ${severity}: ${title}`,
    `at ${place.path}, lines ${place.startLine} to ${place.line} of the ${place.side} side${rule === null ? '' : `, rule ${rule}`}`,
    text,
  ].join('\n');

/** Findings quote code and come from a model or a rule through the forge, so they are fenced as data. */
export const authorOpening = ({ findings, paths, canAdd }: AuthorPrompt, boundary: string): readonly TextBlock[] => {
  const text = [
    `These findings block the change:\n${fence('findings', findings.map(findingText).join('\n\n'), boundary)}`,
    `You can change only these files${canAdd ? ' and add new files in their folders or in test folders' : ''}:\n${fence('changed-paths', paths.slice(0, MAX_PATHS).join('\n'), boundary)}`,
    'Fix or decline each finding.',
  ].join('\n\n');
  return [{ kind: 'text', text, cache: true }];
};
