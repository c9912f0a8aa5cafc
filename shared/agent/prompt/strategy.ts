export type ChangeSize = { readonly files: number; readonly changedLines: number };

export type Strategy = 'trivial' | 'small' | 'large';

export const strategyFor = ({ files, changedLines }: ChangeSize): Strategy => {
  if (files <= 1 && changedLines <= 20) return 'trivial';
  return files <= 5 && changedLines <= 400 ? 'small' : 'large';
};

const ADVICE: Readonly<Record<Strategy, string>> = {
  trivial:
    'This change is very small. One turn of look-ups is usually enough: the enclosing function, its callers and its tests.',
  small: 'This change is small. Look things up yourself with Read, Grep and Glob; no explorer is needed.',
  large:
    'This change is large. Find its few risky parts first. Send explorers, all in one turn, for questions that span many files; look up the rest yourself.',
};

export const strategySection = (size: ChangeSize): string =>
  `Size: ${size.files} files, ${size.changedLines} changed lines. ${ADVICE[strategyFor(size)]}`;

export const auditSection = ({ files, changedLines }: ChangeSize): string =>
  `Size: ${files} files, ${changedLines} lines. A file counts as reviewed only once you or an explorer has opened it with Read. List the tree first. If the tree is too large to read yourself, send explorers, all in one turn, one for each part of it. Under not_reviewed, name what you leave out.`;
