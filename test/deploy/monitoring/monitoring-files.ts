/** The files of `deploy/prometheus` and `deploy/grafana`, parsed. */
import { parse } from 'yaml';
import { z } from 'zod';
import { readProjectFile } from '../../conventions/source.ts';

export const RULES_FILE = 'deploy/prometheus/alerts.yml';

const FOLDER = 'deploy/prometheus';
export const CONFIGS = ['prometheus.yml', 'prometheus-compose.yml', 'prometheus-kubernetes.yml'].map(
  (name) => `${FOLDER}/${name}`,
);

const AlertRule = z.object({
  alert: z.string(),
  expr: z.string(),
  labels: z.object({ severity: z.enum(['critical', 'warning', 'info']) }),
  annotations: z.object({ summary: z.string(), description: z.string(), runbook: z.string() }),
});
export type AlertRule = z.output<typeof AlertRule>;

export const alertRules = (): readonly AlertRule[] =>
  z
    .object({ groups: z.array(z.object({ rules: z.array(AlertRule) })) })
    .parse(parse(readProjectFile(RULES_FILE)))
    .groups.flatMap(({ rules }) => rules);

const DATASOURCE = { type: 'prometheus', uid: '${datasource}' } as const;
const Datasource = z.strictObject({ type: z.literal(DATASOURCE.type), uid: z.literal(DATASOURCE.uid) });

const Target = z.object({
  refId: z.string(),
  datasource: Datasource,
  expr: z.string(),
  legendFormat: z.string(),
  instant: z.boolean(),
});

const Panel = z.object({
  id: z.int(),
  type: z.enum(['row', 'stat', 'timeseries', 'bargauge', 'gauge']),
  title: z.string().min(1),
  description: z.string().optional(),
  datasource: Datasource.optional(),
  gridPos: z.object({ x: z.int(), y: z.int(), w: z.int(), h: z.int() }),
  targets: z.array(Target).default([]),
});
export type Panel = z.output<typeof Panel>;

const Variable = z.object({ name: z.string(), type: z.string(), query: z.unknown(), allValue: z.string().optional() });

const Dashboard = z.object({
  id: z.null(),
  uid: z.literal('fixpoint'),
  schemaVersion: z.int(),
  templating: z.object({ list: z.array(Variable) }),
  panels: z.array(Panel),
});
export type Dashboard = z.output<typeof Dashboard>;

export const dashboard = (): Dashboard => Dashboard.parse(JSON.parse(readProjectFile('deploy/grafana/fixpoint.json')));

export type DashboardQuery = {
  readonly title: string;
  /** With the variables of Grafana. */
  readonly expr: string;
  readonly legend: string;
  readonly isInstant: boolean;
};

export const dashboardQueries = (): readonly DashboardQuery[] =>
  dashboard().panels.flatMap(({ title, targets }) =>
    targets.map(({ expr, legendFormat, instant }) => ({ title, expr, legend: legendFormat, isInstant: instant })),
  );

/** As Grafana puts values in the place of its variables, with all installations and all projects chosen. */
export const fillIn = (expr: string, seconds: { readonly rate: number; readonly range: number }): string =>
  expr
    .replaceAll(/\$job\b/g, 'fixpoint.*')
    .replaceAll(/\$project\b/g, '.*')
    .replaceAll('$__rate_interval', `${seconds.rate}s`)
    .replaceAll('$__range', `${seconds.range}s`);
