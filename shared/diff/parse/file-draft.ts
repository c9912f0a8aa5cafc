import type { Hunk } from '../model.ts';

/** A file whose lines are still being read. Names have one character per byte. */
export type FileDraft = {
  readonly origin: 'git' | 'combined' | 'plain' | 'submodule';
  readonly inputLine: number;
  readonly headerRest: string;
  minus: string | null;
  plus: string | null;
  from: string | null;
  to: string | null;
  oldMode: string | null;
  newMode: string | null;
  created: boolean;
  deleted: boolean;
  copied: boolean;
  oldBlob: string | null;
  newBlob: string | null;
  similarity: number | null;
  rewritten: boolean;
  binary: boolean;
  binaryPatch: Buffer | null;
  parents: number;
  readonly hunks: Hunk[];
  hunkCount: number;
  added: number;
  removed: number;
  oldLines: number;
  newLines: number;
  /** First line of each side at which the next hunk may start. */
  nextOld: number;
  nextNew: number;
};

export const startFile = (origin: FileDraft['origin'], headerRest: string, inputLine: number): FileDraft => ({
  origin,
  inputLine,
  headerRest,
  minus: null,
  plus: null,
  from: null,
  to: null,
  oldMode: null,
  newMode: null,
  created: false,
  deleted: false,
  copied: false,
  oldBlob: null,
  newBlob: null,
  similarity: null,
  rewritten: false,
  binary: false,
  binaryPatch: null,
  parents: 1,
  hunks: [],
  hunkCount: 0,
  added: 0,
  removed: 0,
  oldLines: 0,
  newLines: 0,
  nextOld: 0,
  nextNew: 0,
});
