/** Metrics for the operator. Each process has one registry. Names and labels are part of the operator's interface. */
import { Registry } from 'prom-client';
import { createForgeMetrics, type ForgeMetrics } from './metrics/forge-metrics.ts';
import { createMirrorMetrics, type MirrorMetrics } from './metrics/mirror-metrics.ts';
import { createModelMetrics, type ModelMetrics } from './metrics/model-metrics.ts';
import { collectProcessMetrics } from './metrics/process-metrics.ts';
import type { ProjectLabel } from './metrics/project-label.ts';
import { createQueueMetrics, type QueueMetrics } from './metrics/queue-metrics.ts';
import { createReviewMetrics, type ReviewMetrics } from './metrics/review-metrics.ts';

export type Metrics = ForgeMetrics &
  MirrorMetrics &
  ModelMetrics &
  QueueMetrics &
  ReviewMetrics & {
    readonly registry: Registry;
    /** The label of a project, or no label. */
    readonly labelFor: LabelFor;
  };

export type LabelFor = (of: {
  readonly forge: string;
  readonly projectId: number;
}) => Partial<Record<ProjectLabel, string>>;

export type MetricsOptions = {
  readonly service: string;
  /** Whether memory, CPU and event loop are measured. False when several services share one process. */
  readonly processMetrics: boolean;
  /** `[metrics] project_label`. */
  readonly projectLabel?: boolean;
};

export function createMetrics({ service, processMetrics, projectLabel = false }: MetricsOptions): Metrics {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  if (processMetrics) collectProcessMetrics(registry);
  const registers = [registry];
  const project: readonly ProjectLabel[] = projectLabel ? ['project'] : [];
  return {
    registry,
    labelFor: ({ forge, projectId }) => (projectLabel ? { project: `${forge}/${projectId}` } : {}),
    ...createForgeMetrics(registers),
    ...createMirrorMetrics(registers),
    ...createModelMetrics(registers, project),
    ...createQueueMetrics(registers),
    ...createReviewMetrics(registers, project),
  };
}
