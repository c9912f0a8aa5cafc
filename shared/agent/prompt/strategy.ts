/** How to go about a change of a given size. */

export type ChangeSize = { readonly files: number; readonly changedLines: number };

export type Strategy = 'trivial' | 'small' | 'large';

export const strategyFor = ({ files, changedLines }: ChangeSize): Strategy => {
  if (files <= 1 && changedLines <= 20) return 'trivial';
  return files <= 5 && changedLines <= 400 ? 'small' : 'large';
};

const ADVICE: Readonly<Record<Strategy, string>> = {
  trivial: 'This change is very small. Read around it only where a line cannot be judged by itself, and hand in soon.',
  small: 'This change is small. Look things up yourself with Read, Grep and Glob; no explorer is needed.',
  large:
    'This change is large. Find its few risky parts first. Send explorers, all in one turn, for questions that go through many files; look up the rest yourself.',
};

export const strategySection = (size: ChangeSize): string =>
  `Size: ${size.files} files, ${size.changedLines} changed lines. ${ADVICE[strategyFor(size)]}`;

/** Without a diff nothing is shown that was not asked for: what nobody opened was not reviewed. */
export const auditSection = ({ files, changedLines }: ChangeSize): string =>
  `Size: ${files} files, ${changedLines} lines. A file counts as reviewed when you or an explorer opened it with Read, and not before. List the tree first; send explorers, all in one turn, each into one part of it, when there is more than you can read yourself. What you leave out, name under not_reviewed.`;
