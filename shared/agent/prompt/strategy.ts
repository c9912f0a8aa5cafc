export type ChangeSize = {
  readonly files: number;
  readonly changedLines: number;
  /** Number of files outside the diff that use the changed code. Absent if that is not known. */
  readonly usedIn?: number;
};

/** `far`: the diff is small, but what it changes is used in many files. */
export type Strategy = 'trivial' | 'small' | 'far' | 'large';

const SMALL = { files: 5, changedLines: 400, usedIn: 5 } as const;

export const strategyFor = ({ files, changedLines, usedIn = 0 }: ChangeSize): Strategy => {
  if (files > SMALL.files || changedLines > SMALL.changedLines) return 'large';
  if (usedIn > SMALL.usedIn) return 'far';
  return files <= 1 && changedLines <= 20 ? 'trivial' : 'small';
};

const EXPLORERS = 'Send explorers, all in one turn, for questions that span many files; look up the rest yourself.';

const adviceFor = (size: ChangeSize, hasExplorers: boolean): string => {
  const strategy = strategyFor(size);
  switch (strategy) {
    case 'trivial':
      return 'This change is very small. One turn is usually enough to look up what is not shown above.';
    case 'small':
      return 'This change is small. Look things up yourself with Read, Grep and Glob.';
    case 'far':
      return `This change is small, but ${size.usedIn} other files use the code that it changes. Check that each kind of use still works.${hasExplorers ? ` ${EXPLORERS}` : ''}`;
    case 'large':
      return `This change is large. Find its few risky parts first.${hasExplorers ? ` ${EXPLORERS}` : ''}`;
    default:
      return strategy satisfies never;
  }
};

export const strategySection = (size: ChangeSize, hasExplorers: boolean): string =>
  `Size: ${size.files} files, ${size.changedLines} changed lines. ${adviceFor(size, hasExplorers)}`;

const READERS =
  'A file counts as reviewed only once you or an explorer has opened it with Read. List the tree first. If the tree is too large to read yourself, send explorers, all in one turn, one for each part of it.';
const READER = 'A file counts as reviewed only once you have opened it with Read. List the tree first.';

export const auditSection = ({ files, changedLines }: ChangeSize, hasExplorers: boolean): string =>
  `Size: ${files} files, ${changedLines} lines. ${hasExplorers ? READERS : READER} Under not_reviewed, name what you leave out.`;
