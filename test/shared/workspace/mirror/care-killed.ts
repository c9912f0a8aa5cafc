/** A process that cares for a mirror; its git kills it in the middle. */
import { careForMirror } from '../../../../shared/workspace/mirror/mirror-care.ts';

const [base = '', gitPath = ''] = process.argv.slice(2);

const YEAR_MS = 365 * 24 * 3_600_000;
await careForMirror({ base, gitPath, idleMs: 1, nowMs: Date.now() + YEAR_MS }, new AbortController().signal);
