import { AppError } from '../../errors.ts';

/**
 * The input is damaged or no diff at all. Nothing of it may be used: a part of a diff looks like a smaller change.
 * `file` is the path as far as it was known; `line` counts from 1 in the input.
 */
export class DiffParseError extends AppError {
  constructor(problem: string, file: string | null, line: number) {
    super({
      code: 'DIFF_UNPARSABLE',
      message: `diff line ${line}${file === null ? '' : ` (${file})`}: ${problem}`,
      disposition: { kind: 'fail' },
      fields: { file, line },
    });
  }
}
