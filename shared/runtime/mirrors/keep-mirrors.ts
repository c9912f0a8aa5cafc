import type { MirrorsConfig } from '../../config/schema.ts';
import type { Logger } from '../../logger.ts';
import type { Metrics } from '../../metrics.ts';
import { createMirrorCarer, type MirrorCarer } from '../../workspace/mirror/mirror-carer.ts';
import { createMirrorKeeper, type MirrorKeeper } from '../../workspace/mirror/mirror-keeper.ts';
import { mirrorsFolder, projectOfMirror } from '../../workspace/mirror/mirror-place.ts';
import { EVICTION_REASONS } from '../../workspace/mirror/plan-eviction.ts';
import type { Checkpoint } from '../../checkpoint.ts';

export type KeptMirrors = {
  readonly keeper: MirrorKeeper;
  /** Ends removals, packing and the timer. Returns at once. */
  readonly close: () => void;
};

type Keeping = {
  readonly config: { readonly dataDir: string; readonly mirrors: MirrorsConfig };
  readonly log: Pick<Logger, 'info' | 'warn'>;
  readonly metrics: Pick<Metrics, 'mirrorBytes' | 'mirrorsEvicted'>;
};

const BYTES_PER_GB = 1e9;
const DAY_MS = 24 * 3_600_000;

/** Also without jobs, mirrors become unused. */
const TIDY_MS = 10 * 60_000;

/** Keeps the mirrors of this machine within the operator's limits until it is closed. */
export const keepMirrors = ({ config, log, metrics }: Keeping, checkpoint: Checkpoint): KeptMirrors => {
  // A counter that begins at 0 shows its first increase, too.
  for (const reason of EVICTION_REASONS) metrics.mirrorsEvicted.inc({ reason }, 0);
  const closing = new AbortController();
  const fieldsOf = ({ base, bytes }: { readonly base: string; readonly bytes: number }) => {
    const { forge, projectId: project } = projectOfMirror(base);
    return { forge, project, bytes };
  };
  const keeper = createMirrorKeeper(
    {
      folder: mirrorsFolder(config.dataDir),
      maxBytes: config.mirrors.maxGb * BYTES_PER_GB,
      unusedMs: config.mirrors.unusedDays * DAY_MS,
    },
    {
      onEvicted: ({ reason, ...mirror }) => {
        metrics.mirrorsEvicted.inc({ reason });
        log.info({ ...fieldsOf(mirror), reason }, 'mirror removed');
      },
      onOversized: (mirror) =>
        log.warn(fieldsOf(mirror), 'the mirror alone exceeds mirrors.max_gb; fetched for each job'),
      onMeasured: (bytes) => metrics.mirrorBytes.set(bytes),
      onTrouble: (err) => log.warn({ err }, 'mirrors could not be measured or removed; trying again later'),
      nowMs: Date.now,
      signal: closing.signal,
      checkpoint,
    },
  );
  const carer = carerOf({ config, log }, closing.signal);
  const timer = setInterval(() => void keeper.tidy(), TIDY_MS);
  timer.unref();
  void keeper.tidy();
  return {
    keeper: { ...keeper, care: carer.begin },
    close: () => {
      clearInterval(timer);
      closing.abort();
    },
  };
};

/** Packs mirrors in the background while no job uses them. */
const carerOf = ({ config, log }: Pick<Keeping, 'config' | 'log'>, signal: AbortSignal): MirrorCarer =>
  createMirrorCarer(
    { idleMs: config.mirrors.unusedDays * DAY_MS },
    {
      onCared: (base, result) => {
        const { forge, projectId: project } = projectOfMirror(base);
        if (result.kind === 'yielded') log.info({ forge, project }, 'a job needs the mirror; it is packed later');
        else log.info({ forge, project, packs: result.packs, refs: result.refs }, 'mirror packed');
      },
      onTrouble: (err, base) =>
        log.warn({ err, ...projectOfMirror(base) }, 'a mirror could not be packed; trying again later'),
      nowMs: Date.now,
      signal,
    },
  );
