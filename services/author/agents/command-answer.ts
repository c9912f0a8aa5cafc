/** Reads what an operator's command printed about its work. Printing nothing is allowed. */
import { z } from 'zod';
import type { FixFinding } from '../../../shared/rounds/model/fix-brief.ts';
import { cutPoint } from '../../../shared/text/cut.ts';
import type { FixAccount } from '../change/agent.ts';
import { jsonOrNull } from '../../../shared/json-or-null.ts';

/** Longer texts are cut: what the command changed is worth more than the end of its words. */
const text = (max: number) => z.string().transform((given) => given.slice(0, cutPoint(given, max)));

const MAX_SUMMARY = 4_000;
const MAX_REASON = 2_000;
const MAX_ENTRIES = 500;

const Answer = z.object({
  summary: text(MAX_SUMMARY).default(''),
  addressed: z.array(z.string()).max(MAX_ENTRIES).nullable().default(null),
  declined: z
    .array(z.object({ id: z.string(), reason: z.string().trim().min(1).pipe(text(MAX_REASON)) }))
    .max(MAX_ENTRIES)
    .default([]),
});

const SILENT: FixAccount = { addressed: null, declines: [], summary: '' };

/**
 * Returns null if the output is broken JSON or JSON of another shape. Unknown ids are dropped. If a finding is declined
 * more than once, the last reason counts.
 */
export const readCommandAnswer = (stdout: string, findings: readonly Pick<FixFinding, 'id'>[]): FixAccount | null => {
  const printed = stdout.trim();
  if (!printed.startsWith('{')) return SILENT;
  const parsed = Answer.safeParse(jsonOrNull(printed));
  if (!parsed.success) return null;
  const { summary, addressed, declined } = parsed.data;
  const reasons = new Map(declined.map(({ id, reason }) => [id, reason]));
  const declines = findings.flatMap(({ id }) => {
    const reason = reasons.get(id);
    return reason === undefined ? [] : [{ findingId: id, reason }];
  });
  const named = new Set(addressed);
  return {
    summary,
    addressed: addressed === null ? null : findings.map(({ id }) => id).filter((id) => named.has(id)),
    declines,
  };
};
