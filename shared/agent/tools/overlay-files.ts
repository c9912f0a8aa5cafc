/** The files of a checkout with an author's changes on top. The checkout itself is never written to. */
import { REDACTED } from '../../text/redact.ts';
import type { Tree } from '../../workspace/tree/tree.ts';
import { copiesShown, hasHidden } from '../../text/visible.ts';
import type { Protect } from '../present-result.ts';
import { TOOL_LIMITS } from '../tool-limits.ts';
import { asSeen, withEndsOf } from './line-ends.ts';
import { readWhole, type SafeFile, type WorkspaceFiles } from './workspace-files.ts';
import { textLines } from './workspace-files.ts';

export type OverlayChange = { readonly kind: 'changed' } | { readonly kind: 'refused'; readonly reason: string };

export type OverlayFiles = WorkspaceFiles & {
  /**
   * Replaces the only occurrence of `oldText`. Edits and replacements keep the file's line ends, and run one after the
   * other, in call order.
   */
  edit(
    path: string,
    texts: { readonly oldText: string; readonly newText: string },
    signal: AbortSignal,
  ): Promise<OverlayChange>;
  replace(path: string, content: string, signal: AbortSignal): Promise<OverlayChange>;
  /** Changed contents by path. Files that are equal to the checkout again are left out. */
  changes(): ReadonlyMap<string, string>;
};

export type OverlayRules = {
  readonly paths: ReadonlySet<string>;
  /** Returns why no new file may be added at a path outside `paths`, or null. If absent, no file may be added. */
  readonly whyNotNew?: (path: string, others: readonly string[], signal: AbortSignal) => Promise<string | null>;
  readonly maxCharacters: number;
};

const refused = (reason: string): OverlayChange => ({ kind: 'refused', reason });

const tidy = (path: string): string => path.replace(/^(?:\.\/)+/, '');

/** Null unless the whole file is valid UTF-8; otherwise writing it back would change bytes outside the edit. */
const asText = (data: Buffer): string | null => {
  const text = data.toString('utf8');
  return !data.includes(0) && Buffer.from(text, 'utf8').equals(data) ? text : null;
};

/** `absent`: the file does not exist and may be added. */
type Loaded = { readonly text: string } | { readonly reason: string } | { readonly absent: true };

const NOT_OURS = 'this is not a file of the change request';

/**
 * Why a model that has read the whole file has not seen all of it: Read shows invisible characters as marks, and cuts long
 * lines. Null if it has.
 */
const whyUnseen = (text: string): string | null => {
  if (hasHidden(text)) return 'the file contains invisible or control characters, which Write would lose; use Edit';
  const isLong = text.split('\n').some((line) => line.length > TOOL_LIMITS.lineCharacters);
  return isLong ? `the file has lines of more than ${TOOL_LIMITS.lineCharacters} characters; use Edit` : null;
};

type Desk = {
  readonly load: (path: string, signal: AbortSignal) => Promise<Loaded>;
  readonly put: (path: string, before: string, after: string) => OverlayChange;
  readonly originals: ReadonlyMap<string, string>;
  readonly changed: ReadonlyMap<string, string>;
};

const layDesk = (tree: Tree, rules: OverlayRules): Desk => {
  const originals = new Map<string, string>();
  const changed = new Map<string, string>();
  return {
    originals,
    changed,
    load: async (path, signal) => {
      const known = changed.get(path);
      if (known !== undefined) return { text: known };
      if (!rules.paths.has(path)) {
        const others = [...changed.keys()];
        const reason = rules.whyNotNew ? await rules.whyNotNew(path, others, signal) : NOT_OURS;
        return reason === null ? { absent: true } : { reason };
      }
      const data = await readWhole(tree, path, signal);
      if (typeof data === 'string') return { reason: data };
      const text = asText(data);
      if (text === null) return { reason: 'the file is not UTF-8 text' };
      originals.set(path, text);
      return { text };
    },
    put: (path, before, after) => {
      if (after.length > rules.maxCharacters) return refused(`the file exceeds ${rules.maxCharacters} characters`);
      if (after.includes(REDACTED) && !before.includes(REDACTED)) {
        return refused(`${REDACTED} marks removed text, so it cannot be written`);
      }
      if (copiesShown(asSeen(before), after)) {
        return refused(
          '[U+XXXX] only shows an invisible character of this file, so writing it would replace the character',
        );
      }
      changed.set(path, after);
      return { kind: 'changed' };
    },
  };
};

type Replacing = { readonly old: string; readonly by: string };

/** Contract: `text` is meaningful only if `count` is 1. */
const replaceOnly = (text: string, { old, by }: Replacing): { readonly count: number; readonly text: string } => {
  if (old === '') return { count: 0, text };
  const [before = '', ...after] = text.split(old);
  return { count: after.length, text: before + by + (after[0] ?? '') };
};

type InTurn = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** Calls of one turn run concurrently. Without this queue, two edits of a file would both start from the same text. */
const createTurns = (): InTurn => {
  let last: Promise<unknown> = Promise.resolve();
  return async (work) => {
    const mine = last.then(work, work);
    last = mine;
    return mine;
  };
};

export const createOverlayFiles = (
  files: WorkspaceFiles,
  { protect, rules }: { readonly protect: Protect; readonly rules: OverlayRules },
): OverlayFiles => {
  const { load, put, originals, changed } = layDesk(files.tree, rules);
  const inTurn = createTurns();
  return {
    tree: files.tree,
    read: async (path, signal): Promise<SafeFile> => {
      const text = changed.get(tidy(path));
      if (text === undefined) return files.read(path, signal);
      return { kind: 'lines', lines: textLines(await protect(text, signal)) };
    },
    edit: async (asked, { oldText, newText }, signal) =>
      inTurn(async () => {
        const path = tidy(asked);
        const file = await load(path, signal);
        if ('reason' in file) return refused(file.reason);
        if ('absent' in file) return refused('there is no such file; use Write to add it');
        const { count, text } = replaceOnly(asSeen(file.text), { old: asSeen(oldText), by: asSeen(newText) });
        if (count !== 1) return refused(`old_text occurs ${count} times in the file; it must occur once`);
        return put(path, file.text, withEndsOf(file.text, text));
      }),
    replace: async (asked, content, signal) =>
      inTurn(async () => {
        const path = tidy(asked);
        const file = await load(path, signal);
        if ('reason' in file) return refused(file.reason);
        if ('absent' in file) return put(path, '', content);
        if ((await protect(file.text, signal)) !== file.text) return refused('the file contains a secret; use Edit');
        const unseen = whyUnseen(asSeen(file.text));
        if (unseen !== null) return refused(unseen);
        return put(path, file.text, withEndsOf(file.text, asSeen(content)));
      }),
    changes: () => new Map([...changed].filter(([path, text]) => originals.get(path) !== text)),
  };
};
