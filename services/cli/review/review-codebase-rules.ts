import type { OmittedFile } from '../../../shared/vocabulary/coverage.ts';
import type { FileReceipt } from '../../../shared/vocabulary/receipts.ts';
import { type ContentKind, contentKindOf } from '../../../shared/rules/content-kind.ts';
import { reviewByRules, type RulesReview } from '../../../shared/rules/review-by-rules.ts';
import type { ChangedFile, RuleFinding } from '../../../shared/rules/model/rule.ts';
import { type AuditTree, readTreeText, type AuditFile } from './review-tree.ts';

/** Limits of one batch, which is held in memory and has one time limit. */
const BATCH_FILES = 200;
const BATCH_BYTES = 4 * 1024 * 1024;

type RulesAudit = {
  readonly findings: readonly RuleFinding[];
  readonly omitted: readonly OmittedFile[];
  readonly receipts: readonly FileReceipt[];
  /** Files in a language for which there are no rules. */
  readonly unknown: readonly { readonly path: string; readonly language: string }[];
};

/** Applies the rules to every line of every file as if the line were new. @throws the errors of `reviewByRules` */
export const auditByRules = async (tree: AuditTree, signal: AbortSignal): Promise<RulesAudit> => {
  const findings: RuleFinding[] = [];
  const omitted: OmittedFile[] = [];
  const receipts: FileReceipt[] = [];
  const unknown: { path: string; language: string }[] = [];
  for (const batch of batches(tree.files)) {
    const files = await readBatch(tree, batch);
    const found = await reviewByRules({
      files,
      openThreads: [],
      headText: async () => null,
      moved: () => null,
      signal,
    });
    findings.push(...found.findings);
    omitted.push(...found.omitted);
    for (const file of files) {
      const kind = contentKindOf(file.path, file.text);
      receipts.push(receiptOf(file, kind, found));
      if (kind.kind === 'unknown') unknown.push({ path: file.path, language: kind.language });
      else if (kind.kind === 'rules') omitted.push(...unparsed(file, found, omitted));
    }
  }
  return { findings, omitted, receipts, unknown };
};

const receiptOf = (
  { path, changedLines }: ChangedFile,
  { kind, language }: ContentKind,
  found: RulesReview,
): FileReceipt => {
  const scan = found.scanned.has(path) ? 'scan' : 'nobody';
  const errors = found.parsed.get(path);
  const seenBy = kind === 'rules' && errors?.length === 0 ? 'rules' : scan;
  const lines =
    changedLines.size === 0 ? [] : [{ side: 'new' as const, startLine: 1, line: changedLines.size, seenBy } as const];
  return { path, language, header: null, lines };
};

const unparsed = ({ path }: ChangedFile, found: RulesReview, known: readonly OmittedFile[]): readonly OmittedFile[] => {
  const errors = found.parsed.get(path);
  if (errors?.length === 0 || known.some((file) => file.path === path)) return [];
  const where = errors?.[0] === undefined ? 'it' : `line ${errors[0].startLine}`;
  return [{ path, reason: `${where} could not be parsed or was built, so the rules did not check that code` }];
};

function* batches(files: readonly AuditFile[]): Generator<readonly AuditFile[]> {
  let batch: AuditFile[] = [];
  let bytes = 0;
  for (const file of files) {
    if (batch.length >= BATCH_FILES || (batch.length > 0 && bytes + file.bytes > BATCH_BYTES)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(file);
    bytes += file.bytes;
  }
  if (batch.length > 0) yield batch;
}

const readBatch = async (tree: AuditTree, batch: readonly AuditFile[]): Promise<readonly ChangedFile[]> => {
  const files: ChangedFile[] = [];
  for (const { path, lines } of batch) {
    const text = await readTreeText(tree, path);
    if (text === null) throw new Error(`the copy of ${path} no longer exists`);
    files.push({ path, text, changedLines: new Set(Array.from({ length: lines }, (_, index) => index + 1)) });
  }
  return files;
};
