export type ReplayDifference = {
  /** Path such as `findings[2].claim.line`; empty for the whole value. */
  readonly at: string;
  readonly stored: string;
  readonly replayed: string;
};

const MAX_SHOWN = 200;

const show = (value: unknown): string => {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN)}…`;
};

const isContainer = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

const under = (at: string, key: string, isList: boolean): string => {
  if (isList) return `${at}[${key}]`;
  return at === '' ? key : `${at}.${key}`;
};

/** The first difference between two JSON values, in the order of their fields; null when they are equal. */
export const firstDifference = (stored: unknown, replayed: unknown, at = ''): ReplayDifference | null => {
  if (isContainer(stored) && isContainer(replayed) && Array.isArray(stored) === Array.isArray(replayed)) {
    for (const key of new Set([...Object.keys(stored), ...Object.keys(replayed)])) {
      const found = firstDifference(stored[key], replayed[key], under(at, key, Array.isArray(stored)));
      if (found !== null) return found;
    }
    return null;
  }
  return Object.is(stored, replayed) ? null : { at, stored: show(stored), replayed: show(replayed) };
};
