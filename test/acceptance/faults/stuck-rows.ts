/** Faults that block a change request, or stay silent, without cause. */
import type { Proof } from '../named-test.ts';

export const STUCK_ROWS: Readonly<Record<string, Proof>> = {};
