import { z } from 'zod';
import type { FindingId } from '../../vocabulary/ids.ts';
import { ADDRESSED } from '../build-request.ts';
import { defineTool, type Tool } from '../tool.ts';
import { TOOL_LIMITS } from '../tool-limits.ts';

/** Contract: `address` must not throw. It may be called several times for the same finding. */
export const createAddressedTool = (
  ids: readonly FindingId[],
  address: (findingIds: readonly FindingId[]) => void,
): Tool =>
  defineTool({
    name: ADDRESSED,
    description:
      'Names the findings that your changes fix; the commit message and the comment about the fix list these findings. Without this call, every finding in a file that you changed counts as addressed, except declined ones.',
    input: z.strictObject({ finding_ids: z.array(z.enum(ids)).min(1).max(500) }),
    maxInputCharacters: TOOL_LIMITS.inputCharacters,
    run: async ({ finding_ids: named }) => {
      address(named);
      return { kind: 'text', text: 'Noted.' };
    },
  });
