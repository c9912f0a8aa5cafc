/** `[sandbox]`: the cage in which tools of a model and validation commands run. */
import { z } from 'zod';
import { FilePath } from './values.ts';

const SandboxKeys = z.strictObject({
  /** `none`: no cage is looked for. What takes one is off then. */
  backend: z.enum(['bubblewrap', 'none']).default('bubblewrap'),
  /** Services that need a cage do not start without one. */
  required: z.boolean().default(false),
  /** The account of the cage, where the service itself runs as root. No file should belong to it. */
  uid: z.int().min(1).max(4_294_967_293).default(65_533),
  /** Processes and threads of one cage. */
  maxProcesses: z.int().min(32).max(4096).default(128),
  /** Memory of one process in the cage. */
  memoryMb: z.int().min(256).max(65_536).default(2048),
  /** `/tmp` of a cage, in memory. */
  scratchMb: z.int().min(1).max(4096).default(64),
  /** Further folders and files of the machine, such as a tool chain, which stand at the same place in every cage. */
  readOnlyPaths: z
    .array(FilePath.refine((path) => path.startsWith('/'), { message: 'expected an absolute path' }))
    .max(50)
    .default([]),
});

export const Sandbox = SandboxKeys.refine(({ backend, required }) => backend !== 'none' || !required, {
  path: ['required'],
  message: 'expected a backend other than "none"',
});
export type Sandbox = z.output<typeof Sandbox>;
