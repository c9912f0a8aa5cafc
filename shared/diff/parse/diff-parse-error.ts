import { AppError } from '../../errors.ts';

/**
 * The input is damaged or not a diff. No part of it may be used, because a partial diff looks like a smaller change.
 * `file` is the path if it was already known; `line` counts from 1 in the input.
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
