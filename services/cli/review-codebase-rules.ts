import type { OmittedFile } from '../../shared/rounds/vocabulary.ts';
import { reviewByRules } from '../../shared/rules/review-by-rules.ts';
import type { ChangedFile, RuleFinding } from '../../shared/rules/rule.ts';
import { type AuditTree, readTreeText, type TreeFile } from './review-tree.ts';

/** Each batch is held in memory, and the rules have a time limit of their own for it. */
const BATCH_FILES = 200;
const BATCH_BYTES = 4 * 1024 * 1024;

type RulesAudit = { readonly findings: readonly RuleFinding[]; readonly omitted: readonly OmittedFile[] };

/** Every line of every file as if it were new. @throws as `reviewByRules`. */
export const auditByRules = async (tree: AuditTree, signal: AbortSignal): Promise<RulesAudit> => {
  const findings: RuleFinding[] = [];
  const omitted: OmittedFile[] = [];
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
  }
  return { findings, omitted };
};

function* batches(files: readonly TreeFile[]): Generator<readonly TreeFile[]> {
  let batch: TreeFile[] = [];
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

const readBatch = async (tree: AuditTree, batch: readonly TreeFile[]): Promise<readonly ChangedFile[]> => {
  const files: ChangedFile[] = [];
  for (const { path, lines } of batch) {
    const text = await readTreeText(tree, path);
    if (text === null) throw new Error(`the copy of ${path} is gone`);
    files.push({ path, text, changedLines: new Set(Array.from({ length: lines }, (_, index) => index + 1)) });
  }
  return files;
};
