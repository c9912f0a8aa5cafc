import { AppError } from '../../errors.ts';
import { hasForgeCode } from '../errors.ts';
import { type Greeted, openGreeting } from './greet.ts';
import { DIALECTS } from './forge-kind.ts';
import type { ProjectRef } from '../port-facts.ts';

/** An action that the token may not perform, and the forge's explanation, which names the missing scope. */
export type WriteRefusal = { readonly what: string; readonly explanation: string | null };

/** Deletes objects that do not exist: 403 when the scope is missing, 404 otherwise. Other errors are thrown. */
export const probeWriting = async (
  greeted: Greeted,
  project: ProjectRef,
  signal: AbortSignal,
): Promise<readonly WriteRefusal[]> => {
  const http = openGreeting(greeted);
  const refusals: WriteRefusal[] = [];
  for (const { what, path } of DIALECTS[greeted.kind].writeProbes(project)) {
    try {
      await http.write({ method: 'DELETE', path, schema: null }, signal);
    } catch (error) {
      if (hasForgeCode(error, 'FORGE_FORBIDDEN')) refusals.push({ what, explanation: explanationOf(error) });
      else if (!hasForgeCode(error, 'FORGE_NOT_FOUND')) throw error;
    }
  }
  return refusals;
};

const explanationOf = (error: unknown): string | null => {
  const words = error instanceof AppError ? error.fields['explanation'] : null;
  return typeof words === 'string' ? words : null;
};
