import type { OmittedFile } from '../../../shared/vocabulary/coverage.ts';
import { scanOrNull, UNSCANNED } from '../../../shared/rules/find-hits.ts';
import type { ChangedFile, RuleFinding } from '../../../shared/rules/model/rule.ts';
import { findingsOf } from '../../../shared/rules/run-rules.ts';
import type { ScanTarget } from '../packet/scan-targets.ts';

/** Time limit for scanning all files; files that were not reached in time are reported as omitted. */
const TOTAL_MS = 120_000;
/** One secret is enough to block, and a longer list would not be read. */
const MAX_FINDINGS = 100;

type Rest = {
  readonly findings: readonly RuleFinding[];
  readonly omitted: readonly OmittedFile[];
  readonly scanned: ReadonlySet<string>;
};

/** @throws what a target's `read` throws; the signal's reason when aborted. */
export const scanRest = async (targets: readonly ScanTarget[], signal: AbortSignal): Promise<Rest> => {
  const endsAtMs = performance.now() + TOTAL_MS;
  const findings: RuleFinding[] = [];
  const omitted: OmittedFile[] = [];
  const scanned = new Set<string>();
  for (const target of targets) {
    signal.throwIfAborted();
    const found = performance.now() < endsAtMs ? await scanOne(target, signal) : null;
    if (found === null) omitted.push({ path: target.path, reason: UNSCANNED });
    else {
      const room = MAX_FINDINGS - findings.length;
      findings.push(...found.slice(0, room));
      if (found.length > room) omitted.push({ path: target.path, reason: `more than ${MAX_FINDINGS} secrets` });
      scanned.add(target.path);
    }
  }
  return { findings, omitted, scanned };
};

const scanOne = async (target: ScanTarget, signal: AbortSignal): Promise<readonly RuleFinding[] | null> => {
  const content = await target.read();
  if (content.kind === 'nothing') return [];
  if (content.kind === 'unread') return null;
  const scanned = await scanOrNull(content.file, signal);
  return scanned === null ? null : secretsOf(content.file, scanned);
};

const secretsOf = (
  file: ChangedFile,
  { hits, lines }: Pick<NonNullable<Awaited<ReturnType<typeof scanOrNull>>>, 'hits' | 'lines'>,
): readonly RuleFinding[] =>
  findingsOf({ hits, omitted: [], lines: new Map([[file.path, lines]]), unscanned: new Set() }, [file], new Set())
    .findings;
