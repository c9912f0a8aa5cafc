/** What one side hands over to the other: touched files, decisions and blockers. */
import { z } from 'zod';
import { AgentName, list, text, WorkspacePath } from './fields.ts';

const MAX_ENTRIES = 500;
const someOf = <Item extends z.ZodType>(item: Item) => list(item, MAX_ENTRIES).min(1, 'expected at least 1 entry');
const line = text(2000);

export const HandoffPacket = z
  .strictObject({
    source_agent: AgentName,
    target_agent: AgentName,
    intent: text(8000),
    artifacts_to_review: someOf(text(1024)),
    definition_of_done: someOf(line),
    context_bundle: z.strictObject({
      files_touched: someOf(z.strictObject({ path: WorkspacePath, rationale: line })),
      decisions_made: someOf(z.strictObject({ decision: line, alternatives_considered: someOf(line) })),
      blockers_hit: someOf(z.strictObject({ blocker: line, workarounds_attempted: someOf(line) })),
      suggested_next_steps: someOf(line),
    }),
  })
  .refine(({ source_agent: source, target_agent: target }) => source !== target, {
    path: ['target_agent'],
    message: 'is the same as the source; expected a different name',
  });
export type HandoffPacket = z.output<typeof HandoffPacket>;

/** A hand-off packet is identified only by its path. `name` has the form of a findings packet's id. */
export const handoffPath = (name: string): string => `packets/handoffs/${name}.yaml`;

/** False for paths outside the folder of hand-off packets. */
export const isHandoffPath = (path: string): boolean => /^packets\/handoffs\/[A-Za-z0-9._-]{1,200}\.yaml$/.test(path);
