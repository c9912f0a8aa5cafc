/** Reads what an operator's command printed about its work. Printing nothing is allowed. */
import { z } from 'zod';
import type { Decline, FixFinding } from '../../../shared/rounds/model/fix-brief.ts';
import { FindingId } from '../../../shared/vocabulary/ids.ts';
import type { FixAccount } from '../change/agent.ts';
import { jsonOrNull } from '../../../shared/json-or-null.ts';

const Answer = z.object({
  summary: z.string().max(4_000).default(''),
  addressed: z.array(FindingId).max(500).nullable().default(null),
  declined: z
    .array(z.object({ id: FindingId, reason: z.string().min(1).max(2_000) }))
    .max(500)
    .default([]),
});

const SILENT: FixAccount = { addressed: null, declines: [], summary: '' };

/** Returns null if the output is broken JSON or JSON of another shape. Unknown ids are dropped. */
export const readCommandAnswer = (stdout: string, findings: readonly Pick<FixFinding, 'id'>[]): FixAccount | null => {
  const text = stdout.trim();
  if (!text.startsWith('{')) return SILENT;
  const parsed = Answer.safeParse(jsonOrNull(text));
  if (!parsed.success) return null;
  const given = new Set(findings.map(({ id }) => id));
  const { summary, addressed, declined } = parsed.data;
  const declines = declined
    .filter(({ id }) => given.has(id))
    .map(({ id, reason }): Decline => ({ findingId: id, reason }));
  return { summary, addressed: addressed?.filter((id) => given.has(id)) ?? null, declines };
};
