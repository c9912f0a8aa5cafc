import { z } from 'zod';
import type { FindingId } from '../../vocabulary/ids.ts';
import { ADDRESSED } from '../build-request.ts';
import { defineTool, type Tool } from '../tool.ts';
import { TOOL_LIMITS } from '../tool-limits.ts';

/** `address` may hear of the same finding several times. Contract: must not throw. */
export const createAddressedTool = (
  ids: readonly FindingId[],
  address: (findingIds: readonly FindingId[]) => void,
): Tool =>
  defineTool({
    name: ADDRESSED,
    description:
      'Says which findings your changes mend; the commit and the note about it name them. Without it each finding in a file that you changed counts. What you decline counts as declined.',
    input: z.strictObject({ finding_ids: z.array(z.enum(ids)).min(1).max(500) }),
    maxInputCharacters: TOOL_LIMITS.inputCharacters,
    run: async ({ finding_ids: named }) => {
      address(named);
      return { kind: 'text', text: 'Noted.' };
    },
  });
