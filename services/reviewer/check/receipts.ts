import { hunkLines } from '../../../shared/diff/hunk-lines.ts';
import type { DiffFile, Hunk, HunkLine } from '../../../shared/diff/model.ts';
import type { FileReceipt, LineReceipt, SeenBy } from '../../../shared/vocabulary/receipts.ts';
import type { LineRange } from '../../../shared/rules/noise.ts';
import type { Looked } from '../packet/looked.ts';
import { isLink } from '../packet/open-files.ts';
import type { Packet } from '../packet/packet.ts';

export const receiptsOf = (packet: Packet, looked: Looked): readonly FileReceipt[] => {
  const excluded = new Set(packet.excluded.map(({ path }) => path));
  return packet.diff.files.map((file) => receiptOf(file, { packet, looked, excluded }));
};

type Looking = { readonly packet: Packet; readonly looked: Looked; readonly excluded: ReadonlySet<string> };

const receiptOf = (file: DiffFile, looking: Looking): FileReceipt => {
  const { packet } = looking;
  const path = file.newPath;
  const kind = packet.kinds.get(path);
  return {
    path,
    language: kind?.language ?? (file.binary ? 'binary files' : 'excluded files'),
    header: hasHeader(file) ? seenHeader(file, looking) : null,
    lines: file.hunks.flatMap((hunk) => linesOf(hunk, (line, after) => seenLine({ file, hunk, line, after }, looking))),
    ...readBy(file, looking),
  };
};

const readBy = ({ newPath }: DiffFile, { looked, excluded }: Looking): Pick<FileReceipt, 'analyzers'> => {
  const readers = excluded.has(newPath) ? undefined : looked.rules.readers?.get(newPath);
  return readers === undefined ? {} : { analyzers: [...readers] };
};

/** True for a change that is not about lines: a rename, a new mode or type, a link, a submodule, a binary file, an empty deletion. */
const hasHeader = (file: DiffFile): boolean =>
  file.status === 'renamed' ||
  file.status === 'type_changed' ||
  isLink(file) ||
  file.hunks.length === 0 ||
  (file.oldMode !== null && file.newMode !== null && file.oldMode !== file.newMode);

type Place = {
  readonly file: DiffFile;
  readonly hunk: Hunk;
  readonly line: HunkLine;
  /** Number of this line on the new side; for a removed line, that of the last new-side line before it. */
  readonly after: number;
};

const scanned = (file: DiffFile, { looked }: Looking): SeenBy =>
  looked.rules.scanned.has(file.newPath) || file.status === 'deleted' || isLink(file) ? 'scan' : 'nobody';

/**
 * Decides who saw a change that is not about lines: the model if the prompt names the file, the rules if they know its
 * language.
 */
const seenHeader = (file: DiffFile, looking: Looking): SeenBy => {
  const { packet, looked, excluded } = looking;
  const path = file.newPath;
  const isShown = looked.model !== null && !excluded.has(path) && !looked.model.notShown.has(path);
  if (isShown && (file.complete || file.binary)) return 'model';
  if (excluded.has(path) && !packet.onlyRules.has(path)) return scanned(file, looking);
  return !isLink(file) && packet.kinds.get(path)?.kind === 'rules' && file.complete ? 'rules' : scanned(file, looking);
};

const seenLine = (place: Place, looking: Looking): SeenBy => {
  const { file } = place;
  const { looked, packet, excluded } = looking;
  if (excluded.has(file.newPath) && !packet.onlyRules.has(file.newPath)) return scanned(file, looking);
  if (looked.model !== null && seenByModel(place, looking)) return 'model';
  if (looked.model === null && isInherited(place, packet)) return 'model';
  return seenByRules(place, looking) ? 'rules' : scanned(file, looking);
};

const seenByModel = (place: Place, { packet, looked }: Looking): boolean => {
  const { file, line } = place;
  const { model } = looked;
  if (model === null || packet.onlyRules.has(file.newPath)) return false;
  if (isOmitted(file, packet)) return false;
  if (!model.notShown.has(file.newPath)) return true;
  if (isUnchanged(place, packet)) return true;
  return line.newLine !== null && isWithin(line.newLine, model.read.get(file.newPath));
};

const isOmitted = ({ newPath }: DiffFile, { omitted }: Packet): boolean => omitted.some(({ path }) => path === newPath);

const isUnchanged = ({ file, hunk }: Place, { delta }: Packet): boolean =>
  delta?.files
    .find((each) => each.file === file)
    ?.hunks.some((each) => each.hunk === hunk && each.state === 'unchanged') ?? false;

const isInherited = (place: Place, packet: Packet): boolean =>
  packet.seenBefore === 'model' && isUnchanged(place, packet);

const isWithin = (line: number, ranges: readonly LineRange[] | undefined): boolean =>
  ranges?.some(({ startLine, endLine }) => line >= startLine && line <= endLine) ?? false;

/** The rules count as having seen a removed line unless there is a parse error at its former place. */
const seenByRules = ({ file, line, after }: Place, { packet, looked }: Looking): boolean => {
  const path = file.newPath;
  if (packet.kinds.get(path)?.kind !== 'rules') return false;
  if (file.status === 'deleted') return true;
  if (!looked.rules.scanned.has(path)) return false;
  const errors = looked.rules.parsed.get(path);
  if (errors === undefined) return false;
  if (line.newLine !== null) return !isWithin(line.newLine, errors);
  return !isWithin(after, errors) && !isWithin(after + 1, errors);
};

type Seen = (line: HunkLine, after: number) => SeenBy;

const linesOf = (hunk: Hunk, seen: Seen): readonly LineReceipt[] => {
  const receipts: LineReceipt[] = [];
  let after = hunk.newLines === 0 ? hunk.newStart : hunk.newStart - 1;
  for (const line of hunkLines(hunk)) {
    after = line.newLine ?? after;
    if (line.kind === 'context') continue;
    const [side, number] = line.kind === 'added' ? (['new', line.newLine] as const) : (['old', line.oldLine] as const);
    if (number === null) continue;
    const seenBy = seen(line, after);
    const last = receipts.at(-1);
    if (last?.side === side && last.seenBy === seenBy && last.line === number - 1)
      receipts[receipts.length - 1] = { ...last, line: number };
    else receipts.push({ side, startLine: number, line: number, seenBy });
  }
  return receipts;
};
