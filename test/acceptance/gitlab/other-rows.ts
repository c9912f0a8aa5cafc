/** Faults of verdicts, limits and places against GitLab's own source: GL6 to GL11. */
import type { Proof } from '../named-test.ts';

export const OTHER_ROWS: Readonly<Record<string, Proof>> = {};
