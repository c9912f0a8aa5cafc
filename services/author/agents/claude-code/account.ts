/** Reads the CLI's report on its fix: each finding is addressed or declined exactly once. */
import { z } from 'zod';
import { parseLooseJson } from '../../../../shared/agent/submission/loose-json.ts';
import { schemaOf } from '../../../../shared/agent/tool.ts';
import type { Read } from '../../../../shared/claude-code/run-session.ts';
import type { FixFinding } from '../../../../shared/rounds/model/fix-brief.ts';
import type { FindingId } from '../../../../shared/vocabulary/ids.ts';
import type { FixAccount } from '../../change/agent.ts';

/** Null if the CLI's last answer could not be read. */
export type SubmittedAccount = FixAccount | null;

type Given = readonly Pick<FixFinding, 'id'>[];

const accountShape = (ids: readonly FindingId[]) =>
  z.strictObject({
    summary: z.string().max(4_000).describe('what was changed, in a few sentences'),
    addressed: z.array(z.literal([...ids])).describe('findings that are fixed'),
    declined: z
      .array(
        z.strictObject({
          id: z.literal([...ids]),
          reason: z.string().min(10).max(2_000).describe('why you do not fix it; the reviewer reads this'),
        }),
      )
      .describe('findings that you do not fix'),
  });

const idsOf = (findings: Given): readonly FindingId[] => findings.map(({ id }) => id);

export const accountSchema = (findings: Given): Readonly<Record<string, unknown>> =>
  schemaOf(accountShape(idsOf(findings)));

/** `given`: an object if the CLI accepted one, otherwise the CLI's last text. */
export const readAccount = (given: unknown, findings: Given): Read<SubmittedAccount> => {
  const ids = idsOf(findings);
  const parsed = accountShape(ids).safeParse(asObject(given));
  if (!parsed.success) return refused(parsed.error.issues.map(describe));
  const { summary, addressed, declined } = parsed.data;
  const named = [...addressed, ...declined.map(({ id }) => id)];
  const problems = ids.flatMap((id) => problemOf(id, named.filter((each) => each === id).length));
  if (problems.length > 0) return refused(problems);
  const declines = declined.map(({ id, reason }) => ({ findingId: id, reason }));
  return { kind: 'taken', answer: { summary, addressed, declines } };
};

const asObject = (given: unknown): unknown => {
  if (typeof given !== 'string') return given;
  const parsed = parseLooseJson(given);
  return parsed.kind === 'parsed' ? parsed.value : null;
};

const refused = (problems: readonly string[]): Read<SubmittedAccount> => ({
  kind: 'refused',
  problems: problems.slice(0, 10),
  rest: null,
});

/** Names the invalid field but not its value, which is untrusted text. */
const describe = ({ path, code }: z.core.$ZodIssue): string =>
  `${path.length === 0 ? 'the answer' : path.map(String).join('.').slice(0, 100)} does not match the schema (${code})`;

const problemOf = (id: FindingId, times: number): readonly string[] => {
  if (times === 1) return [];
  return [times === 0 ? `${id} is neither addressed nor declined` : `${id} is named ${times} times; expected once`];
};
