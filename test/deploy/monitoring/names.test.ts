/** Alert rules and dashboard use metrics and labels that exist. */
import { describe, expect, test } from 'vitest';
import { createMetrics } from '../../../shared/metrics.ts';
import { alertRules, dashboard, dashboardQueries, type Panel } from './monitoring-files.ts';

/** The library keeps the names of labels in its metrics, but its types do not show them. */
type Registered = { readonly name: string; readonly labelNames: readonly string[] };
const { registry } = createMetrics({ service: 'test', processMetrics: true, projectLabel: true });
const known = new Map(
  // The cast is safe because the library has these fields.
  (registry.getMetricsAsArray() as unknown as readonly Registered[]).map((metric) => [metric.name, metric] as const),
);

/** What Prometheus and the default labels of the registry add. */
const ALWAYS = ['job', 'instance', 'service'];

const HISTOGRAM = /_(?:bucket|sum|count)$/;

type Named = { readonly name: string; readonly selector: string };

const metricsIn = (expr: string): readonly Named[] =>
  [...expr.matchAll(/\b((?:fixpoint|process|nodejs)_\w+|up)(?:\{([^}]*)\})?/g)].map(([, name = '', selector = '']) => ({
    name,
    selector,
  }));

const labelsOf = (name: string): readonly string[] | undefined =>
  name === 'up' ? [] : (known.get(name) ?? known.get(name.replace(HISTOGRAM, '')))?.labelNames;

const problemsOfMetric = ({ name, selector }: Named): readonly string[] => {
  const own = labelsOf(name);
  if (own === undefined) return [`no metric ${name}`];
  const selected = [...selector.matchAll(/(\w+)\s*=?[=!~]+\s*"/g)].map(([, label = '']) => label);
  const wrong = selected.filter((label) => !ALWAYS.includes(label) && !own.includes(label));
  return wrong.map((label) => `${name} has no label ${label}`);
};

/** Reads selectors and groupings, which is all that these expressions have of names. */
const problemsOf = (expr: string): readonly string[] => {
  const metrics = metricsIn(expr);
  const labels = new Set(['le', ...ALWAYS, ...metrics.flatMap(({ name }) => labelsOf(name) ?? [])]);
  const ungrouped = groupingsOf(expr).filter((label) => !labels.has(label));
  return [...metrics.flatMap(problemsOfMetric), ...ungrouped.map((label) => `nothing has the label ${label}`)];
};

const groupingsOf = (expr: string): readonly string[] =>
  [...expr.matchAll(/\b(?:by|on|without|ignoring) \(([^)]*)\)/g)].flatMap(([, list = '']) =>
    list.split(',').map((label) => label.trim()),
  );

const named = (text: string): readonly string[] =>
  [...text.matchAll(/\{\{\s*(?:\$labels\.)?(\w+)\s*\}\}/g)].map(([, label = '']) => label);

describe('the alert rules', () => {
  test.each(alertRules().map((rule) => [rule.alert, rule] as const))('%s uses names that exist', (_, rule) => {
    expect(problemsOf(rule.expr)).toEqual([]);
    const available = new Set(groupingsOf(rule.expr));
    const texts = `${rule.annotations.summary} ${rule.annotations.description}`;
    const missing = named(texts).filter((label) => !available.has(label) && !ALWAYS.includes(label));
    expect(missing).toEqual([]);
  });
});

describe('the dashboard', () => {
  const queries = dashboardQueries();

  test.each(queries.map((query) => [query.title, query] as const))('%s uses names that exist', (_, query) => {
    expect(problemsOf(query.expr)).toEqual([]);
    const available = groupingsOf(query.expr);
    expect(named(query.legend).filter((label) => !available.includes(label))).toEqual([]);
  });

  test('shows every metric of Fixpoint', () => {
    const all = queries.map(({ expr }) => expr).join('\n');
    const own = [...known.keys()].filter((name) => name.startsWith('fixpoint_'));
    expect(own.filter((name) => !new RegExp(`\\b${name}(?:_bucket|_sum)?\\{`).test(all))).toEqual([]);
    expect(own).toHaveLength(35);
  });

  test('chooses installation and project by variables, and works without the label of a project', () => {
    for (const { expr } of queries) {
      expect(expr).toMatch(/job=~"\$job"/);
      const ofProject = [...known.values()].filter(
        ({ name, labelNames }) => labelNames.includes('project') && new RegExp(`\\b${name}\\w*\\{`).test(expr),
      );
      expect([expr, expr.includes('project=~"$project"')]).toEqual([expr, ofProject.length > 0]);
    }
    const { list } = dashboard().templating;
    expect(list.map(({ name, type, allValue }) => [name, type, allValue])).toEqual([
      ['datasource', 'datasource', undefined],
      ['job', 'query', 'fixpoint.*'],
      ['project', 'query', '.*'],
    ]);
  });

  test('names alerts that exist', () => {
    const alerts = alertRules().map(({ alert }) => alert);
    const mentioned = dashboard().panels.flatMap(
      ({ description = '' }) => description.match(/\bFixpoint[A-Z]\w+/g) ?? [],
    );
    expect(mentioned.filter((alert) => !alerts.includes(alert))).toEqual([]);
    expect(mentioned.length).toBeGreaterThan(10);
  });

  test('has the rows, and panels that do not overlap', () => {
    const { panels, schemaVersion } = dashboard();
    expect(schemaVersion).toBeGreaterThanOrEqual(39);
    expect(panels.filter(({ type }) => type === 'row').map(({ title }) => title)).toEqual([
      'Reviews',
      'Time from event to verdict',
      'Queues',
      'Findings',
      'Money and budget',
      'Models',
      'Forges',
      'Health',
    ]);
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    const cells = panels.flatMap(cellsOf);
    expect(new Set(cells).size).toBe(cells.length);
    for (const { type, targets, datasource } of panels)
      expect([type, targets.length > 0, datasource !== undefined]).toEqual([type, type !== 'row', type !== 'row']);
  });
});

const cellsOf = ({ gridPos: { x, y, w, h } }: Panel): readonly string[] =>
  Array.from({ length: w * h }, (_, index) => `${x + (index % w)}.${y + Math.floor(index / w)}`);

test.each([
  [
    'sum by (queue) (fixpoint_job_secnds_count)',
    ['no metric fixpoint_job_secnds_count', 'nothing has the label queue'],
  ],
  ['fixpoint_outage{which="model"}', ['fixpoint_outage has no label which']],
  ['sum by (wat) (rate(fixpoint_job_seconds_count{queue=~"a"}[5m]))', ['nothing has the label wat']],
])('the check finds a mistake in %s', (expr, problems) => {
  expect(problemsOf(expr)).toEqual(problems);
});
