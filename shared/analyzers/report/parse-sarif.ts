import type { AnalyzerLevel } from '../../vocabulary/analyzer.ts';
import { jsonOrUndefined, MALFORMED, parseAll } from './read-json.ts';
import type { RawResult, ReportPlace, ReportReading } from './report.ts';
import { MAX_RESULTS, unreadableReport } from './report.ts';
import { cwesOf } from './sarif-cwes.ts';
import { type SarifPlaces, sarifPlaceOf, sarifPlacesOf } from './sarif-place.ts';
import { SarifLog, type SarifMessage, SarifResult, type SarifRule, SarifRun } from './sarif-schema.ts';
import { MAX_MESSAGE, settleResults } from './settle-results.ts';

export const SARIF_VERSION = '2.1.0';

export const parseSarif = (text: string, place: ReportPlace): ReportReading => {
  const log = SarifLog.safeParse(jsonOrUndefined(text));
  if (!log.success) return unreadableReport('wrote no SARIF: expected a JSON object with "version" and "runs"');
  const { version, runs } = log.data;
  if (version !== SARIF_VERSION)
    return unreadableReport(`wrote ${versionText(version)}; only ${SARIF_VERSION} is read`);
  const parsed = parseAll(SarifRun, runs ?? []);
  if (parsed === null) return unreadableReport('wrote SARIF with a malformed run');
  const failure =
    parsed.length === 0 ? 'wrote SARIF without a run' : parsed.map(failureOf).find((each) => each !== null);
  if (failure !== undefined) return unreadableReport(failure ?? '');
  return readResults(parsed, place);
};

const versionText = (version: string): string =>
  /^[0-9A-Za-z.-]{1,20}$/.test(version) ? `SARIF version ${version}` : 'SARIF of an unknown version';

/** Reports of a tool that failed would otherwise look like reports of code without problems. */
const failureOf = ({ results, invocations }: SarifRun): string | null => {
  const all = invocations ?? [];
  if (all.some(({ executionSuccessful }) => executionSuccessful === false)) return 'reports that it did not succeed';
  const said = all.flatMap((each) => [
    ...(each.toolExecutionNotifications ?? []),
    ...(each.toolConfigurationNotifications ?? []),
  ]);
  if (said.some(({ level }) => level === 'error')) return 'reports an error of its own';
  return results === null || results === undefined
    ? 'wrote SARIF without results, so it did not analyze the code'
    : null;
};

const readResults = (runs: readonly SarifRun[], place: ReportPlace): ReportReading => {
  const count = runs.reduce((sum, { results }) => sum + (results?.length ?? 0), 0);
  if (count > MAX_RESULTS) return unreadableReport(`reported more than ${MAX_RESULTS} results`);
  const raws: RawResult[] = [];
  for (const run of runs) {
    const results = parseAll(SarifResult, run.results ?? []);
    if (results === null) return unreadableReport(MALFORMED);
    const about = { rules: rulesOf(run), places: sarifPlacesOf(run) };
    for (const result of results) if (isProblem(result)) raws.push(rawOf(result, about));
  }
  return settleResults(raws, place);
};

/** Results of other kinds are no problems; an `absent` one was in an earlier report only. */
const isProblem = ({ kind, baselineState, suppressions }: SarifResult): boolean =>
  !['pass', 'notApplicable', 'informational'].includes(kind ?? 'fail') &&
  baselineState !== 'absent' &&
  !(suppressions ?? []).some((each) => each.kind !== 'inSource' && isInForce(each.status));

const isInForce = (status: string | null | undefined): boolean => (status ?? 'accepted') === 'accepted';

type Rules = { readonly byId: ReadonlyMap<string, SarifRule>; readonly components: readonly (readonly SarifRule[])[] };

const rulesOf = ({ tool: { driver, extensions } }: SarifRun): Rules => {
  const components = [driver, ...(extensions ?? [])].map(({ rules }) => rules ?? []);
  const byId = new Map<string, SarifRule>();
  for (const rule of components.flat()) if (typeof rule.id === 'string' && !byId.has(rule.id)) byId.set(rule.id, rule);
  return { byId, components };
};

/** A name counts more than an index: the index may be one of a component that the result names in another way. */
const ruleOf = ({ ruleId, ruleIndex, rule }: SarifResult, { byId, components }: Rules): SarifRule | undefined => {
  // Component -1 is the tool itself, which comes before its extensions.
  const component = rule?.toolComponent?.index ?? -1;
  const byIndex = components[component + 1]?.[rule?.index ?? ruleIndex ?? -1];
  const id = ruleId ?? rule?.id ?? '';
  if (id === '' || (byIndex !== undefined && isNamed(byIndex, id))) return byIndex;
  return ruleNamed(id, byId) ?? byIndex;
};

/** `CA1000/1` is a part of the rule `CA1000`. */
const wholeOf = (id: string): string => id.split('/', 1)[0] ?? '';

const isNamed = (rule: SarifRule, id: string): boolean => rule.id === id || rule.id === wholeOf(id);

const ruleNamed = (id: string, byId: Rules['byId']): SarifRule | undefined => byId.get(id) ?? byId.get(wholeOf(id));

type About = { readonly rules: Rules; readonly places: SarifPlaces };

const rawOf = (result: SarifResult, { rules, places }: About): RawResult => {
  const rule = ruleOf(result, rules);
  return {
    ...sarifPlaceOf(result, places),
    rule: result.ruleId ?? result.rule?.id ?? rule?.id ?? '',
    level: levelOf(result, rule),
    message: messageOf(result.message ?? {}, rule),
    help: helpOf(rule),
    ...cwesIn(rule),
    suppressed: (result.suppressions ?? []).some(({ kind, status }) => kind === 'inSource' && isInForce(status)),
  };
};

const cwesIn = (rule: SarifRule | undefined): Pick<RawResult, 'cwes'> => {
  const cwes = cwesOf(rule);
  return cwes.length === 0 ? {} : { cwes };
};

const LEVELS: ReadonlyMap<string, AnalyzerLevel> = new Map([
  ['error', 'error'],
  ['warning', 'warning'],
  ['note', 'info'],
  ['none', 'info'],
]);

const levelOf = ({ level, kind }: SarifResult, rule: SarifRule | undefined): AnalyzerLevel => {
  if ((kind ?? 'fail') !== 'fail') return 'info';
  return LEVELS.get(level ?? rule?.defaultConfiguration?.level ?? 'warning') ?? 'warning';
};

/** The first paragraph, without headings: some tools give a rule's whole page. */
const helpOf = (rule: SarifRule | undefined): string => {
  for (const message of [rule?.fullDescription, rule?.shortDescription, rule?.help]) {
    const paragraphs = (message?.text ?? '').slice(0, MAX_MESSAGE).split(/\n\s*\n/);
    const first = paragraphs.map(withoutHeadings).find((each) => each !== '');
    if (first !== undefined) return first;
  }
  return '';
};

const withoutHeadings = (paragraph: string): string =>
  paragraph
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .join('\n')
    .trim();

/** Longer texts are cut where arguments are put into them. */
const MAX_TEMPLATE = 1_000;

/** A message may only name a text of its rule and give its arguments: "{0}". */
const messageOf = (message: Partial<SarifMessage>, rule: SarifRule | undefined): string => {
  const named = message.id === null || message.id === undefined ? undefined : rule?.messageStrings?.[message.id];
  const text = message.text ?? named?.text ?? rule?.shortDescription?.text ?? '';
  const values = message.arguments ?? [];
  if (values.length === 0) return text;
  // Many results can share one text, so what a placeholder inserts is limited before it is inserted.
  let room = MAX_MESSAGE;
  return text.slice(0, MAX_TEMPLATE).replaceAll(/\{(\d{1,3})\}/g, (whole, at: string) => {
    const value = (values[Number(at)] ?? whole).slice(0, room);
    room -= value.length;
    return value;
  });
};
