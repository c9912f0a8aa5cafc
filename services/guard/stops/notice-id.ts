import { createHash } from 'node:crypto';
import { RunId } from '../../../shared/vocabulary/ids.ts';

/** Takes the place of a run in the plan of a notice. The same for the same parts, so that a repeated order is the same plan. */
export const noticeIdOf = (...parts: readonly (string | number)[]): RunId =>
  RunId.parse(createHash('sha256').update(parts.join(' ')).digest('hex').slice(0, 20));
