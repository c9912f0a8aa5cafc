import { fence } from '../fence.ts';
import type { TextBlock } from '../model/model.ts';

export type ExplorerPrompt = {
  readonly question: string;
  readonly files: readonly string[];
  /** Changed paths of the change request, so that the explorer knows what is new; empty without a diff. */
  readonly changedPaths: readonly string[];
};

const MAX_PATHS = 200;

/** The question comes from a model that has read the repository, so it is fenced as data. */
export const explorerOpening = (prompt: ExplorerPrompt, boundary: string): readonly TextBlock[] => {
  const paths = (title: string, label: string, list: readonly string[]): readonly string[] =>
    list.length === 0 ? [] : [`${title}\n${fence(label, list.slice(0, MAX_PATHS).join('\n'), boundary)}`];
  const text = [
    `Answer the reviewer's question and nothing else:\n${fence('question', prompt.question, boundary)}`,
    ...paths('Start here:', 'files', prompt.files),
    ...paths('Files of the change under review:', 'changed-paths', prompt.changedPaths),
  ].join('\n\n');
  return [{ kind: 'text', text, cache: true }];
};
