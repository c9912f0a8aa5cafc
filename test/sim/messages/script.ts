import type { Exchange } from './exchange.ts';
import { reply, type Step, toolUse } from './reply.ts';

const SUBMIT_VERIFICATION = 'submit_verification';

/**
 * A list is consumed call by call; a function answers every call.
 * Contract: a function throws or returns null when it has no answer; that is recorded as a violation.
 */
export type Script = readonly Step[] | ((exchange: Exchange) => Step | null | Promise<Step | null>);

export type ScriptMatch = {
  readonly system?: string | RegExp;
  readonly firstUserText?: string | RegExp;
  readonly hasTool?: string;
  readonly lacksTool?: string;
  readonly model?: string;
  /** True: also answers verifiers, which otherwise confirm every claim. Default: only if `hasTool` says so. */
  readonly verifies?: boolean;
  readonly when?: (exchange: Exchange) => boolean;
  /** Each conversation, such as an explorer's, uses its own copy of the list. Default: one list for all. */
  readonly perConversation?: boolean;
};

export type ScriptHandle = {
  /** Number of unused steps; for lists per conversation, the lowest number of any conversation. */
  remaining(): number;
  answered(): number;
  remove(): void;
};

export type Scripts = {
  add(script: Script, match?: ScriptMatch): ScriptHandle;
  /** The newest matching script answers. Null when no script has an answer left. */
  take(exchange: Exchange): Promise<Step | null>;
};

const fits = (wanted: string | RegExp | undefined, text: string): boolean => {
  if (wanted === undefined) return true;
  return typeof wanted === 'string' ? text.includes(wanted) : wanted.test(text);
};

const isForVerifiers = ({ hasTool, verifies = false }: ScriptMatch): boolean =>
  verifies || hasTool === SUBMIT_VERIFICATION;

const CONFIRMS = reply([toolUse(SUBMIT_VERIFICATION, { outcome: 'confirmed', reason: 'It happens.' })]);

const matches = (match: ScriptMatch, exchange: Exchange): boolean => {
  const names = exchange.tools.map(({ name }) => name);
  return (
    (!names.includes(SUBMIT_VERIFICATION) || isForVerifiers(match)) &&
    fits(match.system, exchange.system) &&
    fits(match.firstUserText, exchange.firstUserText) &&
    (match.hasTool === undefined || names.includes(match.hasTool)) &&
    (match.lacksTool === undefined || !names.includes(match.lacksTool)) &&
    (match.model === undefined || match.model === exchange.request.model) &&
    (match.when?.(exchange) ?? true)
  );
};

type Planned = {
  readonly script: Script;
  readonly match: ScriptMatch;
  readonly used: Map<string, number>;
  answered: number;
};

const keyOf = ({ match }: Planned, { conversation }: Exchange): string =>
  match.perConversation === true ? conversation : '';

const hasAnswer = (planned: Planned, exchange: Exchange): boolean =>
  typeof planned.script === 'function' || (planned.used.get(keyOf(planned, exchange)) ?? 0) < planned.script.length;

const answer = async (planned: Planned, exchange: Exchange): Promise<Step | null> => {
  planned.answered++;
  if (typeof planned.script === 'function') return planned.script(exchange);
  const key = keyOf(planned, exchange);
  const used = planned.used.get(key) ?? 0;
  planned.used.set(key, used + 1);
  return planned.script[used] ?? null;
};

export const createScripts = (): Scripts => {
  const scripts: Planned[] = [];
  return {
    add: (script, match = {}) => {
      const planned: Planned = { script, match, used: new Map(), answered: 0 };
      scripts.unshift(planned);
      return {
        remaining: () => (typeof script === 'function' ? 0 : script.length - Math.max(0, ...planned.used.values())),
        answered: () => planned.answered,
        remove: () => void scripts.splice(scripts.indexOf(planned), scripts.includes(planned) ? 1 : 0),
      };
    },
    take: async (exchange) => {
      const planned = scripts.find((one) => matches(one.match, exchange) && hasAnswer(one, exchange));
      if (planned !== undefined) return answer(planned, exchange);
      return exchange.tools.some(({ name }) => name === SUBMIT_VERIFICATION) ? CONFIRMS : null;
    },
  };
};
