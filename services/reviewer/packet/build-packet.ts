import { fingerprint } from '../../../shared/diff/fingerprint.ts';
import type { Diff, DiffFile } from '../../../shared/diff/model.ts';
import { parseDiff } from '../../../shared/diff/parse/parse.ts';
import { inOrder } from '../../../shared/in-order.ts';
import { type OmittedFile, WHOLE_CHANGE } from '../../../shared/vocabulary/coverage.ts';
import { type ContentKind, contentKindOf } from '../../../shared/rules/content-kind.ts';
import type { ChangedFile } from '../../../shared/rules/model/rule.ts';
import { isLink, openFiles } from './open-files.ts';
import { scanTarget, type ScanTarget } from './scan-targets.ts';
import { createLeftOut, sortChange, type SortedChange } from './sort-change.ts';
import { compareWithPrevious } from './compare-previous.ts';
import { createTextReader, type SideReading, textOf, type TextReader } from './text-reader.ts';
import { followThreads } from './threads.ts';
import { touchedLines } from './touched-lines.ts';
import type { Packet, PacketRequest, PacketSource } from './packet.ts';

export const buildPacket = async (request: PacketRequest, source: PacketSource): Promise<Packet> => {
  const { revisions, limits, signal } = source;
  const { head, targetHead } = request;
  const asked = { target: targetHead, head, maxFiles: limits.maxFiles, maxBytes: limits.maxDiffBytes };
  const result = await revisions.diff(asked, signal);
  const raw = result.kind === 'diff' ? parseDiff(result.patch) : { files: [] };
  const whole = result.kind === 'diff' ? [] : [{ path: WHOLE_CHANGE, reason: result.reason }];
  const texts = createTextReader(revisions, { commits: { head, base: result.mergeBase }, diff: raw }, signal);
  const large = result.kind === 'diff' ? result.large : [];
  const { diff, unreadable, notOnForge } = await openFiles(raw, {
    large,
    texts,
    isLeftOut: createLeftOut(limits),
    signal,
  });
  const sorted = await sortChange(diff, { ...source, base: result.mergeBase });
  const looked = await readChanged(sorted, { texts, signal });
  const { reviewable, excluded, byOperator, onlyRules, quiet, oversized } = sorted;
  return {
    head,
    targetHead,
    base: result.mergeBase,
    diff,
    patchFingerprint: fingerprint(raw),
    reviewable,
    excluded,
    byOperator,
    onlyRules,
    omitted: [
      ...whole,
      ...oversized.map(({ file, reason }) => ({ path: file.newPath, reason: unreadable.get(file.newPath) ?? reason })),
      ...looked.unread,
    ],
    changed: looked.changed,
    kinds: looked.kinds,
    scanOnly: scanTargets(diff, looked.changed, texts),
    notOnForge,
    policy: { unknownLanguages: limits.unknownLanguages, onlyExcluded: limits.onlyExcluded },
    seenBefore: request.previous?.seenBy ?? null,
    quiet: new Set(quiet.map(({ newPath }) => newPath)),
    ...(request.previous === null ? {} : { previousHead: request.previous.head }),
    ...(await compareWithPrevious(request, diff, source)),
    ...(await followThreads(request, { diff, ...source })),
    headText: async (path) => textOf(await texts.head(path)),
    baseText: async (path) => textOf(await texts.base(path)),
  };
};

/** Returns the files that the rules do not check, excluded or not; these files are only scanned for secrets. */
const scanTargets = ({ files }: Diff, changed: readonly ChangedFile[], texts: TextReader): readonly ScanTarget[] => {
  const known = new Set(changed.map(({ path }) => path));
  return files.filter((file) => !isLink(file) && !known.has(file.newPath)).map((file) => scanTarget(file, texts));
};

type Looked = Pick<Packet, 'changed' | 'kinds'> & { readonly unread: readonly OmittedFile[] };

/** Reads all readable files, because the rules also check files that are too large for the prompt. */
const readChanged = async (
  { reviewable, quiet, oversized }: SortedChange,
  { texts, signal }: { readonly texts: TextReader; readonly signal: AbortSignal },
): Promise<Looked> => {
  const changed: ChangedFile[] = [];
  const unread: OmittedFile[] = [];
  const kinds = new Map<string, ContentKind>();
  const large = new Set(oversized.map(({ file }) => file));
  const files = [...new Set([...reviewable, ...quiet, ...large])];
  for (const { file, reading } of await inOrder(files, AT_ONCE, async (each) => readFile(each, texts, signal))) {
    const { newPath, status } = file;
    if (reading === null) {
      kinds.set(newPath, LINK_KIND);
      continue;
    }
    const text = textOf(reading);
    kinds.set(newPath, contentKindOf(newPath, text ?? ''));
    if (status === 'deleted' || file.hunks.length === 0) continue;
    if (text !== null) changed.push({ path: newPath, text, ...touchedLines(file) });
    else if (!large.has(file)) unread.push({ path: newPath, reason: whyUnread(reading) });
  }
  return { changed, unread, kinds };
};

type Reading = { readonly file: DiffFile; readonly reading: SideReading | null };

/** Number of files that are read in parallel: a change may have several thousand, and each read waits for git. */
const AT_ONCE = 16;

/** Null for a link, which has no text. */
const readFile = async (file: DiffFile, texts: TextReader, signal: AbortSignal): Promise<Reading> => {
  signal.throwIfAborted();
  if (isLink(file)) return { file, reading: null };
  return { file, reading: await (file.status === 'deleted' ? texts.base(file.oldPath) : texts.head(file.newPath)) };
};

const LINK_KIND: ContentKind = { kind: 'unknown', language: 'links and submodules' };

const whyUnread = (reading: SideReading): string =>
  reading.kind === 'undecodable' ? reading.reason : 'its content could not be read as text';
