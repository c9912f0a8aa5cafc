/** Mutants that change nothing that a test could notice, each with the reason. At most 5 in 100 of a folder. */
export type Equivalent = {
  /** From the root of the project. */
  readonly file: string;
  /** The line that is changed, without its indentation. */
  readonly code: string;
  /** As Stryker prints it. */
  readonly replacement: string;
  readonly reason: string;
};

const TYPES_ONLY = 'Only the compiler needs the fallback: the value is always there.';
const NOTHING_LEFT = 'The empty default clause does the same: nothing is left to do.';

export const EQUIVALENT: readonly Equivalent[] = [
  {
    file: 'shared/queue/worker.ts',
    code: "execute(options, job, token ?? '', AbortSignal.any([stopping.signal, signal ?? stopping.signal])),",
    replacement: '"Stryker was here!"',
    reason: TYPES_ONLY,
  },
  {
    file: 'shared/queue/worker.ts',
    code: "const jobKeyOf = (name: QueueName, job: Job): string => `${name}.${job.id ?? ''}`;",
    replacement: '"Stryker was here!"',
    reason: TYPES_ONLY,
  },
  {
    file: 'shared/queue/worker.ts',
    code: 'if (job === undefined || !isFinal(job, error)) return;',
    replacement: 'false',
    reason: 'The library tells of no failure without its job below `MAX_STALLS`.',
  },
  { file: 'shared/queue/worker.ts', code: "case 'done':", replacement: '""', reason: NOTHING_LEFT },
  { file: 'shared/queue/worker.ts', code: "case 'drop':", replacement: '""', reason: NOTHING_LEFT },
  {
    file: 'shared/queue/worker.ts',
    code: 'default:',
    replacement: 'default:',
    reason: '`satisfies` is for the compiler alone.',
  },
  {
    file: 'shared/text/blocks.ts',
    code: "return { indent: indent.length, fence: ticks ?? tildes ?? '', info: (tickInfo ?? tildeInfo ?? '').trim() };",
    replacement: '"Stryker was here!"',
    reason: TYPES_ONLY,
  },
  {
    file: 'shared/text/code-fence.ts',
    code: "const word = /^[a-z0-9]+(?=\\s|$)/i.exec(info.trim())?.[0].toLowerCase() ?? '';",
    replacement: '"Stryker was here!"',
    reason: 'No language has this name either.',
  },
];
