import type { PosterDeps } from '../../../services/poster/deps.ts';
import { createMetrics } from '../../../shared/metrics.ts';
import * as make from '../../shared/rounds/builders.ts';
import { callDeps } from './calls-fixture.ts';
import { FREE_PLACE } from './free-place.ts';

/** A poster with no forge, to which nothing else happens: it remembers nothing, and time stands still. */
export const posterDeps = (patch: Partial<PosterDeps> = {}): PosterDeps => ({
  ...FREE_PLACE,
  ...callDeps(),
  forges: new Map(),
  markerSecrets: [make.SECRET],
  dryRun: false,
  statusContext: 'fixpoint',
  loadPlan: async () => null,
  seen: { load: async () => new Set(), add: async () => {} },
  readings: { hand: async () => {}, drop: async () => {}, takeLook: async () => null },
  deliver: async () => {},
  underLease: async () => null,
  metrics: createMetrics({ service: 'poster', processMetrics: false }),
  nowMs: () => 0,
  sleep: async () => {},
  checkpoint: () => {},
  ...patch,
});
