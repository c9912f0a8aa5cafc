/** Finds the path `owner/name` of a project id. The API needs the path, which changes with every rename and transfer. */
import type { Clock } from '../../clock.ts';
import { hasForgeCode } from '../../errors.ts';
import type { ForgeHttp } from '../../http.ts';
import { apiPath } from '../../path.ts';
import { ApiRepository } from './schema.ts';

/** Cached paths expire soon, because after a rename a new project may take the old path. */
const KEEP_MS = 60_000;

export type ProjectPaths = {
  /**
   * If the forge no longer knows the cached path, the path is read again. If it has changed, `use` runs a second time.
   * Contract: `use` must not have had an effect when it throws FORGE_NOT_FOUND or FORGE_REDIRECTED.
   */
  readonly withProject: <T>(
    projectId: number,
    signal: AbortSignal,
    use: (project: ApiRepository) => Promise<T>,
  ) => Promise<T>;
  /** Drops a cached path that now belongs to another project. */
  readonly forget: (projectId: number) => void;
};

type Kept = { readonly project: ApiRepository; readonly readAtMs: number };

const samePath = (left: ApiRepository, right: ApiRepository): boolean =>
  left.owner.login === right.owner.login && left.name === right.name;

export const createProjectPaths = (http: ForgeHttp, clock: Clock): ProjectPaths => {
  const kept = new Map<number, Kept>();

  // GET /repositories/{id}: https://codeberg.org/api/swagger#/repository/repoGetByID
  const readNow = async (projectId: number, signal: AbortSignal): Promise<ApiRepository> => {
    kept.delete(projectId);
    const path = apiPath`/api/v1/repositories/${projectId}`;
    const { value } = await http.read({ path, schema: ApiRepository }, signal);
    kept.set(projectId, { project: value, readAtMs: clock.nowMs() });
    return value;
  };

  const fresh = (projectId: number): ApiRepository | null => {
    const entry = kept.get(projectId);
    return entry !== undefined && clock.nowMs() - entry.readAtMs < KEEP_MS ? entry.project : null;
  };

  return {
    forget: (projectId) => {
      kept.delete(projectId);
    },
    withProject: async (projectId, signal, use) => {
      const known = fresh(projectId);
      if (known === null) return use(await readNow(projectId, signal));
      try {
        return await use(known);
      } catch (error) {
        if (!hasForgeCode(error, 'FORGE_NOT_FOUND', 'FORGE_REDIRECTED')) throw error;
        const current = await readNow(projectId, signal);
        if (samePath(known, current)) throw error;
        return use(current);
      }
    },
  };
};
