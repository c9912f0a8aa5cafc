import { json, type Reply } from '../forgejo/reply.ts';
import { badNote, badRequest } from './errors.ts';
import type { Written } from './notes.ts';
import type { Json } from './represent.ts';
import type { SimNote, World } from './world.ts';

const major = (world: World): number => Number.parseInt(world.version, 10);

/**
 * `process_note_creation_result`: 202 with the effects of the commands and no note (forges.md 3.4). Older versions
 * answered with an error although the commands had run (GitLab issue 346557, trust.md A6).
 */
export const replyWritten = (world: World, written: Written, shown: (note: SimNote) => Json, status = 201): Reply => {
  if (written.kind === 'note') return json(status, shown(written.note));
  const { applied, failed, changes } = written.interpreted;
  if (applied.length === 0) throw badRequest(failed.join(', '));
  if (major(world) < 16) throw badNote({ commands_only: applied });
  return json(202, { commands_changes: changes, summary: applied });
};
