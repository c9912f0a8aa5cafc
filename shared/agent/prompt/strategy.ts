export type ChangeSize = { readonly files: number; readonly changedLines: number };

export type Strategy = 'trivial' | 'small' | 'large';

export const strategyFor = ({ files, changedLines }: ChangeSize): Strategy => {
  if (files <= 1 && changedLines <= 20) return 'trivial';
  return files <= 5 && changedLines <= 400 ? 'small' : 'large';
};

const EXPLORERS = 'Send explorers, all in one turn, for questions that span many files; look up the rest yourself.';

const adviceFor = (strategy: Strategy, hasExplorers: boolean): string => {
  switch (strategy) {
    case 'trivial':
      return 'This change is very small. One turn is usually enough to look up what is not shown above.';
    case 'small':
      return 'This change is small. Look things up yourself with Read, Grep and Glob.';
    case 'large':
      return `This change is large. Find its few risky parts first.${hasExplorers ? ` ${EXPLORERS}` : ''}`;
    default:
      return strategy satisfies never;
  }
};

export const strategySection = (size: ChangeSize, hasExplorers: boolean): string =>
  `Size: ${size.files} files, ${size.changedLines} changed lines. ${adviceFor(strategyFor(size), hasExplorers)}`;

const READERS =
  'A file counts as reviewed only once you or an explorer has opened it with Read. List the tree first. If the tree is too large to read yourself, send explorers, all in one turn, one for each part of it.';
const READER = 'A file counts as reviewed only once you have opened it with Read. List the tree first.';

export const auditSection = ({ files, changedLines }: ChangeSize, hasExplorers: boolean): string =>
  `Size: ${files} files, ${changedLines} lines. ${hasExplorers ? READERS : READER} Under not_reviewed, name what you leave out.`;
