/** `[sandbox]`: the cage in which a model's tools and validation commands run. */
import { z } from 'zod';
import { FilePath } from './values.ts';

const SandboxKeys = z.strictObject({
  /** `none`: no cage is used, and features that need a cage are disabled. */
  backend: z.enum(['bubblewrap', 'none']).default('bubblewrap'),
  /** If true, services that need a cage do not start without one. */
  required: z.boolean().default(false),
  /** User id in the cage when the service runs as root. It should own no files. */
  uid: z.int().min(1).max(4_294_967_293).default(65_533),
  /** Maximum number of processes and threads per cage. */
  maxProcesses: z.int().min(32).max(4096).default(128),
  /** Maximum memory of each process in the cage. */
  memoryMb: z.int().min(256).max(65_536).default(2048),
  /** Size of the in-memory `/tmp` of a cage. */
  scratchMb: z.int().min(1).max(4096).default(64),
  /** Additional folders and files of the machine, such as a toolchain. They are visible at the same path in every cage. */
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
