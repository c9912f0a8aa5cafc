import type { ExceededBudget } from '../../../shared/vocabulary/exceeded.ts';
import type { FailedAnalyzer } from '../../../shared/vocabulary/analyzer.ts';
import { countLanguages, type FileReceipt, totalsOf } from '../../../shared/vocabulary/receipts.ts';
import { type Coverage, type OmittedFile, onePerPath, WHOLE_CHANGE } from '../../../shared/vocabulary/coverage.ts';
import { leftEntries } from '../../../shared/diff/paths/left-paths.ts';
import { UNSCANNED } from '../../../shared/rules/find-hits.ts';
import type { Looked } from '../packet/looked.ts';
import type { Packet } from '../packet/packet.ts';
import { receiptsOf } from './receipts.ts';

export type Covered = {
  readonly packet: Packet;
  readonly looked: Looked;
  readonly omitted: readonly OmittedFile[];
  readonly exceeded: ExceededBudget | null;
};

/** If a budget cut a review short, no file counts as reviewed. */
export const coverageOf = ({ packet, looked, omitted, exceeded }: Covered): Coverage => {
  const receipts = receiptsOf(packet, looked);
  const missing = onePerPath([...packet.omitted, ...omitted, ...unseen(receipts, { packet, looked })]);
  const unknown = looked.model === null ? unknownIn(receipts, packet) : [];
  const left = new Set([...missing, ...unknown].map(({ path }) => path));
  const { failed = [] } = looked.rules;
  const reviewed = packet.reviewable.filter(({ newPath }) => !left.has(newPath)).length;
  const blocking = packet.policy.unknownLanguages === 'pass' ? [] : countLanguages(unknown);
  return {
    files: packet.diff.files.length,
    reviewed: exceeded === null && !left.has(WHOLE_CHANGE) ? reviewed : 0,
    omitted: [...missing, ...failed.map(omittedBy), ...packet.excluded.filter(({ path }) => !left.has(path))],
    complete: missing.length === 0 && exceeded === null,
    ...leftOut({ packet, missing, exceeded }),
    receipts: totalsOf(receipts),
    lines: [...receipts],
    ...(blocking.length === 0 ? {} : { unknownLanguages: blocking }),
    ...(failed.length === 0 ? {} : { analyzers: [...failed] }),
    ...(packet.policy.onlyExcluded !== 'pass' && isOnlyExcluded(packet) ? { onlyExcluded: true } : {}),
  };
};

const omittedBy = ({ name, kind, reason }: FailedAnalyzer): OmittedFile => ({
  path: `(${kind ?? 'analyzer'} ${name})`,
  reason,
});

type LeftOut = Pick<Covered, 'packet' | 'exceeded'> & { readonly missing: readonly OmittedFile[] };

/** Every line outside these files was seen. Without these fields, it is unknown which lines were seen. */
const leftOut = ({ packet, missing, exceeded }: LeftOut): Pick<Coverage, 'left' | 'askFor'> => {
  if (missing.length === 0 || exceeded !== null) return {};
  const paths = new Set(packet.diff.files.map(({ newPath }) => newPath));
  const out = new Set(missing.map(({ path }) => path));
  if (![...out].every((path) => paths.has(path))) return {};
  const left = entriesOf(out, paths);
  if (left === null) return {};
  const unreadable = new Set(packet.omitted.map(({ path }) => path));
  const canBeAskedFor = packet.reviewable
    .map(({ newPath }) => newPath)
    .filter((path) => out.has(path) && !unreadable.has(path));
  const askFor = entriesOf(new Set(canBeAskedFor), paths);
  return { left, ...(askFor === null || askFor.length === 0 ? {} : { askFor }) };
};

const entriesOf = (left: ReadonlySet<string>, all: ReadonlySet<string>): readonly string[] | null =>
  leftEntries(
    [...left],
    [...all].filter((path) => !left.has(path)),
  );

type Seen = Pick<Covered, 'packet' | 'looked'>;

/** Returns the files with a line that the required reviewer (model, rules or scan) did not see. */
const unseen = (receipts: readonly FileReceipt[], { packet, looked }: Seen): readonly OmittedFile[] => {
  const excluded = new Set(packet.excluded.map(({ path }) => path));
  return receipts.flatMap((receipt): OmittedFile[] => {
    const { path } = receipt;
    if (!hasOnlySeen(receipt, ['model', 'rules', 'scan'])) return [{ path, reason: UNSCANNED }];
    if (packet.onlyRules.has(path)) return hasOnlySeen(receipt, ['rules']) ? [] : [{ path, reason: unparsed(receipt) }];
    if (excluded.has(path)) return [];
    if (looked.model !== null)
      return hasOnlySeen(receipt, ['model']) ? [] : [{ path, reason: looked.model.notShown.get(path) ?? NOT_READ }];
    if (packet.kinds.get(path)?.kind !== 'rules' || hasOnlySeen(receipt, ['rules', 'model'])) return [];
    return [{ path, reason: unparsed(receipt) }];
  });
};

const NOT_READ = 'the model did not see all changed lines of this file';

const hasOnlySeen = ({ header, lines }: FileReceipt, kinds: readonly FileReceipt['header'][]): boolean =>
  (header === null || kinds.includes(header)) && lines.every(({ seenBy }) => kinds.includes(seenBy));

const unparsed = ({ lines }: FileReceipt): string => {
  const first = lines.find(({ seenBy }) => seenBy !== 'rules' && seenBy !== 'model');
  if (first === undefined) return 'the rules did not check this file';
  return first.side === 'new'
    ? `line ${first.startLine} could not be parsed or was built, so the rules did not check that code`
    : `the code that replaced line ${first.startLine} could not be parsed or was built, so the rules did not check that code`;
};

type Unknown = { readonly path: string; readonly language: string };

const unknownIn = (receipts: readonly FileReceipt[], packet: Packet): readonly Unknown[] => {
  const excluded = new Set(packet.excluded.map(({ path }) => path));
  return receipts.flatMap((receipt) => {
    const { path, language } = receipt;
    const isUnknown = packet.kinds.get(path)?.kind === 'unknown' && !excluded.has(path);
    return isUnknown && receipt.analyzers === undefined && !hasOnlySeen(receipt, ['model']) ? [{ path, language }] : [];
  });
};

/** True if every file was excluded, but not all of them by the operator. */
const isOnlyExcluded = ({ diff, excluded, byOperator, onlyRules }: Packet): boolean => {
  const paths = new Set(excluded.map(({ path }) => path).filter((path) => !onlyRules.has(path)));
  return diff.files.length > 0 && diff.files.every(({ newPath }) => paths.has(newPath)) && byOperator.size < paths.size;
};
