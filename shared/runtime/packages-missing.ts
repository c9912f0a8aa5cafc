import { AppError } from '../errors.ts';

type Missing = {
  readonly code: string;
  /** What is switched on. */
  readonly what: string;
  /** As `npm install` takes them. */
  readonly packages: readonly string[];
  /** How to do without. */
  readonly orElse: string;
  readonly cause: unknown;
};

/** Something is switched on whose packages are optional and not installed. */
export abstract class PackagesMissingError extends AppError {
  constructor({ code, what, packages, orElse, cause }: Missing) {
    const install = `npm install ${packages.join(' ')}`;
    super({
      code,
      message: `${what}, but its packages are not installed: run \`${install}\`, or ${orElse}`,
      disposition: { kind: 'fail' },
      cause,
    });
  }
}
