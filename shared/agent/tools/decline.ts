import { z } from 'zod';
import type { FindingId } from '../../vocabulary/ids.ts';
import { DECLINE } from '../build-request.ts';
import { defineTool, failed, type Tool } from '../tool.ts';
import { TOOL_LIMITS } from '../tool-limits.ts';

const Input = z.strictObject({
  finding_id: z.string().max(20).describe('such as F-001'),
  reason: z.string().min(10).max(2000).describe('why you do not fix it; the reviewer reads this'),
});

/** Contract: `decline` must not throw. A later reason for the same finding replaces the earlier reason. */
export const createDeclineTool = (
  ids: readonly FindingId[],
  decline: (findingId: FindingId, reason: string) => void,
): Tool =>
  defineTool({
    name: DECLINE,
    description: 'Declines to fix a finding. The reason is posted as a reply in its thread.',
    input: Input,
    maxInputCharacters: TOOL_LIMITS.inputCharacters,
    run: async ({ finding_id: wanted, reason }) => {
      const id = ids.find((each) => each === wanted);
      if (id === undefined) return failed(`there is no finding with that id; the ids are ${ids.join(', ')}`);
      decline(id, reason);
      return { kind: 'text', text: 'Declined.' };
    },
  });
