/**
 * `fixpoint doctor`: checks everything that an installation, or one of its services, depends on, and reports problems
 * with their fixes.
 */
import { type Config, findConfigPath, loadConfig } from '../../../shared/config/load.ts';
import { secretValues } from '../../../shared/config/loaded/secret-values.ts';
import type { Environment, Need } from '../../../shared/config/secrets.ts';
import { ALL_NEEDS, SERVICE_NEEDS, type ServiceName } from '../../../shared/config/service-needs.ts';
import { createRedactor } from '../../../shared/text/redact.ts';
import { escapeForTerminalLine } from '../../../shared/text/visible.ts';
import { analyzerChecks } from './analyzers.ts';
import { cageCheck } from './cage.ts';
import { type Finding, type Level, runChecks } from './check.ts';
import { forgeChecks } from './forge.ts';
import { dataFolderCheck, type Machine, machineChecks, thisMachine } from './machine.ts';
import { cliChecks, modelChecks } from './model.ts';
import { notifyChecks } from './notify.ts';
import { redisCheck } from './redis.ts';
import { ruleChecks } from './rules.ts';
import { withOwnRedis } from '../redis/own-redis.ts';
import { printJson } from '../terminal/print-json.ts';
import { serviceNamed } from '../terminal/service-named.ts';

export type DoctorOptions = { readonly config?: string; readonly json?: boolean; readonly callModel?: boolean };

export type Examination = {
  readonly path: string;
  readonly env: Environment;
  /** The service to check, with only its own secrets; null checks the whole installation. */
  readonly service: ServiceName | null;
  readonly machine: Machine;
  readonly callModel: boolean;
};

const needsOf = (service: ServiceName | null): readonly Need[] =>
  service === null ? ALL_NEEDS : SERVICE_NEEDS[service];

/**
 * The exit code: 1 when a check fails, otherwise 0, even with warnings.
 *
 * @throws `USAGE` for an unknown service
 */
export const doctor = async (
  name: string | undefined,
  { config, json, callModel = false }: DoctorOptions,
): Promise<number> => {
  const service = name === undefined ? null : serviceNamed(name);
  const path = findConfigPath(config, process.env);
  const { env } = withOwnRedis({ path, env: process.env, needs: needsOf(service) });
  const examination = { path, env, service, machine: thisMachine(), callModel };
  const findings = await examine(examination, new AbortController().signal);
  process.stdout.write(json === true ? printJson({ version: 1, findings }) : doctorText(findings));
  return exitCodeOf(findings);
};

export const exitCodeOf = (findings: readonly Finding[]): 0 | 1 =>
  findings.some(({ level }) => level === 'fail') ? 1 : 0;

/** When the configuration is invalid, only the machine is checked. */
export const examine = async (
  { path, env, service, machine, callModel }: Examination,
  signal: AbortSignal,
): Promise<readonly Finding[]> => {
  const needs = needsOf(service);
  const loaded = loadConfig({ path, env, needs });
  if (!loaded.ok) return [...refused(loaded.problems), ...(await runChecks(machineChecks(machine), signal))];
  const { config } = loaded;
  const findings = await runChecks(checksOf({ config, machine, needs: new Set(needs), callModel }), signal);
  const redact = createRedactor(secretValues(config.secrets));
  return [accepted(path), ...findings].map((finding) => ({ ...finding, text: redact(finding.text).text }));
};

/** All problems share one fix, which is shown with the last problem. */
const refused = (problems: readonly string[]): readonly Finding[] =>
  problems.map((text, index) => ({
    check: 'configuration',
    level: 'fail',
    text,
    fix: index === problems.length - 1 ? CORRECT : null,
  }));

const CORRECT = 'correct this setting; fixpoint.example.toml and .env.example list all settings and variables';

const accepted = (path: string): Finding => ({ check: 'configuration', level: 'ok', text: path, fix: null });

type Examined = {
  readonly config: Config;
  readonly machine: Machine;
  readonly needs: ReadonlySet<Need>;
  readonly callModel: boolean;
};

const checksOf = ({ config, machine, needs, callModel }: Examined) => {
  const opensRepositories = needs.has('git_token') || needs.has('push_token');
  return [
    ...machineChecks(machine),
    ...(opensRepositories
      ? [
          dataFolderCheck(config, machine),
          cageCheck(config, machine),
          ...analyzerChecks(config, machine),
          ...(needs.has('git_token') ? ruleChecks(config, machine) : []),
        ]
      : []),
    redisCheck(config),
    ...forgeChecks(config, machine),
    ...(needs.has('model_key') || config.secrets.model !== null ? modelChecks(config, callModel) : []),
    ...(opensRepositories ? cliChecks(config, machine) : []),
    ...(needs.has('notify') ? notifyChecks(config) : []),
  ];
};

const MARKS: Readonly<Record<Level, string>> = { ok: 'ok  ', warn: 'WARN', fail: 'FAIL' };

/** The text is escaped, because parts of it come from forges and repositories. */
export const doctorText = (findings: readonly Finding[]): string => {
  const lines = findings.flatMap(({ check, level, text, fix }) => [
    `${MARKS[level]}  ${check}: ${escapeForTerminalLine(text)}`,
    ...(fix === null ? [] : [`      fix: ${escapeForTerminalLine(fix)}`]),
  ]);
  const count = (level: Level): number => findings.filter((finding) => finding.level === level).length;
  return `${lines.join('\n')}\n\n${count('fail')} failures, ${count('warn')} warnings\n`;
};
