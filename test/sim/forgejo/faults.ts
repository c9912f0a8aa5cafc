/** Scripted faults per request, as they can occur on a real installation. */
import type { RequestEntry } from './world.ts';

export type Moment = 'before' | 'after';

/** `before`: the forge has done nothing yet. `after`: the effect is done, but not the answer. Default: `before`. */
export type FaultStep =
  | { readonly kind: 'pass' }
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      /** Sent unchanged. Default: JSON `{message}`. */
      readonly body?: string;
      readonly when?: Moment;
    }
  | { readonly kind: 'reset'; readonly when?: Moment }
  /** No answer; the connection stays open until the client or the simulator closes it. */
  | { readonly kind: 'timeout'; readonly when?: Moment }
  /** Sends half of the real answer, then closes the connection. */
  | { readonly kind: 'truncate' }
  /** Runs a task in between: a push between two reads, a kill before an answer. */
  | { readonly kind: 'meanwhile'; readonly task: () => unknown; readonly when?: Moment };

export type FaultMatch = {
  readonly method?: string;
  /** A part of the path with its query, or a pattern for it. */
  readonly path?: string | RegExp;
  readonly user?: string;
  readonly body?: RegExp;
  /** How often the whole script runs. Default: once. */
  readonly times?: number;
};

export type Fault = {
  remaining(): number;
  remove(): void;
};

type Planned = {
  readonly match: FaultMatch;
  readonly steps: readonly FaultStep[];
  used: number;
  readonly limit: number;
};

export type FaultPlan = {
  add(match: FaultMatch, script: FaultStep | readonly FaultStep[]): Fault;
  /** Consumes and returns the step for a request; `pass` when no fault matches. */
  take(request: RequestEntry): FaultStep;
};

const fits = (match: FaultMatch, request: RequestEntry): boolean => {
  if (match.method !== undefined && match.method !== request.method) return false;
  if (match.user !== undefined && match.user !== request.user) return false;
  if (match.body !== undefined && !match.body.test(request.body)) return false;
  if (match.path === undefined) return true;
  return typeof match.path === 'string' ? request.path.includes(match.path) : match.path.test(request.path);
};

export const createFaultPlan = (): FaultPlan => {
  const planned: Planned[] = [];
  return {
    add: (match, script) => {
      const steps = 'kind' in script ? [script] : script;
      const entry: Planned = { match, steps, used: 0, limit: steps.length * (match.times ?? 1) };
      planned.push(entry);
      return {
        remaining: () => entry.limit - entry.used,
        remove: () => void planned.splice(planned.indexOf(entry), planned.includes(entry) ? 1 : 0),
      };
    },
    take: (request) => {
      const entry = planned.find((candidate) => candidate.used < candidate.limit && fits(candidate.match, request));
      const step = entry?.steps[entry.used % entry.steps.length];
      if (entry === undefined || step === undefined) return { kind: 'pass' };
      entry.used += 1;
      return step;
    },
  };
};
