import { setTimeout as delay } from 'node:timers/promises';
import type { Environment } from '../../../shared/config/secrets.ts';
import { createLines, SILENT_VIEW } from './lines.ts';
import { createWatch, type ProgressView, type ReviewWatch } from './watch.ts';

export type ProgressWish = { readonly quiet?: boolean | undefined; readonly verbose?: boolean | undefined };

const TICK_MS = 500;
const LAST_LOOK_MS = 1_000;

export type LiveTerminal = {
  readonly isTTY?: boolean;
  readonly rows?: number | undefined;
  readonly columns?: number | undefined;
};

/** If the output has at least as many rows as the screen, ink clears the screen and its scrollback. */
const MIN_ROWS = 5;
const MIN_COLUMNS = 20;

/**
 * Returns true for a terminal that can be redrawn. With `verbose`, the log of the services would break the redrawn
 * line. On a build server, ink draws only the last frame.
 */
export const isLive = (
  { isTTY, rows = 0, columns = 0 }: LiveTerminal,
  env: Environment,
  { verbose }: ProgressWish,
): boolean =>
  isTTY === true &&
  rows >= MIN_ROWS &&
  columns >= MIN_COLUMNS &&
  verbose !== true &&
  (env['NO_COLOR'] ?? '') === '' &&
  env['TERM'] !== 'dumb' &&
  ['', '0', 'false'].includes(env['CI'] ?? '');

const viewFor = async (wish: ProgressWish): Promise<ProgressView> => {
  if (wish.quiet === true) return SILENT_VIEW;
  if (isLive(process.stderr, process.env, wish)) return (await import('./live.ts')).openLive(process.stderr);
  return createLines({ write: (text) => void process.stderr.write(text), verbose: wish.verbose === true });
};

/** Shows progress on stderr while the work runs, even if the work fails. */
export const withProgress = async <Value>(
  wish: ProgressWish,
  work: (watch: ReviewWatch) => Promise<Value>,
): Promise<Value> => {
  const watch = createWatch(await viewFor(wish), () => performance.now());
  let ticking: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    ticking = ticking.then(watch.tick);
  }, TICK_MS);
  timer.unref();
  try {
    return await work(watch);
  } finally {
    clearInterval(timer);
    // A poll that hangs must not delay the result.
    await Promise.race([ticking, delay(LAST_LOOK_MS, undefined, { ref: false })]);
    await watch.close();
  }
};
