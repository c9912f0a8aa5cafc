/** A healthy installation as time series, and what has to change so that an alert fires. One value per minute. */

const SERVICES = ['ingress', 'guard', 'reviewer', 'explorer', 'poster'] as const;

/** The minute at which alerts are looked at: the longest window of a rule is six hours. */
export const LOOK_AT_MINUTE = 390;

type Series = Readonly<Record<string, string>>;

/** In the notation of promtool: `a+bxn` grows by b, `axn` stays. */
const steady = (value: number | string): string => `${value}x400`;
const growing = (by: number): string => `0+${by}x400`;
/** Rises once, half an hour before the alerts are looked at. */
const risen = (from: number, to: number): string => `${from}x360 ${to}x40`;
/** Begins half an hour before. */
const begun = (value: number): string => `_x360 ${value}x40`;

const of = (name: string, labels: Readonly<Record<string, string>> = {}): string =>
  `${name}{${Object.entries({ job: 'fixpoint', ...labels })
    .map(([label, value]) => `${label}="${value}"`)
    .join(',')}}`;

const up = (service: string): string => of('up', { service, instance: `${service}:9750` });
const started = (service: string): string => of('process_start_time_seconds', { service, instance: `${service}:9750` });
const age = (queue: string, state: string): string => of('fixpoint_queue_oldest_job_age_seconds', { queue, state });
const failed = of('fixpoint_jobs_failed_total', { queue: 'review', code: 'RUN_OVERDUE' });
const otherFailed = of('fixpoint_jobs_failed_total', { queue: 'post', code: 'UNEXPECTED' });
const alarms = of('fixpoint_alarms_total', { code: 'FORGE_COMMANDS_ONLY' });
const events = of('fixpoint_webhook_events_total', { forge: 'main', kind: 'pushed', outcome: 'accepted' });
const comments = of('fixpoint_webhook_events_total', { forge: 'main', kind: 'comment', outcome: 'accepted' });
const lastVerdict = of('fixpoint_last_verdict_timestamp_seconds', { verdict: 'lgtm' });
const handoff = of('fixpoint_handoff_oldest_age_seconds', { forge: 'main' });
const outage = (what: string): string => of('fixpoint_outage', { what, service: 'guard' });
const requests = (status: string): string =>
  of('fixpoint_forge_requests_total', { forge: 'main', method: 'GET', status });
const swept = (what: string): string => of('fixpoint_sweep_found_total', { forge: 'main', what });
const hooks = of('fixpoint_hooks_disabled', { forge: 'main' });
const OF_MODEL = { provider: 'anthropic', model: 'one', role: 'reviewer' };
const errors = of('fixpoint_model_errors_total', { ...OF_MODEL, code: 'MODEL_OVERLOADED' });
const calls = of('fixpoint_model_call_seconds_count', OF_MODEL);
const budget = of('fixpoint_budget_used_ratio', { scope: 'day', budget: 'money' });
const refusals = (scope: string): string => of('fixpoint_budget_refusals_total', { scope, budget: 'money' });
const redis = (mode: string): string => of('fixpoint_redis_info', { mode });

export const HEALTHY: Series = {
  ...Object.fromEntries(SERVICES.flatMap((service) => [[up(service), steady(1)]])),
  // One restart within the half hour, as after an update.
  ...Object.fromEntries(SERVICES.flatMap((service) => [[started(service), risen(100, 20_000)]])),
  [redis('external')]: steady(1),
  [age('review', 'waiting')]: steady(600),
  [age('review', 'failed')]: steady(500_000),
  [age('guard', 'delayed')]: steady(7_200),
  [failed]: steady(2),
  [alarms]: steady(0),
  [events]: growing(0.1),
  [comments]: growing(1),
  // The verdict of this minute.
  [lastVerdict]: growing(60),
  [handoff]: steady(86_400),
  [outage('model')]: steady(0),
  [outage('forge')]: steady(0),
  [requests('200')]: growing(10),
  [requests('404')]: growing(5),
  [requests('502')]: growing(0.5),
  [requests('lost')]: growing(0.5),
  [swept('head')]: risen(0, 2),
  [swept('change_request')]: risen(0, 50),
  [hooks]: steady(0),
  [calls]: growing(1),
  [errors]: growing(0.2),
  [budget]: steady(0.75),
  [refusals('run')]: growing(1),
};

export type AlertCase = {
  readonly alert: string;
  readonly when: string;
  /** An empty text takes the series away. */
  readonly changed: Series;
  /** Labels of the alert, other than its name, its state and `job`. */
  readonly labels: Readonly<Record<string, string>>;
  /** False for alerts that know no job, because nothing is there. */
  readonly hasJob?: false;
};

const critical = { severity: 'critical' };
const warning = { severity: 'warning' };
const info = { severity: 'info' };

export const ALERT_CASES: readonly AlertCase[] = [
  {
    alert: 'FixpointProcessDown',
    when: 'a process does not answer',
    changed: { [up('poster')]: risen(1, 0) },
    labels: { service: 'poster', instance: 'poster:9750', ...critical },
  },
  {
    alert: 'FixpointServiceMissing',
    when: 'the last process of a service is gone',
    changed: { [started('guard')]: '100x360' },
    labels: { service: 'guard', ...critical },
    hasJob: false,
  },
  {
    alert: 'FixpointProcessRestarts',
    when: 'a process starts every five minutes',
    changed: { [started('reviewer')]: '100x365 200x5 300x5 400x5 500x20' },
    labels: { service: 'reviewer', instance: 'reviewer:9750', ...warning },
  },
  {
    alert: 'FixpointRedisEmbedded',
    when: 'the Redis belongs to the process',
    changed: { [redis('external')]: '', [redis('embedded')]: steady(1) },
    labels: info,
  },
  {
    alert: 'FixpointQueueStuck',
    when: 'a job waits for 20 minutes',
    changed: { [age('post', 'waiting')]: '0x360 0+60x40' },
    labels: { queue: 'post', ...warning },
  },
  {
    alert: 'FixpointJobsFailed',
    when: 'one more job fails',
    changed: { [failed]: risen(2, 3) },
    labels: { queue: 'review', code: 'RUN_OVERDUE', ...warning },
  },
  {
    alert: 'FixpointJobsFailed',
    when: 'the first job fails, and its series begins with 1',
    changed: { [otherFailed]: begun(1) },
    labels: { queue: 'post', code: 'UNEXPECTED', ...warning },
  },
  {
    alert: 'FixpointAlarm',
    when: 'the poster meets what must never happen',
    changed: { [alarms]: risen(0, 1) },
    labels: { code: 'FORGE_COMMANDS_ONLY', ...critical },
  },
  {
    alert: 'FixpointNoVerdict',
    when: 'pushes arrive, and the last verdict is old',
    changed: { [lastVerdict]: '0+60x100 6000x300' },
    labels: warning,
  },
  {
    alert: 'FixpointNoVerdict',
    when: 'pushes arrive, and there never was a verdict',
    changed: { [lastVerdict]: '' },
    labels: warning,
  },
  {
    alert: 'FixpointHandoffsOpen',
    when: 'a hand-off is four days old',
    changed: { [handoff]: steady(345_600) },
    labels: { forge: 'main', ...info },
  },
  {
    alert: 'FixpointOutage',
    when: 'a model cannot be used for 20 minutes',
    changed: { [outage('model')]: '0x369 1x40' },
    labels: { what: 'model', ...warning },
  },
  {
    alert: 'FixpointForgeRequestsFail',
    when: 'a token expired',
    changed: { [requests('401')]: '0x360 0+10x40' },
    labels: { forge: 'main', ...warning },
  },
  {
    alert: 'FixpointWebhooksLost',
    when: 'one sweep finds three new heads',
    changed: { [swept('head')]: risen(0, 3) },
    labels: { forge: 'main', ...warning },
  },
  {
    alert: 'FixpointWebhooksDisabled',
    when: 'the webhook of a project is disabled',
    changed: { [hooks]: risen(0, 1) },
    labels: { forge: 'main', ...warning },
  },
  {
    alert: 'FixpointModelCallsFail',
    when: 'the key of a provider is refused',
    changed: { [errors]: '0x360 0+1x40' },
    labels: { provider: 'anthropic', model: 'one', ...warning },
  },
  {
    alert: 'FixpointBudgetNearlyUsed',
    when: 'nine tenths of the day are spent',
    changed: { [budget]: steady(0.9) },
    labels: { budget: 'money', ...warning },
  },
  {
    alert: 'FixpointBudgetUsedUp',
    when: 'the budget of the day refuses a call',
    changed: { [refusals('day')]: begun(1) },
    labels: { scope: 'day', budget: 'money', ...warning },
  },
];

/** A file for `promtool test rules`. */
export const promtoolTests = (rules: string, cases: readonly AlertCase[]): string => {
  const tests = cases.map(({ alert, when, changed, labels, hasJob }) =>
    oneTest(`${alert}: ${when}`, { ...HEALTHY, ...changed }, [
      of('ALERTS', {
        alertname: alert,
        alertstate: 'firing',
        ...labels,
        ...(hasJob === false ? { job: '' } : {}),
      }),
    ]),
  );
  const healthy = oneTest('a healthy installation', HEALTHY, []);
  return JSON.stringify({ rule_files: [rules], evaluation_interval: '1m', tests: [healthy, ...tests] });
};

const oneTest = (name: string, series: Series, alerts: readonly string[]): unknown => ({
  name,
  interval: '1m',
  input_series: Object.entries(series)
    .filter(([, values]) => values !== '')
    .map(([key, values]) => ({ series: key, values })),
  promql_expr_test: [
    {
      expr: 'ALERTS{alertstate="firing"}',
      eval_time: `${LOOK_AT_MINUTE}m`,
      exp_samples: alerts.map((labels) => ({ labels, value: 1 })),
    },
  ],
});
