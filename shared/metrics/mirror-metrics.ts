/** Metrics about the git mirrors of this machine. */
import { Counter, Gauge, type Registry } from 'prom-client';

export type MirrorMetrics = {
  readonly mirrorBytes: Gauge;
  /** `reason`: unused, oversized, cap or disk_full. */
  readonly mirrorsEvicted: Counter<'reason'>;
};

export const createMirrorMetrics = (registers: Registry[]): MirrorMetrics => ({
  mirrorBytes: new Gauge({
    name: 'fixpoint_mirror_bytes',
    help: 'Disk space of all mirrors in the data folder, by the last look of this process. Processes with one folder serve the same value: aggregate with max',
    registers,
  }),
  mirrorsEvicted: new Counter({
    name: 'fixpoint_mirrors_evicted_total',
    help: 'Mirrors that this process removed, by reason',
    labelNames: ['reason'],
    registers,
  }),
});
