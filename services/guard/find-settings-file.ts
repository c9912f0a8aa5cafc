import { MAX_REPOSITORY_FILE_BYTES, REPOSITORY_FILE } from '../../shared/config/repository/repository-settings.ts';
import { AppError } from '../../shared/errors.ts';
import type { EffectOf } from '../../shared/rounds/model/effect.ts';
import type { SettingsFileState } from '../../shared/rounds/plan/answers/ignore-proposal.ts';
import { type EffectContext, requireChangeRequest } from './effect-context.ts';

export const proposesEntry = ({ say }: EffectOf<'answer'>): boolean =>
  say.kind === 'proposed' || (say.kind === 'dismissed' && say.always === true);

/** The result only decides where the answer links to, so a forge error does not prevent the answer. */
export const findSettingsFile = async (context: EffectContext): Promise<SettingsFileState> => {
  const { deps, of, signal } = context;
  const branch = requireChangeRequest(context).targetBranch;
  const files = deps.forges.get(of.forge)?.files;
  if (files === undefined) return 'unknown';
  try {
    const at = { projectId: of.projectId, branch, path: REPOSITORY_FILE };
    const file = await files.fetchFile(at, MAX_REPOSITORY_FILE_BYTES, signal);
    return file === null ? 'missing' : 'present';
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof AppError)) throw error;
    return 'unknown';
  }
};
